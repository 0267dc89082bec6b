"""What a netCDF-4 file says that netCDF4-python does not: exact types, filters, and where chunks lie.

https://docs.hdfgroup.org/hdf5/latest/group___h5_d.html
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import RLock
from typing import Any

from omnizarr.errors import OmniZarrError, StoreError
from omnizarr.netcdf.filters.forms import from_hdf5
from omnizarr.netcdf.filters.known import Filter

# netCDF4 calls HDF5 without a lock, and HDF5 is not made for threads: who may meet others there holds this.
LOCK = RLock()

_NUMBERS = ("TypeIntegerID", "TypeFloatID", "TypeEnumID")
RENAMED = "_nc4_non_coord_"
NO_VARIABLE = "This is a netCDF dimension but not a netCDF variable."


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk of a dataset: its first element, where its bytes lie, and a bit for each filter left out."""

    start: tuple[int, ...]
    offset: int
    size: int
    skipped: int


@contextmanager
def told_as(what: str, file: str) -> Iterator[None]:
    """Tell what HDF5 and netCDF-C cannot do as an error of a store: a damaged file, or a full disk."""
    try:
        yield
    except OmniZarrError:
        raise
    except (OSError, RuntimeError) as error:
        number = error.errno if isinstance(error, OSError) else None
        why = os.strerror(number) if number else error
        raise StoreError(f"{what}: {why}", store=file, errno=number) from error


def dataset_of(file: Any, path: str) -> Any:
    """Return the HDF5 dataset of a variable: renamed where a dimension has the variable's name."""
    parent, _, name = path.rpartition("/")
    group = file[parent or "/"]
    return group[RENAMED + name] if RENAMED + name in group else group[name]


def variable_names(group: Any) -> list[str]:
    """Return the names of the datasets of an HDF5 group that are variables, of whatever type."""
    found = []
    for name, kind in ((name, group.get(name, getclass=True)) for name in group):
        if kind is not None and kind.__name__ == "Dataset" and not _is_dimension(group[name]):
            found.append(name.removeprefix(RENAMED))
    return found


def _is_dimension(dataset: Any) -> bool:
    return bytes(dataset.attrs.get("NAME", b"")).startswith(NO_VARIABLE[:-1].encode())


def attribute_kind(node: Any, name: str) -> str:
    """Return what an HDF5 attribute is: `char`, `string`, `number`, or `other` for types of the user."""
    kind = node.attrs.get_id(name).get_type()
    if hasattr(kind, "is_variable_str"):
        return "string" if kind.is_variable_str() else "char"
    return "number" if type(kind).__name__ in _NUMBERS else "other"


def filters_of(dataset: Any) -> tuple[Filter, ...]:
    """Return the filters of a dataset in the order of encoding."""
    properties = dataset.id.get_create_plist()
    itemsize = dataset.id.get_type().get_size()
    stored = (properties.get_filter(i) for i in range(properties.get_nfilters()))
    return tuple(
        from_hdf5(number, values, name.decode("utf-8", "replace"), itemsize)
        for number, _, values, name in stored
    )


def chunks_of(dataset: Any) -> list[Chunk]:
    """Return the chunks that are stored, in the order of their bytes in the file."""
    found: list[Chunk] = []

    def note(info: Any) -> None:
        found.append(Chunk(tuple(info.chunk_offset), info.byte_offset, info.size, info.filter_mask))

    dataset.id.chunk_iter(note)
    return sorted(found, key=lambda chunk: chunk.offset)


class ChunkReader:
    """The bytes of chunks, as they are stored.

    Reading at the offsets takes 0.3 µs a chunk more than `pread` itself; HDF5 takes its global lock and
    3 µs. Files with a user block, whose offsets count from behind it, go through HDF5.
    """

    def __init__(self, file: Any, path: str) -> None:
        self._is_direct = file.userblock_size == 0 and file.driver in ("sec2", "stdio")
        self._descriptor = os.open(path, os.O_RDONLY) if self._is_direct else -1

    def read(self, dataset: Any, chunk: Chunk) -> bytes:
        """Return the bytes of a chunk; fewer where the file was cut off."""
        if not self._is_direct:
            with LOCK:
                return bytes(dataset.id.read_direct_chunk(chunk.start)[1])
        data = os.pread(self._descriptor, chunk.size, chunk.offset)
        while 0 < len(data) < chunk.size and (
            more := os.pread(self._descriptor, chunk.size - len(data), chunk.offset + len(data))
        ):
            data += more
        return data

    def close(self) -> None:
        """Release the file."""
        if self._is_direct:
            os.close(self._descriptor)
