"""The filters that netCDF knows: HDF5's numbers and parameters, numcodecs' JSON and Zarr v3's codecs.

`from_hdf5` and `to_hdf5`, `read_filter` and a filter's `to_json`, `from_codec` and `to_codec` are the ways
in and out; `filter_text` has the texts of the attributes `_Filter` and `_Codecs`.

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
from omnizarr.metadata.chains import PREFIX, codec_to_v3
from omnizarr.metadata.extension import Extension


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


_SZIP_EC, _SZIP_NN = 4, 32


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
    mask: int = _SZIP_NN
    pixels_per_block: int = 8
    pixels_per_scanline: int = 0
    bits_per_pixel: int = 0

    def parameters(self, itemsize: int = 0, chunk_bytes: int = 0) -> tuple[int, ...]:
        """Return HDF5's parameters, those that a user chooses."""
        return (self.mask & (_SZIP_EC | _SZIP_NN), self.pixels_per_block)

    def to_json(self, itemsize: int) -> JsonObject:
        """Return the configuration of a Zarr v2 array; of what netCDF-C does not write, only what is set."""
        own = {"pixels-per-scanline": self.pixels_per_scanline, "bits-per-pixel": self.bits_per_pixel}
        return {
            "id": "szip",
            "mask": self.mask & (_SZIP_EC | _SZIP_NN),
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
            return _read_szip(configuration)
        case "bz2":
            return Bzip2(_int(configuration, "level", 1))
        case "zstd":
            return Zstd(_int(configuration, "level", 1))
        case "blosc" if configuration.get("cname", "lz4") in BLOSC_COMPRESSORS:
            return _read_blosc(configuration)
        case _ if name.isdecimal():
            values = [_int(configuration, str(at), 0) for at in range(_int(configuration, "nparams", 0))]
            return from_hdf5(int(name), values)
        case _:
            return OtherFilter(name, tuple(configuration.items()))


def from_codec(codec: Extension) -> Filter:
    """Return the filter that a codec of a chain is, in the idiom of Zarr v2 or v3."""
    if codec.name.startswith(PREFIX):
        return read_filter(codec.name.removeprefix(PREFIX), codec.configuration)
    match codec.name:
        case "zstd":
            return read_filter("zstd", codec.configuration)
        case "blosc":
            number = {"noshuffle": 0, "shuffle": 1, "bitshuffle": 2}
            shuffle = number.get(str(codec.configuration.get("shuffle")), 1)
            return read_filter("blosc", {**codec.configuration, "shuffle": shuffle})
        case _:
            return read_filter(codec.name, codec.configuration)


def to_codec(entry: Filter, itemsize: int) -> Extension:
    """Return a filter of items of so many bytes as a codec in the idiom of Zarr v3."""
    configuration = entry.to_json(itemsize)
    name = str(configuration.pop("id"))
    return codec_to_v3(Extension(PREFIX + name, configuration), itemsize)


def from_hdf5(number: int, values: Sequence[int] = (), name: str = "", itemsize: int = 0) -> Filter:
    """Return the filter of an HDF5 dataset; what parameters leave out is as HDF5's filter has it.

    Parameters
    ----------
    itemsize
        The bytes of an item, where they are known.
    """
    match number:
        case Zlib.hdf5_id:
            return Zlib(values[0] if values else 6)
        case Shuffle.hdf5_id:
            return Shuffle()
        case Fletcher32.hdf5_id:
            return Fletcher32()
        case Szip.hdf5_id if len(values) in (2, 4):
            bits, scanline = (*values[2:], 0, 0)[:2]
            mask = values[0] & (_SZIP_EC | _SZIP_NN)
            return Szip(mask, values[1], scanline, 0 if bits == 8 * itemsize else bits)
        case Bzip2.hdf5_id:
            return Bzip2(values[0] if values else 9)
        case Zstd.hdf5_id:
            return Zstd(_signed(values[0]) if values else 3)
        case Blosc.hdf5_id if len(values) < 7 or values[6] < len(BLOSC_COMPRESSORS):
            level, shuffle, compressor = (*values[4:7], *(5, 1, 0)[max(0, len(values) - 4) :])[:3]
            return Blosc(BLOSC_COMPRESSORS[compressor], level, shuffle)
        case _:
            return OtherFilter(name or f"HDF5 filter {number}", (), number, tuple(values))


def to_hdf5(entry: Filter, itemsize: int = 0, chunk_bytes: int = 0) -> tuple[int, tuple[int, ...]] | None:
    """Return the number and the parameters of a filter, or None where HDF5 does not know it.

    Parameters
    ----------
    itemsize, chunk_bytes
        The bytes of an item and of a chunk, which HDF5 keeps among the parameters of some filters; 0 as
        netCDF-C shows the filters of NCZarr.
    """
    number = entry.hdf5_id
    return None if number is None else (number, entry.parameters(itemsize, chunk_bytes))


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


def _signed(value: int) -> int:
    return value - 2**32 if value >= 2**31 else value


def _read_szip(configuration: JsonObject) -> Szip:
    return Szip(
        _int(configuration, "mask", _SZIP_NN),
        _int(configuration, "pixels-per-block", 8),
        _int(configuration, "pixels-per-scanline", 0),
        _int(configuration, "bits-per-pixel", 0),
    )


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
                coding = "nn" if mask & _SZIP_NN else "ec"
                found["szip"] = {"coding": coding, "pixels_per_block": pixels}
            case Shuffle():
                found["shuffle"] = True
            case Fletcher32():
                found["fletcher32"] = True
    return found
