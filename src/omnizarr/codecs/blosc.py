"""The `blosc` codec, and `numcodecs.blosc`, whose configuration spells `shuffle` as a number.

https://zarr-specs.readthedocs.io/en/latest/v3/codecs/blosc/index.html
https://github.com/Blosc/c-blosc/blob/main/README_CHUNK_FORMAT.rst
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any, ClassVar, Self

import numcodecs.blosc
import numpy as np

from omnizarr.codecs.base import ChunkSpec
from omnizarr.codecs.buffers import check_limit
from omnizarr.errors import CodecError
from omnizarr.jsontypes import Json, JsonObject, Problems, read_int, read_object, read_string
from omnizarr.store.base import Buffer

_COMPRESSORS = ("lz4", "lz4hc", "blosclz", "zstd", "snappy", "zlib")
_SHUFFLES = ("noshuffle", "shuffle", "bitshuffle")
_FIELDS = ("cname", "clevel", "shuffle", "typesize", "blocksize")
_AUTOMATIC = -1
# Versions, flags and item size, then the sizes of data, block and buffer.
_HEADER = struct.Struct("<4B3I")
_LARGEST_ITEM = 255
# The three highest bits of the flags say which compressor it was.
_SNAPPY = 2


@dataclass(frozen=True, slots=True)
class Blosc:
    """Compress with Blosc.

    Without a `typesize` the item size of the array is taken; without `shuffle`, bytes of larger
    elements are shuffled, and bits of one-byte ones.

    Blosc's own threads serve calls from the main thread, which is where few and very big chunks are
    coded; calls from other threads, of which there are many at once, run in one each.
    """

    name: ClassVar[str] = "blosc"
    cname: str = "zstd"
    clevel: int = 5
    shuffle: int = _AUTOMATIC
    typesize: int | None = None
    blocksize: int = 0

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        fields = read_object(configuration, at, problems, optional=_FIELDS)
        default = cls()
        typesize = fields.get("typesize") or None
        return cls(
            read_string(fields.get("cname", default.cname), f"{at}.cname", problems, _COMPRESSORS),
            read_int(fields.get("clevel", default.clevel), f"{at}.clevel", problems, 0, 9),
            _read_shuffle(fields.get("shuffle", default.shuffle), f"{at}.shuffle", problems),
            None if typesize is None else read_int(typesize, f"{at}.typesize", problems, 1),
            read_int(fields.get("blocksize", 0), f"{at}.blocksize", problems, 0),
        )

    def to_json(self) -> JsonObject:
        document: JsonObject = {
            "cname": self.cname,
            "clevel": self.clevel,
            "shuffle": _SHUFFLES[self._shuffle],
            "blocksize": self.blocksize,
        }
        return document if self.typesize is None else {**document, "typesize": self.typesize}

    def bind(self, spec: ChunkSpec) -> Self:
        return self if self.typesize else replace(self, typesize=max(spec.dtype.itemsize, 1))

    def encoded_size(self, size: int) -> int | None:
        return None

    def encode(self, data: Buffer) -> Buffer:
        items: object = data
        if (
            self.typesize is not None
            and 1 < self.typesize <= _LARGEST_ITEM
            and len(data) % self.typesize == 0
        ):
            items = np.frombuffer(data, f"V{self.typesize}") if len(data) else data
        if self.cname == "snappy":
            return self._encode_snappy(data)
        try:
            return numcodecs.blosc.compress(  # type: ignore[no-any-return]
                items, self.cname.encode(), self.clevel, self._shuffle, self.blocksize
            )
        except (RuntimeError, ValueError) as error:
            raise CodecError(str(error), codec=self.name) from error

    def decode(self, data: Buffer, limit: int, out: memoryview | None = None) -> Buffer:
        size = self._check_header(data, limit)
        if not size:
            return b""  # which the library takes for an error
        if bytes(data[2:3])[0] >> 5 == _SNAPPY:
            return self._decode_snappy(data)
        try:
            if out is not None and size == len(out):
                numcodecs.blosc.decompress(data, out)
                return out
            return numcodecs.blosc.decompress(data)  # type: ignore[no-any-return]
        except (RuntimeError, ValueError) as error:
            raise CodecError(str(error), codec=self.name) from error

    def _check_header(self, data: Buffer, limit: int) -> int:
        """Return the decoded size; the library trusts the sizes in the header, so they must be right."""
        if len(data) < _HEADER.size:
            raise CodecError(f"expected at least {_HEADER.size} bytes, found {len(data)}", codec=self.name)
        *_, size, _, stored = _HEADER.unpack_from(data)
        if stored != len(data):
            raise CodecError(f"expected {stored} bytes, found {len(data)}", codec=self.name)
        check_limit(size, limit, self.name)
        return size  # type: ignore[no-any-return]

    def _encode_snappy(self, data: Buffer) -> Buffer:
        """Compress with snappy, which numcodecs' blosc is without."""
        library, size = _with_snappy(self.name), min(self.typesize or 1, _LARGEST_ITEM)
        options = {"typesize": size, "shuffle": self._shuffle, "blocksize": self.blocksize or None}
        return library.blosc_encode(  # type: ignore[no-any-return]
            data, level=self.clevel, compressor="snappy", numthreads=1, **options
        )

    def _decode_snappy(self, data: Buffer) -> Buffer:
        library = _with_snappy(self.name)
        try:
            return library.blosc_decode(data, numthreads=1)  # type: ignore[no-any-return]
        except library.BloscError as error:
            raise CodecError(str(error), codec=self.name) from error

    @property
    def _shuffle(self) -> int:
        if self.shuffle != _AUTOMATIC:
            return self.shuffle
        return 2 if self.typesize == 1 else 1


@dataclass(frozen=True, slots=True)
class NumcodecsBlosc(Blosc):
    """The same codec by the name, and with the defaults, that v2's `blosc` has in the model."""

    name: ClassVar[str] = "numcodecs.blosc"
    cname: str = "lz4"
    shuffle: int = 1

    def to_json(self) -> JsonObject:
        return {
            "cname": self.cname,
            "clevel": self.clevel,
            "shuffle": self.shuffle,
            "blocksize": self.blocksize,
        }


def _read_shuffle(value: Json, at: str, problems: Problems) -> int:
    if isinstance(value, str):
        return _SHUFFLES.index(read_string(value, at, problems, _SHUFFLES))
    return read_int(value, at, problems, _AUTOMATIC, 2)


@cache
def _with_snappy(codec: str) -> Any:
    try:
        return import_module("imagecodecs")
    except ImportError as error:
        message = "the compressor snappy needs the package imagecodecs, which belongs to the extra 'szip'"
        raise CodecError(f"{message} (pip install 'omnizarr[szip]')", codec=codec) from error
