"""Writing the elements of one array-like into an array, in blocks where it is not in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from omnizarr.errors import SelectionError
from omnizarr.geometry.grid import Axis
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.copying.rechunk import GOOD_BLOCK, plan_blocks
from omnizarr.hierarchy.creating.chunking import chosen_grid


def fill_from(array: Array, data: Any) -> None:
    """Write all elements of `data`, which has the array's shape.

    What is sliced lazily (arrays of other stores, dask's) is read in blocks of whole target chunks, each
    about as large as is useful, so that memory stays bounded.

    Raises
    ------
    SelectionError
        The shapes differ.
    """
    if tuple(data.shape) != array.shape:
        raise SelectionError(f"data: expected the shape {array.shape}, found {tuple(data.shape)}")
    if isinstance(data, np.ndarray) or not array.shape:
        array[...] = data if isinstance(data, np.ndarray) else np.asarray(data[()])
        return
    target = array.layout.axes
    source = _axes_of(data) or target
    for place, _ in plan_blocks(source, target, max(array.dtype.itemsize, 1), GOOD_BLOCK):
        array[place] = np.asarray(data[place])


def _axes_of(data: Any) -> Sequence[Axis] | None:
    """Return how another array is cut, or None where it does not say."""
    if isinstance(data, Array):
        return data.layout.axes
    chunks = getattr(data, "chunks", None)
    if not isinstance(chunks, tuple):
        return None
    try:
        return chosen_grid(chunks, tuple(data.shape), 1).axes(tuple(data.shape))
    except (ValueError, TypeError):
        return None
