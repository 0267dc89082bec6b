"""What a picture costs: the bytes of all chunks that hold a point of it, decoded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from omnizarr.engine.layout import Layout
from omnizarr.errors import OmniZarrError
from omnizarr.geometry.grid import Axis, RegularAxis
from omnizarr.geometry.plan import plan
from omnizarr.geometry.region import Region
from omnizarr.hierarchy.info import human_bytes

# Asking for a chunk costs something, however small it is.
_LEAST_BYTES = 4096


class PictureTooLarge(OmniZarrError, ValueError):
    """A picture for which too much would have to be decoded.

    Attributes
    ----------
    needed, allowed
        Bytes of the chunks that hold a point of it, and how many there may be.
    window
        Start and stop along each shown axis, by number, of a window that would do.
    """

    def __init__(self, needed: int, allowed: int, window: Mapping[int, tuple[int, int]]) -> None:
        lengths = " x ".join(str(stop - start) for start, stop in window.values())
        hint = f"zoom in to {lengths} elements at most" if window else "one element is more already"
        super().__init__(
            f"the chunks of this picture are {human_bytes(needed)} when decoded, "
            f"and {human_bytes(allowed)} are allowed: {hint}, or show fewer points"
        )
        self.needed, self.allowed, self.window = needed, allowed, window


def cost_of(layout: Layout, selection: Sequence[slice]) -> int:
    """Return the bytes of all chunks that a selection touches, decoded; of shards, of the inner chunks.

    A chunk counts as 4 KiB at least.
    """
    inner = _inner_shapes(layout)
    touched = [
        _along(taken, axis, tuple(shape[number] for shape in inner))
        for number, (taken, axis) in enumerate(zip(selection, layout.axes, strict=True))
    ]
    chunks = prod(count for count, _ in touched)
    decoded = max(
        prod(extent for _, extent in touched) * layout.chain.spec.dtype.itemsize, chunks * _LEAST_BYTES
    )
    if not _is_raw(layout):
        return decoded
    # Of chunks that are plain memory no more is read than is wanted, or little more.
    points = prod(len(range(taken.start, taken.stop, taken.step)) for taken in selection)
    return min(decoded, points * _LEAST_BYTES)


def _is_raw(layout: Layout) -> bool:
    chain = layout.chain
    while chain.shards is not None:
        chain = chain.shards.inner
    return chain.is_raw


def _inner_shapes(layout: Layout) -> list[tuple[int, ...]]:
    """Return the shapes of chunks within shards, the outermost first."""
    found, chain = [], layout.chain
    while chain.shards is not None:
        chain = chain.shards.inner
        found.append(chain.spec.shape)
    return found


def _along(taken: slice, axis: Axis, inner: tuple[int, ...]) -> tuple[int, int]:
    """Return how many chunks a slice touches along an axis, and how long they are together."""
    [planned] = plan(Region((taken,)), (axis,)).axes
    if not inner:
        return len(planned.chunks), sum(map(axis.extent, planned.chunks))
    count = length = 0
    for chunk, within in zip(planned.chunks, planned.inner, strict=True):
        assert isinstance(within, slice)
        more, longer = _along(within, RegularAxis(axis.extent(chunk), inner[0]), inner[1:])
        count, length = count + more, length + longer
    return count, length
