"""Filters of numcodecs that turn arrays into arrays.

https://numcodecs.readthedocs.io/en/stable/filter/index.html
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from math import ceil, floor, isfinite, log2, prod
from typing import Any, ClassVar, Self

import numpy as np

from omnizarr.codecs.base import AnyArray, ChunkSpec
from omnizarr.codecs.elements import read_dtype
from omnizarr.codecs.shared import Unconfigured
from omnizarr.errors import CodecError
from omnizarr.jsontypes import Json, JsonObject, Problems, read_int, read_object, shown

_MANTISSA = {2: 10, 4: 23, 8: 52}


class _Filter(ABC):
    """What all share: elements in C order, seen as the type that the configuration names."""

    __slots__ = ()
    name: ClassVar[str]

    @abstractmethod
    def taken(self, spec: ChunkSpec) -> np.dtype[Any]:
        """Return the type as which the array's elements are taken."""

    @abstractmethod
    def given(self, spec: ChunkSpec) -> np.dtype[Any]:
        """Return the type of the encoded elements."""

    @abstractmethod
    def forward(self, items: AnyArray, spec: ChunkSpec) -> AnyArray:
        """Return encoded elements."""

    @abstractmethod
    def back(self, items: AnyArray, spec: ChunkSpec) -> AnyArray:
        """Return decoded elements."""

    def encoded_spec(self, spec: ChunkSpec) -> ChunkSpec:
        taken = self.taken(spec)
        if spec.dtype.hasobject or spec.nbytes % taken.itemsize:
            raise CodecError(f"expected elements of {taken}, found {spec.dtype}", codec=self.name)
        fill = self._fill(spec) if taken.itemsize == spec.dtype.itemsize else None
        return ChunkSpec(self._shape(spec), self.given(spec), fill)

    def encode(self, array: AnyArray, spec: ChunkSpec) -> AnyArray:
        items = np.ascontiguousarray(array).reshape(-1).view(self.taken(spec))
        return self.forward(items, spec).reshape(self._shape(spec))

    def decode(self, array: AnyArray, spec: ChunkSpec) -> AnyArray:
        items = np.ascontiguousarray(array).reshape(-1)
        return self.back(items, spec).view(spec.dtype).reshape(spec.shape)

    def _shape(self, spec: ChunkSpec) -> tuple[int, ...]:
        size = self.taken(spec).itemsize
        return spec.shape if size == spec.dtype.itemsize else (spec.nbytes // size,)

    def _fill(self, spec: ChunkSpec) -> Any:
        """Return the encoded fill value; None where it has no encoding, and so equals nothing."""
        if spec.fill_value is None:
            return None
        one = replace(spec, shape=(1,))
        try:
            return self.forward(one.blank().view(self.taken(spec)), one)[0]
        except CodecError:
            return None


@dataclass(frozen=True, slots=True)
class Delta(_Filter):
    """Store the first element, then differences."""

    name: ClassVar[str] = "numcodecs.delta"
    dtype: np.dtype[Any] | None = None
    astype: np.dtype[Any] | None = None

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        fields = read_object(configuration, at, problems, optional=("dtype", "astype"))
        return cls(*_read_dtypes(fields, at, problems))

    def to_json(self) -> JsonObject:
        return _dtypes_json(self.dtype, self.astype)

    def taken(self, spec: ChunkSpec) -> np.dtype[Any]:
        return self.dtype or spec.dtype

    def given(self, spec: ChunkSpec) -> np.dtype[Any]:
        found = self.astype or self.taken(spec)
        if found.kind not in "iufc":
            raise CodecError(f"expected numbers, found {found}", codec=self.name)
        return found

    def forward(self, items: AnyArray, spec: ChunkSpec) -> AnyArray:
        encoded = np.empty(items.shape, self.given(spec))
        with np.errstate(all="ignore"):
            encoded[:1] = items[:1]
            encoded[1:] = np.diff(items)
        if encoded.dtype.kind in "iu" and not np.array_equal(self.back(encoded, spec), items):
            raise CodecError(f"differences do not fit into {encoded.dtype}", codec=self.name)
        return encoded

    def back(self, items: AnyArray, spec: ChunkSpec) -> AnyArray:
        decoded = np.empty(items.shape, self.taken(spec))
        with np.errstate(all="ignore"):
            np.cumsum(items, out=decoded)
        return decoded

    def _fill(self, spec: ChunkSpec) -> Any:
        return None  # differences of a constant are no constant


@dataclass(frozen=True, slots=True)
class FixedScaleOffset(_Filter):
    """Store `(x - offset) * scale`, rounded to integers."""

    name: ClassVar[str] = "numcodecs.fixedscaleoffset"
    offset: float
    scale: float
    dtype: np.dtype[Any] | None = None
    astype: np.dtype[Any] | None = None

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        required, optional = ("offset", "scale"), ("dtype", "astype")
        fields = read_object(configuration, at, problems, required=required, optional=optional)
        offset = _read_number(fields.get("offset", 0), f"{at}.offset", problems)
        scale = _read_number(fields.get("scale", 1), f"{at}.scale", problems)
        if scale == 0:
            problems.add(f"{at}.scale", "expected a number other than 0, found 0")
        return cls(offset, scale, *_read_dtypes(fields, at, problems))

    def to_json(self) -> JsonObject:
        return {"scale": self.scale, "offset": self.offset, **_dtypes_json(self.dtype, self.astype)}

    def taken(self, spec: ChunkSpec) -> np.dtype[Any]:
        return self.dtype or spec.dtype

    def given(self, spec: ChunkSpec) -> np.dtype[Any]:
        return self.astype or self.taken(spec)

    def forward(self, items: AnyArray, spec: ChunkSpec) -> AnyArray:
        try:
            return _cast(np.around((items - self.offset) * self.scale), self.given(spec), self.name)
        except OverflowError as error:  # an offset that is no number of the elements' type
            raise CodecError(str(error), codec=self.name) from error

    def back(self, items: AnyArray, spec: ChunkSpec) -> AnyArray:
        with np.errstate(all="ignore"):
            return ((items / self.scale) + self.offset).astype(self.taken(spec), copy=False)


@dataclass(frozen=True, slots=True)
class Quantize(_Filter):
    """Round to a number of decimal digits, such that the bits below are zero."""

    name: ClassVar[str] = "numcodecs.quantize"
    digits: int
    dtype: np.dtype[Any] | None = None
    astype: np.dtype[Any] | None = None

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        fields = read_object(configuration, at, problems, required=("digits",), optional=("dtype", "astype"))
        digits = read_int(fields.get("digits", 0), f"{at}.digits", problems, -300, 300)
        return cls(digits, *_read_dtypes(fields, at, problems))

    def to_json(self) -> JsonObject:
        return {"digits": self.digits, **_dtypes_json(self.dtype, self.astype)}

    def taken(self, spec: ChunkSpec) -> np.dtype[Any]:
        found = self.dtype or spec.dtype
        if found.kind != "f":
            raise CodecError(f"expected floating-point numbers, found {found}", codec=self.name)
        return found

    def given(self, spec: ChunkSpec) -> np.dtype[Any]:
        return self.astype or self.taken(spec)

    def forward(self, items: AnyArray, spec: ChunkSpec) -> AnyArray:
        scale = 2.0 ** ceil(log2(10.0**self.digits))
        with np.errstate(all="ignore"):
            return (np.around(scale * items) / scale).astype(self.given(spec), copy=False)

    def back(self, items: AnyArray, spec: ChunkSpec) -> AnyArray:
        return items.astype(self.taken(spec), copy=False)


@dataclass(frozen=True, slots=True)
class BitRound(_Filter):
    """Keep a number of bits of the mantissa; halves are rounded to even."""

    name: ClassVar[str] = "numcodecs.bitround"
    keepbits: int

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        fields = read_object(configuration, at, problems, required=("keepbits",))
        return cls(read_int(fields.get("keepbits", 0), f"{at}.keepbits", problems, 0, 52))

    def to_json(self) -> JsonObject:
        return {"keepbits": self.keepbits}

    def taken(self, spec: ChunkSpec) -> np.dtype[Any]:
        dtype = spec.dtype
        bits = _MANTISSA.get(dtype.itemsize, -1) if dtype.kind == "f" else -1
        if self.keepbits > bits:
            wanted = f"floating-point numbers with {self.keepbits} bits of mantissa or more"
            raise CodecError(f"expected {wanted}, found {dtype}", codec=self.name)
        return dtype

    def given(self, spec: ChunkSpec) -> np.dtype[Any]:
        return self.taken(spec)

    def forward(self, items: AnyArray, spec: ChunkSpec) -> AnyArray:
        dropped = _MANTISSA[items.dtype.itemsize] - self.keepbits
        if not dropped:
            return items
        bits = items.view(np.dtype(items.dtype.str.replace("f", "u"))).copy()
        one = bits.dtype.type(1)
        with np.errstate(over="ignore"):
            bits += ((bits >> dropped) & one) + bits.dtype.type((1 << (dropped - 1)) - 1)
        bits &= ~bits.dtype.type((1 << dropped) - 1)
        return bits.view(items.dtype)

    def back(self, items: AnyArray, spec: ChunkSpec) -> AnyArray:
        return items


@dataclass(frozen=True, slots=True)
class AsType(_Filter):
    """Store elements as another type."""

    name: ClassVar[str] = "numcodecs.astype"
    encode_dtype: np.dtype[Any]
    decode_dtype: np.dtype[Any] | None = None

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        fields = read_object(
            configuration, at, problems, required=("encode_dtype",), optional=("decode_dtype",)
        )
        encoded = read_dtype(fields.get("encode_dtype", "u1"), f"{at}.encode_dtype", problems)
        decoded = read_dtype(fields.get("decode_dtype"), f"{at}.decode_dtype", problems)
        return cls(encoded or np.dtype("u1"), decoded)

    def to_json(self) -> JsonObject:
        document: JsonObject = {"encode_dtype": self.encode_dtype.str}
        return document if self.decode_dtype is None else {**document, "decode_dtype": self.decode_dtype.str}

    def taken(self, spec: ChunkSpec) -> np.dtype[Any]:
        return self.decode_dtype or spec.dtype

    def given(self, spec: ChunkSpec) -> np.dtype[Any]:
        return self.encode_dtype

    def forward(self, items: AnyArray, spec: ChunkSpec) -> AnyArray:
        return _cast(items, self.encode_dtype, self.name)

    def back(self, items: AnyArray, spec: ChunkSpec) -> AnyArray:
        with np.errstate(all="ignore"):
            return items.astype(self.taken(spec), copy=False)


@dataclass(frozen=True, slots=True)
class PackBits(Unconfigured):
    """Store eight booleans in a byte, after a byte with the number of bits that fill up the last one."""

    name: ClassVar[str] = "numcodecs.packbits"

    def encoded_spec(self, spec: ChunkSpec) -> ChunkSpec:
        if spec.dtype.itemsize != 1 or spec.dtype.kind not in "biu":
            raise CodecError(f"expected booleans, found {spec.dtype}", codec=self.name)
        return ChunkSpec((1 + ceil(prod(spec.shape) / 8),), np.dtype(np.uint8))

    def encode(self, array: AnyArray, spec: ChunkSpec) -> AnyArray:
        packed = np.packbits(np.ascontiguousarray(array).reshape(-1).astype(bool, copy=False))
        return np.concatenate([np.array([-array.size % 8], np.uint8), packed])

    def decode(self, array: AnyArray, spec: ChunkSpec) -> AnyArray:
        count = prod(spec.shape)
        if array[0] != -count % 8:
            raise CodecError(f"expected {-count % 8} bits of filling, found {array[0]}", codec=self.name)
        return np.unpackbits(array[1:], count=count).view(spec.dtype).reshape(spec.shape)


def _read_dtypes(
    fields: JsonObject, at: str, problems: Problems
) -> tuple[np.dtype[Any] | None, np.dtype[Any] | None]:
    return (
        read_dtype(fields.get("dtype"), f"{at}.dtype", problems),
        read_dtype(fields.get("astype"), f"{at}.astype", problems),
    )


def _dtypes_json(dtype: np.dtype[Any] | None, astype: np.dtype[Any] | None) -> JsonObject:
    named = (("dtype", dtype), ("astype", astype))
    return {name: found.str for name, found in named if found is not None}


def _read_number(value: Json, at: str, problems: Problems) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    problems.add(at, f"expected a number, found {shown(value)}")
    return 1


def _cast(items: AnyArray, dtype: np.dtype[Any], codec: str) -> AnyArray:
    """Return elements as another type; refuse numbers that an integer type cannot hold."""
    if dtype.kind in "iu" and items.dtype.kind in "iuf" and items.size:
        low, high = items.min(), items.max()
        limits = np.iinfo(dtype)
        if not (isfinite(low) and isfinite(high) and low >= limits.min and floor(high) <= limits.max):
            found = f"{low} to {high}"
            raise CodecError(f"expected numbers that fit into {dtype}, found {found}", codec=codec)
    with np.errstate(all="ignore"):
        return items.astype(dtype, copy=False)
