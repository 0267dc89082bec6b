"""Bodies of requests: how many bytes, and how long they may take."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from omnizarr.serve.options import ServeOptions


class Bodies:
    """Receives bodies, of which only so many bytes are in memory at the same time."""

    def __init__(self, options: ServeOptions) -> None:
        self._options = options
        self._held = 0

    @asynccontextmanager
    async def receiving(self, request: Request) -> AsyncIterator[bytearray]:
        """Lend the body of a request.

        Raises
        ------
        HTTPException
            413 where it is too long, 408 where it does not come, 503 where too many come at the same time,
            415 where it is encoded, 400 where it is a part or ends early.
        """
        _check_kind(request)
        said = _said_length(request)
        if said is not None and said > self._options.max_body:
            raise self._too_long()
        body = bytearray()
        try:
            await self._fill(body, request)
            yield body
        finally:
            self._held -= len(body)

    async def _fill(self, body: bytearray, request: Request) -> None:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        stream = aiter(request.stream())
        while True:
            late = begun + self._options.body_seconds + len(body) / self._options.slowest_body
            try:
                async with asyncio.timeout_at(late):
                    piece = await anext(stream, None)
            except TimeoutError:
                raise HTTPException(408, "the body did not come in time", _CLOSE) from None
            except ClientDisconnect:
                raise HTTPException(400, "the body ended early", _CLOSE) from None
            if piece is None:
                return
            self._take(body, piece)

    def _take(self, body: bytearray, piece: bytes) -> None:
        if len(body) + len(piece) > self._options.max_body:
            raise self._too_long()
        if self._held + len(piece) > self._options.max_bodies:
            raise HTTPException(503, "too many values are being received", {**_CLOSE, "Retry-After": "5"})
        body += piece
        self._held += len(piece)

    def _too_long(self) -> HTTPException:
        return HTTPException(413, f"expected at most {self._options.max_body} bytes", _CLOSE)


# What is left of the body is not read, so that the connection is of no further use.
_CLOSE = {"Connection": "close"}


def _check_kind(request: Request) -> None:
    if request.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
        raise HTTPException(415, "expected the bytes as they are stored, found a Content-Encoding", _CLOSE)
    if "Content-Range" in request.headers:
        raise HTTPException(400, "expected a whole value, found a Content-Range", _CLOSE)


def _said_length(request: Request) -> int | None:
    text = request.headers.get("Content-Length", "")
    return int(text) if text.isdecimal() and len(text) < 20 else None
