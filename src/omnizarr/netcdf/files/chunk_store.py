"""Chunks that lie elsewhere than under keys, as a store of the chunks of Zarr v2 arrays.

So an array can be a view of an HDF5 dataset, or of several joined datasets, and whatever copies arrays
copies those too.
"""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager

from omnizarr.hierarchy.paths import prefix_of
from omnizarr.store.base import Buffer, ByteRange, Change, Listing, Reader, Store
from omnizarr.store.ranges import cut
from omnizarr.store.readers import BytesReader


class ChunkStore(Store):
    """Chunks by the path of an array and their place in its grid; to be read alone."""

    read_only = True

    def __init__(self, name: str) -> None:
        self.name = name
        self._mine = threading.local()

    def note_recoded(self, size: int) -> None:
        """Note that a chunk of so many bytes had to be encoded for its reader, since it is not stored so."""
        self._mine.recoded = size

    def recoded(self) -> int:
        """Return the bytes that were noted by this thread since it last asked."""
        size: int = getattr(self._mine, "recoded", 0)
        self._mine.recoded = 0
        return size

    @abstractmethod
    def chunk(self, path: str, coords: tuple[int, ...]) -> bytes | None:
        """Return the bytes of a chunk; None where it is not stored."""

    @abstractmethod
    def stored(self, path: str) -> Iterator[tuple[int, ...]]:
        """Yield the places of the chunks of an array that are stored."""

    def get(self, key: str, part: ByteRange | None = None) -> bytes | None:
        """Return the bytes of a chunk, or a part of them."""
        path, coords = place_of(key)
        value = self.chunk(path, coords)
        return value if value is None or part is None else cut(value, part)

    @contextmanager
    def reading(self, key: str) -> Iterator[Reader | None]:
        """Hold on to a chunk."""
        value = self.get(key)
        yield None if value is None else BytesReader(value)

    def size(self, key: str) -> int | None:
        """Return the bytes of a chunk."""
        value = self.get(key)
        return None if value is None else len(value)

    def list_prefix(self, prefix: str = "") -> Iterator[str]:
        """Yield the keys of an array's chunks."""
        for coords in self.stored(prefix.rstrip("/")):
            yield prefix + ".".join(map(str, coords))

    def list_dir(self, prefix: str = "") -> Listing:
        """Return the keys of an array's chunks."""
        return Listing(sorted(self.list_prefix(prefix)), [])

    def set(self, key: str, value: Buffer) -> None:
        """Refuse."""
        self.require_writable(key)

    def set_if_absent(self, key: str, value: Buffer) -> bool:
        """Refuse."""
        self.require_writable(key)
        return False

    def update(self, key: str, change: Change) -> None:
        """Refuse."""
        self.require_writable(key)

    def delete(self, key: str) -> None:
        """Refuse."""
        self.require_writable(key)

    def delete_prefix(self, prefix: str) -> None:
        """Refuse."""
        self.require_writable(prefix)


def place_of(key: str) -> tuple[str, tuple[int, ...]]:
    """Return the path and the place in the grid that a key stands for."""
    path, _, name = key.rpartition("/")
    return path, tuple(map(int, name.split(".")))


def key_of(path: str, coords: tuple[int, ...]) -> str:
    """Return the key of a chunk."""
    return prefix_of(path) + ".".join(map(str, coords))
