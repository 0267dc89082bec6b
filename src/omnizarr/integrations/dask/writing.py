"""dask arrays stored in arrays that are made for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from omnizarr.errors import SelectionError
from omnizarr.geometry.grid import RegularGrid
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.arrays.dask import BlockAccess
from omnizarr.hierarchy.create import asked_format, create_array
from omnizarr.hierarchy.creating.chunking import Chunks, Shards, chosen_grid
from omnizarr.hierarchy.open import open_array
from omnizarr.hierarchy.opening.formats import place_for_new
from omnizarr.hierarchy.opening.locate import Place, locate, was_opened_for
from omnizarr.hierarchy.paths import prefix_of
from omnizarr.integrations.dask.placing import Target, placed
from omnizarr.integrations.dask.running import check_results, run
from omnizarr.integrations.dask.storing import checked_sources, fitted
from omnizarr.store.memory import MemoryStore


def write(
    array: Any,
    target: Any,
    *,
    path: str | None = None,
    chunks: Chunks = None,
    shards: Shards = None,
    zarr_format: int | str | None = None,
    overwrite: bool = False,
    compute: bool = True,
    return_stored: bool = False,
    safe_chunks: bool = True,
    align_chunks: bool = False,
    storage_options: Mapping[str, Any] | None = None,
    **arguments: Any,
) -> Any:
    """Make an array, and store a dask array in it; all is checked before anything is written.

    Parameters
    ----------
    array
        The dask array.
    target, path, zarr_format, overwrite, storage_options, **arguments
        Where and how the array is made, as in `omnizarr.create_array`. A store that is opened for it is
        closed when all is stored.
    chunks, shards
        As in `omnizarr.create_array`; None for both: the blocks of the dask array. `chunks=array.chunks` asks
        for a rectilinear grid where those are uneven (Zarr v3).
    compute, return_stored, safe_chunks, align_chunks
        As in `store`. With `compute=False` the array is made at once, and values come later.

    Returns
    -------
    As `store` for one array.

    Raises
    ------
    NodeExistsError
        There is a node already, and not `overwrite`.
    SelectionError
        The blocks of the dask array are uneven, two of them would be written to one chunk or shard, or it is
        read from what would be overwritten; also a ValueError.
    MetadataError, ValueError, TypeError
        The arguments do not fit together, or cannot be said in this format.
    """
    (source,) = checked_sources([array])
    is_opened = was_opened_for(target)
    check_results(is_opened=is_opened, compute=compute, return_stored=return_stored)
    if chunks is None:
        chunks = _blocks(source) if shards is None else "auto"
    given = {"dtype": source.dtype, **arguments, "shape": source.shape, "chunks": chunks, "shards": shards}
    where = locate(target, path, "a", storage_options)
    try:
        at = place_for_new(*where, asked_format(target, zarr_format), overwrite=overwrite)
        given["zarr_format"] = at.format.zarr_format
        if overwrite:
            _check_not_read(source, where)
        metadata = create_array(MemoryStore(), **given).metadata
        planned = placed(source, Target(Array(at.store, at.format, at.path, metadata)), None)
        (fitting,) = fitted([planned], safe_chunks=safe_chunks, align_chunks=align_chunks)
        made = create_array(where.store, path=where.path, overwrite=overwrite, **given)
    except BaseException:
        if is_opened:
            where.store.close()
        raise

    def reopen() -> Array:
        return open_array(target, mode="r", path=path, storage_options=storage_options)

    ready = placed(fitting.source, Target(made, reopen if is_opened else None), None)
    stored = run([ready], compute=compute, return_stored=return_stored)
    return stored[0] if return_stored else stored


def _blocks(source: Any) -> tuple[int, ...]:
    """Return the shape of a block, where all but the last ones have it."""
    sizes = [tuple(size for size in sizes if size) or (0,) for sizes in source.chunks]
    grid = chosen_grid(sizes, source.shape, source.dtype.itemsize)
    if not isinstance(grid, RegularGrid):
        raise SelectionError(
            f"the blocks of the dask array are uneven: {source.chunks}; rechunk it, or give chunks and "
            "align_chunks=True; chunks=array.chunks makes a rectilinear grid"
        )
    return grid.chunk_shape


def _check_not_read(source: Any, where: Place) -> None:
    """Refuse to overwrite what a dask array is yet to be read from."""
    for array in _read_arrays(source):
        same_store = array.store.identity == where.store.identity
        if same_store and f"{array.path}/".startswith(prefix_of(where.path)):
            raise SelectionError(
                f"the dask array is read from {array.store_path}, which would be overwritten"
            )


def _read_arrays(source: Any) -> Iterator[Array]:
    """Yield the arrays that tasks of a graph read, as far as they are seen from outside of tasks."""
    for layer in source.dask.layers.values():
        values = [value for value, _ in layer.indices] if hasattr(layer, "indices") else layer.values()
        for value in values:
            found = getattr(value, "value", value)  # of a node of the graph
            if isinstance(found, BlockAccess):
                yield found.array
