"""Codecs that other packages have for zarr-python, by the entry points that it reads (`zarr.codecs`).

Nothing of zarr-python is imported here: what a codec brings along when it is loaded is used.

https://zarr.readthedocs.io/en/stable/user-guide/extending/
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any, ClassVar, Self

import numpy as np

from omnizarr.codecs.base import AnyArray, ChunkSpec, Codec
from omnizarr.codecs.buffers import check_limit
from omnizarr.errors import CodecError
from omnizarr.jsontypes import JsonObject, Problems, as_json
from omnizarr.metadata.dtype_numpy import data_type_of
from omnizarr.metadata.dtype_v3 import write_data_type
from omnizarr.plugins import Registry
from omnizarr.store.base import Buffer

FOREIGN: Registry[Any] = Registry("zarr.codecs", {})

_NOTHING = ChunkSpec((1,), np.dtype(np.uint8), np.uint8(0))


@dataclass(frozen=True, slots=True)
class _Foreign:
    """What all kinds share: their configuration, and how they are called."""

    name: ClassVar[str]
    kind: ClassVar[Any]
    codec: Any
    spec: ChunkSpec = field(default=_NOTHING, compare=False, repr=False)

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        document: JsonObject = {"name": cls.name}
        if configuration:
            document["configuration"] = configuration
        try:
            return cls(cls.kind.from_dict(document))
        except Exception as error:  # whatever a stranger's constructor raises
            problems.add(at, f"codec {cls.name}: {_text(error)}")
            return cls(None)

    def to_json(self) -> JsonObject:
        if self.codec is None:
            return {}  # it was refused, as a problem says
        configuration = as_json(self.codec.to_dict().get("configuration", {}))
        return configuration if isinstance(configuration, dict) else {}

    def _call(self, verb: str, value: Any, spec: Any) -> Any:
        """Encode or decode one chunk, by the method that needs no event loop where there is one."""
        codec = self.codec.evolve_from_array_spec(spec)
        at_once = getattr(codec, f"_{verb}_sync", None)
        if at_once is not None:
            return at_once(value, spec)
        return _finished(getattr(codec, f"_{verb}_single")(value, spec))

    def _error(self, message: str) -> CodecError:
        return CodecError(message, codec=self.name)


@dataclass(frozen=True, slots=True)
class ForeignArray(_Foreign):
    """A codec of zarr-python's kind `ArrayArrayCodec`."""

    def encoded_spec(self, spec: ChunkSpec) -> ChunkSpec:
        try:
            theirs = _their_spec(spec)
            found = self.codec.evolve_from_array_spec(theirs).resolve_metadata(theirs)
            return replace(
                spec,
                shape=tuple(found.shape),
                dtype=found.dtype.to_native_dtype(),
                fill_value=None if spec.fill_value is None else found.fill_value,
            )
        except Exception as error:  # whatever a stranger raises
            raise self._error(_text(error)) from error

    def encode(self, array: AnyArray, spec: ChunkSpec) -> AnyArray:
        theirs = _their_spec(spec)
        return _array_of(self._call("encode", _their_array(array, theirs), theirs))

    def decode(self, array: AnyArray, spec: ChunkSpec) -> AnyArray:
        theirs = _their_spec(spec)
        return _fitting(_array_of(self._call("decode", _their_array(array, theirs), theirs)), spec, self.name)


@dataclass(frozen=True, slots=True)
class ForeignSerializer(_Foreign):
    """A codec of zarr-python's kind `ArrayBytesCodec`."""

    def check(self, spec: ChunkSpec, at: str, problems: Problems) -> None:
        try:
            self.codec.evolve_from_array_spec(_their_spec(spec))
        except Exception as error:  # whatever a stranger raises
            problems.add(at, f"codec {self.name}: {_text(error)}")

    def encoded_size(self, spec: ChunkSpec) -> int | None:
        return None

    def encode(self, array: AnyArray, spec: ChunkSpec) -> Buffer:
        theirs = _their_spec(spec)
        return _bytes_of(self._call("encode", _their_array(array, theirs), theirs), self.name)

    def decode(self, data: Buffer, spec: ChunkSpec) -> AnyArray:
        theirs = _their_spec(spec)
        return _fitting(_array_of(self._call("decode", _their_bytes(data, theirs), theirs)), spec, self.name)


