"""The `transpose` codec: axes in another order.

https://zarr-specs.readthedocs.io/en/latest/v3/codecs/transpose/index.html
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

from omnizarr.codecs.base import AnyArray, ChunkSpec
from omnizarr.errors import CodecError
from omnizarr.jsontypes import JsonObject, Problems, read_ints, read_object, read_string


@dataclass(frozen=True, slots=True)
class Transpose:
    """Permute the axes: axis i of the encoded array is axis `order[i]` of the decoded one.

    `order` may also be `"C"` (nothing changes) or `"F"` (reversed), which older documents have.
    """

    name: ClassVar[str] = "transpose"
    order: tuple[int, ...] | str

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        fields = read_object(configuration, at, problems, required=("order",))
        order = fields.get("order", "C")
        if isinstance(order, str):
            return cls(read_string(order, f"{at}.order", problems, ("C", "F")))
        axes = read_ints(order, f"{at}.order", problems, low=0)
        if sorted(axes) != list(range(len(axes))):
            problems.add(f"{at}.order", f"expected a permutation of 0 to {len(axes) - 1}, found {list(axes)}")
            return cls("C")
        return cls(axes)

    def to_json(self) -> JsonObject:
        return {"order": self.order if isinstance(self.order, str) else list(self.order)}

    def encoded_spec(self, spec: ChunkSpec) -> ChunkSpec:
        order = self._axes(len(spec.shape))
        if len(order) != len(spec.shape):
            raise CodecError(
                f"expected an order of {len(spec.shape)} axes, found {list(order)}", codec=self.name
            )
        return replace(spec, shape=tuple(spec.shape[axis] for axis in order))

    def encode(self, array: AnyArray, spec: ChunkSpec) -> AnyArray:
        return array.transpose(self._axes(array.ndim))

    def decode(self, array: AnyArray, spec: ChunkSpec) -> AnyArray:
        order = self._axes(array.ndim)
        return array.transpose(sorted(range(array.ndim), key=order.__getitem__))

    def _axes(self, ndim: int) -> tuple[int, ...]:
        if isinstance(self.order, tuple):
            return self.order
        return tuple(range(ndim) if self.order == "C" else reversed(range(ndim)))
