"""Work on stores, in threads: few at a time, so that the loop of the server goes on."""

from __future__ import annotations

from asyncio import Semaphore
from collections.abc import Callable
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request

T = TypeVar("T")


class Threads:
    """Runs functions in at most `most` threads; who comes later waits without one."""

    def __init__(self, most: int) -> None:
        self._free = Semaphore(most)

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """Return what a function returns."""
        async with self._free:
            return await run_in_threadpool(work, *arguments)

    async def answer(self, request: Request, work: Callable[..., T], *arguments: Any) -> T:
        """Return what a function returns that is called for an answer alone, while somebody waits for that.

        Raises
        ------
        ClientDisconnect
            Nobody does, and the function is not called.
        """
        async with self._free:
            if await request.is_disconnected():
                raise ClientDisconnect
            return await run_in_threadpool(work, *arguments)
