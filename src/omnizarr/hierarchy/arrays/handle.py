"""What an array is: its shape, its types, its chunks and codecs, what it takes in the store."""

from __future__ import annotations

from math import prod
from typing import Any, Literal

import numpy as np

from omnizarr import html
from omnizarr.codecs.base import ArrayToArray, ArrayToBytes, BytesToBytes
from omnizarr.codecs.chain import Chain
from omnizarr.engine.layout import Layout
from omnizarr.geometry.grid import RegularGrid
from omnizarr.hierarchy.arrays.layout import chain_of, layout_of
from omnizarr.hierarchy.arrays.resize import sizes_of_chunks, stored_chunks
from omnizarr.hierarchy.info import Info, human_bytes
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.requests import each
from omnizarr.hierarchy.showing.pages import array_html
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.chains import reversal
from omnizarr.metadata.formats.base import Format
from omnizarr.store.base import Store


class ArrayHandle(Node):
    """The part of `Array` that neither reads nor writes elements."""

    __slots__ = ("_chain", "_chain_metadata", "_layout")

    metadata: ArrayMetadata

    def __init__(
        self, store: Store, format: Format, path: str, metadata: ArrayMetadata, chain: Chain | None = None
    ) -> None:
        super().__init__(store, format, path, metadata)
        self._chain = chain_of(store, format, path, metadata) if chain is None else chain
        self._chain_metadata = metadata
        self._layout: Layout | None = None  # many arrays are walked by, and few of them read

    @property
    def layout(self) -> Layout:
        """Where the chunks lie, and how they are encoded."""
        layout = self._layout
        if layout is None or self._chain_metadata is not self.metadata:
            metadata = self.metadata
            if self._chain_metadata is not metadata:
                self._chain = chain_of(self.store, self.format, self.path, metadata)
            layout = layout_of(self.store, self.format, self.path, metadata, self._chain)
            self._layout, self._chain_metadata = layout, metadata
        return layout

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis."""
        return self.metadata.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.metadata.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.metadata.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy type of the elements; `object` for types of variable length."""
        return self.metadata.data_type.dtype

    @property
    def itemsize(self) -> int:
        """Bytes of one element in memory."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements in memory."""
        return self.size * self.dtype.itemsize

    @property
    def fill_value(self) -> Any:
        """What elements hold that were never written; None where that is undefined."""
        return self.metadata.fill_value

    @property
    def dimension_names(self) -> tuple[str | None, ...] | None:
        """The names of the axes (Zarr v3), or None."""
        return self.metadata.dimension_names

    @property
    def chunks(self) -> tuple[Any, ...]:
        """The shape of a chunk, the unit that is decoded; for a rectilinear grid, the sizes of each axis."""
        if self._coding is not self.layout.chain:
            return self._coding.spec.shape
        grid = self.metadata.grid
        return grid.chunk_shape if isinstance(grid, RegularGrid) else grid.chunk_shapes

    @property
    def shards(self) -> tuple[int, ...] | None:
        """The shape of a shard: the unit that is stored, where it holds many chunks."""
        chain = self.layout.chain
        return chain.spec.shape if chain.shards is not None else None

    @property
    def _coding(self) -> Chain:
        """The chain of the chunks, inside all shards."""
        chain = self.layout.chain
        while chain.shards is not None:
            chain = chain.shards.inner
        return chain

    @property
    def filters(self) -> tuple[ArrayToArray, ...]:
        """The array-to-array codecs of a chunk."""
        return tuple(codec for codec, _ in self._coding.array_codecs)

    @property
    def serializer(self) -> ArrayToBytes:
        """The array-to-bytes codec of a chunk."""
        return self._coding.serializer

    @property
    def compressors(self) -> tuple[BytesToBytes, ...]:
        """The bytes-to-bytes codecs of a chunk."""
        return self._coding.bytes_codecs

    @property
    def order(self) -> Literal["C", "F"]:
        """`"F"` where chunks are stored with the axes reversed, else `"C"`; what is read is in C order."""
        codecs = self.metadata.codecs
        return "F" if self.ndim > 1 and codecs and codecs[0] == reversal(self.ndim) else "C"

    @property
    def cdata_shape(self) -> tuple[int, ...]:
        """How many stored chunks (shards, where there are any) there are along each axis."""
        return tuple(axis.count for axis in self.layout.axes)

    @property
    def nchunks(self) -> int:
        """How many stored chunks (shards, where there are any) cover the array."""
        return prod(self.cdata_shape)

    @property
    def nchunks_initialized(self) -> int:
        """How many chunks (shards, where there are any) are in the store."""
        return sum(1 for _ in stored_chunks(self.layout))

    def nbytes_stored(self) -> int:
        """Return how many bytes the chunks and the documents of this array take in the store."""
        return self.stored()[1]

    def stored(self) -> tuple[int, int]:
        """Return how many chunks are in the store, and how many bytes they and the documents take there."""
        chunks = list(sizes_of_chunks(self.layout))
        documents = each(self.store, self.store.size, self.format.document_keys(self.path))
        return len(chunks), sum(chunks) + sum(size or 0 for size in documents)

    @property
    def info(self) -> Info:
        """What the array is, as a table to print."""
        return Info(self._description())

    def info_complete(self) -> Info:
        """Return `info` with what has to be counted in the store."""
        chunks, stored = self.stored()
        counted = {
            "Bytes stored": f"{stored} ({human_bytes(stored)})",
            "Storage ratio": f"{self.nbytes / stored:.1f}" if stored else "-",
            "Chunks stored": f"{chunks} of {self.nchunks}",
        }
        return Info(self._description() | counted)

    def _description(self) -> dict[str, Any]:
        items = {
            "Type": "Array",
            "Zarr format": self.zarr_format,
            "Data type": f"{self.metadata.data_type.name} ({self.dtype})",
            "Fill value": self.fill_value,
            "Shape": self.shape,
            "Chunk shape": self.chunks,
            "Shard shape": self.shards,
            "Dimension names": self.dimension_names,
            "Codecs": ", ".join(codec.name for codec in self.metadata.codecs),
            "Read-only": self.read_only,
            "Store": self.store_path,
            "Bytes": f"{self.nbytes} ({human_bytes(self.nbytes)})",
        }
        return {name: value for name, value in items.items() if value is not None}

    def __repr__(self) -> str:
        return f"<Array {self.store_path} shape={self.shape} dtype={self.dtype}>"

    def _repr_html_(self) -> str:
        """The array in a notebook: what it is, its chunks drawn, its attributes."""

        def draw() -> str:
            return array_html(self.store_path, self._description(), self.metadata, self.layout.axes)

        return html.safely(draw, self)
