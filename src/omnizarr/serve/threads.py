"""Work on stores, in threads: few at a time, so that the loop of the server goes on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread

T = TypeVar("T")


class Threads:
    """Runs functions in at most `most` threads; who comes later waits without one."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._limiter: CapacityLimiter | None = None

    async def run(self, work: Callable[..., T], *arguments: Any, **named: Any) -> T:
        """Return what a function returns."""
        if self._limiter is None:  # made within the loop that it belongs to
            self._limiter = CapacityLimiter(self._most)
        return await to_thread.run_sync(partial(work, *arguments, **named), limiter=self._limiter)
