"""Data types: a registered name and the numpy dtype that holds the elements in memory.

https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from omnizarr.jsontypes import JsonObject


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
    """

    name: str
    dtype: np.dtype[Any]
    configuration: JsonObject = field(default_factory=dict)

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
        dtype = self.dtype if self.is_variable else self.dtype.newbyteorder(_ORDER_CODES[order])  # type: ignore[arg-type]
        return self if dtype == self.dtype else replace(self, dtype=dtype)


_ORDER_CODES = {"little": "<", "big": ">", "native": "="}
_NATIVE = "little" if np.little_endian else "big"
_ORDERS = {"<": "little", ">": "big", "=": _NATIVE, "|": "none"}


def _byte_orders(dtype: np.dtype[Any]) -> set[str]:
    if dtype.subdtype is not None:
        return _byte_orders(dtype.subdtype[0])
    if dtype.fields is None:
        return {_ORDERS[dtype.byteorder]}
    return set[str]().union(*(_byte_orders(entry[0]) for entry in dtype.fields.values()))


_NUMBERS = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)
_VARIABLE = ("string", "bytes", "variable_length_bytes")

# Every type that is a name alone, by name; types of other packages are added here.
PLAIN: dict[str, DataType] = {
    **{name: DataType(name, np.dtype(name)) for name in _NUMBERS},
    **{name: DataType(name, np.dtype(object)) for name in _VARIABLE},
}

OBJECT = DataType("object", np.dtype(object))
