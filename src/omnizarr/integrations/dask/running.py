"""Tasks that write blocks: run now, or later.

A task writes its block and nothing else, and doing so again changes nothing: schedulers may run one twice.
"""

from __future__ import annotations

import pickle
import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.arrays.dask import BlockAccess
from omnizarr.integrations.dask.placing import Place, Placed, Target, selection_of


def check_results(*, is_opened: bool, compute: bool, return_stored: bool) -> None:
    """Refuse what would read from targets that are closed by then; ValueError."""
    if is_opened and return_stored and not compute:
        raise ValueError(
            "return_stored without compute reads from targets later: expected arrays, not places"
        )


def run(fitting: Sequence[Placed], *, compute: bool, return_stored: bool, **kwargs: Any) -> Any:
    """Store what was checked, or return what does; then close the targets that were opened for it."""
    from dask.base import compute as compute_all
    from dask.delayed import delayed

    targets = [each.target for each in fitting]
    is_read = return_stored and not compute
    tasks = [_tasks(each, write_and_read if is_read else write_block) for each in fitting]
    if is_read:
        return tuple(tasks)
    if not compute:
        # In one list: what several dask arrays have in common is computed once.
        return delayed(_close)(tasks, [target.store_to_close for target in targets])
    try:
        compute_all(tasks, **kwargs)  # type: ignore[no-untyped-call]
    except TypeError as error:
        _check_sendable(targets, error)
        raise
    finally:
        _close(None, [target.store_to_close for target in targets])
    return tuple(map(_stored, fitting)) if return_stored else None


def _check_sendable(targets: Iterable[Target], error: TypeError) -> None:
    """Say which target could not be sent to workers; dask's own error only names the graph."""
    for target in targets:
        try:
            pickle.dumps(target.array)
        except TypeError as why:
            message = f"the tasks run in other processes, which do not reach {target.array.store_path}: {why}"
            raise TypeError(message) from error


def _close(_: object, stores: Iterable[Any]) -> None:
    for store in stores:
        if store is not None:
            store.close()


def _tasks(placed: Placed, write: Callable[..., Any]) -> Any:
    """Return a dask array of tasks, each of which writes a block.

    Their names are new: what was stored by tasks like these before may have been overwritten since.
    """
    from dask.layers import ArraySliceDep

    array = placed.target.array
    return placed.source.map_blocks(
        write,
        ArraySliceDep(placed.blocks),
        target=array,
        place=placed.place,
        name=f"omnizarr-store-{uuid.uuid4().hex}",
        dtype=array.dtype,
        meta=np.empty((0,) * placed.source.ndim, array.dtype),
    )


def write_block(values: Any, block: tuple[slice, ...], *, target: Array, place: Place) -> None:
    """Write a block to its part of the target."""
    if values.size:
        target[selection_of(place, block)] = values


def write_and_read(values: Any, block: tuple[slice, ...], *, target: Array, place: Place) -> NDArray[Any]:
    """Write a block, and return what is stored of it."""
    write_block(values, block, target=target, place=place)
    return BlockAccess(target)[selection_of(place, block)]


def _stored(placed: Placed) -> Any:
    """Return what was stored as a dask array, with the blocks by which it was."""
    array = placed.target.reopened()
    chunks = {
        number: _with_rest(part, sizes, array.shape[number])
        for sizes, (number, _, part) in zip(placed.blocks, placed.axes, strict=True)
        if part.step == 1
    }
    whole = array.to_dask(chunks, name=False)  # a new name, as values have changed
    return whole[selection_of(placed.place, [slice(0, length) for length in placed.source.shape])]


def _with_rest(part: range, sizes: Sequence[int], length: int) -> tuple[int, ...]:
    """Return blocks of a whole axis, those of a part of it among them."""
    blocks = (part.start, *sizes, length - part.start - len(part))
    return tuple(size for size in blocks if size) or (0,)
