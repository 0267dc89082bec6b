"""Arrays as dask arrays: each block is read by one call of the engine.

https://docs.dask.org/en/stable/array-creation.html
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from omnizarr.hierarchy.arrays.dask_blocks import blocks_of, dask_array
from omnizarr.hierarchy.arrays.values import as_array

if TYPE_CHECKING:
    from omnizarr.hierarchy.array import Array


class BlockAccess:
    """An array as tasks of dask see it: what is read of it is always an array, of its type.

    Pickled, it is the handle: where the array lies, and no data.
    """

    __slots__ = ("array",)

    def __init__(self, array: Array) -> None:
        self.array = array

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis."""
        return self.array.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.array.ndim

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy type of the elements."""
        return self.array.dtype

    def __getitem__(self, selection: Any) -> NDArray[Any]:
        return as_array(self.array[selection], self.array.dtype)

    def __dask_tokenize__(self) -> object:
        return self.array.__dask_tokenize__()


def to_dask(array: Array, chunks: Any, name: str | bool | None, inline_array: bool, meta: Any) -> Any:
    """Return a dask array; parameters and errors as in `Array.to_dask`."""
    dask = dask_array()
    blocks = blocks_of(array, chunks)
    if not isinstance(name, str):
        from dask.base import tokenize

        name = f"omnizarr-{uuid.uuid4().hex if name is False else tokenize(array, blocks, inline_array)}"
    if meta is None:
        meta = np.empty((0,) * array.ndim, array.dtype)
    # Without a lock: arrays are safe to read from many threads.
    return dask.from_array(BlockAccess(array), chunks=blocks, name=name, meta=meta, inline_array=inline_array)
