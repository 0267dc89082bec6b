"""Arrays to a store and back in one call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.create import array, group
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.open import open as open_node
from omnizarr.hierarchy.opening.locate import locate, was_opened_for, wishes_of
from omnizarr.store.base import Store
from omnizarr.store.urls.open import Mode


def save(store: Any, *args: Any, path: str | None = None, **arguments: Any) -> None:
    """Save one array at a place, or several in a group, in place of what is there.

    Parameters
    ----------
    *args
        The arrays. One alone is saved at the place itself; several as `arr_0`, `arr_1` and so on.
    **arguments
        Arrays to save under their names; `zarr_format` and `storage_options` as in `create_array`.
    """
    named = set(arguments) - {"zarr_format", "storage_options"}
    if len(args) == 1 and not named:
        save_array(store, args[0], path=path, **arguments)
    else:
        save_group(store, *args, path=path, **arguments)


def save_array(
    store: Any,
    arr: Any,
    *,
    path: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
    **arguments: Any,
) -> None:
    """Save one array, in place of what is there; other parameters as in `create_array`."""
    arguments["zarr_format"] = wishes_of(store, arguments.get("zarr_format")).zarr_format
    with _opened(store, path, "a", storage_options) as (place, path):
        array(arr, store=place, path=path, **{"overwrite": True, **arguments})


def save_group(
    store: Any,
    *args: Any,
    path: str | None = None,
    zarr_format: int | str | None = None,
    storage_options: Mapping[str, Any] | None = None,
    **arrays: Any,
) -> None:
    """Save several arrays in a group: `arr_0`, `arr_1` and so on, and others under their names.

    Raises
    ------
    ValueError
        There is no array, or a name is given twice.
    """
    named = {f"arr_{i}": values for i, values in enumerate(args)}
    twice = named.keys() & arrays.keys()
    if twice or not (named or arrays):
        raise ValueError(f"expected arrays, each of its own name, found {sorted(twice) or 'none'}")
    zarr_format = wishes_of(store, zarr_format).zarr_format
    with _opened(store, path, "a", storage_options) as (place, path):
        top = group(place, path=path, zarr_format=zarr_format)
        for name, values in (named | arrays).items():
            array(values, store=top, path=name, overwrite=True)


def load(
    store: Any,
    path: str | None = None,
    zarr_format: int | str | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> NDArray[Any] | dict[str, NDArray[Any]]:
    """Return an array in memory, or the arrays of a group by name: what `save` wrote.

    Raises
    ------
    NodeNotFoundError, StoreNotFoundError
        There is nothing.
    """
    zarr_format = wishes_of(store, zarr_format).zarr_format
    with _opened(store, path, "r", storage_options) as (place, path):
        node = open_node(place, mode="r", path=path, zarr_format=zarr_format)
        if isinstance(node, Array):
            return np.asarray(node)
        return {name: np.asarray(child) for name, child in node.arrays()}


@contextmanager
def _opened(
    target: Any, path: str | None, mode: Mode, storage_options: Mapping[str, Any] | None
) -> Iterator[tuple[Store | Node, str | None]]:
    """Open a store for one call; one that the caller has opened stays open."""
    if not was_opened_for(target):
        yield target, path
        return
    store, path = locate(target, path, mode, storage_options)
    with store:
        yield store, path
