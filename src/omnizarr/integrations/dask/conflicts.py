"""Chunks and shards that two tasks would write, found before anything is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import prod

from omnizarr.errors import SelectionError
from omnizarr.geometry.blocks import meet, shared_chunk, touched_chunks
from omnizarr.hierarchy.array import Array
from omnizarr.integrations.dask.placing import Placed

_WAYS_OUT = (
    "rechunk the dask array, give align_chunks=True, or safe_chunks=False where the store can change a part "
    "of a value"
)


def check_conflicts(all_placed: Sequence[Placed]) -> None:
    """Check that no stored chunk, or shard, is written by two tasks.

    Raises
    ------
    SelectionError
        One is; it is the first of its dask array, and named with what writes it.
    """
    for each in all_placed:
        _check_blocks(each)
    by_target: dict[tuple[str, str], list[Placed]] = defaultdict(list)
    for each in all_placed:
        if prod(each.source.shape):
            by_target[each.target.array.store.identity, each.target.array.path].append(each)
    for rivals in by_target.values():
        _check_rivals(rivals)


def _check_blocks(placed: Placed) -> None:
    """Check the blocks of one dask array among themselves."""
    if not prod(placed.source.shape):
        return
    for number, (sizes, (axis_number, axis, part)) in enumerate(zip(placed.blocks, placed.axes, strict=True)):
        found = shared_chunk(sizes, axis, part)
        if found is not None:
            coords = [touched[0] for touched in _touched(placed)]
            coords[axis_number] = found.chunk
            blocks = f"{_shown(found.before)} and {_shown(found.after)} of its axis {number}"
            raise _refusal(placed.target.array, coords, f"two blocks of a dask array: {blocks}")


def _check_rivals(rivals: Sequence[Placed]) -> None:
    """Check the dask arrays that go to one array among each other."""
    touched = [_touched(each) for each in rivals]
    for first, second in combinations(range(len(rivals)), 2):
        met = [meet(one, other) for one, other in zip(touched[first], touched[second], strict=True)]
        coords = [chunk for chunk in met if chunk is not None]
        if len(coords) == len(met):
            raise _refusal(rivals[first].target.array, coords, "two dask arrays that are stored in it")


def _touched(placed: Placed) -> list[Sequence[int]]:
    """Return the numbers of the stored chunks that are written, along each axis."""
    axes = placed.target.array.layout.axes
    return [
        touched_chunks(axis, range(part, part + 1) if isinstance(part, int) else part)
        for axis, part in zip(axes, placed.place, strict=True)
    ]


def _refusal(target: Array, coords: Iterable[int], writers: str) -> SelectionError:
    place = tuple(coords)
    spans = [axis.span(chunk) for axis, chunk in zip(target.layout.axes, place, strict=True)]
    kind = "shard" if target.shards else "chunk"
    where = ", ".join(map(_shown, spans))
    message = f"{kind} {place} of {target.store_path}, which holds [{where}], would be written by {writers}"
    return SelectionError(f"{message}; {_WAYS_OUT}")


def _shown(part: slice) -> str:
    return f"{part.start}:{part.stop}"
