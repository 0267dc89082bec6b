"""The `gzip` codec, `numcodecs.gzip`, and `numcodecs.zlib`, which differs in its frame.

https://zarr-specs.readthedocs.io/en/latest/v3/codecs/gzip/index.html
https://www.rfc-editor.org/rfc/rfc1952
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self

import deflate
from isal import isal_zlib

from omnizarr.codecs.buffers import FIRST_PIECE, check_limit
from omnizarr.codecs.shared import Compressor
from omnizarr.errors import CodecError
from omnizarr.jsontypes import JsonObject, Problems, read_int, read_object
from omnizarr.store.base import Buffer

# A deflate stream of n bytes holds less than 1032 n.
_MOST_PER_BYTE = 1032
_STEP = 1 << 20
_MEMBER = b"\x1f\x8b\x08"
_TRAILER = struct.Struct("<II")


@dataclass(frozen=True, slots=True)
class Gzip(Compressor):
    """Compress with gzip; equal input gives equal output. Streams of several members are read."""

    name: ClassVar[str] = "gzip"
    window_bits: ClassVar[int] = 31
    lowest_level: ClassVar[int] = 0
    level: int = 5

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        fields = read_object(configuration, at, problems, optional=("level",))
        level = fields.get("level", cls().level)
        return cls(read_int(level, f"{at}.level", problems, cls.lowest_level, 9))

    def to_json(self) -> JsonObject:
        return {"level": self.level}

    def encode(self, data: Buffer) -> Buffer:
        # Of 1 MB of random steps (u2): level 1 1.8 ms by isal, 6.3 by libdeflate, 18 by zlib;
        # level 5 9.2 ms by libdeflate at zlib's ratio, 22 by zlib.
        if self.level == 1:
            return isal_zlib.compress(data, 1, self.window_bits)
        return _COMPRESS[self.window_bits](data, 6 if self.level < 0 else self.level)

    def decode(self, data: Buffer, limit: int, out: memoryview | None = None) -> Buffer:
        if limit <= len(data) * _MOST_PER_BYTE:
            try:
                # 2.1 ms for 1 MB, where isal takes 2.5 and zlib 3.2.
                decoded = _DECOMPRESS[self.window_bits](data, limit)
                if len(decoded) == limit and self._ends_with(data, decoded):
                    return decoded
            except deflate.DeflateError:
                pass  # several members, or damage: the slow way tells
        return self._decode_members(data, limit)

    def _ends_with(self, data: Buffer, decoded: Buffer) -> bool:
        """Say whether `data` ends where `decoded` does: libdeflate stops there, and does not say where."""
        checksum, size = _TRAILER.unpack(data[-_TRAILER.size :])
        if size != len(decoded) & 0xFFFFFFFF or checksum != deflate.crc32(decoded):
            return False
        return bytes(data).rfind(_MEMBER) == 0  # elsewhere it may begin a second member

    def _decode_members(self, data: Buffer, limit: int) -> Buffer:
        view, at, decoded = memoryview(data), 0, bytearray()
        while at < len(view) or not at:
            at = self._decode_member(view, at, decoded, limit)
            if at < len(view) and self.window_bits < 31:
                message = f"{len(view) - at} bytes found after the end of the stream"
                raise CodecError(message, codec=self.name)
        return decoded

    def _decode_member(self, view: memoryview, at: int, decoded: bytearray, limit: int) -> int:
        """Add what the member that begins at a place holds to `decoded`; return where it ends."""
        member, size, rest = zlib.decompressobj(self.window_bits), FIRST_PIECE, b""
        try:
            while not member.eof:
                piece = rest or view[at : at + size]
                if not rest:
                    at += len(piece)
                    size = min(4 * size, _STEP)
                step = member.decompress(piece, min(_STEP, limit - len(decoded) + 1))
                decoded += step
                check_limit(len(decoded), limit, self.name)
                rest = member.unconsumed_tail
                if not step and not len(piece):
                    raise CodecError(f"truncated: found {len(view)} bytes", codec=self.name)
        except zlib.error as error:
            raise CodecError(str(error), codec=self.name) from error
        return at - len(member.unused_data)


@dataclass(frozen=True, slots=True)
class NumcodecsGzip(Gzip):
    """The same codec by the name that v2's `gzip` has in the model."""

    name: ClassVar[str] = "numcodecs.gzip"
    lowest_level: ClassVar[int] = -1
    level: int = 1


@dataclass(frozen=True, slots=True)
class Zlib(Gzip):
    """Compress with zlib's frame; v2's `zlib`, and what HDF5 calls deflate."""

    name: ClassVar[str] = "numcodecs.zlib"
    window_bits: ClassVar[int] = 15
    lowest_level: ClassVar[int] = -1
    level: int = 1

    def _ends_with(self, data: Buffer, decoded: Buffer) -> bool:
        return int.from_bytes(data[-4:], "big") == deflate.adler32(decoded)


_COMPRESS: dict[int, Callable[[Buffer, int], Buffer]] = {15: deflate.zlib_compress, 31: deflate.gzip_compress}
_DECOMPRESS: dict[int, Callable[[Buffer, int], Buffer]] = {
    15: deflate.zlib_decompress,
    31: deflate.gzip_decompress,
}
