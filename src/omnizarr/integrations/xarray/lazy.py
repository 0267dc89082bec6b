"""Arrays in stores as xarray reads them: lazily, each selection by one call of the engine.

https://docs.xarray.dev/en/stable/internals/how-to-add-new-backend.html
"""

from __future__ import annotations

import asyncio
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xarray.backends import BackendArray
from xarray.core import indexing

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.arrays.values import as_array
from omnizarr.integrations.xarray.coders import vlen_dtype
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.netcdf.model.types import NcType
from omnizarr.netcdf.values.storage import from_storage, shown_dtype

AnyArray: TypeAlias = NDArray[Any]

_TEXTS: dict[str, type] = {
    "string": str,
    "variable_length_utf8": str,
    "bytes": bytes,
    "variable_length_bytes": bytes,
}


class LazyArray(BackendArray):
    """The values of a variable as they are stored, neither masked nor scaled.

    Safe to use from many threads; pickled, it is where the array lies, and holds no data.

    Parameters
    ----------
    array
        What holds the values; of a scalar it may have an axis, of length one.
    kind
        netCDF's type, where values are to be shown as that; None for those of the array.
    is_scalar
        Whether the variable has no dimensions, whatever the array has.
    """

    __slots__ = ("_array", "_is_scalar", "_kind", "dtype", "shape")

    def __init__(self, array: Array, kind: NcType | None = None, *, is_scalar: bool = False) -> None:
        self._array = array
        self._kind = kind
        self._is_scalar = is_scalar
        self.shape = () if is_scalar else array.shape
        self.dtype = dtype_of(array.metadata, kind)

    def __getitem__(self, key: indexing.ExplicitIndexer) -> AnyArray:
        """Return the values of an indexer."""
        read = self._read_points if isinstance(key, indexing.VectorizedIndexer) else self._read
        found = indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.VECTORIZED, read)
        return np.asarray(found)

    async def async_getitem(self, key: indexing.ExplicitIndexer) -> AnyArray:
        """Return the values of an indexer, read in another thread."""
        return await asyncio.to_thread(self.__getitem__, key)

    def _read(self, key: tuple[Any, ...]) -> AnyArray:
        """Read what each axis selects by itself: numbers, slices with any step, index arrays."""
        array = self._array
        if self._is_scalar:
            return self._shown(array[...], ()).reshape(())
        arrays = any(isinstance(item, np.ndarray) for item in key)
        return self._shown(array.oindex[key] if arrays else array[key])

    def _read_points(self, key: tuple[Any, ...]) -> AnyArray:
        """Read points; axes that go along whole, as xarray spells slices out, are read as slices."""
        plain = as_slices(key)
        if plain is None:
            return self._shown(self._array.vindex[key])
        selection, order = plain
        return self._shown(self._array[selection]).transpose(order)

    def _shown(self, values: Any, shape: tuple[int, ...] | None = None) -> AnyArray:
        found = as_array(values, self._array.dtype)
        found = found if shape is None else found.reshape(shape)
        return found if self._kind is None else from_storage(self._kind, found)


def dtype_of(metadata: ArrayMetadata, kind: NcType | None) -> np.dtype[Any]:
    """Return the type in which xarray sees an array's values; texts say that they are."""
    stored = metadata.data_type.dtype
    dtype = stored if kind is None else shown_dtype(kind, stored)
    if dtype.kind != "O":
        return dtype
    text = str if kind is not None and str(kind) == "string" else _TEXTS.get(metadata.data_type.name)
    return dtype if text is None else vlen_dtype(text)


def as_slices(key: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[int, ...]] | None:
    """Return a vectorized key with slices where its arrays are ranges along axes of their own.

    xarray writes `isel(x=points, y=points)` of (time, x, y) as arrays of (time, points): the product of both,
    where the engine needs the points and a slice. Also returned is the order of axes by which numpy's
    result is transposed. None where nothing is a range.
    """
    arrays = [np.asarray(item) for item in key]
    ndim = max((array.ndim for array in arrays), default=0)
    wide = [array.reshape((1,) * (ndim - array.ndim) + array.shape) for array in arrays]
    found: dict[int, tuple[int, slice]] = {}
    for place, array in enumerate(wide):
        axis = _own_axis(place, wide)
        if axis is not None and (part := _as_range(array.ravel())) is not None:
            found[place] = (axis, part)
    if not found:
        return None
    taken = [axis for axis, _ in found.values()]
    left = [axis for axis in range(ndim) if axis not in taken]
    selection: list[Any] = [
        found[place][1] if place in found else array.squeeze(axis=tuple(taken))
        for place, array in enumerate(wide)
    ]
    return tuple(selection), _order(found, len(selection), left)


def _own_axis(place: int, wide: list[AnyArray]) -> int | None:
    """Return the one axis along which an array varies and no other does."""
    long = [axis for axis, length in enumerate(wide[place].shape) if length != 1]
    if len(long) != 1:
        return None
    alone = all(other.shape[long[0]] == 1 for at, other in enumerate(wide) if at != place)
    return long[0] if alone else None


def _as_range(indices: AnyArray) -> slice | None:
    """Return an ascending range as a slice."""
    if indices.size < 2 or indices[0] < 0:
        return None
    step = int(indices[1] - indices[0])
    if step < 1 or not bool(np.all(np.diff(indices) == step)):
        return None
    return slice(int(indices[0]), int(indices[-1]) + 1, step)


def _order(found: dict[int, tuple[int, slice]], count: int, left: list[int]) -> tuple[int, ...]:
    """Return for each axis of xarray's result the axis of numpy's."""
    arrays = [place for place in range(count) if place not in found]
    sliced = [found[place][0] for place in sorted(found)]
    if not arrays:
        axes = sliced
    elif arrays[-1] - arrays[0] + 1 == len(arrays):  # next to each other: they stand where they stood
        before = [found[place][0] for place in sorted(found) if place < arrays[0]]
        axes = [*before, *left, *sliced[len(before) :]]
    else:
        axes = [*left, *sliced]
    return tuple(axes.index(axis) for axis in range(len(axes)))
