"""Memory seen as bytes."""

from __future__ import annotations

import numpy as np

from omnizarr.codecs.base import AnyArray
from omnizarr.errors import CodecError
from omnizarr.store.base import Buffer

FIRST_PIECE = 512
"""Bytes that a stream gets at first, then more and more: it copies what is left, and many may be short."""


def memory_of(array: AnyArray) -> memoryview:
    """Return the bytes of a C-contiguous array, without copying; writable where the array is."""
    if array.nbytes == 0:
        return memoryview(b"")
    return array.reshape(-1).view(np.uint8).data  # a view first: memoryviews refuse some dtypes


def check_limit(size: int, limit: int, codec: str) -> None:
    """Refuse bytes that promise, or turned out, to be more than there may be."""
    if size > limit:
        raise CodecError(f"expected at most {limit} bytes decoded, found {size}", codec=codec)


def filled(out: memoryview | None, data: Buffer) -> Buffer:
    """Copy decoded bytes into `out` where they fill it exactly; else return them as they are."""
    if out is None or len(out) != len(data):
        return data
    out[:] = data
    return out
