"""Stores and tasks for tests of workers: they stop in the middle, and say so by files, until they may go."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from omnizarr.config import config
from omnizarr.store.base import Buffer, Store
from omnizarr.store.layers.wrap import WrappedStore

GO = "go"
_LONG = 60.0


def wait_for(what: Any) -> None:
    """Wait until a function returns something true."""
    end = time.monotonic() + _LONG
    while not what():
        assert time.monotonic() < end, "nothing came in time"
        time.sleep(0.01)


def waiting(folder: Path) -> list[int]:
    """Return the processes that wait at a gate."""
    return [int(path.name) for path in folder.iterdir() if path.name != GO]


class GateStore(WrappedStore):
    """A store that lets each process write a few values, and the next one once there is a file `go`."""

    def __init__(self, inner: Store, folder: Path, passes: int = 3) -> None:
        super().__init__(inner)
        self._folder = folder
        self._passes = passes

    def set(self, key: str, value: Buffer) -> None:
        self._passes -= 1
        if self._passes < 0 and not (self._folder / GO).exists():
            (self._folder / str(os.getpid())).touch()
            wait_for((self._folder / GO).exists)
        super().set(key, value)


def double(number: int) -> int:
    return 2 * number


def process_of(_: object) -> int:
    return os.getpid()


def fail(number: int) -> int:
    if number == 3:
        raise ValueError("this one")
    return number


def threads_of(_: object) -> tuple[int, int]:
    return config.threads, config.max_chunk_bytes


class DieOnce:
    """Ends its process by SIGKILL, the first time in a folder; then returns its item."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, number: int) -> int:
        try:
            (self.folder / "died").touch(exist_ok=False)
        except FileExistsError:
            return number
        os.kill(os.getpid(), signal.SIGKILL)
        return -1


def die(_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Stay:
    """Says which process it is, and stays."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, _: object) -> None:
        (self.folder / str(os.getpid())).touch()
        wait_for((self.folder / GO).exists)
