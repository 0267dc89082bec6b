"""Zarr v2's codecs of Python objects: `json2`, `msgpack2`, `categorize`, and `pickle`, which is refused.

https://numcodecs.readthedocs.io/en/stable/other/index.html
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from importlib import import_module
from math import prod
from typing import Any, ClassVar, Self

import numpy as np

from omnizarr.codecs.base import AnyArray, ChunkSpec
from omnizarr.codecs.buffers import memory_of
from omnizarr.codecs.elements import read_dtype
from omnizarr.errors import CodecError
from omnizarr.jsontypes import JsonObject, Problems, read_bool, read_list, read_object, read_string
from omnizarr.store.base import Buffer

try:
    msgpack: Any = import_module("msgpack")
except ImportError:
    msgpack = None

_JSON_FLAGS = ("skipkeys", "ensure_ascii", "check_circular", "allow_nan", "sort_keys", "strict")
_MSGPACK_FLAGS = ("use_single_float", "use_bin_type", "raw")


class _OfAny:
    """A codec that takes elements of any type."""

    __slots__ = ()

    def check(self, spec: ChunkSpec, at: str, problems: Problems) -> None:
        return None

    def encoded_size(self, spec: ChunkSpec) -> int | None:
        return None


@dataclass(frozen=True, slots=True)
class Json2(_OfAny):
    """Store elements as a JSON list, followed by the element type and the shape."""

    name: ClassVar[str] = "json2"
    configuration: JsonObject = field(default_factory=dict)

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        optional = ("encoding", "indent", "separators", *_JSON_FLAGS)
        fields = read_object(configuration, at, problems, optional=optional)
        read_string(fields.get("encoding", "utf-8"), f"{at}.encoding", problems)
        for flag in _JSON_FLAGS:
            read_bool(fields.get(flag, True), f"{at}.{flag}", problems)
        if fields.get("separators") is not None:
            read_list(fields["separators"], f"{at}.separators", problems, 2)
        return cls(fields)

    def to_json(self) -> JsonObject:
        return self.configuration

    def encode(self, array: AnyArray, spec: ChunkSpec) -> Buffer:
        options: dict[str, Any] = {"sort_keys": True, "separators": (",", ":"), "check_circular": True}
        options |= {
            name: value for name, value in self.configuration.items() if name not in ("encoding", "strict")
        }
        try:
            text = json.dumps(_as_items(array), **options)
            return text.encode(self._encoding)
        except (TypeError, ValueError, RecursionError) as error:
            raise CodecError(str(error), codec=self.name) from error

    def decode(self, data: Buffer, spec: ChunkSpec) -> AnyArray:
        strict = bool(self.configuration.get("strict", True))
        try:
            items = json.loads(bytes(data).decode(self._encoding), strict=strict)
        except (ValueError, LookupError, RecursionError) as error:
            raise CodecError(str(error), codec=self.name) from error
        return _from_items(items, spec, self.name)

    @property
    def _encoding(self) -> str:
        return str(self.configuration.get("encoding", "utf-8"))


@dataclass(frozen=True, slots=True)
class Msgpack2(_OfAny):
    """Store elements as a MessagePack list, followed by the element type and the shape."""

    name: ClassVar[str] = "msgpack2"
    use_single_float: bool = False
    use_bin_type: bool = True
    raw: bool = False

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        fields = read_object(configuration, at, problems, optional=_MSGPACK_FLAGS)
        default = cls()
        if msgpack is None:
            problems.add(
                at, "codec msgpack2: needs the package msgpack (pip install msgpack)", unsupported=True
            )
        return cls(
            *(
                read_bool(fields.get(flag, getattr(default, flag)), f"{at}.{flag}", problems)
                for flag in _MSGPACK_FLAGS
            )
        )

    def to_json(self) -> JsonObject:
        return {flag: getattr(self, flag) for flag in _MSGPACK_FLAGS}

    def encode(self, array: AnyArray, spec: ChunkSpec) -> Buffer:
        packed: bytes = msgpack.packb(
            _as_items(array), use_bin_type=self.use_bin_type, use_single_float=self.use_single_float
        )
        return packed

    def decode(self, data: Buffer, spec: ChunkSpec) -> AnyArray:
        try:
            items = msgpack.unpackb(data, raw=self.raw, strict_map_key=False)
        except Exception as error:  # msgpack's own kinds, which derive from several
            raise CodecError(str(error) or type(error).__name__, codec=self.name) from error
        return _from_items(items, spec, self.name)


@dataclass(frozen=True, slots=True)
class Categorize:
    """Store labels as numbers; 0 is a missing one, which is read as an empty string."""

    name: ClassVar[str] = "categorize"
    labels: tuple[str, ...]
    dtype: np.dtype[Any] = field(default_factory=lambda: np.dtype(object))
    astype: np.dtype[Any] = field(default_factory=lambda: np.dtype("u1"))

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        fields = read_object(configuration, at, problems, required=("labels",), optional=("dtype", "astype"))
        given = read_list(fields.get("labels", []), f"{at}.labels", problems)
        labels = tuple(read_string(label, f"{at}.labels[{i}]", problems) for i, label in enumerate(given))
        dtype = fields.get("dtype", "|O")
        held = np.dtype(object) if dtype in ("|O", "O") else read_dtype(dtype, f"{at}.dtype", problems)
        astype = read_dtype(fields.get("astype", "u1"), f"{at}.astype", problems)
        if astype is not None and astype.kind not in "iu":
            problems.add(f"{at}.astype", f"expected an integer type, found {astype}")
        elif astype is not None and len(labels) > np.iinfo(astype).max:
            problems.add(f"{at}.labels", f"{len(labels)} labels do not fit into {astype}")
        return cls(labels, held or np.dtype(object), astype or np.dtype("u1"))

    def to_json(self) -> JsonObject:
        return {"labels": list(self.labels), "dtype": self.dtype.str, "astype": self.astype.str}

    def check(self, spec: ChunkSpec, at: str, problems: Problems) -> None:
        if spec.dtype.kind not in "OUS":
            problems.add(at, f"codec {self.name}: expected strings, found {spec.dtype}")

    def encoded_size(self, spec: ChunkSpec) -> int | None:
        return prod(spec.shape) * self.astype.itemsize

    def encode(self, array: AnyArray, spec: ChunkSpec) -> Buffer:
        numbers: dict[Any, int] = {label: i + 1 for i, label in enumerate(self.labels)}
        numbers |= {missing: numbers.get(missing, 0) for missing in ("", None)}
        items = np.ascontiguousarray(array).reshape(-1).tolist()
        try:
            return memory_of(np.array([numbers[item] for item in items], self.astype))
        except KeyError as error:
            raise CodecError(f"expected one of the labels, found {error}", codec=self.name) from error

    def decode(self, data: Buffer, spec: ChunkSpec) -> AnyArray:
        if len(data) != self.encoded_size(spec):
            raise CodecError(f"expected {self.encoded_size(spec)} bytes, found {len(data)}", codec=self.name)
        numbers = np.frombuffer(data, self.astype)
        if numbers.min() < 0 or numbers.max() > len(self.labels):
            found = f"{numbers.min()} to {numbers.max()}"
            raise CodecError(f"expected 0 to {len(self.labels)}, found {found}", codec=self.name)
        items: AnyArray = np.array(["", *self.labels], spec.dtype)[numbers]
        return items.reshape(spec.shape)


@dataclass(frozen=True, slots=True)
class Pickle(_OfAny):
    """Refuse pickles, which can run any program; arrays that have them open, but are not read."""

    name: ClassVar[str] = "pickle"
    configuration: JsonObject = field(default_factory=dict)

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        return cls(read_object(configuration, at, problems, optional=("protocol",)))

    def to_json(self) -> JsonObject:
        return self.configuration

    def encode(self, array: AnyArray, spec: ChunkSpec) -> Buffer:
        raise CodecError("pickles are not written; take vlen-utf8, vlen-bytes or json2", codec=self.name)

    def decode(self, data: Buffer, spec: ChunkSpec) -> AnyArray:
        raise CodecError("pickles are not read: they can run any program", codec=self.name)


def _as_items(array: AnyArray) -> list[Any]:
    return [*np.atleast_1d(array).tolist(), array.dtype.str, list(array.shape)]


def _from_items(items: Any, spec: ChunkSpec, codec: str) -> AnyArray:
    """Return the array of a list that ends in type and shape; both must be what the metadata say."""
    shape = list(spec.shape)
    if not isinstance(items, list) or len(items) < 2 or not isinstance(items[-1], list):
        raise CodecError("expected a list that ends in a type and a shape", codec=codec)
    if items[-1] not in (shape, [prod(shape)]):
        raise CodecError(f"expected shape {shape}, found {items[-1]}", codec=codec)
    decoded = np.empty(items[-1], spec.dtype)
    _put(decoded, items[:-2] if items[-1] else items[0], codec)
    return decoded.reshape(spec.shape)


def _put(place: AnyArray, items: Any, codec: str) -> None:
    """Set elements one by one: numpy would take elements that are lists for axes."""
    if place.ndim == 0:
        place[()] = items
        return
    if not isinstance(items, list) or len(items) != len(place):
        raise CodecError(f"expected {len(place)} elements, found {len(items)}", codec=codec)
    for i, item in enumerate(items):
        if place.ndim == 1:
            place[i] = item
        else:
            _put(place[i], item, codec)
