"""What every request is checked for, and what every answer says to browsers.

https://www.rfc-editor.org/rfc/rfc9110#section-15.5.20
https://www.w3.org/TR/CSP3/
"""

from __future__ import annotations

import re
import time

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from omnizarr.serve.faults import answer, log

# A page may use what this server has, and nothing else; nobody may show it within another.
_PAGE = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# What is stored may be anyone's: a browser that shows it runs nothing of it.
_VALUE = "default-src 'none'; frame-ancestors 'none'; sandbox"
# In bytes, as they come.
LONGEST_ADDRESS = 2**15
LONGEST_HEADER = 2**15
_PORT = re.compile(r"(.*?)(?::\d*)?", re.DOTALL)


class SizeMiddleware:
    """Refuses addresses and headers longer than any client has reason to send, and bodies of two lengths."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            if len(scope["raw_path"]) + len(scope["query_string"]) > LONGEST_ADDRESS:
                await answer(414, "the address is too long")(scope, receive, send)
                return
            if sum(len(name) + len(value) for name, value in scope["headers"]) > LONGEST_HEADER:
                await answer(431, "the header is too long")(scope, receive, send)
                return
            if {b"content-length", b"transfer-encoding"} <= {name for name, _ in scope["headers"]}:
                # A proxy in front may have seen another end of this request than we do, RFC 9112 section 6.1.
                response = answer(400, "expected one length of the body, found two", {"Connection": "close"})
                await response(scope, receive, send)
                return
        await self._app(scope, receive, send)


class HostMiddleware:
    """Refuses requests for other hosts: those of web pages whose own name was made to lead here."""

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...]) -> None:
        self._app = app
        self._hosts = {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._is_known(Headers(scope=scope).getlist("Host")):
            await self._app(scope, receive, send)
            return
        response = answer(421, "this server is not known by the host that the request names")
        await response(scope, receive, send)

    def _is_known(self, hosts: list[str]) -> bool:
        return len(hosts) == 1 and host_of(hosts[0]) in self._hosts


def host_of(text: str) -> str:
    """Return the host of a header `Host` without its port; IPv6 in brackets."""
    text = text.strip().lower()
    found = _PORT.fullmatch(text)
    if text.startswith("["):
        return text[: text.find("]") + 1]
    return found[1].rstrip(".") if found else text


class HeadersMiddleware:
    """Adds to every answer what keeps browsers from guessing, framing and telling others."""

    def __init__(self, app: ASGIApp, values: str, shared: bool) -> None:
        self._app = app
        self._values = values
        self._shared = shared

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_value = scope["path"].startswith(self._values)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = _VALUE if is_value else _PAGE
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "no-referrer"
                headers["Cross-Origin-Resource-Policy"] = "cross-origin" if self._shared else "same-origin"
                headers["Cross-Origin-Opener-Policy"] = "same-origin"
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, with_headers)


class LogMiddleware:
    """Logs each request as it ends: who, what and how it went; never a query, in which a token may be."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 0

        async def noting(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            client = (scope.get("client") or ("-",))[0]
            took = (time.perf_counter() - begun) * 1000
            path = scope["raw_path"].decode("ascii", "backslashreplace")
            log.info("%s %s %s %s %.0f ms", client, scope["method"], path, status or "broken off", took)
