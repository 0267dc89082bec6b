"""What failures come to as answers: a status, and a line that tells no secret.

https://www.rfc-editor.org/rfc/rfc9110#section-15
"""

from __future__ import annotations

import errno
import logging

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from omnizarr.errors import KeyNameError, OmniZarrError, ReadOnlyError, StoreError, StoreNotFoundError

log = logging.getLogger("omnizarr.serve")

_BY_NUMBER = {
    errno.EACCES: (403, "the server may not use this key"),
    errno.EPERM: (403, "the server may not use this key"),
    errno.EISDIR: (409, "there are keys below this one, so that it can have no value"),
    errno.ENOTEMPTY: (409, "there are keys below this one, so that it can have no value"),
    errno.ENOTDIR: (409, "what this key is below is itself a value"),
    errno.ENAMETOOLONG: (400, "the key is longer than the store can hold"),
    errno.ENOSPC: (507, "the store is full"),
    errno.EDQUOT: (507, "the store is full"),
}


def answer(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    """Return the answer to what cannot be done; also that to what has no body by its status."""
    if status in (204, 304):
        return Response(status_code=status, headers=headers)
    return JSONResponse({"error": message, "status": status}, status, headers)


def refused(request: Request, error: Exception) -> Response:
    """Answer what the request itself is the fault of."""
    assert isinstance(error, HTTPException)
    return answer(error.status_code, str(error.detail), dict(error.headers or {}))


def failed(request: Request, error: Exception) -> Response:
    """Answer a failure of a store; what exactly it was stands in the log of the server."""
    status, message = status_of(error)
    if status >= 500:
        log.error("%s %s: %s", request.method, request.url.path, error)
    return answer(status, message)


class FaultMiddleware:
    """Answers what nobody thought of, and goes on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def noting(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except ClientDisconnect:
            return  # nobody is there to be answered
        except Exception as error:
            what = f"{scope.get('method')} {scope.get('path')}"
            log.error("%s: unexpected %s", what, type(error).__name__, exc_info=error)
            if not started:
                response = answer(500, "the server failed unexpectedly; its log tells more")
                await response(scope, receive, send)


def status_of(error: Exception) -> tuple[int, str]:
    """Return the status of a failure, and what is told of it."""
    if isinstance(error, KeyNameError):
        return 400, "not a key"
    if isinstance(error, ReadOnlyError):
        return 405, "the store is for reading alone"
    if isinstance(error, StoreNotFoundError):
        return 503, "the store is not there"
    if isinstance(error, StoreError):
        return _BY_NUMBER.get(error.errno or 0, (502, "the store could not do what it was asked to"))
    return 500, "what is stored cannot be read"


def message_of(error: OmniZarrError) -> str:
    """Return what an error says without where the store is, which is nobody else's business."""
    store = getattr(error, "store", "")
    text = str(error)
    return text.replace(f"(store {store}, ", "(").replace(f" (store {store})", "") if store else text


HANDLERS = {HTTPException: refused, OmniZarrError: failed}
