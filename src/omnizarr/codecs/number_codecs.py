"""Codecs of numcodecs that turn arrays of numbers into bytes; they need the packages pcodec and zfpy.

https://numcodecs.readthedocs.io/en/stable/pcodec.html
https://numcodecs.readthedocs.io/en/stable/zfpy.html
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from importlib import import_module
from math import prod
from typing import Any, ClassVar, Self

import numcodecs
import numpy as np

from omnizarr.codecs.base import AnyArray, ChunkSpec
from omnizarr.codecs.buffers import check_limit
from omnizarr.errors import CodecError
from omnizarr.jsontypes import JsonObject, Problems
from omnizarr.store.base import Buffer

_ZFP_MAGIC = b"zfp"
_ZFP_HEADER = 11


@dataclass(frozen=True, slots=True)
class _NumberCodec(ABC):
    """What both share: numcodecs reads the configuration and encodes."""

    name: ClassVar[str]
    kinds: ClassVar[str]
    configuration: JsonObject = field(default_factory=dict)

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        codec = cls(configuration)
        try:
            codec._codec()
        except Exception as error:  # whatever numcodecs' constructors raise
            problems.add(at, f"codec {cls.name}: {error}")
        return codec

    def to_json(self) -> JsonObject:
        return self.configuration

    def check(self, spec: ChunkSpec, at: str, problems: Problems) -> None:
        if spec.dtype.kind not in self.kinds or spec.dtype.itemsize > 8:
            problems.add(at, f"codec {self.name}: expected numbers, found {spec.dtype}")

    def encoded_size(self, spec: ChunkSpec) -> int | None:
        return None

    def encode(self, array: AnyArray, spec: ChunkSpec) -> Buffer:
        return bytes(self._codec().encode(np.ascontiguousarray(array)))

    @abstractmethod
    def decode(self, data: Buffer, spec: ChunkSpec) -> AnyArray:
        """Return an array of `spec`."""

    def _codec(self) -> Any:
        return numcodecs.get_codec({**self.configuration, "id": self.name.removeprefix("numcodecs.")})


@dataclass(frozen=True, slots=True)
class Pcodec(_NumberCodec):
    """Compress numbers without loss."""

    name: ClassVar[str] = "numcodecs.pcodec"
    kinds: ClassVar[str] = "iuf"

    def decode(self, data: Buffer, spec: ChunkSpec) -> AnyArray:
        out = np.empty(prod(spec.shape), spec.dtype)
        # Not by numcodecs, which would take fewer elements for enough.
        progress = _standalone().simple_decompress_into(bytes(data), out)
        if progress.n_processed != out.size or not progress.finished:
            raise CodecError(f"expected {out.size} elements, found {progress.n_processed}", codec=self.name)
        return out.reshape(spec.shape)


@dataclass(frozen=True, slots=True)
class Zfpy(_NumberCodec):
    """Compress numbers with ZFP, with a bounded loss."""

    name: ClassVar[str] = "numcodecs.zfpy"
    kinds: ClassVar[str] = "if"

    def decode(self, data: Buffer, spec: ChunkSpec) -> AnyArray:
        self._check_header(data, prod(spec.shape))
        # The library does not look where its input ends: zeros keep it within memory of ours.
        padded = b"".join((data, bytes(2 * spec.nbytes + 1024)))
        found = np.asarray(self._codec().decode(padded))
        if found.dtype != spec.dtype or found.size != prod(spec.shape):
            raise CodecError(f"expected elements of {spec.dtype}, found {found.dtype}", codec=self.name)
        return found.reshape(spec.shape)

    def _check_header(self, data: Buffer, count: int) -> None:
        """Check that as many elements are announced as there should be: from the low bits on,
        type (2 bits), axes (2), and the length of each less one (48 in all)."""
        if len(data) < _ZFP_HEADER or bytes(data[: len(_ZFP_MAGIC)]) != _ZFP_MAGIC:
            raise CodecError("expected a zfp header, found none", codec=self.name)
        bits = int.from_bytes(data[4:_ZFP_HEADER], "little") >> 2
        axes, bits = (bits & 3) + 1, bits >> 2
        width = 48 // axes
        lengths = [(bits >> (width * i) & (1 << width) - 1) + 1 for i in range(axes)]
        check_limit(prod(lengths), count, self.name)


def _standalone() -> Any:
    import_module("pcodec")  # a module of compiled code: the one inside it exists only after this
    return import_module("pcodec.standalone")
