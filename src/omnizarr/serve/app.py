"""The application: which address is answered by what, and what all answers go through."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from anyio import to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

from omnizarr.serve.options import ServeOptions
from omnizarr.serve.roots import Root

PAGE = Path(__file__).parent / "page"


def make_app(roots: Sequence[Root], options: ServeOptions | None = None) -> Starlette:
    """Return the application that serves roots.

    `/data/NAME/KEY` are the values of stores, `/api/` is what the page asks for, `/` the page.
    """
    options = options or ServeOptions()
    named = {root.name: root for root in roots}
    routes: list[BaseRoute] = [Mount("/", StaticFiles(directory=PAGE, html=True))]
    return Starlette(routes=routes)
