"""The `zfp` codec: numbers compressed in blocks of 4 along each axis; it needs the package imagecodecs.

https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/zfp
https://zfp.readthedocs.io/en/release1.0.1/modes.html
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from omnizarr.codecs import zfp_stream
from omnizarr.codecs.base import AnyArray, ChunkSpec
from omnizarr.errors import CodecError
from omnizarr.jsontypes import Json, JsonObject, Problems, read_int, read_object, read_string, shown
from omnizarr.metadata.dtype_bits import is_custom
from omnizarr.store.base import Buffer

Reader: TypeAlias = Callable[[Json, str, Problems], int | float]

_MOST_AXES = 4
_MOST_BITS = 2**15
_WIDEST = {"i": np.int32, "u": np.int32, "f": np.float32}


def _number(value: Json, at: str, problems: Problems) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < np.inf:
        return value
    problems.add(at, f"expected a number of 0 at least, found {shown(value)}")
    return 1


def _natural(low: int, high: int) -> Reader:
    return lambda value, at, problems: read_int(value, at, problems, low, high)


# What each mode asks for, in the order in which the library takes it.
_MODES: dict[str, dict[str, Reader]] = {
    "reversible": {},
    "expert": {
        "minbits": _natural(0, _MOST_BITS),
        "maxbits": _natural(0, _MOST_BITS),
        "maxprec": _natural(0, 128),
        "minexp": _natural(-16495, 16272),
    },
    "fixed_accuracy": {"tolerance": _number},
    "fixed_rate": {"rate": _number},
    "fixed_precision": {"precision": _natural(0, 128)},
}


@dataclass(frozen=True, slots=True)
class Zfp:
    """Compress numbers with zfp, without a header: exactly, or as exactly as `mode` says.

    Arrays have up to four axes. Integers of 8 and 16 bits take the upper bits of 32, floating-point
    numbers of less than 32 become such. Unsigned integers of 32 and 64 bits are stored as signed ones, and
    those that are too large are refused.
    """

    name: ClassVar[str] = "zfp"
    mode: str
    parameters: tuple[int | float, ...] = ()

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        mode = configuration.get("mode", "reversible")
        mode = read_string(mode, f"{at}.mode", problems, tuple(_MODES))
        readers = _MODES.get(mode, {})
        fields = read_object(configuration, at, problems, required=("mode", *readers))
        return cls(
            mode,
            tuple(
                read(fields[name], f"{at}.{name}", problems)
                for name, read in readers.items()
                if name in fields
            ),
        )

    def to_json(self) -> JsonObject:
        return {"mode": self.mode, **dict(zip(_MODES[self.mode], self.parameters, strict=True))}

    def check(self, spec: ChunkSpec, at: str, problems: Problems) -> None:
        if _stored_type(spec.dtype) is None:
            problems.add(at, f"codec zfp: expected integers or floating-point numbers, found {spec.dtype}")
        if len(spec.shape) > _MOST_AXES:
            problems.add(at, f"codec zfp: expected {_MOST_AXES} axes at most, found {len(spec.shape)}")

    def encoded_size(self, spec: ChunkSpec) -> int | None:
        return None

    def encode(self, array: AnyArray, spec: ChunkSpec) -> Buffer:
        promoted = self._promoted(np.ascontiguousarray(array), self._stored(spec))
        return zfp_stream.encode(promoted.reshape(spec.shape or (1,)), self.mode, self.parameters)

    def decode(self, data: Buffer, spec: ChunkSpec) -> AnyArray:
        shape = spec.shape or (1,)
        found = zfp_stream.decode(data, shape, self._stored(spec), self.mode, self.parameters)
        return self._demoted(found, spec.dtype).reshape(spec.shape)

    def _stored(self, spec: ChunkSpec) -> np.dtype[Any]:
        stored = _stored_type(spec.dtype)
        if stored is None:
            raise self._error(f"expected integers or floating-point numbers, found {spec.dtype}")
        return stored

    def _promoted(self, array: AnyArray, stored: np.dtype[Any]) -> AnyArray:
        dtype = array.dtype
        if dtype.kind == "u" and dtype.itemsize >= 4:
            if array.size and int(array.max()) > np.iinfo(stored).max:
                raise self._error(f"expected {np.iinfo(stored).max} at most, found {array.max()}")
            return array.view(stored)
        if dtype.kind in "iu" and dtype.itemsize < 4:
            shift = 31 - 8 * dtype.itemsize
            middle = 2 ** (8 * dtype.itemsize - 1) if dtype.kind == "u" else 0
            moved: AnyArray = (array.astype(np.int32) - np.int32(middle)) << np.int32(shift)
            return moved
        return array.astype(stored, copy=False)

    def _demoted(self, array: AnyArray, dtype: np.dtype[Any]) -> AnyArray:
        if dtype.kind in "iu" and dtype.itemsize < 4:
            limits = np.iinfo(dtype)
            middle = np.int32(2 ** (8 * dtype.itemsize - 1) if dtype.kind == "u" else 0)
            whole = (array >> np.int32(31 - 8 * dtype.itemsize)) + middle
            demoted: AnyArray = np.clip(whole, limits.min, limits.max).astype(dtype)
            return demoted
        if dtype.kind == "u":
            return np.maximum(array, 0).view(dtype)
        with np.errstate(over="ignore"):
            return array.astype(dtype, copy=False)

    def _error(self, message: str) -> CodecError:
        return CodecError(message, codec=self.name)


def _stored_type(dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    """Return as which type the library gets elements, or None where it has none for them."""
    if dtype == np.float16 or (is_custom(dtype) and dtype.name.startswith(("float", "bfloat"))):
        return np.dtype(np.float32)
    if dtype.kind not in _WIDEST or is_custom(dtype) or dtype.itemsize > 8:
        return None
    if dtype.itemsize < 8:
        return np.dtype(_WIDEST[dtype.kind])
    return np.dtype(np.float64 if dtype.kind == "f" else np.int64)