@dataclass(frozen=True, slots=True)
class ForeignBytes(_Foreign):
    """A codec of zarr-python's kind `BytesBytesCodec`. What it decodes is measured afterwards only."""

    def bind(self, spec: ChunkSpec) -> Self:
        return replace(self, spec=spec)

    def encoded_size(self, size: int) -> int | None:
        return None

    def encode(self, data: Buffer) -> Buffer:
        theirs = _their_spec(self.spec)
        return _bytes_of(self._call("encode", _their_bytes(data, theirs), theirs), self.name)

    def decode(self, data: Buffer, limit: int, out: memoryview | None = None) -> Buffer:
        theirs = _their_spec(self.spec)
        decoded = _bytes_of(self._call("decode", _their_bytes(data, theirs), theirs), self.name)
        check_limit(len(decoded), limit, self.name)
        return decoded


_KINDS: dict[str, type[_Foreign]] = {
    "ArrayArrayCodec": ForeignArray,
    "ArrayBytesCodec": ForeignSerializer,
    "BytesBytesCodec": ForeignBytes,
}


def codec_class(name: str) -> type[Codec] | None:
    """Return a class for a codec that another package has for zarr-python, or None where none has it."""
    found = FOREIGN.find(name)
    return None if found is None else _class_of(name, found)


@cache
def _class_of(name: str, found: Any) -> type[Codec] | None:
    kinds = [_KINDS[base.__name__] for base in getattr(found, "__mro__", ()) if base.__name__ in _KINDS]
    if not kinds:
        return None
    made: type[Codec] = type(kinds[0].__name__, (kinds[0],), {"name": name, "kind": found, "__slots__": ()})
    return made


def _their_spec(spec: ChunkSpec) -> Any:
    return _spec_of(spec.shape, spec.dtype, _Value(spec.blank().reshape(-1)[:1].tobytes()))


@dataclass(frozen=True, slots=True)
class _Value:
    """A fill value as bytes, by which specifications are remembered."""

    data: bytes


@lru_cache(256)
def _spec_of(shape: tuple[int, ...], dtype: np.dtype[Any], fill: _Value) -> Any:
    """Return zarr-python's description of a chunk."""
    specs, types, buffers = (sys.modules[f"zarr.core.{part}"] for part in ("array_spec", "dtype", "buffer"))
    kind = types.get_data_type_from_json(write_data_type(data_type_of(dtype)), zarr_format=3)
    value = np.frombuffer(fill.data, dtype)[0] if fill.data and not dtype.hasobject else None
    return specs.ArraySpec(
        shape, kind, value, specs.ArrayConfig.from_dict({}), buffers.default_buffer_prototype()
    )


def _their_array(array: AnyArray, theirs: Any) -> Any:
    return theirs.prototype.nd_buffer.from_numpy_array(array)


def _their_bytes(data: Buffer, theirs: Any) -> Any:
    return theirs.prototype.buffer.from_bytes(data)


def _array_of(found: Any) -> AnyArray:
    array: AnyArray = np.asarray(found.as_numpy_array())
    return array


def _bytes_of(found: Any, codec: str) -> Buffer:
    if found is None:
        raise CodecError("expected bytes, found None", codec=codec)
    data: bytes = found.to_bytes()
    return data


def _fitting(array: AnyArray, spec: ChunkSpec, codec: str) -> AnyArray:
    if array.shape != spec.shape or array.dtype.newbyteorder("=") != spec.dtype.newbyteorder("="):
        expected, found = f"{spec.dtype} of shape {spec.shape}", f"{array.dtype} of shape {array.shape}"
        raise CodecError(f"expected {expected}, found {found}", codec=codec)
    return array.astype(spec.dtype, copy=False)


def _finished(work: Coroutine[Any, Any, Any]) -> Any:
    """Return what a coroutine does; on another thread where this one runs an event loop already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def _text(error: Exception) -> str:
    return str(error) or type(error).__name__
