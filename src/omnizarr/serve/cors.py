"""Pages of other origins: which may read, and what of the answers.

https://fetch.spec.whatwg.org/#http-cors-protocol
"""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from omnizarr.serve.faults import answer

ANY = "*"
_ASKED = "authorization, content-type, if-match, if-none-match, if-range, range"
_SHOWN = "Accept-Ranges, Content-Length, Content-Range, ETag, Last-Modified"
_CHANGING = ("PUT", "DELETE", "POST", "PATCH")
_KEPT = 3600


class OriginMiddleware:
    """Lets pages of some origins read, by any method that there is; of others a browser shows them nothing.

    Cookies of theirs are never let in, so that `*` opens nothing that the token closes. Where there is no
    token they change nothing.
    """

    def __init__(
        self,
        app: ASGIApp,
        origins: tuple[str, ...],
        methods: tuple[str, ...],
        *,
        changing: bool,
        home: str | None,
    ) -> None:
        self._app = app
        self._changing = changing
        self._origins = frozenset(origin.rstrip("/").lower() for origin in origins)
        self._methods = ", ".join(methods)
        self._home = home

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        origin = headers.get("Origin") if scope["type"] == "http" else None
        if origin is None or self._is_home(origin, scope, headers):
            await self._app(scope, receive, self._telling(send, None))
            return
        allowed = self._allowed(origin)
        if scope["method"] == "OPTIONS" and "Access-Control-Request-Method" in headers:
            await self._preflight(allowed, headers)(scope, receive, send)
        elif scope["method"] in _CHANGING and not (allowed and self._changing):
            await answer(403, "pages of other origins may change nothing")(scope, receive, send)
        else:
            await self._app(scope, receive, self._telling(send, allowed))

    def _allowed(self, origin: str) -> str | None:
        """Return what the answer says of an origin: itself, or that any will do."""
        if ANY in self._origins:
            return ANY
        return origin if origin.lower() in self._origins else None

    def _is_home(self, origin: str, scope: Scope, headers: Headers) -> bool:
        """Say whether a page is this server's own."""
        here = f"{scope['scheme']}://{headers.get('Host', '')}"
        return origin.lower() in (here.lower(), self._home)

    def _preflight(self, allowed: str | None, asked: Headers) -> Response:
        if allowed is None:
            return answer(403, "this origin may not read here; omnizarr serve --cors ORIGIN lets it")
        headers = {
            "Access-Control-Allow-Origin": allowed,
            "Access-Control-Allow-Methods": self._methods,
            "Access-Control-Allow-Headers": _ASKED,
            "Access-Control-Max-Age": str(_KEPT),
            "Vary": "Origin",
        }
        if asked.get("Access-Control-Request-Private-Network") == "true":
            headers["Access-Control-Allow-Private-Network"] = "true"
        return Response(status_code=204, headers=headers)

    def _telling(self, send: Send, allowed: str | None) -> Send:
        if not self._origins:
            return send

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if ANY not in self._origins:
                    headers.add_vary_header("Origin")
                if allowed is not None:
                    headers["Access-Control-Allow-Origin"] = allowed
                    headers["Access-Control-Expose-Headers"] = _SHOWN
            await send(message)

        return with_headers
