"""What `createVariable` is asked for, as a variable of the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np

from omnizarr.netcdf.attributes import cast_attribute, from_python
from omnizarr.netcdf.chunking import default_chunks
from omnizarr.netcdf.filters import Blosc, Bzip2, Filter, Fletcher32, Shuffle, Zlib, Zstd
from omnizarr.netcdf.model import FILL_VALUE, AttributeModel, DimensionModel
from omnizarr.netcdf.types import BYTE, CHAR, INT, NATIVE, SHORT, STRING, Endian, NcType, type_of_dtype

# Where netCDF's one-letter names mean something else than numpy's.
_LETTERS = {"c": CHAR, "b": BYTE, "B": BYTE, "h": SHORT, "s": SHORT, "i": INT, "l": INT}


def type_of(datatype: Any) -> tuple[NcType, Endian | None]:
    """Return the type that a user names, and the byte order where it says one.

    Raises
    ------
    TypeError
        netCDF has no such type.
    """
    if datatype is str or datatype == "str":
        return STRING, None
    if isinstance(datatype, get_args(NcType) or NcType):
        return datatype, None
    if isinstance(datatype, str) and datatype in _LETTERS:
        return _LETTERS[datatype], None
    dtype = np.dtype(datatype)
    kind = type_of_dtype(dtype) if dtype.kind in "SUTiuf" else None
    if kind is None:
        raise TypeError(f"illegal primitive data type: netCDF has no type for {dtype}")
    order: Endian | None = {"<": "little", ">": "big"}.get(dtype.byteorder)  # type: ignore[assignment]
    return kind, order


def endian_of(endian: str, named: Endian | None) -> Endian:
    """Return the byte order that is asked for by `endian`, or else by the data type."""
    if endian not in ("native", "little", "big"):
        raise ValueError(f"endian: expected 'native', 'little' or 'big', found {endian!r}")
    if endian == "native":
        return named or NATIVE
    return "big" if endian == "big" else "little"


def filters_of(
    compression: str | None, complevel: int, *, shuffle: bool, fletcher32: bool, blosc_shuffle: int
) -> tuple[Filter, ...]:
    """Return the filters in the order of encoding; level 0 compresses nothing.

    Raises
    ------
    ValueError
        There is no such compression.
    """
    found: list[Filter] = []
    if compression is not None and not isinstance(compression, str):
        raise ValueError(f"compression: expected a name, found {compression!r}")
    match compression if complevel else None:
        case None:
            pass
        case "zlib":
            found += [Shuffle(), Zlib(complevel)] if shuffle else [Zlib(complevel)]
        case "zstd":
            found.append(Zstd(complevel))
        case "bzip2":
            found.append(Bzip2(complevel))
        case "blosc_lz" | "blosc_lz4" | "blosc_lz4hc" | "blosc_zlib" | "blosc_zstd":
            name = compression.removeprefix("blosc_")  # type: ignore[union-attr]
            found.append(Blosc("blosclz" if name == "lz" else name, complevel, blosc_shuffle))
        case _:
            known = "zlib, zstd, bzip2, blosc_lz, blosc_lz4, blosc_lz4hc, blosc_zlib, blosc_zstd"
            raise ValueError(f"compression: expected one of {known}, found {compression!r}")
    return (*found, Fletcher32()) if fletcher32 else tuple(found)


def chunks_of(
    kind: NcType, dimensions: Sequence[DimensionModel], chunksizes: Sequence[int] | None, contiguous: bool
) -> tuple[int, ...] | None:
    """Return the shape of a chunk: as asked for, one chunk where contiguous, else netCDF-C's choice.

    Raises
    ------
    ValueError
        The sizes do not fit the dimensions.
    """
    if not dimensions:
        return None
    if contiguous:
        if any(d.unlimited for d in dimensions):
            raise ValueError("a variable with an unlimited dimension cannot be contiguous")
        if chunksizes is not None:
            raise ValueError("a contiguous variable has no chunksizes")
        return tuple(max(1, d.size) for d in dimensions)
    if chunksizes is None:
        return default_chunks(dimensions, kind.size)
    sizes = tuple(map(int, chunksizes))
    if len(sizes) != len(dimensions):
        raise ValueError(f"chunksizes: expected {len(dimensions)} sizes, found {len(sizes)}")
    for size, dimension in zip(sizes, dimensions, strict=True):
        if size < 1 or (size > max(1, dimension.size) and not dimension.unlimited):
            raise ValueError(
                f"chunksizes: {size} does not fit dimension {dimension.name} of {dimension.size}"
            )
    return sizes


def fill_of(kind: NcType, fill_value: Any) -> tuple[AttributeModel, ...]:
    """Return the `_FillValue` attribute that is asked for; none for None and for False.

    Raises
    ------
    ConversionError
        The type cannot hold the value.
    """
    if fill_value is None or fill_value is False:
        return ()
    if kind.is_numeric and isinstance(fill_value, str):
        # netCDF4-python's "default".
        fill_value = kind.default_fill if fill_value == "default" else fill_value
    return (cast_attribute(from_python(FILL_VALUE, fill_value), kind),)
