"""Compressors of numcodecs that have no file of their own, and any other codec of its registry.

https://numcodecs.readthedocs.io/en/stable/
"""

from __future__ import annotations

import bz2
import lzma
from base64 import b64decode, standard_b64encode
from binascii import Error as Base64Error
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, ClassVar, Protocol, Self

import numcodecs
import numcodecs.lz4
import numcodecs.registry
import numpy as np

from omnizarr.codecs.base import ChunkSpec, Codec
from omnizarr.codecs.buffers import FIRST_PIECE, check_limit
from omnizarr.codecs.shared import Compressor, Unconfigured
from omnizarr.errors import CodecError
from omnizarr.jsontypes import JsonObject, Problems, read_int, read_list, read_object
from omnizarr.store.base import Buffer

_PREFIX = "numcodecs."
_STEP = 1 << 20
_LZ4_MOST_PER_BYTE = 255
_LZMA_MEMORY = 1 << 30


class Decompressor(Protocol):
    """What the decompressors of the standard library share."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: Buffer, max_length: int = ...) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Lz4(Compressor):
    """Compress with LZ4, after four bytes with the size."""

    name: ClassVar[str] = "numcodecs.lz4"
    acceleration: int = 1

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        fields = read_object(configuration, at, problems, optional=("acceleration",))
        return cls(read_int(fields.get("acceleration", 1), f"{at}.acceleration", problems))

    def to_json(self) -> JsonObject:
        return {"acceleration": self.acceleration}

    def encode(self, data: Buffer) -> Buffer:
        return numcodecs.lz4.compress(data, self.acceleration)  # type: ignore[no-any-return]

    def decode(self, data: Buffer, limit: int, out: memoryview | None = None) -> Buffer:
        if len(data) < 4:
            raise CodecError(f"expected at least 4 bytes, found {len(data)}", codec=self.name)
        size = int.from_bytes(data[:4], "little")
        check_limit(size, min(limit, len(data) * _LZ4_MOST_PER_BYTE), self.name)
        try:
            if out is not None and len(out) == size:
                numcodecs.lz4.decompress(data, out)
                return out
            return numcodecs.lz4.decompress(data)  # type: ignore[no-any-return]
        except (RuntimeError, ValueError) as error:
            raise CodecError(str(error), codec=self.name) from error


@dataclass(frozen=True, slots=True)
class Bz2(Compressor):
    """Compress with bzip2."""

    name: ClassVar[str] = "numcodecs.bz2"
    level: int = 1

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        fields = read_object(configuration, at, problems, optional=("level",))
        return cls(read_int(fields.get("level", 1), f"{at}.level", problems, 1, 9))

    def to_json(self) -> JsonObject:
        return {"level": self.level}

    def encode(self, data: Buffer) -> Buffer:
        return bz2.compress(data, self.level)

    def decode(self, data: Buffer, limit: int, out: memoryview | None = None) -> Buffer:
        return _decompressed(bz2.BZ2Decompressor, data, limit, self.name)


@dataclass(frozen=True, slots=True)
class Lzma(Compressor):
    """Compress with LZMA: an xz file, one of the older format, or raw."""

    name: ClassVar[str] = "numcodecs.lzma"
    format: int = lzma.FORMAT_XZ
    check: int = -1
    preset: int | None = None
    filters: tuple[JsonObject, ...] | None = None

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        optional = ("format", "check", "preset", "filters")
        fields = read_object(configuration, at, problems, optional=optional)
        preset, filters = fields.get("preset"), fields.get("filters")
        return cls(
            read_int(fields.get("format", 1), f"{at}.format", problems, 0, 3),
            read_int(fields.get("check", -1), f"{at}.check", problems, -1, 15),
            None if preset is None else read_int(preset, f"{at}.preset", problems, 0),
            None if filters is None else _read_filters(filters, f"{at}.filters", problems),
        )

    def to_json(self) -> JsonObject:
        filters: Any = None if self.filters is None else list(self.filters)
        return {"format": self.format, "check": self.check, "preset": self.preset, "filters": filters}

    def encode(self, data: Buffer) -> Buffer:
        return lzma.compress(
            data, format=self.format, check=self.check, preset=self.preset, filters=self.filters
        )

    def decode(self, data: Buffer, limit: int, out: memoryview | None = None) -> Buffer:
        return _decompressed(self._decompressor, data, limit, self.name)

    def _decompressor(self) -> lzma.LZMADecompressor:
        if self.format == lzma.FORMAT_RAW:
            return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=self.filters)
        # The format found in the bytes is taken, as numcodecs does.
        return lzma.LZMADecompressor(self.format or lzma.FORMAT_AUTO, memlimit=_LZMA_MEMORY)


@dataclass(frozen=True, slots=True)
class Base64(Unconfigured, Compressor):
    """Store bytes as text."""

    name: ClassVar[str] = "numcodecs.base64"

    def encoded_size(self, size: int) -> int | None:
        return -(-size // 3) * 4

    def encode(self, data: Buffer) -> Buffer:
        return standard_b64encode(data)

    def decode(self, data: Buffer, limit: int, out: memoryview | None = None) -> Buffer:
        try:
            decoded = b64decode(data, validate=True)
        except (Base64Error, ValueError) as error:
            raise CodecError(str(error), codec=self.name) from error
        check_limit(len(decoded), limit, self.name)
        return decoded


@dataclass(frozen=True, slots=True)
class Registered:
    """A codec of bytes that numcodecs' registry has, which omnizarr knows nothing more about.

    It gets the array's elements where the bytes are those, as it does from zarr-python. What it
    decodes is measured afterwards only.
    """

    name: ClassVar[str]
    configuration: JsonObject = field(default_factory=dict)
    spec: ChunkSpec | None = field(default=None, compare=False, repr=False)

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        _made(cls.name, configuration, at, problems)
        return cls(configuration)

    def to_json(self) -> JsonObject:
        return self.configuration

    def bind(self, spec: ChunkSpec) -> Self:
        return replace(self, spec=spec)

    def encoded_size(self, size: int) -> int | None:
        return None

    def encode(self, data: Buffer) -> Buffer:
        items: Any = data
        if self.spec is not None and self.spec.nbytes == len(data) and not self.spec.dtype.hasobject:
            items = np.ndarray(self.spec.shape, self.spec.dtype, data)
        return _as_bytes(_codec(self.name, self.configuration).encode(items))

    def decode(self, data: Buffer, limit: int, out: memoryview | None = None) -> Buffer:
        decoded = _as_bytes(_codec(self.name, self.configuration).decode(data))
        check_limit(len(decoded), limit, self.name)
        return decoded


@cache
def codec_class(name: str) -> type[Codec] | None:
    """Return a class for `numcodecs.<id>`, or None where numcodecs has no such codec."""
    found = name.removeprefix(_PREFIX)
    if found not in numcodecs.registry.codec_registry and found not in numcodecs.registry.entries:
        return None
    return type("Registered", (Registered,), {"name": name, "__slots__": ()})


def _codec(name: str, configuration: JsonObject) -> Any:
    return numcodecs.get_codec({**configuration, "id": name.removeprefix(_PREFIX)})


def _made(name: str, configuration: JsonObject, at: str, problems: Problems) -> None:
    try:
        _codec(name, configuration)
    except Exception as error:  # whatever a stranger's constructor raises
        problems.add(at, f"codec {name}: {error}")


def _as_bytes(data: Any) -> Buffer:
    if isinstance(data, bytes | bytearray):
        return data
    return np.ascontiguousarray(data).reshape(-1).view(np.uint8).data


def _read_filters(value: Any, at: str, problems: Problems) -> tuple[JsonObject, ...]:
    filters = read_list(value, at, problems)
    return tuple(read_object(item, f"{at}[{i}]", problems, optional=None) for i, item in enumerate(filters))


def _decompressed(make: Callable[[], Decompressor], data: Buffer, limit: int, codec: str) -> Buffer:
    """Decompress one stream or several in a row, never past the limit."""
    view, at, decoded = memoryview(data), 0, bytearray()
    while at < len(view) or not at:
        stream, size = make(), FIRST_PIECE
        try:
            while not stream.eof:
                piece = view[at : at + size] if stream.needs_input else view[:0]
                at += len(piece)
                size = min(4 * size, _STEP)
                step = stream.decompress(piece, min(_STEP, limit - len(decoded) + 1))
                decoded += step
                check_limit(len(decoded), limit, codec)
                if not step and not len(piece) and not stream.eof:
                    raise CodecError(f"truncated: found {len(view)} bytes", codec=codec)
        except (OSError, ValueError, EOFError, lzma.LZMAError) as error:
            if isinstance(error, CodecError):
                raise
            raise CodecError(str(error), codec=codec) from error
        at -= len(stream.unused_data)
    return decoded
