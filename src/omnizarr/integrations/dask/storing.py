"""dask arrays stored in arrays that exist.

https://docs.dask.org/en/stable/generated/dask.array.store.html
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isnan
from typing import Any

from omnizarr.errors import SelectionError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.arrays.dask_blocks import dask_array
from omnizarr.hierarchy.open import open_array
from omnizarr.hierarchy.opening.locate import was_opened_for
from omnizarr.integrations.dask.conflicts import check_conflicts
from omnizarr.integrations.dask.placing import Placed, Target, placed
from omnizarr.integrations.dask.running import check_results, run


def store(
    arrays: Any,
    targets: Any,
    *,
    regions: Any = None,
    compute: bool = True,
    return_stored: bool = False,
    safe_chunks: bool = True,
    align_chunks: bool = False,
    storage_options: Mapping[str, Any] | None = None,
    **kwargs: Any,
) -> Any:
    """Store dask arrays in arrays that exist; all is checked before anything is written.

    Parameters
    ----------
    arrays
        A dask array, or several.
    targets
        For each an array of omnizarr, or the place of one: what `omnizarr.open_array` takes. What was opened
        here is closed when all is stored.
    regions
        The part of the target that a dask array goes to, a tuple of slices and numbers; or a list of these.
    compute
        False: nothing is written before what is returned is computed.
    return_stored
        Return what was stored as dask arrays of the same blocks, which read it again.
    safe_chunks
        Refuse tasks of which two would write one stored chunk or shard. Where False, each of them changes
        its part of the chunk by `Store.update`, which no other writer of it can come between; where a store
        cannot promise that among processes (docs/storage), nor can this.
    align_chunks
        Rechunk the dask arrays first, so that their blocks end where stored chunks do.
    storage_options
        Options of the stores of targets that are places.
    **kwargs
        For `dask.compute`, such as `scheduler`.

    Returns
    -------
    None, with `compute=False` a `dask.delayed.Delayed`; with `return_stored` a dask array, or a tuple of
    them where several were given.

    Raises
    ------
    SelectionError
        A dask array does not fit its target, or two tasks would write one chunk; also a ValueError.
    ReadOnlyError
        A target was opened for reading.
    NodeNotFoundError, NodeTypeError, StoreNotFoundError
        There is no array at a place.
    ValueError, TypeError
        There are not as many targets or regions as arrays, or what is given is something else.
    """
    is_one = isinstance(arrays, dask_array().Array)
    sources = checked_sources([arrays] if is_one else arrays)
    places = [targets] if is_one else list(targets)
    if len(places) != len(sources):
        raise ValueError(f"expected a target for each of {len(sources)} dask arrays, found {len(places)}")
    parts = _regions(regions, len(sources))
    is_opened = any(map(was_opened_for, places))
    check_results(is_opened=is_opened, compute=compute, return_stored=return_stored)
    opened: list[Target] = []
    try:
        for place in places:
            opened.append(_opened(place, storage_options))
        wanted = [placed(*each) for each in zip(sources, opened, parts, strict=True)]
        fitting = fitted(wanted, safe_chunks=safe_chunks, align_chunks=align_chunks)
    except BaseException:
        for target in opened:
            target.close()
        raise
    stored = run(fitting, compute=compute, return_stored=return_stored, **kwargs)
    return stored[0] if return_stored and is_one else stored


def checked_sources(arrays: Iterable[Any]) -> list[Any]:
    """Return dask arrays as a list.

    Raises
    ------
    TypeError
        One is something else.
    SelectionError
        The sizes of its blocks are not known.
    """
    sources = list(arrays)
    for source in sources:
        if not isinstance(source, dask_array().Array):
            raise TypeError(f"expected dask arrays, found {type(source).__name__}")
        if any(isnan(length) for length in source.shape):
            raise SelectionError(
                "the sizes of a dask array's blocks are unknown: call compute_chunk_sizes() first"
            )
    return sources


def _regions(regions: Any, count: int) -> list[Any]:
    if not isinstance(regions, list):
        return [regions] * count
    if len(regions) != count:
        raise ValueError(f"expected a region for each of {count} dask arrays, found {len(regions)}")
    return regions


def _opened(place: Any, storage_options: Mapping[str, Any] | None) -> Target:
    if isinstance(place, Array):
        return Target(place)
    array = open_array(place, mode="r+", storage_options=storage_options)
    if not was_opened_for(place):
        return Target(array)
    return Target(array, lambda: open_array(place, mode="r", storage_options=storage_options))


def fitted(wanted: Iterable[Placed], *, safe_chunks: bool, align_chunks: bool) -> list[Placed]:
    """Return what can be stored as it is: aligned where that is asked for, and checked as `store` does."""
    found = [each.aligned() if align_chunks else each for each in wanted]
    if safe_chunks:
        check_conflicts(found)
    for each in found:
        each.target.array.store.require_writable(each.target.array.layout.prefix or None)
    return found
