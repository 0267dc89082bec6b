"""The szip codec of HDF5 and NCZarr; it needs the package imagecodecs, which the extra `szip` brings.

A chunk is the number of its bytes in four bytes, little-endian, and then what szip makes of them.

https://docs.hdfgroup.org/hdf5/latest/group___s_z_i_p.html
https://ccsds.org/Pubs/121x0b3.pdf
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from math import prod
from typing import Any, ClassVar, Self

import numpy as np

from omnizarr.codecs.base import ChunkSpec
from omnizarr.codecs.buffers import check_limit
from omnizarr.codecs.shared import Compressor
from omnizarr.errors import CodecError
from omnizarr.jsontypes import JsonObject, Problems, read_int, read_object
from omnizarr.store.base import Buffer

_HEADER = 4
_ALLOW_K13, _ENTROPY_CODING, _LITTLE, _BIG, _NEAREST_NEIGHBOUR, _RAW = 1, 4, 8, 16, 32, 128
_MOST_BLOCKS = 128
_PIXELS, _MOST_PIXELS = 8, 32
# More than any code takes, so that a decoder that goes on past the end shows in what it finds there.
_BEYOND = 64


@dataclass(frozen=True, slots=True)
class Szip(Compressor):
    """Compress numbers with szip.

    Attributes
    ----------
    mask
        Flags, of which 4 (entropy coding) or 32 (nearest neighbour) counts: one of them.
    pixels_per_block
        An even number up to 32.
    pixels_per_scanline, bits_per_pixel
        0 for what HDF5 makes of the chunk: the length of its last axis, all of its elements where that is
        less than a block, 128 blocks at most; and the bits of an element. netCDF-C takes the length of the
        last *dimension* of the whole array instead, which `omnizarr.netcdf` notes here.
    """

    name: ClassVar[str] = "numcodecs.szip"
    mask: int = _NEAREST_NEIGHBOUR
    pixels_per_block: int = _PIXELS
    pixels_per_scanline: int = 0
    bits_per_pixel: int = 0
    spec: ChunkSpec | None = field(default=None, compare=False, repr=False)

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        names = ("mask", "pixels-per-block", "pixels-per-scanline", "bits-per-pixel")
        fields = read_object(configuration, at, problems, optional=names)

        def number(name: str, default: int, least: int, most: int) -> int:
            return read_int(fields.get(name, default), f"{at}.{name}", problems, least, most)

        found = cls(
            number("mask", _NEAREST_NEIGHBOUR, 0, 255),
            number("pixels-per-block", _PIXELS, 2, _MOST_PIXELS),
            number("pixels-per-scanline", 0, 0, _MOST_BLOCKS * _MOST_PIXELS),
            number("bits-per-pixel", 0, 0, 64),
        )
        if found.pixels_per_block % 2:
            problems.add(f"{at}.pixels-per-block", f"expected an even number, found {found.pixels_per_block}")
        if bool(found.mask & _ENTROPY_CODING) == bool(found.mask & _NEAREST_NEIGHBOUR):
            expected = f"{_ENTROPY_CODING} (entropy coding) or {_NEAREST_NEIGHBOUR} (nearest neighbour)"
            problems.add(f"{at}.mask", f"expected {expected}, found {found.mask}")
        return found

    def to_json(self) -> JsonObject:
        own = {"pixels-per-scanline": self.pixels_per_scanline, "bits-per-pixel": self.bits_per_pixel}
        return {
            "mask": self.mask,
            "pixels-per-block": self.pixels_per_block,
            **{name: value for name, value in own.items() if value},
        }

    def bind(self, spec: ChunkSpec) -> Self:
        return replace(self, spec=spec)

    def encode(self, data: Buffer) -> Buffer:
        return self._encoded(data)

    def decode(self, data: Buffer, limit: int, out: memoryview | None = None) -> Buffer:
        if len(data) < _HEADER:
            raise CodecError(f"expected at least {_HEADER} bytes, found {len(data)}", codec=self.name)
        size = int.from_bytes(data[:_HEADER], "little")
        check_limit(size, limit, self.name)
        into = out if out is not None and len(out) == size else None
        decoded = self._decoded(data, b"\x00", size, into)
        if self.pixels_per_scanline:
            is_sound = self._decoded_otherwise(data, size) == decoded
        else:
            is_sound = self._encoded(decoded) == data
        if not is_sound:
            raise CodecError(self._why_unsound(len(data)), codec=self.name)
        return decoded

    def _encoded(self, data: Buffer) -> Buffer:
        library = _library()
        try:
            return library.szip_encode(data, *self._parameters(), header=True)  # type: ignore[no-any-return]
        except (library.SzipError, ValueError) as error:
            raise CodecError(str(error), codec=self.name) from error

    def _decoded_otherwise(self, data: Buffer, size: int) -> Buffer:
        """Decode with other bytes behind the data: the library goes on there where something is missing.

        Of 3,000 chunks cut off anywhere, this found all that decoded to anything wrong. One in 20 sound
        ones needs more bits than it has, to fill its last scanline, for which zeros or none will do.
        """
        try:
            return self._decoded(data, b"\xff", size, None)
        except CodecError:
            return self._decoded(data, b"", size, None)

    def _decoded(self, data: Buffer, beyond: bytes, size: int, out: memoryview | None) -> Buffer:
        library = _library()
        padded = b"".join((memoryview(data)[_HEADER:], beyond * _BEYOND))
        try:
            found = library.szip_decode(padded, *self._parameters(), out=size if out is None else out)
        except (library.SzipError, ValueError) as error:
            raise CodecError(str(error), codec=self.name) from error
        if len(found) != size:
            raise CodecError(f"expected {size} bytes, found {len(found)}", codec=self.name)
        return found if out is None else out

    def _why_unsound(self, size: int) -> str:
        if self.pixels_per_scanline:
            return f"truncated or damaged: found {size} bytes"
        return (
            "damaged, or encoded with another number of pixels per scanline than the chunk's shape suggests, "
            "as netCDF-C does: open the dataset with omnizarr.netcdf, which knows it"
        )

    def _parameters(self) -> tuple[int, int, int, int]:
        """Return the flags, pixels of a block, bits of a pixel and pixels of a scanline for the chunk."""
        spec = self.spec or ChunkSpec((1,), np.dtype("u1"))
        order = _BIG if spec.dtype.str[0] == ">" else _LITTLE
        mask = self.mask & (_ENTROPY_CODING | _NEAREST_NEIGHBOUR) | _ALLOW_K13 | _RAW | order
        bits = self.bits_per_pixel or 8 * spec.dtype.itemsize
        if not 0 < bits <= 32 and bits != 64:
            raise CodecError(
                f"expected elements of up to 4 or of 8 bytes, found {spec.dtype}", codec=self.name
            )
        scanline = self.pixels_per_scanline or pixels_per_scanline(
            spec.shape[-1] if spec.shape else 1, prod(spec.shape), self.pixels_per_block
        )
        return mask, self.pixels_per_block, bits, scanline


def pixels_per_scanline(length: int, points: int, pixels_per_block: int) -> int:
    """Return what HDF5 takes for a scanline.

    Parameters
    ----------
    length
        That of the last axis.
    points
        The number of elements of a chunk.
    """
    wanted = points if length < pixels_per_block else length
    return max(1, min(pixels_per_block * _MOST_BLOCKS, wanted))


def is_available() -> bool:
    """Say whether the package is installed."""
    if "imagecodecs" in sys.modules:
        return sys.modules["imagecodecs"] is not None
    return find_spec("imagecodecs") is not None


@cache
def _library() -> Any:
    try:
        return import_module("imagecodecs")
    except ImportError as error:
        message = "szip needs the package imagecodecs, which belongs to the extra 'szip'"
        raise CodecError(f"{message} (pip install 'omnizarr[szip]')", codec=Szip.name) from error
