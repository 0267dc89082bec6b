"""The filters that netCDF knows; `filter_forms` has the ways in and out.

https://docs.unidata.ucar.edu/netcdf-c/current/filters.html
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, ClassVar, TypeAlias

from omnizarr.codecs.szip import is_available as has_szip
from omnizarr.codecs.szip import pixels_per_scanline
from omnizarr.jsontypes import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Zlib:
    """deflate in a zlib frame."""

    hdf5_id: ClassVar[int] = 1
    level: int = 4

    def parameters(self, itemsize: int = 0, chunk_bytes: int = 0) -> tuple[int, ...]:
        """Return HDF5's parameters."""
        return (self.level,)

    def to_json(self, itemsize: int) -> JsonObject:
        """Return the configuration of a Zarr v2 array whose items have this many bytes."""
        return {"id": "zlib", "level": self.level}


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Bytes of equal weight together."""

    hdf5_id: ClassVar[int] = 2

    def parameters(self, itemsize: int = 0, chunk_bytes: int = 0) -> tuple[int, ...]:
        """Return HDF5's parameters."""
        return (itemsize,) if itemsize else ()

    def to_json(self, itemsize: int) -> JsonObject:
        """Return the configuration; netCDF-C writes 0 for the item size, which misleads other readers."""
        return {"id": "shuffle", "elementsize": itemsize}


@dataclass(frozen=True, slots=True)
class Fletcher32:
    """A checksum behind each chunk."""

    hdf5_id: ClassVar[int] = 3

    def parameters(self, itemsize: int = 0, chunk_bytes: int = 0) -> tuple[int, ...]:
        """Return HDF5's parameters."""
        return ()

    def to_json(self, itemsize: int) -> JsonObject:
        """Return the configuration of a Zarr v2 array."""
        return {"id": "fletcher32"}


SZIP_EC, SZIP_NN = 4, 32


@dataclass(frozen=True, slots=True)
class Szip:
    """NASA's szip, which needs the package imagecodecs.

    Attributes
    ----------
    mask
        HDF5's flags, among them 4 for entropy coding and 32 for nearest neighbours.
    pixels_per_scanline, bits_per_pixel
        0 where they follow from the array: see `omnizarr.codecs.szip`.
    """

    hdf5_id: ClassVar[int] = 4
    mask: int = SZIP_NN
    pixels_per_block: int = 8
    pixels_per_scanline: int = 0
    bits_per_pixel: int = 0

    def parameters(self, itemsize: int = 0, chunk_bytes: int = 0) -> tuple[int, ...]:
        """Return HDF5's parameters, those that a user chooses."""
        return (self.mask & (SZIP_EC | SZIP_NN), self.pixels_per_block)

    def to_json(self, itemsize: int) -> JsonObject:
        """Return the configuration of a Zarr v2 array; of what netCDF-C does not write, only what is set."""
        own = {"pixels-per-scanline": self.pixels_per_scanline, "bits-per-pixel": self.bits_per_pixel}
        return {
            "id": "szip",
            "mask": self.mask & (SZIP_EC | SZIP_NN),
            "pixels-per-block": self.pixels_per_block,
            **{name: value for name, value in own.items() if value},
        }


@dataclass(frozen=True, slots=True)
class Bzip2:
    """bzip2."""

    hdf5_id: ClassVar[int] = 307
    level: int = 9

    def parameters(self, itemsize: int = 0, chunk_bytes: int = 0) -> tuple[int, ...]:
        """Return HDF5's parameters."""
        return (self.level,)

    def to_json(self, itemsize: int) -> JsonObject:
        """Return the configuration of a Zarr v2 array."""
        return {"id": "bz2", "level": self.level}


@dataclass(frozen=True, slots=True)
class Zstd:
    """Zstandard."""

    hdf5_id: ClassVar[int] = 32015
    level: int = 3

    def parameters(self, itemsize: int = 0, chunk_bytes: int = 0) -> tuple[int, ...]:
        """Return HDF5's parameters."""
        return (self.level % 2**32,)

    def to_json(self, itemsize: int) -> JsonObject:
        """Return the configuration of a Zarr v2 array."""
        return {"id": "zstd", "level": self.level}


BLOSC_COMPRESSORS = ("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd")


