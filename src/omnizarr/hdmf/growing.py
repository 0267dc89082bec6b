"""Adding elements to the end of a dataset, which becomes wider where they do not fit.

Elements come first, then the shape that shows them. A dataset is made wider under other chunk keys, where its
format has others (Zarr v3): until its document is replaced, by one write, it is what it was.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from omnizarr.errors import ConversionError, SelectionError
from omnizarr.hdmf.dtypes import ElementType, Numbers, Records
from omnizarr.hdmf.layout import element_of, layout_of
from omnizarr.hdmf.objects import as_array, widths_of, write_values
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.arrays.resize import appended, stored_chunks
from omnizarr.jsontypes import shown
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.chunk_keys import ChunkKeyEncoding, ChunkKeys
from omnizarr.metadata.dtype_numpy import from_numpy
from omnizarr.metadata.extension import Extension

_KEYS = (ChunkKeys(), ChunkKeys("default", "."), ChunkKeys("v2", "."), ChunkKeys("v2", "/"))


def append_values(array: Array, values: Any) -> list[str]:
    """Store elements at the end of the first axis, given as `read_values` returns them.

    Returns
    -------
    list of str
        The keys of chunks that belong to the array no longer, as it was made wider. Whoever still has its old
        metadata, as consolidated ones are, reads them; they may be removed when these are gone.

    Raises
    ------
    ConversionError
        A value is not of the dataset's type. Nothing was changed.
    SelectionError
        The dataset is one value, or has rows of another shape. Nothing was changed.
    """
    if not array.ndim:
        raise SelectionError(f"{array.store_path} is a scalar, to which nothing can be appended")
    element = element_of(array.metadata)
    items = _exact(values, element, array)
    shape, start = appended(array.shape, items.shape, 0)
    left = _make_room(array, items, element)
    write_values(array.as_long_as(shape), items, slice(start, None))
    array.resize(shape)
    return left


def replace_values(array: Array, values: Any, start: int) -> list[str]:
    """Store elements in place of those from `start` on; errors and result are those of `append_values`."""
    element = element_of(array.metadata)
    items = _exact(values, element, array)
    left = _make_room(array, items, element)
    write_values(array, items, slice(start, start + len(items)))
    return left


def widen(array: Array, dtype: np.dtype[Any]) -> list[str]:
    """Make a dataset hold what an array of `dtype` can; return the keys that are left, as `append_values`.

    On Zarr v3 the dataset is the old or the new one at any time. Chunks on Zarr v2 have one name only: one
    that is not of the size that the metadata say is an error to whoever reads it meanwhile.
    """
    if np.can_cast(dtype, array.dtype, "safe"):
        return []
    wider = np.promote_types(array.dtype, dtype)
    if wider.kind != array.dtype.kind:
        raise ConversionError(f"{array.store_path}: {array.dtype} cannot hold {dtype}")
    old = array.metadata
    made = replace(
        old,
        data_type=from_numpy(wider.newbyteorder("=") if array.zarr_format != 2 else wider),
        fill_value=None if old.fill_value is None else np.asarray(old.fill_value).astype(wider)[()],
        chunk_keys=_vacant_keys(array),
        codecs=tuple(map(_with_endian, old.codecs)) if array.zarr_format != 2 else old.codecs,
    )
    target = Array(array.store, array.format, array.path, made)
    for place, block in array.iter_blocks():
        target[place] = block.astype(wider)
    left = [] if made.chunk_keys == old.chunk_keys else [key for key, _ in stored_chunks(array.layout)]
    _show(array, made)
    return left


def _show(array: Array, made: ArrayMetadata) -> None:
    array._replace_metadata(
        lambda found: replace(
            found,
            data_type=made.data_type,
            fill_value=made.fill_value,
            chunk_keys=made.chunk_keys,
            codecs=made.codecs,
        )
    )
    layout = layout_of(array.zarr_format)
    stated = layout.type_attributes(element_of(made))
    if isinstance(element_of(made), Numbers) and layout.type in array.metadata.attributes:
        array.attrs.update(stated)


def _with_endian(codec: Extension) -> Extension:
    """Return a codec as elements of several bytes need it."""
    is_open = codec.name == "bytes" and "endian" not in codec.configuration
    return replace(codec, configuration={**codec.configuration, "endian": "little"}) if is_open else codec


def _vacant_keys(array: Array) -> ChunkKeyEncoding:
    """Return an encoding of chunk keys by which nothing is stored; on Zarr v2 there is one only."""
    old = array.metadata.chunk_keys
    if array.zarr_format == 2:
        return old
    for keys in _KEYS:
        layout = Array(array.store, array.format, array.path, replace(array.metadata, chunk_keys=keys)).layout
        if keys != old and not list(islice(stored_chunks(layout), 1)):
            return keys
    raise ConversionError(f"{array.store_path}: what interrupted writers left has to be removed first")


def _make_room(array: Array, items: NDArray[Any], element: ElementType) -> list[str]:
    """Make text and references in records longer, where they are of a fixed length."""
    old = array.dtype
    if old.names is None or not isinstance(element, Records) or element.is_plain:
        return []
    widths = widths_of(items, element)
    wanted = [(name, f"U{widths[name]}" if name in widths else old[name]) for name in old.names]
    return widen(array, np.dtype(wanted))


def _exact(values: Any, element: ElementType, array: Array) -> NDArray[Any]:
    """Return values as an array of the dataset's type, which holds them as they are."""
    if not isinstance(element, Numbers):
        return as_array(values, element)
    given = np.asarray(values)
    if given.size and given.dtype.kind not in "biufc":
        raise ConversionError(f"{array.store_path}: expected numbers, found {shown(given.flat[0])}")
    with np.errstate(all="ignore"):
        made = (given.real if element.dtype.kind != "c" else given).astype(element.dtype)
    kept = np.isfinite(made) == np.isfinite(given) if element.dtype.kind in "fc" else made == given
    kept &= (given.imag == 0) | (element.dtype.kind == "c")
    if not np.all(kept):
        lost = given[~kept].flat[0]
        raise ConversionError(f"{array.store_path}: {lost} is no value of {element.dtype}")
    return made
