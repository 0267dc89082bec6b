"""The `zstd` codec, and `numcodecs.zstd`.

https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/zstd
https://www.rfc-editor.org/rfc/rfc8878
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Self

import numcodecs.zstd
import zstandard

from omnizarr.codecs.buffers import check_limit
from omnizarr.codecs.shared import Compressor
from omnizarr.errors import CodecError
from omnizarr.jsontypes import JsonObject, Problems, read_bool, read_int, read_object
from omnizarr.store.base import Buffer

# Below this size a reused context wins (14 µs against 22 at 16 KB), above it saving a copy does.
_INTO = 1 << 18
# A block of 128 KiB takes four bytes at least.
_MOST_PER_BYTE = 1 << 15
_MAGIC = 0xFD2FB528
_SKIPPABLE = 0x184D2A50


class _Contexts(threading.local):
    """The contexts of a thread, which zstandard forbids to share."""

    def __init__(self) -> None:
        self.decompressor = zstandard.ZstdDecompressor()
        self.compressors: dict[tuple[int, bool], zstandard.ZstdCompressor] = {}

    def compressor(self, level: int, checksum: bool) -> zstandard.ZstdCompressor:
        found = self.compressors.get((level, checksum))
        if found is None:
            found = zstandard.ZstdCompressor(level=level, write_checksum=checksum)
            self.compressors[level, checksum] = found
        return found


contexts = _Contexts()


@dataclass(frozen=True, slots=True)
class Zstd(Compressor):
    """Compress with Zstandard; level 0 is the library's default (3)."""

    name: ClassVar[str] = "zstd"
    level: int = 0
    checksum: bool = False

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        fields = read_object(configuration, at, problems, optional=("level", "checksum"))
        return cls(
            read_int(fields.get("level", 0), f"{at}.level", problems, -131072, 22),
            read_bool(fields.get("checksum", False), f"{at}.checksum", problems),
        )

    def to_json(self) -> JsonObject:
        return {"level": self.level, "checksum": self.checksum}

    def encode(self, data: Buffer) -> Buffer:
        try:
            return contexts.compressor(self.level, self.checksum).compress(data)
        except zstandard.ZstdError as error:
            raise CodecError(str(error), codec=self.name) from error

    def decode(self, data: Buffer, limit: int, out: memoryview | None = None) -> Buffer:
        try:
            size = zstandard.frame_content_size(data)
            if size == limit and out is not None and size >= _INTO:
                numcodecs.zstd.decompress(data, out)
                return out
            # Of a frame that says it is empty, zstandard does not look at what follows.
            if 0 < size <= min(limit, len(data) * _MOST_PER_BYTE):
                return contexts.decompressor.decompress(data, allow_extra_data=False)
        except (zstandard.ZstdError, RuntimeError, ValueError):
            pass  # several frames, or damage: the slow way tells
        return self._decode_frames(data, limit)

    def _decode_frames(self, data: Buffer, limit: int) -> Buffer:
        parts, left = [], limit
        for frame in self._frames(memoryview(data)):
            try:
                size = zstandard.frame_content_size(frame)
                check_limit(max(size, 0), left, self.name)
                check_limit(max(size, 0), len(frame) * _MOST_PER_BYTE, self.name)
                # One byte at least: for zstandard 0 means no limit, and an empty frame needs none.
                part = contexts.decompressor.decompress(frame, max_output_size=max(left, 1))
            except zstandard.ZstdError as error:
                raise CodecError(str(error), codec=self.name) from error
            parts.append(part)
            left -= len(part)
            check_limit(limit - left, limit, self.name)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _frames(self, data: memoryview) -> Iterator[memoryview]:
        """Yield the frames that hold data; skippable ones are passed over."""
        if not len(data):
            raise CodecError("expected a frame, found no bytes", codec=self.name)
        start = 0
        while start < len(data):
            magic = int.from_bytes(data[start : start + 4], "little")
            if magic & ~0xF == _SKIPPABLE:
                start = end = start + 8 + int.from_bytes(data[start + 4 : start + 8], "little")
            elif magic == _MAGIC:
                end = self._frame_end(data, start)
                yield data[start:end]
                start = end
            else:
                raise CodecError(f"expected a frame at byte {start}, found {magic:#010x}", codec=self.name)
        if start > len(data):
            raise CodecError(f"truncated: expected {start} bytes, found {len(data)}", codec=self.name)

    def _frame_end(self, data: memoryview, start: int) -> int:
        """Return where a frame ends, by its block headers (RFC 8878, 3.1.1)."""
        try:
            parameters = zstandard.get_frame_parameters(data[start:])
        except zstandard.ZstdError as error:
            raise CodecError(str(error), codec=self.name) from error
        end = start + zstandard.frame_header_size(data[start:])
        last = False
        while not last:
            header = int.from_bytes(data[end : end + 3], "little")
            if end + 3 > len(data):
                raise CodecError(f"truncated: found {len(data)} bytes", codec=self.name)
            last, kind, size = bool(header & 1), header >> 1 & 3, header >> 3
            end += 3 + (1 if kind == 1 else size)
        end += 4 if parameters.has_checksum else 0
        if end > len(data):
            raise CodecError(f"truncated: expected {end} bytes, found {len(data)}", codec=self.name)
        return end


class NumcodecsZstd(Zstd):
    """The same codec by the name that v2's `zstd` has in the model."""

    __slots__ = ()
    name: ClassVar[str] = "numcodecs.zstd"
