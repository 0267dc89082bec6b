"""Writing: a region of an array, chunk by chunk, each atomically."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from omnizarr.codecs.chain import Chain
from omnizarr.codecs.fill import is_fill
from omnizarr.codecs.sharding import Shards
from omnizarr.engine.layout import Layout
from omnizarr.engine.pool import run
from omnizarr.engine.read import inner_axes, numbering
from omnizarr.engine.threads import batch_of, threads_to_write
from omnizarr.errors import CodecError
from omnizarr.geometry.grid import RegularGrid
from omnizarr.geometry.plan import Part, plan
from omnizarr.geometry.region import Region, numpy_index, put
from omnizarr.store.base import Buffer


def write_region(
    layout: Layout,
    region: Region,
    values: NDArray[Any],
    *,
    write_empty: bool,
    fields: Sequence[str] | None = None,
) -> None:
    """Write values, which have the region's shape, to a region.

    A chunk that is covered whole is encoded from `values` and replaced; a part of a chunk or of a shard
    is changed by `Store.update`, so that writers of other parts lose nothing.

    Parameters
    ----------
    write_empty
        Whether chunks that hold only the fill value are stored; otherwise they are removed.
    fields
        Write these fields of a structured array only, by those of `values` in their order.

    Raises
    ------
    CodecError
        A chunk could not be encoded, or the old one not be decoded; it stays as it was.
    StoreError
        The store failed; each chunk is as before or as asked.
    """
    planned = plan(region, layout.axes)
    writer = _Writer(layout, write_empty, fields)
    once = writer.constant(values) if planned.has_whole else None

    def write(part: Part) -> None:
        chain = layout.chain_at(part.coords)
        key = layout.key(part.coords)
        try:
            if once is not None and part.whole:
                writer.store(key, once[0])
            else:
                writer.write(key, chain, part, values[(*numpy_index(part.place), ...)])
        except CodecError as error:
            raise error.located(key, layout.path) from error.__cause__

    workers = threads_to_write(layout, len(planned))
    batch = batch_of(layout, len(planned), workers)
    run(planned.parts(), write, workers=workers, batch=batch, waiting=layout.store.requests > 1)


@dataclass(frozen=True, slots=True)
class _Writer:
    """What stays the same for all chunks of one write."""

    layout: Layout
    write_empty: bool
    fields: Sequence[str] | None

    def constant(self, values: NDArray[Any]) -> tuple[Buffer | None] | None:
        """Return one encoded chunk for all where every value is the same element in memory."""
        chain = self.layout.chain
        if self.fields or any(values.strides) or not values.size or values.dtype.hasobject:
            return None
        if not isinstance(self.layout.grid, RegularGrid):
            return None
        block = np.full(chain.spec.shape, values.flat[0], chain.spec.dtype)
        return (self.encoded(chain, block),)

    def write(self, key: str, chain: Chain, part: Part, values: NDArray[Any]) -> None:
        """Write one chunk, or a part of it."""
        if part.whole and self.fields is None:
            self.store(key, self.encoded(chain, values.astype(chain.spec.dtype, copy=False)))
            return
        self.layout.store.update(key, lambda old: self.changed(chain, old, part.region, values))

    def store(self, key: str, data: Buffer | None) -> None:
        """Store a chunk's bytes, or remove it where there are none."""
        if data is None:
            self.layout.store.delete(key)
        else:
            self.layout.store.set(key, data)

    def encoded(self, chain: Chain, block: NDArray[Any]) -> Buffer | None:
        """Return a chunk's bytes, or None where it holds only the fill value and need not be stored."""
        if not self.write_empty and is_fill(block, chain.spec.fill_value):
            return None
        return chain.encode(block)

    def changed(
        self, chain: Chain, old: Buffer | None, region: Region, values: NDArray[Any]
    ) -> Buffer | None:
        """Return a chunk's bytes with a region of it changed."""
        if chain.shards is not None:
            return self._changed_shard(chain, chain.shards, old, region, values)
        spec = chain.spec
        block = spec.blank() if old is None else chain.decode(old, np.empty(spec.shape, spec.dtype))
        put(block if self.fields is None else block[list(self.fields)], region, values)
        return self.encoded(chain, block)

    def _changed_shard(
        self, chain: Chain, shards: Shards, old: Buffer | None, region: Region, values: NDArray[Any]
    ) -> Buffer | None:
        chunks: list[Buffer | None] = [None] * prod(shards.counts)
        if old is not None:
            chunks[:] = shards.split(old)
        number_of = numbering(shards.counts)
        for part in plan(region, inner_axes(chain)).parts():
            number = number_of(part.coords)
            piece = values[(*numpy_index(part.place), ...)]
            if part.whole and self.fields is None:
                block = piece.astype(shards.inner.spec.dtype, copy=False)
                chunks[number] = self.encoded(shards.inner, block)
            else:
                chunks[number] = self.changed(shards.inner, chunks[number], part.region, piece)
        if not self.write_empty and all(chunk is None for chunk in chunks):
            return None
        return shards.join(chunks)
