"""Where the chunks of an array lie, and how they are encoded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from omnizarr.codecs.chain import Chain
from omnizarr.geometry.grid import Axis, Grid, RegularGrid
from omnizarr.metadata.chunk_keys import ChunkKeyEncoding
from omnizarr.store.base import Store


@dataclass(frozen=True, slots=True)
class Layout:
    """All that reading and writing the chunks of one array needs.

    Attributes
    ----------
    path
        The node, for error messages.
    prefix
        What stands before a chunk's key in the store.
    chain
        The codecs for a chunk of a regular grid; for a rectilinear one, for some chunk.
    """

    store: Store
    path: str
    prefix: str
    keys: ChunkKeyEncoding
    grid: Grid
    axes: Sequence[Axis]
    chain: Chain
    chains: dict[tuple[int, ...], Chain] = field(default_factory=dict, compare=False, repr=False)

    def key(self, coords: tuple[int, ...]) -> str:
        """Return the key of a chunk in the store."""
        return self.prefix + self.keys.key(coords)

    @property
    def has_plain_chunks(self) -> bool:
        """Whether stored chunks are the elements themselves, and all of one shape."""
        return self.chain.is_raw and isinstance(self.grid, RegularGrid)

    def chain_at(self, coords: tuple[int, ...]) -> Chain:
        """Return the codecs for one chunk."""
        if isinstance(self.grid, RegularGrid):
            return self.chain
        extent = self.grid.extent(coords)
        chain = self.chains.get(extent)
        if chain is None:
            chain = self.chains[extent] = self.chain.for_shape(extent)
        return chain
