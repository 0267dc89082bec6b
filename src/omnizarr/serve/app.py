"""The application: which address is answered by what, and what all requests and answers go through."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from omnizarr.serve.addresses import MOUNT
from omnizarr.serve.api import routes as api_routes
from omnizarr.serve.cors import OriginMiddleware
from omnizarr.serve.data import READING, WRITING, Data
from omnizarr.serve.faults import HANDLERS, FaultMiddleware
from omnizarr.serve.guard import HeadersMiddleware, HostMiddleware, LogMiddleware, SizeMiddleware
from omnizarr.serve.options import ServeOptions
from omnizarr.serve.roots import Root
from omnizarr.serve.threads import Threads
from omnizarr.serve.tokens import TokenMiddleware

PAGE = Path(__file__).parent / "page"


def make_app(roots: Sequence[Root], options: ServeOptions | None = None) -> Starlette:
    """Return the application that serves roots.

    `/data/NAME/KEY` are the values of stores; `/api/` is what the page asks for; `/`, `/page/` are the page.
    """
    options = options or ServeOptions()
    named = {root.name: root for root in roots}
    data = Data(named, options, Threads(options.threads))
    routes: list[BaseRoute] = [
        data,
        *api_routes(named, options),
        Route("/", _page),
        Mount("/page", StaticFiles(directory=PAGE)),
    ]
    app = Starlette(routes=routes, middleware=_middleware(options), exception_handlers=HANDLERS)
    app.router.redirect_slashes = False
    return app


async def _page(request: Request) -> FileResponse:
    return FileResponse(PAGE / "index.html")


def _middleware(options: ServeOptions) -> list[Middleware]:
    """Return what requests go through, in this order, and answers in the reverse one."""
    home = _origin(options.public_url)
    methods = (*READING, *WRITING) if options.writable and options.token else READING
    layers = [
        Middleware(LogMiddleware),
        Middleware(HeadersMiddleware, values=MOUNT, shared=bool(options.origins)),
        Middleware(FaultMiddleware),
        Middleware(SizeMiddleware),
    ]
    if options.hosts:
        layers.append(Middleware(HostMiddleware, hosts=options.hosts))
    changing = options.token is not None
    layers.append(
        Middleware(OriginMiddleware, origins=options.origins, methods=methods, changing=changing, home=home)
    )
    if options.token is not None:
        secure = home is not None and home.startswith("https:")
        layers.append(
            Middleware(TokenMiddleware, token=options.token, penalty=options.penalty, secure=secure)
        )
    return layers


def _origin(url: str | None) -> str | None:
    """Return the origin of a URL as browsers name it."""
    if url is None:
        return None
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()
