"""Answers that are made as a whole and may be large: what clients have not taken of them is bounded."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TypeAlias

from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

Body: TypeAlias = Sequence[bytes | memoryview]

# What is written at once; a client has some seconds for each.
_PIECE = 2**18


class Parcels:
    """Answers in memory, of which only so many bytes are there at the same time."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0

    def answer(self, body: Body, media_type: str, headers: Mapping[str, str]) -> Response:
        """Return the answer whose body comes in these parts, of bytes.

        Raises
        ------
        HTTPException
            503 where too much is waiting for clients to take it.
        """
        size = sum(map(len, body))
        if self._held + size > self._most:
            raise HTTPException(503, "too many answers are being sent", {"Retry-After": "5"})
        return _Parcel(self, body, size, media_type, headers)

    def hold(self, size: int) -> None:
        """Count bytes in, or out where `size` is negative."""
        self._held += size


class _Parcel(StreamingResponse):
    """An answer that is counted until it is sent, or the client is gone."""

    def __init__(
        self,
        parcels: Parcels,
        body: Body,
        size: int,
        media_type: str,
        headers: Mapping[str, str],
    ) -> None:
        super().__init__(_pieces(body), 200, {**headers, "Content-Length": str(size)}, media_type)
        self._parcels, self._size = parcels, size
        parcels.hold(size)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._parcels.hold(-self._size)


async def _pieces(body: Body) -> AsyncIterator[memoryview]:
    for part in body:
        view = memoryview(part)
        for at in range(0, len(view), _PIECE):
            yield view[at : at + _PIECE]
