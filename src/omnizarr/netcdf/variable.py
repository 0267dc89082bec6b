"""Variables of an open dataset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from omnizarr.errors import ConversionError
from omnizarr.hierarchy.array import Array
from omnizarr.netcdf.attributes import Attributed, cast_attribute, length_in, to_python
from omnizarr.netcdf.dimension import Dimension
from omnizarr.netcdf.filters import describe_filters
from omnizarr.netcdf.model import FILL_VALUE, AttributeModel, VariableModel
from omnizarr.netcdf.types import CHAR, STRING
from omnizarr.netcdf.values import masking
from omnizarr.netcdf.values.selection import Index, growing, is_orthogonal, normalized
from omnizarr.netcdf.values.storage import (
    as_chars,
    checked_texts,
    from_storage,
    longest_text,
    shown_dtype,
    to_storage,
)
from omnizarr.netcdf.values.text import chars_to_text, text_to_chars

AnyArray = NDArray[Any]

_MAX_STRING = "_nczarr_maxstrlen"


class Owner(Protocol):
    """The group that a variable belongs to."""

    @property
    def path(self) -> str:
        """The absolute path."""

    def _check_open(self) -> None: ...

    def _check_writable(self) -> None: ...

    def _replace_array(self, variable: VariableModel, shape: tuple[int, ...]) -> Array: ...


class Variable(Attributed):
    """A variable: indexing reads, assigning writes; what is missing is masked, packed numbers unpacked.

    Attributes
    ----------
    mask, scale, always_mask, chartostring
        What happens on the way: see `set_auto_mask`, `set_auto_scale`, `set_always_mask` and
        `set_auto_chartostring`.
    """

    _own = Attributed._own | {
        "_array",
        "_changed",
        "_dimensions",
        "_group",
        "_model",
        "_stored_shape",
        "always_mask",
        "chartostring",
        "mask",
        "scale",
    }
    mask: bool
    scale: bool
    always_mask: bool
    chartostring: bool
    _array: Array
    _changed: bool
    _dimensions: tuple[Dimension, ...]
    _group: Owner
    _model: VariableModel
    _stored_shape: tuple[int, ...]

    def __init__(
        self, group: Owner, model: VariableModel, dimensions: Sequence[Dimension], array: Array
    ) -> None:
        self._attributes = {attribute.name: attribute for attribute in model.attributes}
        self._ncstring = False
        self._changed = False
        self._group = group
        self._model = model
        self._dimensions = tuple(dimensions)
        self._array = array
        self._stored_shape = array.shape
        self.mask = self.scale = self.always_mask = self.chartostring = True

    # --- what it is

    @property
    def name(self) -> str:
        """The name."""
        return self._model.name

    @property
    def datatype(self) -> np.dtype[Any] | type[str]:
        """The numpy dtype of the values, or `str`."""
        return self.dtype

    @property
    def dtype(self) -> np.dtype[Any] | type[str]:
        """The numpy dtype of the values as they are stored, or `str`."""
        return str if self._model.type is STRING else shown_dtype(self._model.type, self._array.dtype)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The names of the dimensions."""
        return tuple(dimension.name for dimension in self._dimensions)

    def get_dims(self) -> tuple[Dimension, ...]:
        """Return the dimensions."""
        return self._dimensions

    @property
    def shape(self) -> tuple[int, ...]:
        """The current sizes of the dimensions."""
        return tuple(dimension.size for dimension in self._dimensions)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._dimensions)

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    def group(self) -> Owner:
        """Return the group that the variable belongs to."""
        return self._group

    def filters(self) -> dict[str, Any]:
        """Return which filters compress and check the chunks, as netCDF4-python tells it."""
        return describe_filters(self._model.filters)

    def chunking(self) -> list[int] | str:
        """Return the sizes of a chunk; `"contiguous"` where the variable is not cut."""
        return [] if not self._dimensions else list(self._model.chunks or self.shape)

    def endian(self) -> str:
        """Return the byte order of stored numbers: little, big, or native where there is none."""
        return self._model.endian if self._model.type.is_numeric else "native"

    def get_fill_value(self) -> Any:
        """Return what elements hold that were never written; None where that is undefined."""
        fill = self._model.fill_value
        return self._model.type.dtype.type(fill) if fill is not None and self._model.type.is_numeric else fill

    # --- how values are shown

    def set_auto_mask(self, mask: bool) -> None:
        """Say whether missing values are masked on reading, and masked ones filled on writing."""
        self.mask = bool(mask)

    def set_auto_scale(self, scale: bool) -> None:
        """Say whether `scale_factor`, `add_offset` and `_Unsigned` are applied."""
        self.scale = bool(scale)

    def set_auto_maskandscale(self, maskandscale: bool) -> None:
        """Set both at once."""
        self.mask = self.scale = bool(maskandscale)

    def set_always_mask(self, always_mask: bool) -> None:
        """Say whether arrays come masked also where nothing is missing."""
        self.always_mask = bool(always_mask)

    def set_auto_chartostring(self, chartostring: bool) -> None:
        """Say whether characters with an `_Encoding` become strings, one axis less."""
        self.chartostring = bool(chartostring)

    # --- values

    def __getitem__(self, key: Any) -> Any:
        """Read a selection: integers, slices, and lists, which count for each axis independently."""
        self._group._check_open()
        return self._shown(self._read(normalized(key, self.ndim)))

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write a selection; past the end of an unlimited dimension it becomes longer.

        Raises
        ------
        ConversionError
            The values do not fit the type: a string is too long for what is stored already, say.
        """
        self._group._check_writable()
        values = self._prepared(value)
        indices = normalized(key, self.ndim)
        unlimited = [dimension.isunlimited() for dimension in self._dimensions]
        target = growing(indices, self.shape, unlimited, values.shape)
        stored = self._as_stored(values)
        for dimension, size in zip(self._dimensions, target.shape, strict=True):
            dimension._grow(size)
        self._write(target.indices, stored)

    def getValue(self) -> Any:  # noqa: N802
        """Return the value of a scalar."""
        self._check_scalar()
        return self[...]

    def assignValue(self, value: Any) -> None:  # noqa: N802
        """Set the value of a scalar."""
        self._check_scalar()
        self[...] = value

    def _check_scalar(self) -> None:
        if self._dimensions:
            raise IndexError("to retrieve values from a non-scalar variable, use slicing")

    def __len__(self) -> int:
        if not self._dimensions:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        values: AnyArray = np.asarray(self[...])
        return values if dtype is None else values.astype(dtype, copy=False)

    def _handle(self) -> Array:
        """Return the array below, as long as the dimensions are now."""
        shape = self.shape
        if self._dimensions and self._array.metadata.shape != shape:
            self._array.metadata = self._array.metadata.with_shape(shape)
        return self._array

    def _read(self, indices: Sequence[Index]) -> AnyArray:
        array = self._handle()
        if not self._dimensions:
            stored = np.asarray(array[...]).reshape(())
        elif is_orthogonal(indices):
            stored = np.asarray(array.oindex[tuple(indices)])
        else:
            stored = np.asarray(array[(*indices, ...)])
        return from_storage(self._model.type, stored)

    def _write(self, indices: Sequence[Index], stored: AnyArray) -> None:
        array = self._handle()
        if not self._dimensions:
            array[...] = stored.reshape(array.shape)
        elif is_orthogonal(indices):
            array.oindex[tuple(indices)] = stored
        else:
            array[(*indices, ...)] = stored

    def _shown(self, values: AnyArray) -> Any:
        kind = self._model.type
        attributes = self._values_of_attributes()
        if kind is STRING:
            return values[()] if values.ndim == 0 else values
        if kind is CHAR and self.chartostring and "_Encoding" in attributes and values.ndim:
            return chars_to_text(values, str(attributes["_Encoding"]))
        if self.scale and masking.is_unsigned(kind, attributes):
            values = values.view(values.dtype.str.replace("i", "u"))
        if self.mask:
            values = masking.masked(values, kind, attributes, no_fill=self._model.no_fill)
            if self.always_mask and not isinstance(values, np.ma.MaskedArray):
                values = np.ma.masked_array(values)
        if self.scale and kind.is_numeric:
            values = masking.unpacked(values, attributes)
        if values.ndim:
            return values
        if isinstance(values, np.ma.MaskedArray):
            return np.ma.masked if np.ma.getmaskarray(values).all() else values
        return values[()] if self._dimensions else values

    def _prepared(self, value: Any) -> AnyArray:
        """Return a value as an array of the variable's kind of values, packed and filled."""
        kind = self._model.type
        attributes = self._values_of_attributes()
        if kind is STRING:
            return checked_texts(value)
        if kind is CHAR:
            return self._characters(value)
        values = value if isinstance(value, np.ndarray) else np.ma.asanyarray(value)
        if values.dtype.kind in "SUO":
            values = values.astype(kind.dtype)
        if self.scale and masking.is_packed(attributes):
            values = masking.packed(values, kind.dtype, attributes)
        if self.scale and masking.is_unsigned(kind, attributes):
            values = values.astype(kind.dtype.str.replace("i", "u")).view(kind.dtype)
        return masking.filled(values, kind, attributes)

    def _characters(self, value: Any) -> AnyArray:
        attributes = self._values_of_attributes()
        values = masking.filled(
            value if isinstance(value, np.ndarray) else np.asarray(value), CHAR, attributes
        )
        if values.dtype.kind in "SUO" and self._dimensions and longest_text(values) > 1:
            return text_to_chars(values, self.shape[-1], str(attributes.get("_Encoding", "utf-8")))
        return as_chars(values)

    def _as_stored(self, values: AnyArray) -> AnyArray:
        kind = self._model.type
        if kind is STRING and self._array.dtype.kind == "S":
            length = longest_text(values)
            if length > self._array.dtype.itemsize:
                self._widen(length)
        with np.errstate(invalid="ignore"):
            return to_storage(kind, values, self._array.dtype)

    def _widen(self, length: int) -> None:
        """Store strings of more bytes from now on, where there are none yet.

        Raises
        ------
        ConversionError
            There are strings already.
        """
        if self._array.nchunks_initialized:
            room = self._array.dtype.itemsize
            raise ConversionError(
                f"variable {self.name!r}: a string of {length} bytes does not fit into the {room} bytes "
                f"that are stored; set {_MAX_STRING} before anything is written"
            )
        self._restring(length)

    def _restring(self, length: int) -> None:
        self._model = replace(self.model, max_string_length=length)
        if _MAX_STRING in self._attributes:
            found = self._attributes[_MAX_STRING]
            self._attributes[_MAX_STRING] = AttributeModel(_MAX_STRING, found.type, (length,))
            self._changed = True
        self._array = self._group._replace_array(self.model, self._array.shape)
        self._stored_shape = self._array.shape

    # --- attributes

    @property
    def model(self) -> VariableModel:
        """The variable as a plain value."""
        return replace(self._model, attributes=tuple(self._attributes.values()))

    def _values_of_attributes(self) -> dict[str, Any]:
        return {name: to_python(attribute) for name, attribute in self._attributes.items()}

    def getncattr(self, name: str, encoding: str = "utf-8") -> Any:
        """Return the value of an attribute; the fill value of characters is bytes, as they are.

        Raises
        ------
        AttributeError
            There is none.
        """
        value = super().getncattr(name, encoding)
        if name == FILL_VALUE and self._model.type is CHAR:
            return str(value).encode("utf-8", "surrogateescape")
        return value

    def _set_attribute(self, attribute: AttributeModel) -> None:
        if attribute.name == FILL_VALUE:
            if FILL_VALUE not in self._attributes:
                message = "_FillValue must be set when the variable is created (fill_value=)"
                raise AttributeError(message)
            attribute = cast_attribute(attribute, self._model.type)
            if attribute != self._attributes[FILL_VALUE]:
                raise AttributeError("_FillValue cannot be changed: it is what unwritten elements hold")
        if attribute.name == _MAX_STRING and self._model.type is STRING:
            self._group._check_writable()
            self._widen(length_in(attribute))
        super()._set_attribute(attribute)

    def delncattr(self, name: str) -> None:
        """Remove an attribute; `_FillValue` stays, since elements may hold it."""
        if name == FILL_VALUE:
            raise AttributeError("_FillValue cannot be removed: it is what unwritten elements hold")
        super().delncattr(name)

    def _about_to_change(self) -> None:
        self._group._check_writable()
        self._changed = True

    def __repr__(self) -> str:
        lines = [repr(type(self)), f"{self._model.type} {self.name}({', '.join(self.dimensions)})"]
        lines += [f"    {name}: {to_python(attribute)}" for name, attribute in self._attributes.items()]
        unlimited = ", ".join(d.name for d in self._dimensions if d.isunlimited())
        return "\n".join((*lines, f"unlimited dimensions: {unlimited}", f"current shape = {self.shape}"))
