"""The other ways to index an array: `oindex`, `vindex` and `blocks`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


class Indexable(Protocol):
    """What the indexers need of an array."""

    def get_orthogonal_selection(self, selection: Any) -> Any: ...
    def set_orthogonal_selection(self, selection: Any, value: Any) -> None: ...
    def get_coordinate_selection(self, selection: Any) -> Any: ...
    def set_coordinate_selection(self, selection: Any, value: Any) -> None: ...
    def get_block_selection(self, selection: Any) -> Any: ...
    def set_block_selection(self, selection: Any, value: Any) -> None: ...
    @property
    def cdata_shape(self) -> tuple[int, ...]: ...


@dataclass(frozen=True, slots=True)
class OrthogonalIndex:
    """Indexing of each axis independently."""

    array: Indexable

    def __getitem__(self, selection: Any) -> Any:
        return self.array.get_orthogonal_selection(selection)

    def __setitem__(self, selection: Any, value: Any) -> None:
        self.array.set_orthogonal_selection(selection, value)


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """Indexing by points or by a mask."""

    array: Indexable

    def __getitem__(self, selection: Any) -> Any:
        return self.array.get_coordinate_selection(selection)

    def __setitem__(self, selection: Any, value: Any) -> None:
        self.array.set_coordinate_selection(selection, value)


@dataclass(frozen=True, slots=True)
class BlockIndex:
    """Indexing by the coordinates of stored chunks."""

    array: Indexable

    @property
    def shape(self) -> tuple[int, ...]:
        """How many chunks there are along each axis."""
        return self.array.cdata_shape

    def __getitem__(self, selection: Any) -> Any:
        return self.array.get_block_selection(selection)

    def __setitem__(self, selection: Any, value: Any) -> None:
        self.array.set_block_selection(selection, value)
