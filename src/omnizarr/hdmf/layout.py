"""The two layouts of HDMF files: names of reserved attributes, and how the elements of each type are stored.

https://hdmf-zarr.readthedocs.io/en/stable/storage.html

`LAYOUT_V2` is that of files on Zarr v2, which hdmf-zarr reads and writes; `LAYOUT_V3` the newer one, on Zarr
v3. Both are read wherever they are found: what is asked of a dataset is looked for under either's names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np

from omnizarr.errors import ConversionError
from omnizarr.hdmf.dtypes import (
    ASCII,
    REFERENCES,
    REGIONS,
    UTF8,
    ElementType,
    Numbers,
    Records,
    References,
    Text,
    element_type,
    numpy_dtype,
    reconciled,
    type_name,
)
from omnizarr.jsontypes import Json, JsonObject
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.dtype import OBJECT, PLAIN, DataType
from omnizarr.metadata.dtype_numpy import from_numpy
from omnizarr.metadata.dtype_v2 import FIELDS, loose_dtype
from omnizarr.metadata.extension import Extension

SCALAR = "scalar"
SPECLOC = ".specloc"
DIMENSIONS = "_ARRAY_DIMENSIONS"
_IS_SCALAR = "_SCALAR"
_REFERENCE_FIELDS = "_REFERENCE_FIELDS"
_TYPE_V2, _TYPE_V3 = "zarr_dtype", "_DTYPE"

RESERVED = frozenset(
    {_TYPE_V2, "zarr_link", SPECLOC, DIMENSIONS, _TYPE_V3, "_LINKS", _REFERENCE_FIELDS, _IS_SCALAR}
)
"""The attributes that are none of the user's."""

JSON2 = Extension(
    "json2",
    {
        "encoding": "utf-8",
        "skipkeys": False,
        "ensure_ascii": True,
        "check_circular": True,
        "allow_nan": True,
        "sort_keys": True,
        "indent": None,
        "separators": [",", ":"],
        "strict": True,
    },
)
"""Objects as JSON, with all options written out as hdmf-zarr has them."""

PICKLE = Extension("pickle", {"protocol": 5})
_PICKLED_ZERO = "gAVLAC4="  # the fill value that zarr-python 2 needs where records are pickled
_SHORT_NAMES = {REFERENCES: "object_reference", REGIONS: "region_reference"}


@dataclass(frozen=True, slots=True)
class Storage:
    """How elements are stored: arguments for `Group.create_array`."""

    dtype: DataType
    filters: tuple[Extension, ...] = ()
    fill_value: Any = field(default=0)

    def arguments(self) -> dict[str, Any]:
        """Return what `create_array` is to be given."""
        given: dict[str, Any] = {"dtype": self.dtype}
        if self.filters:
            given["filters"] = [codec.to_json() for codec in self.filters]
        if self.dtype.name == OBJECT.name:
            given["fill_value"] = self.fill_value
        return given


class Layout(Protocol):
    """How HDMF's primitives are stored in one Zarr format."""

    zarr_format: ClassVar[int]
    links: ClassVar[str]
    """The attribute of a group that holds its links."""
    type: ClassVar[str]
    """The attribute of a dataset that states its type."""
    scalar_shape: ClassVar[tuple[int, ...]]
    """The shape of a dataset that is one value."""

    def type_attributes(self, element: ElementType, *, scalar: bool = False) -> JsonObject:
        """Return the attributes that say what a dataset holds."""

    def storage(
        self, element: ElementType, *, pickled: bool = False, widths: Mapping[str, int] | None = None
    ) -> Storage:
        """Return how elements of a type are stored.

        Parameters
        ----------
        pickled
            Whether objects are pickled, as hdmf-zarr 0.13.0 needs it of records with references (Zarr v2).
        widths
            The longest text of each field of text or references, in characters (Zarr v3).

        Raises
        ------
        ConversionError
            The layout has no form for it.
        """


@dataclass(frozen=True, slots=True)
class LayoutV2:
    """Files on Zarr v2: objects as JSON, or pickled where that was asked for."""

    zarr_format: ClassVar[int] = 2
    links: ClassVar[str] = "zarr_link"
    type: ClassVar[str] = _TYPE_V2
    scalar_shape: ClassVar[tuple[int, ...]] = (1,)

    def type_attributes(self, element: ElementType, *, scalar: bool = False) -> JsonObject:
        """Return the attributes that say what a dataset holds."""
        if not scalar:
            return {self.type: type_name(element)}
        if isinstance(element, Numbers | Text):
            return {self.type: SCALAR}
        return {self.type: type_name(element), _IS_SCALAR: True}

    def storage(
        self, element: ElementType, *, pickled: bool = False, widths: Mapping[str, int] | None = None
    ) -> Storage:
        """Return how elements of a type are stored; records with objects in them are lists in JSON."""
        match element:
            case Numbers(dtype):
                return Storage(from_numpy(dtype))
            case Text():
                return Storage(PLAIN["bytes" if element.is_bytes else "string"])
            case Records() if element.is_plain:
                return Storage(from_numpy(numpy_dtype(element)))
            case Records() if pickled:
                fields = _fields_v2(numpy_dtype(element))
                return Storage(
                    DataType(OBJECT.name, OBJECT.dtype, {FIELDS: fields}), (PICKLE,), _PICKLED_ZERO
                )
        return Storage(OBJECT, (PICKLE if pickled else JSON2,))


