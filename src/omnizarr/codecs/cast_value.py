"""The `cast_value` codec: numbers stored as another type.

https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/cast_value
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.codecs.base import AnyArray, ChunkSpec
from omnizarr.codecs.casting import ROUNDINGS, CastError, Manner, cast, is_integral, is_real
from omnizarr.errors import CodecError
from omnizarr.jsontypes import Json, JsonObject, Problems, read_list, read_object, read_string
from omnizarr.metadata.dtype import PLAIN, DataType
from omnizarr.metadata.dtype_numpy import data_type_of
from omnizarr.metadata.dtype_v3 import read_data_type, write_data_type
from omnizarr.metadata.fill import read_fill

Pair: TypeAlias = tuple[Json, Json]

_ANY = PLAIN["uint8"]  # stands in for one that is not allowed
_USUAL = Manner()
_TIMES = "mM"
_INT64 = np.dtype(np.int64)
_NAT = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True)
class CastValue:
    """Store numbers as those of another type; what was stored is cast back when it is read.

    A value that `encode`, or `decode`, lists is not cast, but becomes what stands beside it. NaN and
    infinity must be listed where the other type has none. Dates and durations count as integers, with NaT
    for NaN.
    """

    name: ClassVar[str] = "cast_value"
    data_type: DataType
    manner: Manner = _USUAL
    encode_map: tuple[Pair, ...] = ()
    decode_map: tuple[Pair, ...] = ()
    given: JsonObject = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        optional = ("rounding", "out_of_range", "scalar_map")
        fields = read_object(configuration, at, problems, required=("data_type",), optional=optional)
        data_type = read_data_type(fields.get("data_type", "uint8"), f"{at}.data_type", problems)
        rounding = read_string(fields.get("rounding", ROUNDINGS[0]), f"{at}.rounding", problems, ROUNDINGS)
        # "error" stood in an earlier text for what is now said by leaving it out.
        beyond = fields.get("out_of_range", "error")
        beyond = read_string(beyond, f"{at}.out_of_range", problems, ("clamp", "wrap", "error"))
        if not _is_number(data_type.dtype):
            problems.add(f"{at}.data_type", f"expected a type of real numbers, found {data_type.name}")
            data_type = _ANY
        elif beyond == "wrap" and not is_integral(_plain(data_type.dtype)):
            problems.add(
                f"{at}.out_of_range", f"expected an integer data type to wrap to, found {data_type.name}"
            )
        place = f"{at}.scalar_map"
        maps = read_object(fields.get("scalar_map", {}), place, problems, optional=("encode", "decode"))
        encode = _read_pairs(maps.get("encode", []), f"{place}.encode", problems)
        decode = _read_pairs(maps.get("decode", []), f"{place}.decode", problems)
        _check_values([pair[1] for pair in encode], data_type, f"{place}.encode", 1, problems)
        _check_values([pair[0] for pair in decode], data_type, f"{place}.decode", 0, problems)
        return cls(data_type, Manner(rounding, None if beyond == "error" else beyond), encode, decode, maps)

    def to_json(self) -> JsonObject:
        document: JsonObject = {
            "data_type": write_data_type(self.data_type),
            "rounding": self.manner.rounding,
        }
        if self.manner.out_of_range is not None:
            document["out_of_range"] = self.manner.out_of_range
        return {**document, "scalar_map": self.given} if self.given else document

    def encoded_spec(self, spec: ChunkSpec) -> ChunkSpec:
        if not _is_number(spec.dtype):
            raise self._error(f"expected a data type of real numbers, found {spec.dtype}")
        self._scalars(self.encode_map, spec.dtype, self.data_type.dtype, "encode")
        self._scalars(self.decode_map, self.data_type.dtype, spec.dtype, "decode")
        return ChunkSpec(spec.shape, self.data_type.dtype, self._encoded_fill(spec))

    def encode(self, array: AnyArray, spec: ChunkSpec) -> AnyArray:
        return self._cast(array, self.data_type.dtype, self.encode_map, "encode")

    def decode(self, array: AnyArray, spec: ChunkSpec) -> AnyArray:
        return self._cast(array, spec.dtype, self.decode_map, "decode")

    def _encoded_fill(self, spec: ChunkSpec) -> Any:
        """Return the fill value as it is stored, which may be rounded, as any other value."""
        if spec.fill_value is None:
            return None
        fill = ChunkSpec((1,), spec.dtype, spec.fill_value).blank()
        try:
            return self.encode(fill, spec)[0]
        except CodecError as error:
            raise self._error(f"the fill value {fill[0]} cannot be stored: {error.message}") from error

    def _cast(self, array: AnyArray, target: np.dtype[Any], pairs: Sequence[Pair], way: str) -> AnyArray:
        try:
            if not pairs:
                return _cast_any(array, target, self.manner)
            flat = array.reshape(-1)
            found = np.empty(flat.shape, target)
            left = np.ones(flat.shape, bool)
            for key, value in self._scalars(pairs, array.dtype, target, way):
                here = _same(flat, key) & left
                found[here] = value
                left &= ~here
            found[left] = _cast_any(flat[left], target, self.manner)
            return found.reshape(array.shape)
        except CastError as error:
            raise self._error(str(error)) from error

    def _scalars(
        self, pairs: Sequence[Pair], source: np.dtype[Any], target: np.dtype[Any], way: str
    ) -> list[tuple[Any, Any]]:
        problems, at = Problems(), f"scalar_map.{way}"
        types = data_type_of(source), data_type_of(target)
        found = [
            tuple(_scalar(pair[side], types[side], f"{at}[{i}][{side}]", problems) for side in (0, 1))
            for i, pair in enumerate(pairs)
        ]
        if problems:
            raise self._error("; ".join(str(problem) for problem in problems.found))
        return [(pair[0], pair[1]) for pair in found]

    def _error(self, message: str) -> CodecError:
        return CodecError(message, codec=self.name)


def _read_pairs(value: Json, at: str, problems: Problems) -> tuple[Pair, ...]:
    items = [
        read_list(item, f"{at}[{i}]", problems, 2) for i, item in enumerate(read_list(value, at, problems))
    ]
    return tuple((item[0], item[1]) for item in items if len(item) == 2)


def _check_values(values: list[Json], kind: DataType, at: str, side: int, problems: Problems) -> None:
    for i, value in enumerate(values):
        _scalar(value, kind, f"{at}[{i}][{side}]", problems)


def _scalar(value: Json, kind: DataType, at: str, problems: Problems) -> Any:
    # The specification's own example has the plus, which fill values have not.
    return read_fill("Infinity" if value == "+Infinity" else value, kind, at, problems)


def _is_number(dtype: np.dtype[Any]) -> bool:
    return is_real(dtype) or dtype.kind in _TIMES


def _plain(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return _INT64 if dtype.kind in _TIMES else dtype


def _same(array: AnyArray, value: Any) -> NDArray[np.bool_]:
    """Say where elements equal a value; NaN is NaN, and NaT is NaT."""
    found: NDArray[np.bool_] = array != array if value != value else array == value
    return found


def _cast_any(array: AnyArray, target: np.dtype[Any], manner: Manner) -> AnyArray:
    """Cast numbers; dates and durations are those of 64 bits, but for NaT."""
    if array.dtype.kind not in _TIMES and target.kind not in _TIMES:
        return cast(array, target, manner)
    missing = array != array
    numbers = array.view(_INT64) if array.dtype.kind in _TIMES else array
    if not missing.any():
        found = cast(numbers, _plain(target), manner)
        if target.kind in _TIMES and (found == _NAT).any():
            raise CastError(f"expected numbers that fit into {target}, found {_NAT}, which is NaT")
        return found.astype(_plain(target), copy=False).view(target)
    if is_real(target) and is_integral(target):
        raise CastError(f"expected numbers that {target} has, found NaT")
    # Whatever is missing is left out of the arithmetic.
    found = np.empty(array.shape, target)
    found[missing] = "NaT" if target.kind in _TIMES else np.nan
    found[~missing] = _cast_any(array[~missing], target, manner)
    return found
