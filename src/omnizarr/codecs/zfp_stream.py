"""Streams of zfp, which the package imagecodecs writes with a short header, and which zarr stores without.

A stream is a number of bits, of which the first is the lowest of its first byte. In front stand 32 bits of
magic, and the mode in 12 or 64 bits.

https://zfp.readthedocs.io/en/release1.0.1/high-level-api.html#c.zfp_write_header
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib import import_module
from math import prod
from typing import Any

import numpy as np

from omnizarr.codecs.base import AnyArray
from omnizarr.errors import CodecError
from omnizarr.store.base import Buffer

_MAGIC_BITS, _SHORT_BITS, _LONG_BITS = 32, 12, 64
_LONG = 2**_SHORT_BITS - 1  # the short form that says that the long one follows
_SHORT_RATE = 2**11  # short modes below this are rates
_WORD = 64
_BEYOND = 1024

_LIBRARY_MODES = {
    "reversible": "reversible",
    "expert": "expert",
    "fixed_accuracy": "accuracy",
    "fixed_rate": "rate",
    "fixed_precision": "precision",
}


def encode(array: AnyArray, mode: str, parameters: tuple[int | float, ...]) -> bytes:
    """Return the stream of an array of one to four axes, without a header.

    Raises
    ------
    CodecError
        The library is not there, or refuses the array or the parameters.
    """
    whole = with_header(array, mode, parameters)
    bits = int.from_bytes(whole, "little")
    width = _header_bits(bits)
    size = _rate_size(bits, array.shape)
    if size is None:  # the last word may be there for the header's sake only, which nothing tells
        size = -(-(8 * len(whole) - width) // _WORD) * _WORD // 8
    return (bits >> width).to_bytes(size, "little")


def decode(
    data: Buffer, shape: tuple[int, ...], dtype: np.dtype[Any], mode: str, parameters: tuple[int | float, ...]
) -> AnyArray:
    """Return the array of a stream without a header.

    Raises
    ------
    CodecError
        The stream ends before the array does.
    """
    header, width = _header(mode, parameters, len(shape), dtype)
    size = _rate_size(header, shape)
    if size is not None and len(data) != size:
        raise CodecError(f"expected {size} bytes, found {len(data)}", codec="zfp")
    # The library does not look where its input ends: what it reads there must be memory of ours, and must
    # not matter.
    most = 2 * prod(shape) * dtype.itemsize + _BEYOND
    found = _decoded(_joined(header, width, data, b"\0" * most), shape=shape, dtype=dtype)
    if size is None:
        other = _decoded(_joined(header, width, data, b"\xff" * most), shape=shape, dtype=dtype)
        _check_same(found, other, data)
    return found


def decode_whole(data: Buffer, size: int) -> AnyArray:
    """Return the array of a stream with a full header, of which `size` bytes are expected.

    Raises
    ------
    CodecError
        The stream ends before the array does.
    """
    most = 2 * size + _BEYOND
    found = _decoded(b"".join((data, b"\0" * most)))
    _check_same(found, _decoded(b"".join((data, b"\xff" * most))), data)
    return found


def _check_same(found: AnyArray, other: AnyArray, data: Buffer) -> None:
    """Check that nothing was read of what stands behind a stream."""
    if found.tobytes() != other.tobytes():
        raise CodecError(f"truncated: found {len(data)} bytes", codec="zfp")


def _joined(header: int, width: int, data: Buffer, beyond: bytes) -> bytes:
    """Return a stream with its header before it, and bytes after it for a library that reads on."""
    bits = int.from_bytes(b"".join((data, beyond)), "little") << width | header
    return bits.to_bytes(len(data) + len(beyond) + -(-width // 8), "little")


def with_header(
    array: AnyArray, mode: str, parameters: tuple[int | float, ...], *, full: bool = False
) -> bytes:
    """Return a stream with its header: the mode, and where it is `full` the type and shape."""
    library = _library()
    level: Any = parameters[0] if len(parameters) == 1 else parameters or None
    options = {"mode": _LIBRARY_MODES[mode], "header": full}
    try:
        try:
            return bytes(library.zfp_encode(array, level, **options))
        except OverflowError:  # some versions take the last of four for unsigned
            level = (*parameters[:-1], int(parameters[-1]) % 2**32)
            return bytes(library.zfp_encode(array, level, **options))
    except (library.ZfpError, ValueError, OverflowError, TypeError) as error:
        raise CodecError(str(error), codec="zfp") from error


def _decoded(stream: bytes, **options: Any) -> AnyArray:
    library = _library()
    try:
        found = library.zfp_decode(stream, **options)
    except (library.ZfpError, ValueError) as error:
        raise CodecError(str(error), codec="zfp") from error
    return np.asarray(found)


@lru_cache(256)
def _header(
    mode: str, parameters: tuple[int | float, ...], ndim: int, dtype: np.dtype[Any]
) -> tuple[int, int]:
    """Return the header of streams of a mode, and its number of bits, as the library makes it."""
    bits = int.from_bytes(with_header(np.zeros((1,) * ndim, dtype), mode, parameters), "little")
    width = _header_bits(bits)
    return bits & (1 << width) - 1, width


def _header_bits(bits: int) -> int:
    is_long = bits >> _MAGIC_BITS & _LONG == _LONG
    return _MAGIC_BITS + (_LONG_BITS if is_long else _SHORT_BITS)


def _rate_size(bits: int, shape: tuple[int, ...]) -> int | None:
    """Return the bytes of a stream whose blocks have all the same size; None where they have not."""
    short = bits >> _MAGIC_BITS & _LONG
    if short < _SHORT_RATE:
        block = short + 1
    else:
        low, high = bits >> 44 & 2**15 - 1, bits >> 59 & 2**15 - 1
        if short != _LONG or low != high:
            return None
        block = high + 1
    total: int = prod(-(-length // 4) for length in shape) * block
    return -(-total // _WORD) * _WORD // 8


@cache
def _library() -> Any:
    try:
        return import_module("imagecodecs")
    except ImportError as error:
        message = "zfp needs the package imagecodecs, which belongs to the extra 'zfp'"
        raise CodecError(f"{message} (pip install 'omnizarr[zfp]')", codec="zfp") from error