@dataclass(frozen=True, slots=True)
class LayoutV3:
    """Files on Zarr v3: references are text, records are structs with text of fixed length."""

    zarr_format: ClassVar[int] = 3
    links: ClassVar[str] = "_LINKS"
    type: ClassVar[str] = _TYPE_V3
    scalar_shape: ClassVar[tuple[int, ...]] = ()

    def type_attributes(self, element: ElementType, *, scalar: bool = False) -> JsonObject:
        """Return the attributes that say what a dataset holds."""
        if isinstance(element, References):
            return {self.type: _SHORT_NAMES[element]}
        if not isinstance(element, Records) or not element.references:
            return {self.type: type_name(element)}
        return {self.type: type_name(element), _REFERENCE_FIELDS: [*element.references]}

    def storage(
        self, element: ElementType, *, pickled: bool = False, widths: Mapping[str, int] | None = None
    ) -> Storage:
        """Return how elements of a type are stored."""
        match element:
            case Numbers(dtype):
                return Storage(from_numpy(dtype.newbyteorder("=")))
            case Text():
                return Storage(PLAIN["variable_length_bytes" if element.is_bytes else "string"])
            case Records(fields):
                given = widths or {}
                return Storage(from_numpy(np.dtype([(n, _fixed(n, one, given)) for n, one in fields])))
        return Storage(PLAIN["string"])


LAYOUT_V2: Layout = LayoutV2()
LAYOUT_V3: Layout = LayoutV3()


def layout_of(zarr_format: int | str) -> Layout:
    """Return the layout of files on a Zarr format."""
    return LAYOUT_V2 if zarr_format == 2 else LAYOUT_V3


def is_scalar(metadata: ArrayMetadata) -> bool:
    """Say whether a dataset is one value."""
    get = metadata.attributes.get
    return (
        metadata.shape == ()
        or get(_TYPE_V2) == SCALAR
        or (metadata.shape == (1,) and get(_IS_SCALAR) is True)
    )


def states_type(metadata: ArrayMetadata) -> bool:
    """Say whether a dataset's attributes state its type; where they do not it is inferred."""
    return _TYPE_V2 in metadata.attributes or _TYPE_V3 in metadata.attributes


def element_of(metadata: ArrayMetadata) -> ElementType:
    """Return what the elements of a dataset are, by its attributes and the array's own type.

    Raises
    ------
    ConversionError
        The attributes state no type that is known, or the array's is none that HDMF has.
    """
    stated = _stated(metadata.attributes)
    dtype = stored_dtype(metadata.data_type)
    element = (
        _inferred(metadata.data_type, dtype) if stated is None else reconciled(element_type(stated), dtype)
    )
    names = metadata.attributes.get(_REFERENCE_FIELDS)
    if isinstance(names, list) and isinstance(element, Records):
        element = _with_references(element, names)
    return element


def stored_dtype(data_type: DataType) -> np.dtype[Any]:
    """Return numpy's type of the elements; that of its fields for records with objects in them (Zarr v2)."""
    fields = data_type.configuration.get(FIELDS)
    return _dtype_of_fields(fields) if data_type.dtype.kind == "O" and fields else data_type.dtype


def _stated(attributes: Mapping[str, Json]) -> Json:
    stated = attributes.get(_TYPE_V2, attributes.get(_TYPE_V3))
    return None if stated == SCALAR else stated


def _inferred(data_type: DataType, dtype: np.dtype[Any]) -> ElementType:
    if data_type.name in ("bytes", "variable_length_bytes"):
        return ASCII
    return reconciled(UTF8, dtype) if dtype.names is None else reconciled(Records(()), dtype)


def _with_references(element: Records, names: list[Json]) -> Records:
    made = [(n, REFERENCES if n in names and isinstance(one, Text) else one) for n, one in element.fields]
    return Records(tuple(made))


def _dtype_of_fields(fields: Any) -> np.dtype[Any]:
    return np.dtype([(name, _dtype_of_field(kind), *map(tuple, shape)) for name, kind, *shape in fields])


def _dtype_of_field(kind: Any) -> np.dtype[Any]:
    if isinstance(kind, list):
        return _dtype_of_fields(kind)
    return loose_dtype(kind) or np.dtype(object)


def _fields_v2(dtype: np.dtype[Any]) -> list[Json]:
    return [
        [name, dtype[name].str if dtype[name].names is None else _fields_v2(dtype[name])]
        for name in dtype.names or ()
    ]


def _fixed(name: str, element: ElementType, widths: Mapping[str, int]) -> np.dtype[Any]:
    if isinstance(element, Text | References):
        return np.dtype(f"U{max(1, widths.get(name, 1))}")
    if isinstance(element, Records) and not element.is_plain:
        raise ConversionError(f"field {name!r}: records in records hold numbers only on Zarr v3")
    return numpy_dtype(element).newbyteorder("=")
