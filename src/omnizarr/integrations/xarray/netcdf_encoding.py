"""From `encoding` to what `createVariable` is asked for: netCDF's words, and codecs for which it has some."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from omnizarr.codecs.registry import parse_codec
from omnizarr.errors import ConversionError
from omnizarr.integrations.xarray.coders import vlen_kind
from omnizarr.integrations.xarray.storing import chunks_of
from omnizarr.netcdf.filters.forms import from_codec
from omnizarr.netcdf.filters.known import Blosc, Bzip2, Filter, Fletcher32, Shuffle, Szip, Zlib, Zstd
from omnizarr.netcdf.model.nodes import FILL_VALUE

_PASSED = frozenset(
    {
        *("zlib", "complevel", "shuffle", "fletcher32", "compression", "endian", "contiguous"),
        *("szip_coding", "szip_pixels_per_block", "blosc_shuffle"),
        *("least_significant_digit", "significant_digits", "quantize_mode"),
    }
)
_CODECS = frozenset({"compressors", "filters"})
_CHUNKS = frozenset({"chunks", "chunksizes"})
# Of no use for netCDF, and harmless.
_DROPPED = frozenset(
    {
        *("source", "original_shape", "preferred_chunks", "shards", "serializer", "fill_value", "order"),
        *("chunk_key_encoding", "write_empty_chunks", "unlimited_dims", "char_dim_name", FILL_VALUE),
    }
)
_SZIP = {32: "nn", 4: "ec"}


def creation_of(
    variable: xr.Variable, name: str, unlimited: frozenset[Any], *, strict: bool
) -> dict[str, Any]:
    """Return the arguments of `createVariable` but for its name and dimensions.

    Raises
    ------
    ValueError
        The encoding was given for this writing, and has a word that means nothing, or a codec that netCDF
        does not have.
    """
    said = variable.encoding
    unknown = sorted(map(str, said.keys() - _PASSED - _CODECS - _CHUNKS - _DROPPED))
    if strict and unknown:
        known = ", ".join(sorted(_PASSED | _CODECS | _CHUNKS))
        raise ValueError(f"encoding of {name!r}: expected some of {known}, found {', '.join(unknown)}")
    arguments = {key: value for key, value in said.items() if key in _PASSED}
    if not _PASSED & {"zlib", "compression"} & said.keys():
        arguments |= _compression(said, name, strict=strict)
    chunks = None if arguments.get("contiguous") else _chunks(variable, name, unlimited)
    return {
        **arguments,
        "datatype": datatype_of(variable.dtype),
        "chunksizes": chunks,
    }


def datatype_of(dtype: np.dtype[Any]) -> Any:
    """Return what `createVariable` calls a dtype."""
    return str if vlen_kind(dtype) is str or dtype.kind == "U" else dtype


def _chunks(variable: xr.Variable, name: str, unlimited: frozenset[Any]) -> tuple[int, ...] | None:
    if not variable.ndim:
        return None
    said = variable.encoding.get("chunks") or variable.encoding.get("chunksizes")
    found = chunks_of(said, variable, name)
    if found == "auto" or any(isinstance(size, tuple) for size in found):
        return None
    return tuple(
        max(1, size if dim in unlimited else min(size, length))
        for size, (dim, length) in zip(found, variable.sizes.items(), strict=True)
    )


def _compression(said: Mapping[str, Any], name: str, *, strict: bool) -> dict[str, Any]:
    """Return netCDF's words for codecs of arrays; what they cannot say is an error where it was asked for."""
    codecs = [codec for word in ("filters", "compressors") for codec in _listed(said.get(word))]
    filters = [from_codec(parse_codec(codec)) for codec in codecs]
    known = _words(filters)
    if known is None and strict:
        raise ConversionError(f"encoding of {name!r}: netCDF has no words for the codecs {codecs!r}")
    return known or {}


def _listed(codecs: Any) -> Iterable[Any]:
    if codecs is None or (isinstance(codecs, str) and codecs == "auto"):
        return ()
    return codecs if isinstance(codecs, Sequence) and not isinstance(codecs, str) else (codecs,)


def _words(filters: list[Filter]) -> dict[str, Any] | None:
    words: dict[str, Any] = {"shuffle": False}
    for entry in filters:
        match entry:
            case Shuffle():
                words["shuffle"] = True
            case Fletcher32():
                words["fletcher32"] = True
            case Zlib(level):
                words |= {"compression": "zlib", "complevel": level}
            case Zstd(level):
                words |= {"compression": "zstd", "complevel": level or 3}
            case Bzip2(level):
                words |= {"compression": "bzip2", "complevel": level}
            case Blosc(cname, level, shuffle, 0):
                short = "lz" if cname == "blosclz" else cname
                words |= {"compression": f"blosc_{short}", "complevel": level, "blosc_shuffle": shuffle}
            case Szip(mask, pixels) if mask in _SZIP:
                coding = _SZIP[mask]
                words |= {"compression": "szip", "szip_coding": coding, "szip_pixels_per_block": pixels}
            case _:
                return None
    return words