@dataclass(frozen=True, slots=True)
class Blosc:
    """Blosc 1 with one of its compressors; `shuffle` is 0 none, 1 bytes, 2 bits."""

    hdf5_id: ClassVar[int] = 32001
    cname: str = "lz4"
    clevel: int = 5
    shuffle: int = 1
    blocksize: int = 0

    def parameters(self, itemsize: int = 0, chunk_bytes: int = 0) -> tuple[int, ...]:
        """Return HDF5's parameters: four that the filter fills in itself, then ours."""
        compressor = BLOSC_COMPRESSORS.index(self.cname)
        return (0, 0, itemsize, chunk_bytes or self.blocksize, self.clevel, self.shuffle, compressor)

    def to_json(self, itemsize: int) -> JsonObject:
        """Return the configuration of a Zarr v2 array."""
        return {
            "id": "blosc",
            "clevel": self.clevel,
            "blocksize": self.blocksize,
            "cname": self.cname,
            "shuffle": self.shuffle,
        }


@dataclass(frozen=True, slots=True)
class OtherFilter:
    """A filter that just one side knows: a codec, as numcodecs configures it, or an HDF5 filter.

    Attributes
    ----------
    hdf5_id, hdf5_parameters
        The number and the parameters of an HDF5 filter; None and nothing for a codec.
    """

    name: str
    configuration: tuple[tuple[str, Json], ...] = ()
    hdf5_id: int | None = None
    hdf5_parameters: tuple[int, ...] = ()

    def parameters(self, itemsize: int = 0, chunk_bytes: int = 0) -> tuple[int, ...]:
        """Return HDF5's parameters."""
        return self.hdf5_parameters

    def to_json(self, itemsize: int) -> JsonObject:
        """Return the configuration of a Zarr v2 array; that of an HDF5 filter is netCDF-C's."""
        if self.hdf5_id is None:
            return {"id": self.name, **dict(self.configuration)}
        values: JsonObject = {str(at): value for at, value in enumerate(self.hdf5_parameters)}
        return {"id": str(self.hdf5_id), "nparams": len(values), **values}


Filter: TypeAlias = Zlib | Shuffle | Fletcher32 | Szip | Bzip2 | Zstd | Blosc | OtherFilter


# Those of them that chunks can be written with; szip where its package is installed.
FILTERS = ("zlib", "zstd", "bz2", "blosc", "shuffle", "fletcher32", "szip")


def is_storable(entry: Filter) -> bool:
    """Say whether chunks can be written with a filter by what is installed."""
    return has_szip() if isinstance(entry, Szip) else not isinstance(entry, OtherFilter)


def name_of(entry: Filter) -> str:
    """Return what numcodecs calls a filter, or else HDF5."""
    return entry.name if isinstance(entry, OtherFilter) else str(entry.to_json(1)["id"])


def with_scanline(entry: Filter, length: int, chunks: Sequence[int]) -> Filter:
    """Return szip with the pixels of a scanline noted; any other filter as it is.

    Parameters
    ----------
    length
        That of the last axis: for HDF5 of a chunk, for netCDF-C's NCZarr of the whole array.
    """
    if not isinstance(entry, Szip):
        return entry
    scanline = pixels_per_scanline(length, prod(chunks), entry.pixels_per_block)
    return replace(entry, pixels_per_scanline=scanline)


def describe_filters(filters: Sequence[Filter]) -> dict[str, Any]:
    """Return which filters there are, as netCDF4-python tells it."""
    found: dict[str, Any] = dict.fromkeys(("zlib", "szip", "zstd", "bzip2", "blosc", "shuffle"), False)
    found |= {"complevel": 0, "fletcher32": False}
    for entry in filters:
        match entry:
            case Zlib(level=level):
                found |= {"zlib": True, "complevel": level}
            case Zstd(level=level):
                found |= {"zstd": True, "complevel": level}
            case Bzip2(level=level):
                found |= {"bzip2": True, "complevel": level}
            case Blosc():
                name = "lz" if entry.cname == "blosclz" else entry.cname
                found["blosc"] = {"compressor": f"blosc_{name}", "shuffle": entry.shuffle}
                found["complevel"] = entry.clevel
            case Szip(mask=mask, pixels_per_block=pixels):
                coding = "nn" if mask & SZIP_NN else "ec"
                found["szip"] = {"coding": coding, "pixels_per_block": pixels}
            case Shuffle():
                found["shuffle"] = True
            case Fletcher32():
                found["fletcher32"] = True
    return found
