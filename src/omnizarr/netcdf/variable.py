"""Variables of an open dataset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from omnizarr import html
from omnizarr.errors import ConversionError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group as Node
from omnizarr.netcdf.attributes import Attributed, cast_attribute, from_python, length_in, to_python
from omnizarr.netcdf.dimension import Dimension
from omnizarr.netcdf.filters.known import describe_filters
from omnizarr.netcdf.model.names import AttributeAccessError
from omnizarr.netcdf.model.nodes import FILL_VALUE, AttributeModel, VariableModel
from omnizarr.netcdf.model.types import CHAR, STRING, AtomicType, NcType, UserType
from omnizarr.netcdf.opened.notebook import variable_html
from omnizarr.netcdf.opened.placing import place_array
from omnizarr.netcdf.opened.session import Session, locked
from omnizarr.netcdf.opened.showing import Showing
from omnizarr.netcdf.usertypes import UserTypeHandle, handle_of, label_of
from omnizarr.netcdf.values.access import as_result, read, write
from omnizarr.netcdf.values.layouts import complex_like, string_room
from omnizarr.netcdf.values.presentation import Presentation, Switches, presentation_of
from omnizarr.netcdf.values.quantize import quantization_of
from omnizarr.netcdf.values.records import longest_string
from omnizarr.netcdf.values.selection import Index, Target, fitted, growing, normalized
from omnizarr.netcdf.values.storage import from_storage, longest_text, shown_dtype, to_storage

AnyArray = NDArray[Any]

_MAX_STRING = "_nczarr_maxstrlen"
# netCDF4-python stores these in the type of the variable where that loses nothing.
_OF_VARIABLE_TYPE = ("missing_value", "valid_min", "valid_max", "valid_range")


class Owner(Protocol):
    """The group that a variable belongs to."""

    _session: Session
    _node: Node

    @property
    def path(self) -> str:
        """The absolute path."""

    def _known_types(self) -> Sequence[UserType]: ...

    def createVariable(self, varname: str, datatype: Any, *arguments: Any, **keywords: Any) -> Variable:  # noqa: N802
        """Make a variable."""


class Variable(Attributed, Showing):
    """A variable: indexing reads, assigning writes; what is missing is masked, packed numbers unpacked."""

    _own = Attributed._own | {
        "_array",
        "_cache",
        "_changed",
        "_dimensions",
        "_group",
        "_model",
        "_presentation",
        "_stored_shape",
        "_switches",
    }
    _array: Array
    _cache: tuple[int, int, float]
    _changed: bool
    _dimensions: tuple[Dimension, ...]
    _group: Owner
    _model: VariableModel
    _stored_shape: tuple[int, ...]
    __orthogonal_indexing__ = True

    def __new__(cls, group: Owner, name: str, datatype: Any, *arguments: Any, **keywords: Any) -> Variable:
        """Make a variable in a group, as its `createVariable` does, with all arguments of that."""
        return group.createVariable(name, datatype, *arguments, **keywords)

    @classmethod
    def _of(cls, group: Owner, model: VariableModel, dimensions: Sequence[Dimension], array: Array) -> Self:
        made = object.__new__(cls)
        made._session = group._session
        made._attributes = {attribute.name: attribute for attribute in model.attributes}
        made._ncstring = made._changed = False
        made._group = group
        made._model = model
        made._dimensions = tuple(dimensions)
        made._array = array
        made._stored_shape = array.shape
        made._presentation = None
        made._switches = Switches()
        made._cache = (64 * 2**20, 1000, 0.75)
        return made

    # --- what it is

    @property
    def name(self) -> str:
        """The name; `renameVariable` of the group changes it."""
        return self._model.name

    @property
    def datatype(self) -> np.dtype[Any] | type[str] | UserTypeHandle:
        """The numpy dtype of the values, `str`, or the user-defined type."""
        kind = self._model.type
        return self.dtype if isinstance(kind, AtomicType) else handle_of(kind)

    @property
    def dtype(self) -> np.dtype[Any] | type[str]:
        """The numpy dtype of the values as they are stored, or `str`; of sequences that of their elements."""
        kind = self._model.type
        numbers = complex_like(kind) if self._session.auto_complex else None
        return str if kind is STRING else numbers or shown_dtype(kind, self._array.dtype)

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

    def quantization(self) -> tuple[int, str] | None:
        """Return how many digits (or bits) of the values mean something, and the algorithm; or None."""
        found = quantization_of(self._attributes.values())
        return None if found is None else (found.digits, found.mode)

    def chunking(self) -> list[int] | str:
        """Return the sizes of a chunk; none for a scalar."""
        return [] if not self._dimensions else list(self._model.chunks or self.shape)

    def endian(self) -> str:
        """Return the byte order of stored numbers: little, big, or native where there is none."""
        kind = self._model.type
        return self._model.endian if isinstance(kind, AtomicType) and kind.is_numeric else "native"

    def get_fill_value(self) -> Any:
        """Return what elements hold that were never written; None where that is undefined.

        Of strings and user-defined types only what was set.
        """
        if not isinstance(self._model.type, AtomicType) or self._model.type is STRING:
            found = self._attributes.get(FILL_VALUE)
            return None if found is None else to_python(found)
        fill = self._model.fill_value
        return self._model.type.dtype.type(fill) if fill is not None and self._model.type.is_numeric else fill

    def get_var_chunk_cache(self) -> tuple[int, int, float]:
        """Return the bytes, the number of chunks and the preemption that a cache was asked to have."""
        return self._cache

    def set_var_chunk_cache(
        self, size: int | None = None, nelems: int | None = None, preemption: float | None = None
    ) -> None:
        """Keep what a cache of chunks is asked to be; there is none, so nothing else changes."""
        old = self._cache
        self._cache = (
            old[0] if size is None else int(size),
            old[1] if nelems is None else int(nelems),
            old[2] if preemption is None else float(preemption),
        )

    def set_collective(self, value: bool) -> None:
        """Do nothing: writers of different chunks need not wait for each other."""

    def use_nc_get_vars(self, use_nc_get_vars: bool) -> None:
        """Do nothing: of a strided selection only the chunks that it touches are read in any case."""

    @locked
    def _present(self) -> Presentation:
        if self._presentation is None:
            self._presentation = presentation_of(
                self._model.type,
                self.__dict__,
                self._switches,
                no_fill=self._model.no_fill,
                auto_complex=self._session.auto_complex,
            )
        return self._presentation

    # --- values

    def __getitem__(self, key: Any) -> Any:
        """Read a selection: integers, slices, and lists, which count for each axis independently."""
        self._session.check_open()
        with self._session.lock:
            shape, array, presentation = self.shape, self._handle(), self._present()
        indices = normalized(key, len(shape))
        stored = read(array, indices)
        # Characters become strings where all of the last axis was asked for.
        width = shape[-1] if indices and not isinstance(indices[-1], int) else None
        shown = presentation.shown(from_storage(self._model.type, stored), width)
        # netCDF4-python shows one value as an array of no axes where there could be a mask, and is none.
        as_array = not shape or (presentation.switches.mask and not presentation.switches.always_mask)
        return as_result(shown, as_array=as_array)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write a selection; past the end of an unlimited dimension it becomes longer.

        Raises
        ------
        ConversionError
            The values do not fit the type: a string is too long for what is stored already, say.
        """
        session = self._session
        session.check_writable()
        indices = normalized(key, self.ndim)
        axes = sum(not isinstance(index, int) for index in indices)
        values = self._present().prepared(value, self.shape[-1] if self._dimensions else None, axes)
        with session.lock:
            session.check_writable()
            target, stored = self._placed(indices, self._as_stored(values))
            array = self._handle()
            if not stored.size:
                return
            with session.writing():
                write(array, target.indices, stored)

    def _placed(self, indices: tuple[Index, ...], values: AnyArray) -> tuple[Target, AnyArray]:
        """Return where data go, and the data in that shape; dimensions become as long as that takes."""
        unlimited = [dimension.isunlimited() for dimension in self._dimensions]
        target = growing(indices, self.shape, unlimited, values.shape)
        stored = fitted(values, target)
        for dimension, size in zip(self._dimensions, target.shape if stored.size else (), strict=False):
            dimension._grow(size)
        return target, self._quantized(stored)

    def _quantized(self, stored: AnyArray) -> AnyArray:
        found = quantization_of(self._attributes.values()) if stored.dtype.kind == "f" else None
        return stored if found is None else found.apply(stored, self._model.fill_value)

    def getValue(self) -> Any:  # noqa: N802
        """Return the value of a scalar."""
        self._check_scalar("retrieve values from")
        return self[...]

    def assignValue(self, val: Any) -> None:  # noqa: N802
        """Set the value of a scalar."""
        self._check_scalar("assign values to")
        self[...] = val

    def _check_scalar(self, doing: str) -> None:
        if self._dimensions:
            raise IndexError(f"to {doing} a non-scalar variable, use slicing")

    def __len__(self) -> int:
        if not self._dimensions:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __bool__(self) -> bool:
        return not self._dimensions or bool(self.shape[0])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        values: AnyArray = np.asarray(self[...])
        return values if dtype is None else values.astype(dtype, copy=False)

    def _handle(self) -> Array:
        """Return the array below, as long as the dimensions are now; one in use stays as it is."""
        shape = self.shape
        if self._dimensions and self._array.metadata.shape != shape:
            self._array = self._array.as_long_as(shape)
        return self._array

    def _as_stored(self, values: AnyArray) -> AnyArray:
        kind = self._model.type
        room = string_room(kind, self._array.dtype)
        if room is not None:
            length = longest_text(values) if kind is STRING else longest_string(kind, values)
            if length > room:
                self._widen(length)
        with np.errstate(invalid="ignore"):
            return to_storage(kind, values, self._array.metadata.data_type)

    def _widen(self, length: int) -> None:
        """Store strings of more bytes from now on, where there are none yet.

        Raises
        ------
        ConversionError
            There are strings already.
        """
        self._session.settle()
        if self._array.nchunks_initialized:
            room = string_room(self._model.type, self._array.dtype)
            raise ConversionError(
                f"variable {self.name!r}: a string of {length} bytes does not fit into the {room} bytes "
                f"that are stored; set {_MAX_STRING} before anything is written"
            )
        self._model = replace(self.as_model(), max_string_length=length)
        if _MAX_STRING in self._attributes:
            found = self._attributes[_MAX_STRING]
            self._attributes[_MAX_STRING] = replace(found, value=(length,))
            self._changed = True
        self._array = place_array(self._session, self._group._node, self.as_model(), self._array.shape)
        self._stored_shape = self._array.shape

    # --- attributes

    @locked
    def as_model(self) -> VariableModel:
        """Return the variable as a plain value."""
        return replace(self._model, attributes=tuple(self._attributes.values()))

    def getncattr(self, name: str, encoding: str = "utf-8") -> Any:
        """Return the value of an attribute; the fill value of characters is bytes, as they are.

        Raises
        ------
        AttributeAccessError
            There is none; also an AttributeError.
        """
        if name == FILL_VALUE and self._model.type is CHAR and name in self._attributes:
            # NUL is stored as no character: netCDF-C does not understand JSON's name for it.
            return str(self._attributes[name].value).encode("utf-8", "surrogateescape") or b"\0"
        return super().getncattr(name, encoding)

    def _known_types(self) -> Sequence[UserType]:
        return self._group._known_types()

    def setncattr(self, name: str, value: Any) -> None:
        """Set an attribute; its type follows from the value, and for limits from the variable."""
        types = self._known_types()
        attribute = from_python(name, value, as_string=self._ncstring, types=types)
        if name in _OF_VARIABLE_TYPE:
            attribute = _in_type_of(attribute, self._model.type)
        self._set_attribute(attribute)

    @locked
    def _set_attribute(self, attribute: AttributeModel) -> None:
        if attribute.name == FILL_VALUE:
            raise AttributeAccessError(
                "_FillValue is what unwritten elements hold; it is set when the variable is created "
                "(fill_value=), and stays"
            )
        room = string_room(self._model.type, self._array.dtype)
        if attribute.name == _MAX_STRING and room not in (None, length := length_in(attribute)):
            self._change_attributes()
            self._widen(length)
        super()._set_attribute(attribute)

    def delncattr(self, name: str) -> None:
        """Remove an attribute; `_FillValue` stays, since elements may hold it."""
        if name == FILL_VALUE:
            raise AttributeAccessError("_FillValue cannot be removed: it is what unwritten elements hold")
        super().delncattr(name)

    def renameAttribute(self, oldname: str, newname: str) -> None:  # noqa: N802
        """Rename an attribute; none becomes `_FillValue`, and that one stays."""
        if FILL_VALUE in (oldname, newname):
            raise AttributeAccessError("_FillValue cannot be renamed: it is what unwritten elements hold")
        super().renameAttribute(oldname, newname)

    def _about_to_change(self) -> None:
        self._session.check_writable()
        self._changed = True
        self._presentation = None

    def __delitem__(self, key: Any) -> None:
        raise TypeError("elements of a variable cannot be deleted; assign np.ma.masked to them")

    def __repr__(self) -> str:
        kind = self._model.type
        label = label_of(kind, self.dtype)
        lines = [repr(type(self)), f"{label} {self.name}({', '.join(self.dimensions)})"]
        lines += [f"    {name}: {value}" for name, value in self.__dict__.items()]
        if self._group.path != "/":
            lines.append(f"path = {self._group.path}")
        if not isinstance(kind, AtomicType):
            lines.append(f"{label} data type: {self.dtype}")
        unlimited = ", ".join(d.name for d in self._dimensions if d.isunlimited())
        lines += [f"unlimited dimensions: {unlimited}", f"current shape = {self.shape}"]
        is_filled = isinstance(kind, AtomicType) and kind is not STRING
        return "\n".join((*lines, self._filling()) if is_filled else lines)

    def _repr_html_(self) -> str:
        """The variable in a notebook."""
        return html.safely(lambda: variable_html(self), type(self).__name__)

    def _filling(self) -> str:
        if self._model.no_fill:
            return "filling off"
        what = "_FillValue" if FILL_VALUE in self._attributes else "default _FillValue"
        return f"filling on, {what} of {self.get_fill_value()} used"


def _in_type_of(attribute: AttributeModel, kind: NcType) -> AttributeModel:
    """Return a limit in the type of the variable where that holds it exactly; else as it is."""
    if not kind.is_numeric or not attribute.type.is_numeric:
        return attribute
    try:
        cast = cast_attribute(attribute, kind)
    except ConversionError:
        return attribute
    same = np.array_equal(np.asarray(cast.value), np.asarray(attribute.value), equal_nan=True)
    return cast if same else attribute
