"""Data types: a registered name and the numpy dtype that holds the elements in memory.

https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

import numpy as np

from omnizarr.jsontypes import Json, JsonObject, Problems
from omnizarr.metadata.dtype_bits import in_order

LARGEST = 2**26
"""Bytes of an element at most: a fill value takes as many, however short the document that asks for it."""


class Scalars(Protocol):
    """How single values of a type are read and written, where numpy's kind of it does not tell."""

    def read(self, value: Json) -> Any:
        """Return the value that JSON stands for; MisfitError where it does not fit the type."""

    def write(self, value: Any) -> Json:
        """Return the JSON of a value."""

    def given(self, value: Any) -> Any:
        """Return what a user gives as a value; MisfitError, ValueError or TypeError where it does not fit."""


@dataclass(frozen=True, slots=True)
class DataType:
    """A data type.

    Attributes
    ----------
    name
        The name registered for Zarr v3 (`int32`, `string`, `numpy.datetime64`, `r16`, `struct`);
        `object` for v2's other object arrays.
    dtype
        What numpy holds. `object` for variable-length types. Of native byte order but where a v2
        document says otherwise, which v2 arrays keep in memory as it is on disk.
    configuration
        The v3 configuration, where the type has one. A field of a `struct` that is itself an array,
        which only v2 knows, has a `shape` beside its name and type.
    scalars
        How fill values are read and written; None for the way of numpy's kind.
    """

    name: str
    dtype: np.dtype[Any]
    configuration: JsonObject = field(default_factory=dict)
    scalars: Scalars | None = field(default=None, compare=False, repr=False)

    @property
    def is_variable(self) -> bool:
        """Whether elements differ in size, and live as Python objects."""
        return self.dtype.kind == "O"

    @property
    def byte_order(self) -> str:
        """`little` or `big`; `none` where bytes have no order; `mixed` where the fields differ."""
        orders = {order for order in _byte_orders(self.dtype) if order != "none"}
        return orders.pop() if len(orders) == 1 else "mixed" if orders else "none"

    def with_byte_order(self, order: str) -> Self:
        """Return this type with another byte order: `little`, `big` or `native`."""
        dtype = self.dtype if self.is_variable else in_order(self.dtype, _ORDER_CODES[order])
        return self if dtype == self.dtype else replace(self, dtype=dtype)


_ORDER_CODES = {"little": "<", "big": ">", "native": "="}
_NATIVE = "little" if np.little_endian else "big"
_ORDERS = {"<": "little", ">": "big", "=": _NATIVE, "|": "none"}


def _byte_orders(dtype: np.dtype[Any]) -> set[str]:
    if dtype.subdtype is not None:
        return _byte_orders(dtype.subdtype[0])
    if dtype.fields is None:
        # Types of other packages say "=" even where they are of one byte.
        return {"none" if dtype.itemsize == 1 else _ORDERS[dtype.byteorder]}
    return set[str]().union(*(_byte_orders(entry[0]) for entry in dtype.fields.values()))


_NUMBERS = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)
_VARIABLE = ("string", "bytes", "variable_length_bytes")

# Numpy's types that are a name alone, by name; all others are those of `dtype_v3.DATA_TYPES`.
PLAIN: dict[str, DataType] = {
    **{name: DataType(name, np.dtype(name)) for name in _NUMBERS},
    **{name: DataType(name, np.dtype(object)) for name in _VARIABLE},
}

OBJECT = DataType("object", np.dtype(object))


def check_size(size: int, at: str, problems: Problems) -> bool:
    """Say whether elements may have as many bytes; if not, add it to `problems`."""
    if size > LARGEST:
        problems.add(at, f"elements of {size} bytes, {LARGEST} at most", unsupported=True)
    return size <= LARGEST
