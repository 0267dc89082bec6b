"""The `crc32c` codec: a checksum of four bytes after the data.

https://zarr-specs.readthedocs.io/en/latest/v3/codecs/crc32c/index.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import google_crc32c
import numpy as np

from omnizarr.codecs.base import ChunkSpec
from omnizarr.errors import ChecksumError, CodecError
from omnizarr.jsontypes import JsonObject, Problems, read_object
from omnizarr.store.base import Buffer

_SIZE = 4


@dataclass(frozen=True, slots=True)
class Crc32c:
    """Append the CRC-32C of the data, little-endian; check it when decoding."""

    name: ClassVar[str] = "crc32c"

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        read_object(configuration, at, problems)
        return cls()

    def to_json(self) -> JsonObject:
        return {}

    def bind(self, spec: ChunkSpec) -> Self:
        return self

    def encoded_size(self, size: int) -> int | None:
        return size + _SIZE

    def encode(self, data: Buffer) -> Buffer:
        return b"".join((data, crc32c(data).to_bytes(_SIZE, "little")))

    def decode(self, data: Buffer, limit: int, out: memoryview | None = None) -> Buffer:
        if len(data) < _SIZE:
            raise CodecError(f"expected at least {_SIZE} bytes, found {len(data)}", codec=self.name)
        body = memoryview(data)[:-_SIZE]
        stored = int.from_bytes(data[-_SIZE:], "little")
        found = crc32c(body)
        if stored != found:
            raise ChecksumError(f"expected checksum {stored:08x}, found {found:08x}", codec=self.name)
        if len(body) > limit:
            raise CodecError(f"expected at most {limit} bytes decoded, found {len(body)}", codec=self.name)
        return body


def crc32c(data: Buffer) -> int:
    """Return the CRC-32C of bytes."""
    if isinstance(data, bytes):
        return google_crc32c.value(data)  # type: ignore[no-any-return]
    # The package refuses memoryviews, but reads arrays without copying.
    return google_crc32c.value(np.frombuffer(data, np.uint8)) if len(data) else 0
