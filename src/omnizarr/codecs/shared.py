"""What many codecs have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Self

from omnizarr.codecs.base import ChunkSpec
from omnizarr.codecs.buffers import check_limit
from omnizarr.errors import ChecksumError, CodecError
from omnizarr.jsontypes import JsonObject, Problems, read_object
from omnizarr.store.base import Buffer

_SIZE = 4


class Unconfigured:
    """A codec without options."""

    __slots__ = ()

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        read_object(configuration, at, problems)
        return cls()

    def to_json(self) -> JsonObject:
        return {}


class Compressor:
    """A codec of bytes that asks for nothing about the array, and whose results differ in size."""

    __slots__ = ()

    def bind(self, spec: ChunkSpec) -> Self:
        return self

    def encoded_size(self, size: int) -> int | None:
        return None


class Checksum(ABC):
    """A codec that puts a checksum of 32 bits, little-endian, before or after the data, and checks it."""

    __slots__ = ()
    name: ClassVar[str]

    @property
    @abstractmethod
    def at_start(self) -> bool:
        """Whether the checksum comes first."""

    @abstractmethod
    def checksum(self, data: Buffer) -> int:
        """Return the checksum of bytes."""

    def bind(self, spec: ChunkSpec) -> Self:
        return self

    def encoded_size(self, size: int) -> int | None:
        return size + _SIZE

    def encode(self, data: Buffer) -> Buffer:
        checksum = self.checksum(data).to_bytes(_SIZE, "little")
        return b"".join((checksum, data) if self.at_start else (data, checksum))

    def decode(self, data: Buffer, limit: int, out: memoryview | None = None) -> Buffer:
        view = memoryview(data)
        if len(view) < _SIZE:
            raise CodecError(f"expected at least {_SIZE} bytes, found {len(view)}", codec=self.name)
        stored, body = (view[:_SIZE], view[_SIZE:]) if self.at_start else (view[-_SIZE:], view[:-_SIZE])
        expected, found = int.from_bytes(stored, "little"), self.checksum(body)
        if expected != found:
            raise ChecksumError(f"expected checksum {expected:08x}, found {found:08x}", codec=self.name)
        check_limit(len(body), limit, self.name)
        return body
