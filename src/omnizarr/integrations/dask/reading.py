"""Arrays at any place as dask arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.open import open_array


def from_array(
    array: Any,
    chunks: Any = None,
    *,
    path: str | None = None,
    zarr_format: int | str | None = None,
    storage_options: Mapping[str, Any] | None = None,
    name: str | bool | None = None,
    inline_array: bool = False,
    meta: Any = None,
) -> Any:
    """Return a `dask.array.Array` of an array; nothing but its metadata is read.

    Parameters
    ----------
    array
        An array of omnizarr, or the place of one: what `omnizarr.open_array` takes.
    path, zarr_format, storage_options
        As `omnizarr.open_array` has them.
    chunks, name, inline_array, meta
        As `Array.to_dask` has them.

    Raises
    ------
    NodeNotFoundError, NodeTypeError, StoreNotFoundError
        There is no array.
    ValueError
        The chunks do not fit the array.
    ImportError
        dask is not installed: the extra `dask`.
    """
    if not isinstance(array, Array) or path or zarr_format is not None:
        array = open_array(
            array, mode="r", path=path, zarr_format=zarr_format, storage_options=storage_options
        )
    return array.to_dask(chunks, name=name, inline_array=inline_array, meta=meta)
