"""The `reshape` codec: the same elements in the same order, with other axes.

https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/reshape
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from math import prod
from typing import ClassVar, Self, TypeAlias

from omnizarr.codecs.base import AnyArray, ChunkSpec
from omnizarr.errors import CodecError
from omnizarr.jsontypes import Json, JsonObject, Problems, read_int, read_ints, read_list, read_object

Length: TypeAlias = int | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reshape:
    """Give chunks another shape.

    Each length is a number, the axes whose lengths make it (their product), or -1 for what remains.
    """

    name: ClassVar[str] = "reshape"
    shape: tuple[Length, ...]

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        fields = read_object(configuration, at, problems, required=("shape",))
        at = f"{at}.shape"
        items = read_list(fields.get("shape", []), at, problems)
        shape = tuple(_read_length(item, f"{at}[{i}]", problems) for i, item in enumerate(items))
        if shape.count(-1) > 1:
            problems.add(at, "expected -1 once at most")
        axes = [axis for length in shape if isinstance(length, tuple) for axis in length]
        if any(one >= other for one, other in pairwise(axes)):
            problems.add(at, f"expected axes in rising order, found {axes}")
        return cls(shape)

    def to_json(self) -> JsonObject:
        return {"shape": [list(part) if isinstance(part, tuple) else part for part in self.shape]}

    def encoded_spec(self, spec: ChunkSpec) -> ChunkSpec:
        return replace(spec, shape=self._shape(spec.shape))

    def encode(self, array: AnyArray, spec: ChunkSpec) -> AnyArray:
        return array.reshape(self._shape(spec.shape))

    def decode(self, array: AnyArray, spec: ChunkSpec) -> AnyArray:
        return array.reshape(spec.shape)

    def _shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        axes = [axis for length in self.shape if isinstance(length, tuple) for axis in length]
        if axes and axes[-1] >= len(shape):
            raise self._error(f"expected axes 0 to {len(shape) - 1}, found {axes[-1]}")
        known = [
            prod(shape[axis] for axis in length) if isinstance(length, tuple) else length
            for length in self.shape
        ]
        if -1 in known:
            others = -prod(known)
            known[known.index(-1)] = prod(shape) // others if others else 0
        found = tuple(known)
        if prod(found) != prod(shape):
            raise self._error(f"expected {prod(shape)} elements, as a chunk of shape {shape}, found {found}")
        self._check_axes(shape, found)
        return found

    def _check_axes(self, shape: tuple[int, ...], found: tuple[int, ...]) -> None:
        """Check that positions along named axes are those along the axis that they make."""
        for i, axes in enumerate(self.shape):
            if not isinstance(axes, tuple) or not axes:
                continue
            is_whole = axes == tuple(range(axes[0], axes[-1] + 1))
            before, after = prod(shape[: axes[0]]), prod(shape[axes[-1] + 1 :])
            if not is_whole or prod(found[:i]) != before or prod(found[i + 1 :]) != after:
                raise self._error(f"axis {i} does not hold the elements of axes {list(axes)} of {shape}")

    def _error(self, message: str) -> CodecError:
        return CodecError(message, codec=self.name)


def _read_length(value: Json, at: str, problems: Problems) -> Length:
    if isinstance(value, list):
        return read_ints(value, at, problems, low=0)
    if value == -1 and not isinstance(value, bool | float):
        return -1
    return read_int(value, at, problems, 1)
