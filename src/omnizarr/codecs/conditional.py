"""The `conditional` codec: codecs of which each chunk says whether they were used on it.

https://github.com/zarr-developers/zarr-extensions/pull/27
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self, cast

import numpy as np

from omnizarr.codecs.base import BytesToBytes, ChunkSpec
from omnizarr.codecs.buffers import check_limit
from omnizarr.codecs.registry import codec_class
from omnizarr.errors import CodecError
from omnizarr.jsontypes import JsonObject, Problems, read_int, read_object
from omnizarr.metadata.extension import UNREADABLE, Extension, read_extensions
from omnizarr.store.base import Buffer

_MOST_BITS = 8 * 256


@dataclass(frozen=True, slots=True)
class Conditional:
    """Use those codecs that make a chunk smaller, or that leave its size known; say which in a header.

    The header is a set of bits, the lowest for the first codec. Codecs in the configuration that only
    newer writers know have bits that older chunks leave at 0.
    """

    name: ClassVar[str] = "conditional"
    codecs: tuple[BytesToBytes, ...]
    header_bits: int

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        fields = read_object(configuration, at, problems, required=("codecs",), optional=("header_bits",))
        found = read_extensions(fields.get("codecs", []), f"{at}.codecs", problems)
        read = [_read_codec(codec, f"{at}.codecs[{i}]", problems) for i, codec in enumerate(found)]
        least = 8 * -(-len(found) // 8)
        bits = read_int(fields.get("header_bits", least), f"{at}.header_bits", problems, least, _MOST_BITS)
        if bits % 8:
            problems.add(f"{at}.header_bits", f"expected a multiple of 8, found {bits}")
        return cls(tuple(codec for codec in read if codec is not None), bits)

    def to_json(self) -> JsonObject:
        codecs = [Extension(codec.name, codec.to_json()).to_json() for codec in self.codecs]
        return {"codecs": codecs, "header_bits": self.header_bits}

    def bind(self, spec: ChunkSpec) -> Self:
        bound: list[BytesToBytes] = []
        for codec in self.codecs:
            bound.append(codec.bind(spec))
            size = codec.encoded_size(spec.nbytes)
            if size != spec.nbytes:
                spec = ChunkSpec((spec.nbytes if size is None else size,), np.dtype(np.uint8))
        return replace(self, codecs=tuple(bound))

    def encoded_size(self, size: int) -> int | None:
        return None

    def encode(self, data: Buffer) -> Buffer:
        used = 0
        for i, codec in enumerate(self.codecs):
            encoded = codec.encode(data)
            if len(encoded) < len(data) or codec.encoded_size(len(data)) is not None:
                used |= 1 << i
                data = encoded
        return b"".join((used.to_bytes(self.header_bits // 8, "little"), data))

    def decode(self, data: Buffer, limit: int, out: memoryview | None = None) -> Buffer:
        width = self.header_bits // 8
        if len(data) < width:
            raise CodecError(f"expected a header of {width} bytes, found {len(data)}", codec=self.name)
        used = int.from_bytes(data[:width], "little")
        if used >> len(self.codecs):
            found = f"{used:#x}"
            raise CodecError(
                f"expected a header of {len(self.codecs)} codecs, found {found}", codec=self.name
            )
        limits = self._limits(limit)
        decoded: Buffer = memoryview(data)[width:]
        for i in reversed(range(len(self.codecs))):
            if used >> i & 1:
                decoded = self.codecs[i].decode(decoded, limits[i])
        check_limit(len(decoded), limit, self.name)
        return decoded

    def _limits(self, limit: int) -> list[int]:
        """Return how many bytes there may be before each codec, if all before it were used."""
        limits = []
        for codec in self.codecs:
            limits.append(limit)
            limit = max(limit, codec.encoded_size(limit) or limit + limit // 64 + 1024)
        return limits


def _read_codec(extension: Extension, at: str, problems: Problems) -> BytesToBytes | None:
    if extension is UNREADABLE:
        return None  # whoever read it has said so
    found = codec_class(extension.name)
    if found is None:
        problems.add(at, f"unknown codec {extension.name!r}", unsupported=True)
    elif not hasattr(found, "bind"):
        problems.add(at, f"codec {extension.name}: expected a codec that turns bytes into bytes")
    else:
        return cast(BytesToBytes, found.from_json(extension.configuration, f"{at}.configuration", problems))
    return None
