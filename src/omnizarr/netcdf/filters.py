"""The filters that netCDF knows: HDF5's numbers and numcodecs' names.

https://docs.unidata.ucar.edu/netcdf-c/current/filters.html
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from omnizarr.jsontypes import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Zlib:
    """deflate in a zlib frame."""

    hdf5_id: ClassVar[int] = 1
    level: int = 4

    def parameters(self, itemsize: int) -> tuple[int, ...]:
        """Return HDF5's parameters."""
        return (self.level,)

    def to_json(self, itemsize: int) -> JsonObject:
        """Return the configuration of a Zarr v2 array whose items have this many bytes."""
        return {"id": "zlib", "level": self.level}


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Bytes of equal weight together."""

    hdf5_id: ClassVar[int] = 2

    def parameters(self, itemsize: int) -> tuple[int, ...]:
        """Return HDF5's parameters."""
        return (itemsize,)

    def to_json(self, itemsize: int) -> JsonObject:
        """Return the configuration; netCDF-C writes 0 for the item size, which misleads other readers."""
        return {"id": "shuffle", "elementsize": itemsize}


@dataclass(frozen=True, slots=True)
class Fletcher32:
    """A checksum behind each chunk."""

    hdf5_id: ClassVar[int] = 3

    def parameters(self, itemsize: int) -> tuple[int, ...]:
        """Return HDF5's parameters."""
        return ()

    def to_json(self, itemsize: int) -> JsonObject:
        """Return the configuration of a Zarr v2 array."""
        return {"id": "fletcher32"}


@dataclass(frozen=True, slots=True)
class Szip:
    """NASA's szip; it can be described, and where no library has it, it can not be decoded."""

    hdf5_id: ClassVar[int] = 4
    mask: int = 32
    pixels_per_block: int = 8

    def parameters(self, itemsize: int) -> tuple[int, ...]:
        """Return HDF5's parameters."""
        return (self.mask, self.pixels_per_block)

    def to_json(self, itemsize: int) -> JsonObject:
        """Return the configuration of a Zarr v2 array."""
        return {"id": "szip", "mask": self.mask, "pixels-per-block": self.pixels_per_block}


@dataclass(frozen=True, slots=True)
class Bzip2:
    """bzip2."""

    hdf5_id: ClassVar[int] = 307
    level: int = 9

    def parameters(self, itemsize: int) -> tuple[int, ...]:
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

    def parameters(self, itemsize: int) -> tuple[int, ...]:
        """Return HDF5's parameters."""
        return (self.level,)

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

    def parameters(self, itemsize: int) -> tuple[int, ...]:
        """Return HDF5's parameters: four that the filter fills in itself, then ours."""
        return (
            2,
            2,
            itemsize,
            self.blocksize,
            self.clevel,
            self.shuffle,
            BLOSC_COMPRESSORS.index(self.cname),
        )

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
    """A codec that netCDF has no number for; kept as numcodecs configures it."""

    hdf5_id: ClassVar[None] = None
    name: str
    configuration: tuple[tuple[str, Json], ...] = ()

    def parameters(self, itemsize: int) -> tuple[int, ...]:
        """Return HDF5's parameters: none, since HDF5 does not know the filter."""
        return ()

    def to_json(self, itemsize: int) -> JsonObject:
        """Return the configuration of a Zarr v2 array."""
        return {"id": self.name, **dict(self.configuration)}


Filter: TypeAlias = Zlib | Shuffle | Fletcher32 | Szip | Bzip2 | Zstd | Blosc | OtherFilter


# Those of them that chunks can be written with; szip is read alone.
FILTERS = ("zlib", "zstd", "bz2", "blosc", "shuffle", "fletcher32")


def read_filter(name: str, configuration: JsonObject) -> Filter:
    """Return the filter that numcodecs configures like this."""
    match name:
        case "zlib":
            return Zlib(_int(configuration, "level", 1))
        case "shuffle":
            return Shuffle()
        case "fletcher32":
            return Fletcher32()
        case "szip":
            return Szip(_int(configuration, "mask", 32), _int(configuration, "pixels-per-block", 8))
        case "bz2":
            return Bzip2(_int(configuration, "level", 1))
        case "zstd":
            return Zstd(_int(configuration, "level", 1))
        case "blosc" if configuration.get("cname", "lz4") in BLOSC_COMPRESSORS:
            return _read_blosc(configuration)
        case _:
            return OtherFilter(name, tuple(configuration.items()))


def _read_blosc(configuration: JsonObject) -> Blosc:
    return Blosc(
        str(configuration.get("cname", "lz4")),
        _int(configuration, "clevel", 5),
        _int(configuration, "shuffle", 1),
        _int(configuration, "blocksize", 0),
    )


def _int(configuration: JsonObject, name: str, default: int) -> int:
    value = configuration.get(name, default)
    return value if isinstance(value, int) else default


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
                coding = "nn" if mask & 32 else "ec"
                found["szip"] = {"coding": coding, "pixels_per_block": pixels}
            case Shuffle():
                found["shuffle"] = True
            case Fletcher32():
                found["fletcher32"] = True
    return found
