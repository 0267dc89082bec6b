"""Shapes and chunks, and the part of an array that is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Layout:
    """A shape, and for each axis the length of its chunks, or of each of them."""

    shape: tuple[int, ...]
    chunks: tuple[int | tuple[int, ...], ...]

    @property
    def is_regular(self) -> bool:
        """Whether all chunks are of one shape."""
        return all(isinstance(length, int) for length in self.chunks)

    def document(self) -> Any:
        """Return `chunk_grid`."""
        if self.is_regular:
            return {"name": "regular", "configuration": {"chunk_shape": list(self.chunks)}}
        shapes = [length if isinstance(length, int) else list(length) for length in self.chunks]
        return {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": shapes}}


# The first has chunks that are long enough for blosc to compress them: of 128 bytes at least.
LAYOUTS = {
    "edges": Layout((37, 21), (16, 12)),
    "3-d": Layout((5, 4, 3), (2, 4, 2)),
    "1-d": Layout((11,), (4,)),
    "0-d": Layout((), ()),
    "empty": Layout((0, 4), (2, 4)),
    "larger chunk": Layout((3,), (8,)),
    "whole chunks": Layout((4, 12), (2, 6)),
    "rectilinear": Layout((7, 6), ((1, 4, 2), 4)),
}

Region = tuple[slice, ...]


def region(layout: Layout, written: str) -> Region | None:
    """Return what is written: all of it, a part that ends within chunks, or nothing."""
    if written == "none":
        return None
    if written == "all" or 0 in layout.shape:
        return tuple(slice(0, length) for length in layout.shape)
    return tuple(slice(length // 3, max(1, length - length // 3)) for length in layout.shape)
