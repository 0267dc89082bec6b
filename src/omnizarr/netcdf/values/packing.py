"""How packed numbers are unpacked: `scale_factor` and `add_offset`, as netCDF4-python takes them.

https://docs.unidata.ucar.edu/nug/current/attribute_conventions.html
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

AnyArray: TypeAlias = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Packing:
    """A factor and an offset; None where there is none. Their types decide that of the result."""

    scale: Any = None
    offset: Any = None

    def __bool__(self) -> bool:
        return self.scale is not None or self.offset is not None

    def unpacked(self, values: AnyArray) -> AnyArray:
        """Return `values * scale + offset`; the values themselves where that changes nothing."""
        if self.scale is not None and self.offset is not None:
            if self.scale == 1.0 and self.offset == 0.0:
                return values.astype(self.scale.dtype)
            result: AnyArray = values * self.scale + self.offset
        elif self.scale is not None and self.scale != 1.0:
            result = values * self.scale
        elif self.offset is not None and self.offset != 0.0:
            result = values + self.offset
        else:
            return values
        return result

    def unpacked_each(self, sequences: AnyArray) -> AnyArray:
        """Return an array of sequences of numbers, each of them `unpacked`."""
        found = np.empty(sequences.size, object)
        for at, values in enumerate(sequences.ravel().tolist()):
            found[at] = self.unpacked(values)
        return found.reshape(sequences.shape)

    def packed(self, values: AnyArray, dtype: np.dtype[Any]) -> AnyArray:
        """Return the numbers that `unpacked` turns into these values, rounded where they are integers."""
        if not self:
            return values
        if self.offset is not None:
            values = values - self.offset
        if self.scale is not None:
            values = values / self.scale
        if dtype.kind not in "iu":
            return values
        return np.ma.around(values) if isinstance(values, np.ma.MaskedArray) else np.around(values)


def packing_of(attributes: Mapping[str, Any]) -> Packing:
    """Return how a variable is packed; attributes that are no number warn, and then it is not."""
    found = {name: attributes.get(name) for name in ("scale_factor", "add_offset")}
    numbers = {name: _number(value) for name, value in found.items() if value is not None}
    for name, number in numbers.items():
        if number is None:
            message = f"{name} = {found[name]!r} is no number: values are not unpacked"
            warnings.warn(message, stacklevel=5)
            return Packing()
    return Packing(numbers.get("scale_factor"), numbers.get("add_offset"))


def _number(value: Any) -> Any:
    try:
        number = np.asarray(value).astype(float) if isinstance(value, str) else np.asarray(value)
    except ValueError:
        return None
    return number.ravel()[0] if number.size == 1 and number.dtype.kind in "iuf" else None
