"""Codecs of numcodecs that turn arrays of numbers into bytes; they need the packages pcodec and imagecodecs.

https://numcodecs.readthedocs.io/en/stable/pcodec.html
https://numcodecs.readthedocs.io/en/stable/zfpy.html
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from math import prod
from typing import Any, ClassVar, Self

import numcodecs
import numpy as np

from omnizarr.codecs import zfp_stream
from omnizarr.codecs.base import AnyArray, ChunkSpec
from omnizarr.codecs.buffers import check_limit
from omnizarr.errors import CodecError
from omnizarr.jsontypes import JsonObject, Problems, read_int, read_object, shown
from omnizarr.store.base import Buffer

_ZFP_MAGIC = b"zfp"
_ZFP_HEADER = 11
# By the numbers of the library: our name of a mode, and the parameter that it has.
_ZFP_MODES = {
    2: ("fixed_rate", "rate"),
    3: ("fixed_precision", "precision"),
    4: ("fixed_accuracy", "tolerance"),
    5: ("reversible", ""),
}


@dataclass(frozen=True, slots=True)
class _NumberCodec(ABC):
    """What such codecs share: numcodecs reads the configuration and encodes."""

    name: ClassVar[str]
    kinds: ClassVar[str]
    package: ClassVar[str]
    configuration: JsonObject = field(default_factory=dict)

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        codec = cls(configuration)
        if find_spec(cls.package) is None:
            extra = f"the package {cls.package}, which belongs to the extra {cls.package!r}"
            install = f"(pip install 'omnizarr[{cls.package}]')"
            problems.add(at, f"codec {cls.name} needs {extra} {install}", unsupported=True)
            return codec
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
    package: ClassVar[str] = "pcodec"

    def decode(self, data: Buffer, spec: ChunkSpec) -> AnyArray:
        out = np.empty(prod(spec.shape), spec.dtype)
        # Not by numcodecs, which would take fewer elements for enough.
        progress = _standalone().simple_decompress_into(bytes(data), out)
        if progress.n_processed != out.size or not progress.finished:
            raise CodecError(f"expected {out.size} elements, found {progress.n_processed}", codec=self.name)
        return out.reshape(spec.shape)


@dataclass(frozen=True, slots=True)
class Zfpy:
    """Compress numbers with zfp, after a header: with a bounded loss, or none.

    The package imagecodecs does it, with the bytes that zfpy makes, which newer numcodecs cannot import.
    """

    name: ClassVar[str] = "numcodecs.zfpy"
    mode: int = 4
    parameters: tuple[tuple[str, float], ...] = ()

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        optional = ("mode", *(name for _, name in _ZFP_MODES.values() if name))
        fields = read_object(configuration, at, problems, optional=optional)
        mode = read_int(fields.get("mode", 4), f"{at}.mode", problems, min(_ZFP_MODES), max(_ZFP_MODES))
        read = []
        for name in fields.keys() - {"mode"}:
            value = fields[name]
            if isinstance(value, int | float) and not isinstance(value, bool):
                read.append((name, value))
            else:
                problems.add(f"{at}.{name}", f"expected a number, found {shown(value)}")
        return cls(mode, tuple(sorted(read)))

    def to_json(self) -> JsonObject:
        return {"mode": self.mode, **dict(self.parameters)}

    def check(self, spec: ChunkSpec, at: str, problems: Problems) -> None:
        if spec.dtype.kind not in "if" or spec.dtype.itemsize not in (4, 8):
            problems.add(at, f"codec {self.name}: expected numbers of 4 or 8 bytes, found {spec.dtype}")
        if len(spec.shape) > 4:
            problems.add(at, f"codec {self.name}: expected 4 axes at most, found {len(spec.shape)}")

    def encoded_size(self, spec: ChunkSpec) -> int | None:
        return None

    def encode(self, array: AnyArray, spec: ChunkSpec) -> Buffer:
        mode, name = _ZFP_MODES[self.mode]
        level = dict(self.parameters).get(name, -1)
        if level < 0:  # as zfpy has it
            mode, level = "reversible", 0
        whole = np.ascontiguousarray(array).reshape(spec.shape or (1,))
        return zfp_stream.with_header(whole, mode, (level,) if mode != "reversible" else (), full=True)

    def decode(self, data: Buffer, spec: ChunkSpec) -> AnyArray:
        self._check_header(data, prod(spec.shape))
        found = zfp_stream.decode_whole(data, spec.nbytes)
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
