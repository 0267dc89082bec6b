"""The `scale_offset` codec: `(x - offset) * scale`, in the arithmetic of the elements' type.

https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/scale_offset
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from omnizarr.codecs.base import AnyArray, ChunkSpec
from omnizarr.codecs.casting import (
    CastError,
    Manner,
    cast,
    integer_range,
    is_integral,
    is_real,
    wide_integers,
)
from omnizarr.errors import CodecError
from omnizarr.jsontypes import Json, JsonObject, Problems, read_object
from omnizarr.metadata.dtype_bits import is_custom
from omnizarr.metadata.dtype_numpy import data_type_of
from omnizarr.metadata.fill import read_fill

_EXACTLY = Manner()


@dataclass(frozen=True, slots=True)
class ScaleOffset:
    """Subtract an offset, then multiply; divide and add when decoding.

    What does not fit into the type is an error, and so is a stored integer that `scale` does not divide.
    """

    name: ClassVar[str] = "scale_offset"
    offset: Json = 0
    scale: Json = 1

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        fields = read_object(configuration, at, problems, optional=("offset", "scale"))
        for name in fields.keys() & {"offset", "scale"}:
            if fields[name] is None:
                problems.add(f"{at}.{name}", "expected a value of the array's data type, found null")
        return cls(fields.get("offset", 0), fields.get("scale", 1))

    def to_json(self) -> JsonObject:
        return {"offset": self.offset, "scale": self.scale}

    def encoded_spec(self, spec: ChunkSpec) -> ChunkSpec:
        if not is_real(spec.dtype):
            raise self._error(f"expected integers or floating-point numbers, found {spec.dtype}")
        _, scale = self._scalars(spec.dtype)
        if float(scale) == 0:
            raise self._error("scale: expected a number other than 0, found 0")
        if spec.fill_value is None:
            return spec
        fill = ChunkSpec((1,), spec.dtype, spec.fill_value).blank()
        try:
            return replace(spec, fill_value=self.encode(fill, spec)[0])
        except CodecError as error:
            raise self._error(f"the fill value {fill[0]} cannot be stored: {error.message}") from error

    def encode(self, array: AnyArray, spec: ChunkSpec) -> AnyArray:
        return self._computed(array, spec.dtype, back=False)

    def decode(self, array: AnyArray, spec: ChunkSpec) -> AnyArray:
        return self._computed(array, spec.dtype, back=True)

    def _computed(self, array: AnyArray, dtype: np.dtype[Any], back: bool) -> AnyArray:
        offset, scale = self._scalars(dtype)
        with np.errstate(all="ignore"):
            if is_integral(dtype):
                return self._integers(array, int(offset), int(scale), back)
            if is_custom(dtype):
                return _stepwise(array, offset, scale, back)
            found: AnyArray = array / scale + offset if back else (array - offset) * scale
            lost = np.isinf(found) & np.isfinite(array)
        if lost.any():
            raise self._error(f"expected numbers that fit into {dtype}, found {array[lost][0]}")
        return found

    def _integers(self, array: AnyArray, offset: int, scale: int, back: bool) -> AnyArray:
        """Compute modulo the size of the type, once the ends are known to fit: between them all do."""
        if not array.size:
            return array
        wide = wide_integers(array)
        if back and scale not in (1, -1):
            left = np.mod(wide, wide.dtype.type(scale)) != 0
            if left.any():
                raise self._error(f"expected multiples of the scale, {scale}, found {wide[left][0]}")
        low, high = integer_range(array.dtype)
        for end in (int(wide.min()), int(wide.max())):
            exact = end // scale + offset if back else (end - offset) * scale
            if not low <= exact <= high:
                raise self._error(f"expected results of {low} to {high}, found {exact} for {end}")
        one, other = _modular(offset, wide.dtype), _modular(scale, wide.dtype)
        found: AnyArray = np.floor_divide(wide, other) + one if back else (wide - one) * other
        return found.astype(array.dtype)

    def _scalars(self, dtype: np.dtype[Any]) -> tuple[Any, Any]:
        problems, kind = Problems(), data_type_of(dtype)
        offset = read_fill(self.offset, kind, "offset", problems)
        scale = read_fill(self.scale, kind, "scale", problems)
        if problems:
            raise self._error("; ".join(str(problem) for problem in problems.found))
        return offset, scale

    def _error(self, message: str) -> CodecError:
        return CodecError(message, codec=self.name)


def _modular(value: int, dtype: np.dtype[Any]) -> Any:
    return np.array([value % 2**64], np.uint64).view(dtype)[0]


def _stepwise(array: AnyArray, offset: Any, scale: Any, back: bool) -> AnyArray:
    """Compute in 64 bits and round after each step: with that many more bits it is as if rounded once."""
    dtype = array.dtype
    numbers, one, other = array.astype(np.float64), np.float64(offset), np.float64(scale)
    try:
        if back:
            return cast(cast(numbers / other, dtype, _EXACTLY).astype(np.float64) + one, dtype, _EXACTLY)
        return cast(cast(numbers - one, dtype, _EXACTLY).astype(np.float64) * other, dtype, _EXACTLY)
    except CastError as error:
        raise CodecError(str(error), codec=ScaleOffset.name) from error
