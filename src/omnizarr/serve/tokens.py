"""The token: who has it may ask, and nobody else.

https://www.rfc-editor.org/rfc/rfc6750
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
import secrets
from urllib.parse import unquote_plus

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from omnizarr.serve.browser import leading_to
from omnizarr.serve.faults import answer, log

SHORTEST = 16
PARAMETER = "token"
_SIGNS = re.compile(r"[\x21-\x7e]+")
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="omnizarr"'}


def new_token() -> str:
    """Return a token that nobody guesses: 256 bits."""
    return secrets.token_urlsafe(32)


def check_token(token: str) -> str:
    """Return a token that a user chose.

    Raises
    ------
    ValueError
        It is short, or has signs that no header can have; it is not shown.
    """
    if len(token) < SHORTEST or not _SIGNS.fullmatch(token):
        message = f"the token: expected at least {SHORTEST} letters, digits and signs of ASCII without spaces"
        raise ValueError(f"{message}, found {len(token)} characters")
    return token


class TokenMiddleware:
    """Lets through who shows the token: as `Authorization: Bearer`, in a cookie, or once as `?token=`.

    The last is for people: a browser that goes to such an address gets the cookie, which no script can read
    and no other site makes it send, and is led on to the address without the token.
    """

    def __init__(self, app: ASGIApp, token: str, penalty: float, secure: bool = False) -> None:
        self._app = app
        self._token = token
        self._penalty = penalty
        self._secure = secure
        digest = hashlib.sha256(b"omnizarr cookie " + token.encode()).hexdigest()
        # Cookies are of a host, whatever the port: two servers must not take each other's.
        self._cookie, self._secret = f"omnizarr-{digest[:8]}", digest[8:]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        inner, asked = _without_token(scope)
        response = await self._checked(inner, asked)
        if response is None:
            await self._app(inner, receive, send)
        else:
            await response(scope, receive, send)

    async def _checked(self, scope: Scope, asked: list[str]) -> Response | None:
        """Return the answer to who may not go on, or who has to go elsewhere; None for all others."""
        headers = Headers(scope=scope)
        shown = [*asked, *_bearers(headers)]
        if not shown:
            if _equal(_cookie(headers, self._cookie), self._secret):
                return None
            return answer(401, "expected a token: Authorization: Bearer TOKEN, or ?token=TOKEN", _CHALLENGE)
        if all(_equal(token, self._token) for token in shown):
            return self._led_on(scope) if asked and _is_visit(scope, headers) else None
        log.warning("a wrong token from %s", (scope.get("client") or ("somewhere",))[0])
        await asyncio.sleep(self._penalty)
        return answer(401, "the token is wrong", _CHALLENGE)

    def _led_on(self, scope: Scope) -> Response:
        """Return the answer that leads a browser on to the same address, whatever path a proxy has for it."""
        query = scope["query_string"].decode("latin-1")
        last = scope["raw_path"].decode("latin-1").rpartition("/")[2]
        target = f"./{last}?{query}" if query else f"./{last}"
        # Who comes from elsewhere, as from a file, gets a page: after a redirect no browser shows the cookie.
        is_from_elsewhere = Headers(scope=scope).get("Sec-Fetch-Site") in ("cross-site", "same-site")
        response = HTMLResponse(leading_to(target)) if is_from_elsewhere else Response(status_code=303)
        if not is_from_elsewhere:
            response.headers["Location"] = target
        response.set_cookie(
            self._cookie, self._secret, path="/", httponly=True, samesite="strict", secure=self._secure
        )
        return response


def _without_token(scope: Scope) -> tuple[Scope, list[str]]:
    """Return a request without the tokens in its query, which nothing further down is to see, and those."""
    parts = scope["query_string"].split(b"&")
    mark = f"{PARAMETER}=".encode()
    tokens = [unquote_plus(part[len(mark) :].decode("latin-1")) for part in parts if part.startswith(mark)]
    if not tokens:
        return scope, []
    others = b"&".join(part for part in parts if not part.startswith(mark))
    return {**scope, "query_string": others}, tokens


def _is_visit(scope: Scope, headers: Headers) -> bool:
    """Say whether a browser goes to the address, where a program would read it."""
    return scope["method"] == "GET" and "text/html" in headers.get("Accept", "")


def _bearers(headers: Headers) -> list[str]:
    found = (line.partition(" ") for line in headers.getlist("Authorization"))
    return [token.strip() for scheme, _, token in found if scheme.lower() == "bearer"]


def _cookie(headers: Headers, name: str) -> str:
    """Return the value of a cookie; of several of one name the first."""
    for line in headers.getlist("Cookie"):
        for part in line.split(";"):
            found, equals, value = part.strip().partition("=")
            if equals and found == name:
                return value
    return ""


def _equal(one: str, other: str) -> bool:
    """Compare without telling by the time it takes how much is right."""
    return hmac.compare_digest(one.encode("utf-8", "surrogateescape"), other.encode())
