"""What `createVariable` is asked for, as a variable of the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from omnizarr.errors import ConversionError
from omnizarr.netcdf.attributes import cast_attribute, from_python
from omnizarr.netcdf.defining.chunking import default_chunks
from omnizarr.netcdf.filters.known import Blosc, Bzip2, Filter, Fletcher32, Shuffle, Szip, Zlib, Zstd
from omnizarr.netcdf.model.names import DefinitionError
from omnizarr.netcdf.model.nodes import FILL_VALUE, AttributeModel, DimensionModel, VariableModel
from omnizarr.netcdf.model.types import (
    BYTE,
    CHAR,
    INT,
    NATIVE,
    SHORT,
    STRING,
    Compound,
    Endian,
    NcType,
    Opaque,
    Vlen,
    type_of_dtype,
)
from omnizarr.netcdf.values.given import item_of
from omnizarr.netcdf.values.layouts import holds_strings
from omnizarr.netcdf.values.quantize import Quantization

# Where netCDF's one-letter names mean something else than numpy's.
_LETTERS = {"c": CHAR, "b": BYTE, "B": BYTE, "h": SHORT, "s": SHORT, "i": INT, "l": INT}
_SZIP_MASKS = {"nn": 32, "ec": 4}
_LEVELS = {"zlib": (0, 9), "zstd": (-131072, 22), "bzip2": (1, 9)}
_BLOSC = ("blosc_lz", "blosc_lz4", "blosc_lz4hc", "blosc_zlib", "blosc_zstd")


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """The arguments of `Group.createVariable` that say what a variable is like."""

    datatype: Any
    compression: str | None
    zlib: bool
    complevel: int
    shuffle: bool
    fletcher32: bool
    contiguous: bool
    chunksizes: Sequence[int] | None
    szip_coding: str
    szip_pixels_per_block: int
    blosc_shuffle: int
    endian: str
    least_significant_digit: float | None
    significant_digits: int | None
    quantize_mode: str
    fill_value: Any

    def model(
        self,
        name: str,
        paths: Sequence[str],
        dimensions: Sequence[DimensionModel],
        string_length: int,
    ) -> VariableModel:
        """Return the variable.

        Parameters
        ----------
        paths
            The absolute paths of the dimensions.
        string_length
            The bytes of a stored string.

        Raises
        ------
        TypeError
            netCDF has no such type.
        DefinitionError, ConversionError
            Arguments make no sense, or not together; also a ValueError.
        """
        kind, order = type_of(self.datatype)
        return VariableModel(
            name=name,
            type=kind,
            dimensions=tuple(paths),
            attributes=(*fill_of(kind, self.fill_value), *self._precision(kind)),
            no_fill=self.fill_value is False,
            chunks=chunks_of(kind, dimensions, self.chunksizes, self.contiguous),
            filters=self._filters() if dimensions else (),
            endian=endian_of(self.endian, order),
            max_string_length=string_length if holds_strings(kind) else None,
        )

    def _filters(self) -> tuple[Filter, ...]:
        compressors = self._compressors()
        if compressors and self.contiguous:
            raise DefinitionError("a contiguous variable cannot be compressed: it has no chunks")
        return (*compressors, Fletcher32()) if self.fletcher32 else compressors

    def _compressors(self) -> tuple[Filter, ...]:
        """Return the filters that compress, in the order of encoding; level 0 compresses nothing."""
        name = self.compression or ("zlib" if self.zlib else None)
        if not name or (not self.complevel and name != "szip"):
            return ()
        self._check_level(name)
        match name:
            case "zlib":
                return (Shuffle(), Zlib(self.complevel)) if self.shuffle else (Zlib(self.complevel),)
            case "zstd":
                return (Zstd(self.complevel),)
            case "bzip2":
                return (Bzip2(self.complevel),)
            case "szip":
                return (self._szip(),)
            case _ if name in _BLOSC:
                compressor = name.removeprefix("blosc_")
                cname = "blosclz" if compressor == "lz" else compressor
                return (Blosc(cname, self.complevel, self._blosc_shuffle()),)
            case _:
                known = ", ".join(("zlib", "szip", "zstd", "bzip2", *_BLOSC))
                raise DefinitionError(f"compression: expected one of {known}, found {name!r}")

    def _check_level(self, name: str) -> None:
        low, high = _LEVELS.get(name, (0, 9))
        if name != "szip" and not low <= self.complevel <= high:
            message = f"complevel: expected a level of {name} from {low} to {high}, found {self.complevel}"
            raise DefinitionError(message)

    def _szip(self) -> Szip:
        if self.szip_coding not in _SZIP_MASKS:
            raise DefinitionError(f"szip_coding: expected 'nn' or 'ec', found {self.szip_coding!r}")
        pixels = self.szip_pixels_per_block
        if not 2 <= pixels <= 32 or pixels % 2:
            raise DefinitionError(f"szip_pixels_per_block: expected an even number up to 32, found {pixels}")
        return Szip(_SZIP_MASKS[self.szip_coding], pixels)

    def _blosc_shuffle(self) -> int:
        if self.blosc_shuffle not in (0, 1, 2):
            message = f"expected 0 (none), 1 (bytes) or 2 (bits), found {self.blosc_shuffle!r}"
            raise DefinitionError(f"blosc_shuffle: {message}")
        return int(self.blosc_shuffle)

    def _precision(self, kind: NcType) -> tuple[AttributeModel, ...]:
        """Return the attributes that say how many digits of the values mean something."""
        found: list[AttributeModel] = []
        if self.least_significant_digit is not None:
            found.append(from_python("least_significant_digit", self.least_significant_digit))
        if self.significant_digits is not None:
            try:
                quantization = Quantization(self.quantize_mode, int(self.significant_digits))
                quantization.check(kind)
            except ValueError as error:
                raise DefinitionError(str(error)) from error
            found.append(quantization.attribute())
        return tuple(found)


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
        raise DefinitionError(f"endian: expected 'native', 'little' or 'big', found {endian!r}")
    if endian == "native":
        return named or NATIVE
    return "big" if endian == "big" else "little"


def chunks_of(
    kind: NcType, dimensions: Sequence[DimensionModel], chunksizes: Sequence[int] | None, contiguous: bool
) -> tuple[int, ...] | None:
    """Return the shape of a chunk: as asked for, one chunk where contiguous, else netCDF-C's choice.

    Raises
    ------
    DefinitionError
        The sizes do not fit the dimensions.
    """
    if not dimensions:
        return None
    if contiguous:
        if any(d.unlimited for d in dimensions):
            raise DefinitionError("a variable with an unlimited dimension cannot be contiguous")
        if chunksizes is not None:
            raise DefinitionError("a contiguous variable has no chunksizes")
        return tuple(max(1, d.size) for d in dimensions)
    if chunksizes is None:
        return default_chunks(dimensions, kind.size)
    given = (chunksizes,) if isinstance(chunksizes, int | np.integer) else chunksizes
    sizes = tuple(map(int, given))
    if len(sizes) != len(dimensions):
        raise DefinitionError(f"chunksizes: expected {len(dimensions)} sizes, found {len(sizes)}")
    for size, dimension in zip(sizes, dimensions, strict=True):
        if size < 1 or (size > max(1, dimension.size) and not dimension.unlimited):
            raise DefinitionError(
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
    if isinstance(kind, Compound | Opaque | Vlen):
        return (AttributeModel(FILL_VALUE, kind, (item_of(kind, fill_value),)),)
    if isinstance(fill_value, bool | np.bool_):
        fill_value = int(fill_value)
    if kind.is_numeric and isinstance(fill_value, str):
        if fill_value != "default":
            raise ConversionError(f"fill_value: expected a number or 'default', found {fill_value!r}")
        fill_value = kind.default_fill
    if kind is CHAR and isinstance(fill_value, str | bytes):
        fill_value = fill_value[:1]
    return (cast_attribute(from_python(FILL_VALUE, fill_value), kind),)
