"""Scratch memory: one buffer a thread, used again from chunk to chunk."""

from __future__ import annotations

import threading
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Larger buffers are not kept: the memory would be lost to the rest of the program.
_KEPT = 64 * 2**20

_local = threading.local()


def scratch(shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return an array of fixed-size elements with arbitrary contents.

    It is valid until this thread asks again. A fresh 16 MB array costs 4 ms of page faults on
    first touch, one that was used before costs none.
    """
    nbytes = prod(shape) * dtype.itemsize
    buffer: NDArray[np.uint8] | None = getattr(_local, "buffer", None)
    if buffer is None or buffer.nbytes < nbytes:
        buffer = np.empty(nbytes, np.uint8)
        if nbytes <= _KEPT:
            _local.buffer = buffer
    return np.ndarray(shape, dtype, buffer=buffer.data)
