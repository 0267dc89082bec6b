"""The chunks of HDF5 datasets as those of Zarr v2 arrays with the same filters, read and written.

https://docs.hdfgroup.org/hdf5/latest/group___h5_d.html
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from omnizarr.codecs.chain import Chain
from omnizarr.errors import ConversionError
from omnizarr.hierarchy.array import Array
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats import FORMATS
from omnizarr.netcdf.files import hdf5
from omnizarr.netcdf.files.chunk_store import ChunkStore, key_of, place_of
from omnizarr.store.base import Buffer, Change, KeyLocks

_ZSTD_SINGLE_SEGMENT = 0x20
_ZSTD_SIZE_FIELD = 0xC0


class ChunksOfFile(ChunkStore):
    """The chunks of the datasets of an open HDF5 file; a chunk that lacks a filter is encoded with it."""

    def __init__(self, file: Any, path: str) -> None:
        super().__init__(path)
        self._reader = hdf5.ChunkReader(file, path)
        self._arrays: dict[str, tuple[Any, Array]] = {}
        self._index: tuple[str, dict[tuple[int, ...], hdf5.Chunk]] = ("", {})

    def array(self, path: str, dataset: Any, metadata: ArrayMetadata) -> Array:
        """Return a dataset as an array."""
        found = Array(self, FORMATS[2], path, metadata)
        self._arrays[path] = (dataset, found)
        return found

    def stored(self, path: str) -> Iterator[tuple[int, ...]]:
        """Yield the places of the chunks of a dataset that are stored, in the order of the file."""
        return iter(self._chunks(path))

    def chunk(self, path: str, coords: tuple[int, ...]) -> bytes | None:
        """Return the bytes of a chunk.

        Raises
        ------
        ConversionError
            The file ends before the chunk does.
        """
        chunk = self._chunks(path).get(coords)
        if chunk is None:
            return None
        dataset, array = self._arrays[path]
        data = self._reader.read(dataset, chunk)
        if len(data) != chunk.size:
            found = f"{len(data)} of the {chunk.size} bytes of the chunk at {chunk.start}"
            raise ConversionError(f"variable /{path}: the file ends early; there are {found}")
        chain = array.layout.chain
        if not chunk.skipped and chain.encoded_size in (None, chunk.size):
            return data
        self.note_recoded(chain.spec.nbytes)
        return bytes(chain.encode(_without(array, chunk.skipped).decode(data)))

    def exists(self, key: str) -> bool:
        """Say whether a chunk is stored."""
        path, coords = place_of(key)
        return coords in self._chunks(path)

    def _chunks(self, path: str) -> dict[tuple[int, ...], hdf5.Chunk]:
        known, index = self._index
        if known != path:
            dataset, array = self._arrays[path]
            sizes = array.layout.chain.spec.shape
            with hdf5.LOCK:
                chunks = hdf5.chunks_of(dataset)
            index = {tuple(a // n for a, n in zip(c.start, sizes, strict=True)): c for c in chunks}
            self._index = (path, index)
        return index

    def close(self) -> None:
        """Release the file."""
        self._reader.close()


def _without(array: Array, skipped: int) -> Chain:
    """Return the codecs of a chunk to which some filters were not applied: bit i stands for the i-th."""
    metadata = array.metadata
    layout = [codec for codec in metadata.codecs if codec.name == "bytes"]
    filters = [codec for codec in metadata.codecs if codec.name != "bytes"]
    kept = [codec for i, codec in enumerate(filters) if not skipped >> i & 1]
    return Array(
        array.store, array.format, array.path, replace(metadata, codecs=(*layout, *kept))
    ).layout.chain


class ChunksToFile(ChunkStore):
    """The chunks of datasets that are written."""

    read_only = False

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._arrays: dict[str, Array] = {}
        self._datasets: dict[str, Any] = {}
        self._written: set[str] = set()
        self._locks = KeyLocks()

    def array(self, path: str, metadata: ArrayMetadata) -> Array:
        """Return an array that can be written once there is a dataset for it."""
        found = self._arrays[path] = Array(self, FORMATS[2], path, metadata)
        found.write_empty_chunks = False
        return found

    def attach(self, path: str, dataset: Any) -> None:
        """Let the chunks of an array go into a dataset."""
        self._datasets[path] = dataset

    def stored(self, path: str) -> Iterator[tuple[int, ...]]:
        """Yield the places of the chunks that were written."""
        return (coords for where, coords in map(place_of, list(self._written)) if where == path)

    def chunk(self, path: str, coords: tuple[int, ...]) -> bytes | None:
        """Return a chunk that was written."""
        if key_of(path, coords) not in self._written:
            return None
        with hdf5.LOCK:
            return bytes(self._datasets[path].id.read_direct_chunk(self._start(path, coords))[1])

    def set(self, key: str, value: Buffer) -> None:
        """Store a chunk."""
        path, coords = place_of(key)
        chain = self._arrays[path].layout.chain
        if chain.bytes_codecs and chain.bytes_codecs[-1].name.endswith("zstd") and not _tells_size(value):
            # HDF5's filter wants the size in the frame's header, where Zarr's streams may not have it.
            value = chain.encode(chain.decode(value))
        with hdf5.LOCK, hdf5.told_as(f"cannot write variable /{path}", self.name):
            self._datasets[path].id.write_direct_chunk(self._start(path, coords), value)
            self._written.add(key)

    def set_if_absent(self, key: str, value: Buffer) -> bool:
        """Store a chunk unless there is one."""
        with hdf5.LOCK:
            absent = key not in self._written
            if absent:
                self.set(key, value)
        return absent

    def update(self, key: str, change: Change) -> None:
        """Change a chunk: one at an edge, of which the array covers a part, or one of several writes."""
        with self._locks.of(key):
            value = change(self.get(key))
            if value is None:
                self.delete(key)
            else:
                self.set(key, value)

    def delete(self, key: str) -> None:
        """Make a chunk hold the fill value, as one does that was never written."""
        path, _ = place_of(key)
        if key in self._written:
            chain = self._arrays[path].layout.chain
            self.set(key, chain.encode(chain.spec.blank()))

    def _start(self, path: str, coords: tuple[int, ...]) -> tuple[int, ...]:
        sizes = self._arrays[path].layout.chain.spec.shape
        return tuple(at * size for at, size in zip(coords, sizes, strict=True))


def _tells_size(frame: Buffer) -> bool:
    """Say whether a frame of Zstandard has the size of its content in the header (RFC 8878, 3.1.1.1)."""
    return len(frame) > 4 and bool(memoryview(frame)[4] & (_ZSTD_SINGLE_SEGMENT | _ZSTD_SIZE_FIELD))
