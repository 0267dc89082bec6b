"""The codecs `vlen-utf8`, `vlen-bytes` and `vlen-array`: a count, then the length and the bytes of each.

https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/vlen-utf8
https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/vlen-bytes
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar, Self

import numcodecs
import numpy as np

from omnizarr.codecs.base import AnyArray, ChunkSpec
from omnizarr.codecs.elements import read_dtype
from omnizarr.codecs.shared import Unconfigured
from omnizarr.errors import CodecError
from omnizarr.jsontypes import JsonObject, Problems, read_object
from omnizarr.store.base import Buffer

_LENGTH = 4
_STRINGS = numcodecs.VLenUTF8()
_BYTES = numcodecs.VLenBytes()


class _Vlen(ABC):
    """What the three share: the layout, which numcodecs reads and writes at some 50 ns an element."""

    __slots__ = ()
    name: ClassVar[str]

    def check(self, spec: ChunkSpec, at: str, problems: Problems) -> None:
        if spec.dtype.kind != "O":
            problems.add(at, f"codec {self.name}: expected elements of variable length, found {spec.dtype}")

    def encoded_size(self, spec: ChunkSpec) -> int | None:
        return None

    def encode(self, array: AnyArray, spec: ChunkSpec) -> Buffer:
        return self._library.encode(self.plain(array).reshape(-1))  # type: ignore[no-any-return]

    def plain(self, array: AnyArray) -> AnyArray:
        """Return elements as the library takes them.

        Raises
        ------
        CodecError
            One is of another kind.
        """
        items = np.ascontiguousarray(array).reshape(-1)
        kind = self._kind
        checked = (item if type(item) is kind else self._plain(item) for item in items.tolist())
        return np.fromiter(checked, object, len(items)).reshape(array.shape)

    def decode(self, data: Buffer, spec: ChunkSpec) -> AnyArray:
        count = prod(spec.shape)
        if len(data) < _LENGTH * (count + 1):
            raise self._error(f"expected {count} elements, found {len(data)} bytes")
        found = int.from_bytes(data[:_LENGTH], "little")
        if found != count:
            raise self._error(f"expected {count} elements, found {found}")
        try:
            items = self._library.decode(data)
        except ValueError as error:
            raise self._error(str(error)) from error
        # The library lets bytes after the last element pass.
        used = _LENGTH * (count + 1) + self._size(items.tolist())
        if used != len(data):
            raise self._error(f"expected {used} bytes, found {len(data)}")
        return items.reshape(spec.shape)  # type: ignore[no-any-return]

    def _error(self, message: str) -> CodecError:
        return CodecError(message, codec=self.name)

    @property
    @abstractmethod
    def _library(self) -> Any:
        """The codec of numcodecs that does the work."""

    @property
    @abstractmethod
    def _kind(self) -> type:
        """What the library takes without ado."""

    @abstractmethod
    def _plain(self, item: Any) -> Any:
        """Return another element as the library takes it: an empty one for None."""

    @abstractmethod
    def _size(self, items: list[Any]) -> int:
        """Return how many bytes decoded elements took, without their lengths."""


@dataclass(frozen=True, slots=True)
class VlenUtf8(Unconfigured, _Vlen):
    """Store strings as UTF-8."""

    name: ClassVar[str] = "vlen-utf8"

    @property
    def _library(self) -> Any:
        return _STRINGS

    @property
    def _kind(self) -> type:
        return str

    def _plain(self, item: Any) -> str:
        if item is None:
            return ""
        if isinstance(item, str):
            return str(item)
        raise self._error(f"expected strings, found {type(item).__name__}")

    def _size(self, items: list[Any]) -> int:
        return len("".join(items).encode())


@dataclass(frozen=True, slots=True)
class VlenBytes(Unconfigured, _Vlen):
    """Store byte strings."""

    name: ClassVar[str] = "vlen-bytes"

    @property
    def _library(self) -> Any:
        return _BYTES

    @property
    def _kind(self) -> type:
        return bytes

    def _plain(self, item: Any) -> bytes:
        if item is None:
            return b""
        if isinstance(item, bytes | bytearray | memoryview):
            return bytes(item)
        raise self._error(f"expected bytes, found {type(item).__name__}")

    def _size(self, items: list[Any]) -> int:
        return sum(map(len, items))


@dataclass(frozen=True, slots=True)
class VlenArray(_Vlen):
    """Store one-dimensional arrays of one element type; an empty one for None."""

    name: ClassVar[str] = "vlen-array"
    dtype: np.dtype[Any]

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        fields = read_object(configuration, at, problems, required=("dtype",))
        found = read_dtype(fields.get("dtype", "u1"), f"{at}.dtype", problems)
        return cls(found or np.dtype("u1"))

    def to_json(self) -> JsonObject:
        return {"dtype": self.dtype.str}

    @property
    def _library(self) -> Any:
        return numcodecs.VLenArray(self.dtype)

    @property
    def _kind(self) -> type:
        return type(self)  # every element is converted

    def encode(self, array: AnyArray, spec: ChunkSpec) -> Buffer:
        fill = spec.fill_value
        if isinstance(fill, str | int | float):
            # Zarr v2's usual fill value of objects is 0: what was never written is no array yet.
            known = (None if type(item) is type(fill) and item == fill else item for item in array.flat)
            array = np.fromiter(known, object, array.size).reshape(array.shape)
        return _Vlen.encode(self, array, spec)

    def _plain(self, item: Any) -> AnyArray:
        found = np.asarray([] if item is None else item)
        if found.ndim != 1 or (found.size and found.dtype.kind not in "biufcmMSUV"):
            raise self._error(f"expected arrays of one dimension, found {type(item).__name__}")
        return np.ascontiguousarray(found, self.dtype)

    def _size(self, items: list[Any]) -> int:
        return sum(item.nbytes for item in items)
