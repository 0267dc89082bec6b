"""Connections that may not take as long as they like.

uvicorn waits for the header of a request without end, and so for a client that does not read. Here a client
has some seconds for each: for a header, and for taking what was written to it, before more is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 10.0
STALLED_SECONDS = 60.0
_TOO_SLOW = (
    b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-type: text/plain; charset=utf-8\r\n"
    b"content-length: 35\r\n\r\nthe request did not come in time.\r\n"
)


class PatientProtocol(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, but with an end to patience.

    Attributes
    ----------
    header_seconds
        From the first byte of a request, or from the connection, to the end of its header.
    stalled_seconds
        For taking what was written, before more is.
    """

    header_seconds = HEADER_SECONDS
    stalled_seconds = STALLED_SECONDS
    _header: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        # So that writing pauses whenever something is left to be taken, and it is known for how long.
        transport.set_write_buffer_limits(0)
        self._header = self._later(self.header_seconds, self._header_late)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._cancel_header()
        self._cancel_stalled()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a header, where that is what came."""
        super().data_received(data)
        self._await_header()

    def on_response_complete(self) -> None:
        """Wait for the next request, as long as a connection is kept; for the rest of one not as long."""
        super().on_response_complete()
        if self.conn.trailing_data[0]:
            self._await_header()

    def pause_writing(self) -> None:
        """Wait for the client."""
        super().pause_writing()
        self._cancel_stalled()
        self._stalled = self._later(self.stalled_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on."""
        self._cancel_stalled()
        super().resume_writing()

    def _later(self, seconds: float, do: Callable[[], object]) -> asyncio.TimerHandle:
        return self.loop.call_later(seconds, do)

    def _await_header(self) -> None:
        """Wait for a header unless a request is at work, which has come with its own."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._cancel_header()
        elif self._header is None and not self.transport.is_closing():
            self._header = self._later(self.header_seconds, self._header_late)

    def _header_late(self) -> None:
        self._header = None
        if not self.transport.is_closing():
            self.transport.write(_TOO_SLOW)
            self.transport.close()

    def _cancel_header(self) -> None:
        if self._header is not None:
            self._header.cancel()
            self._header = None

    def _cancel_stalled(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None
