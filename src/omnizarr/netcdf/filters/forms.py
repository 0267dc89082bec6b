"""Filters in all their forms: HDF5's numbers and parameters, numcodecs' JSON and Zarr v3's codecs.

`from_hdf5` and `to_hdf5`, `read_filter` and a filter's `to_json`, `from_codec` and `to_codec` go both ways;
`filter_text` has the texts of the attributes `_Filter` and `_Codecs`.

https://docs.unidata.ucar.edu/netcdf-c/current/filters.html
"""

from __future__ import annotations

from collections.abc import Sequence

from omnizarr.jsontypes import JsonObject
from omnizarr.metadata.chains import PREFIX, codec_to_v3
from omnizarr.metadata.extension import Extension
from omnizarr.netcdf.filters.known import (
    BLOSC_COMPRESSORS,
    SZIP_EC,
    SZIP_NN,
    Blosc,
    Bzip2,
    Filter,
    Fletcher32,
    OtherFilter,
    Shuffle,
    Szip,
    Zlib,
    Zstd,
)


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
            mask = values[0] & (SZIP_EC | SZIP_NN)
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


def _signed(value: int) -> int:
    return value - 2**32 if value >= 2**31 else value


def _read_szip(configuration: JsonObject) -> Szip:
    return Szip(
        _int(configuration, "mask", SZIP_NN),
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
