"""Arrays: a thin handle with numpy's indexing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from operator import index as as_index
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from omnizarr.codecs.chain import Chain
from omnizarr.config import config
from omnizarr.engine.element import is_plain_index, read_element
from omnizarr.engine.read import read_region
from omnizarr.engine.write import write_region
from omnizarr.errors import MissingChunkError, SelectionError
from omnizarr.geometry.grid import RegularGrid
from omnizarr.geometry.region import Region
from omnizarr.geometry.selection import (
    Selection,
    select,
    select_blocks,
    select_mask,
    select_orthogonal,
    select_vectorized,
)
from omnizarr.hierarchy.arrays.arrival import require_here
from omnizarr.hierarchy.arrays.astype import AsType
from omnizarr.hierarchy.arrays.dask import to_dask
from omnizarr.hierarchy.arrays.fields import check_fields, field_values, split_fields
from omnizarr.hierarchy.arrays.handle import ArrayHandle
from omnizarr.hierarchy.arrays.indexers import BlockIndex, OrthogonalIndex, VectorIndex
from omnizarr.hierarchy.arrays.layout import chain_of, layout_of
from omnizarr.hierarchy.arrays.resize import appended, clear_outside
from omnizarr.hierarchy.arrays.values import as_values, broadcast
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats.base import Format
from omnizarr.store.base import Store


class Array(ArrayHandle):
    """A chunked, N-dimensional array in a store.

    Indexing means what it means in numpy: integers, slices with any step, ellipsis, new axes, boolean
    masks and index arrays; `oindex`, `vindex` and `blocks` are the other three ways.

    Attributes
    ----------
    write_empty_chunks
        Whether chunks that hold only the fill value are stored; None: as `omnizarr.config` says.
    """

    __slots__ = ("_came", "_missing_chunks", "write_empty_chunks")

    def __init__(
        self, store: Store, format: Format, path: str, metadata: ArrayMetadata, chain: Chain | None = None
    ) -> None:
        super().__init__(store, format, path, metadata, chain)
        self._missing_chunks: str | None = None
        self.write_empty_chunks: bool | None = None
        self._came = False  # from another process, by a pickle

    def as_long_as(self, shape: tuple[int, ...]) -> Array:
        """Return another handle, of the same array in another shape; what is stored stays as it is.

        Chunks of a regular grid do not change with the shape, nor do the codecs that were checked for them:
        checking again took 7 of the 130 µs that appending a record of 8 KB takes.
        """
        is_regular = isinstance(self.metadata.grid, RegularGrid)
        chain = self.layout.chain if is_regular else None
        made = Array(self.store, self.format, self.path, self.metadata.with_shape(shape), chain)
        made.missing_chunks, made.write_empty_chunks = self.missing_chunks, self.write_empty_chunks
        return made

    @property
    def missing_chunks(self) -> str | None:
        """What an absent chunk is: its fill value (`"fill"`), or a `MissingChunkError` (`"raise"`).

        None: as `omnizarr.config` says.
        """
        return self._missing_chunks

    @missing_chunks.setter
    def missing_chunks(self, value: str | None) -> None:
        if value not in ("fill", "raise", None):
            raise ValueError(f"missing_chunks: expected 'fill', 'raise' or None, found {value!r}")
        self._missing_chunks = value

    def __getitem__(self, selection: Any) -> Any:
        if type(selection) is tuple and is_plain_index(selection, self.metadata.shape):
            layout = self.layout
            if layout.has_plain_chunks and (element := read_element(layout, selection)) is not None:
                return element
        return self.get_basic_selection(selection)

    def __setitem__(self, selection: Any, value: Any) -> None:
        self.set_basic_selection(selection, value)

    @property
    def oindex(self) -> OrthogonalIndex:
        """Indexing by each axis independently: `array.oindex[[1, 5], :, mask]`."""
        return OrthogonalIndex(self)

    @property
    def vindex(self) -> VectorIndex:
        """Indexing by points: `array.vindex[[1, 5], [2, 3]]`, or by a mask."""
        return VectorIndex(self)

    @property
    def blocks(self) -> BlockIndex:
        """Indexing by chunk (by shard, where there are any): `array.blocks[0, 2:4]`."""
        return BlockIndex(self)

    def get_basic_selection(
        self, selection: Any = ..., *, out: NDArray[Any] | None = None, fields: Any = None
    ) -> Any:
        """Read a selection with numpy's meaning.

        Parameters
        ----------
        out
            An array of the selection's shape to read into; it is returned.
        fields
            Name or names of the fields of a structured array to return.

        Raises
        ------
        SelectionError
            The selection does not fit the array, or `out` does not fit the selection.
        """
        selection, names = split_fields(selection, fields)
        result = self._read(select(selection, self.shape), out, names)
        return result if result.shape or out is not None or _has_ellipsis(selection) else result[()]

    def set_basic_selection(self, selection: Any, value: Any, *, fields: Any = None) -> None:
        """Write a value, broadcast as numpy does, to a selection with numpy's meaning."""
        selection, names = split_fields(selection, fields)
        self._write(select(selection, self.shape), value, names)

    def get_orthogonal_selection(
        self, selection: Any, *, out: NDArray[Any] | None = None, fields: Any = None
    ) -> Any:
        """Read a selection of each axis independently."""
        selection, names = split_fields(selection, fields)
        return self._read(select_orthogonal(selection, self.shape), out, names)

    def set_orthogonal_selection(self, selection: Any, value: Any, *, fields: Any = None) -> None:
        """Write to a selection of each axis independently."""
        selection, names = split_fields(selection, fields)
        self._write(select_orthogonal(selection, self.shape), value, names)

    def get_coordinate_selection(
        self, selection: Any, *, out: NDArray[Any] | None = None, fields: Any = None
    ) -> Any:
        """Read points: one index array for each axis, broadcast together."""
        selection, names = split_fields(selection, fields)
        return self._read(select_vectorized(selection, self.shape), out, names)

    def set_coordinate_selection(self, selection: Any, value: Any, *, fields: Any = None) -> None:
        """Write to points: one index array for each axis, broadcast together."""
        selection, names = split_fields(selection, fields)
        self._write(select_vectorized(selection, self.shape), value, names)

    def get_mask_selection(self, mask: Any, *, out: NDArray[Any] | None = None, fields: Any = None) -> Any:
        """Read the elements where a boolean array of the same shape is true."""
        return self._read(select_mask(mask, self.shape), out, fields)

    def set_mask_selection(self, mask: Any, value: Any, *, fields: Any = None) -> None:
        """Write to the elements where a boolean array of the same shape is true."""
        self._write(select_mask(mask, self.shape), value, fields)

    def get_block_selection(
        self, selection: Any, *, out: NDArray[Any] | None = None, fields: Any = None
    ) -> Any:
        """Read whole chunks (shards, where there are any) by their coordinates."""
        selection, names = split_fields(selection, fields)
        return self._read(select_blocks(selection, self.shape, self.layout.axes), out, names)

    def set_block_selection(self, selection: Any, value: Any, *, fields: Any = None) -> None:
        """Write whole chunks (shards, where there are any) by their coordinates."""
        selection, names = split_fields(selection, fields)
        self._write(select_blocks(selection, self.shape, self.layout.axes), value, names)

    def _read(self, selection: Selection, out: NDArray[Any] | None, fields: Any = None) -> NDArray[Any]:
        if out is not None:
            _check_out(out, selection.shape)
        if fields is not None:
            check_fields(fields, self.dtype)
            found: NDArray[Any] = self._read(selection, None)[fields]
            if out is None:
                return found
            out[...] = found
            return out
        if out is None:
            taken = np.empty(selection.region.shape, self.dtype)
            self._read_region(selection.region, taken)
            return selection.result(taken)
        taken = selection.region_view(out)
        self._read_region(selection.region, taken)
        if not np.may_share_memory(taken, out):
            out[...] = selection.result(taken)
        return out

    def _read_region(self, region: Region, out: NDArray[Any]) -> None:
        missing = self.missing_chunks or config.settings.missing_chunks
        if not self._came or missing == "raise":
            read_region(self.layout, region, out, missing)
            return
        try:
            read_region(self.layout, region, out, "raise")
        except MissingChunkError:
            self._require_here()
            read_region(self.layout, region, out, missing)

    def _require_here(self) -> None:
        require_here(self.store, self.format, self.path)
        self._came = False

    def _write(self, selection: Selection, value: Any, fields: Any = None) -> None:
        self.store.require_writable(self.layout.prefix or None)
        if self._came:
            self._require_here()
        names = [fields] if isinstance(fields, str) else fields
        if names is None:
            values = broadcast(as_values(value, self.dtype, self.serializer), selection.shape)
        else:
            values = field_values(value, fields, self.dtype, selection.shape)
        write_empty = self.write_empty_chunks
        write_region(
            self.layout,
            selection.region,
            selection.region_view(values),
            write_empty=config.settings.write_empty_chunks if write_empty is None else write_empty,
            fields=names,
        )

    def fill(self, value: Any) -> None:
        """Set every element to one value."""
        self.set_basic_selection(..., value)

    def astype(self, dtype: DTypeLike) -> AsType:
        """Return a view of this array that converts what is read."""
        return AsType(self, np.dtype(dtype))

    def to_dask(
        self,
        chunks: Any = None,
        *,
        name: str | bool | None = None,
        inline_array: bool = False,
        meta: Any = None,
    ) -> Any:
        """Return a `dask.array.Array` of this array; nothing is read yet.

        Parameters
        ----------
        chunks
            None: the stored chunks (shards, where there are any). `"auto"`, or a size such as `"64 MiB"`:
            blocks of that many bytes at most, each of whole stored chunks, or an even part of one shard.
            Else what dask takes: a length for every axis, lengths or blocks for each axis, or a mapping from
            axes, by number or dimension name, to them; axes that it leaves out have the stored chunks.
        name
            The name in the graph, False for a new one. By default it is made from the place and the
            metadata (docs/dask.md), so that an array that is opened twice is read once.
        inline_array
            Whether each task has the handle, or all refer to one.
        meta
            An empty array like those that are read.

        Raises
        ------
        ValueError
            The chunks do not fit the array.
        ImportError
            dask is not installed: the extra `dask`.
        """
        return to_dask(self, chunks, name, inline_array, meta)

    # Changing its shape

    def resize(self, new_shape: int | Sequence[int]) -> None:
        """Change the length of axes; what is cut off is gone, what is added holds the fill value.

        Raises
        ------
        SelectionError
            The number of axes differs, a length is negative, or a rectilinear grid does not reach so far.
        """
        new = _lengths(new_shape)
        before = self.metadata

        def resized(found: ArrayMetadata) -> ArrayMetadata:
            nonlocal before
            before = found  # others may have changed the shape since this handle saw it
            return found.with_shape(_checked_shape(found, new))

        self._replace_metadata(resized)
        chain = chain_of(self.store, self.format, self.path, before)
        clear_outside(layout_of(self.store, self.format, self.path, before, chain), new)

    def append(self, data: Any, axis: int = 0) -> tuple[int, ...]:
        """Add data at the end of an axis, and return the new shape.

        Several writers may append at once: each gets a place of its own.
        """
        values = as_values(data, self.dtype, self.serializer)
        start = 0

        def grown(found: ArrayMetadata) -> ArrayMetadata:
            nonlocal start
            new, start = appended(found.shape, values.shape, axis)
            return found.with_shape(_checked_shape(found, new))

        self._replace_metadata(grown)
        place = [slice(None)] * self.ndim
        place[axis] = slice(start, start + values.shape[axis])
        self[tuple(place)] = values
        return self.shape

    # Python's and numpy's protocols

    def iter_blocks(self) -> Iterator[tuple[tuple[slice, ...], NDArray[Any]]]:
        """Yield each stored chunk's place in the array, and its elements, in C order."""
        columns = [[axis.span(chunk) for chunk in range(axis.count)] for axis in self.layout.axes]
        for place in product(*columns):
            yield place, np.asarray(self[place])

    def __iter__(self) -> Iterator[Any]:
        if not self.shape:
            raise TypeError("iteration over a 0-d array")
        axis = self.layout.axes[0]
        for chunk in range(axis.count):
            yield from self[axis.span(chunk)]

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("an array in a store cannot be had without a copy")
        array: NDArray[Any] = self[...]
        return array if dtype is None else array.astype(dtype, copy=False)

    def __bool__(self) -> bool:
        return bool(np.asarray(self))

    def __reduce__(self) -> tuple[Any, ...]:
        state = {
            "missing_chunks": self.missing_chunks,
            "write_empty_chunks": self.write_empty_chunks,
            "_came": True,
        }
        return type(self), (self.store, self.format, self.path, self.metadata), (None, state)

    def __dask_tokenize__(self) -> object:
        return super().__dask_tokenize__(), self.missing_chunks, self.write_empty_chunks


def _has_ellipsis(selection: Any) -> bool:
    return selection is ... or (isinstance(selection, tuple) and any(item is ... for item in selection))


def _check_out(out: Any, shape: tuple[int, ...]) -> None:
    if not isinstance(out, np.ndarray):
        raise SelectionError(f"out: expected a numpy array, found {type(out).__name__}")
    if out.shape != shape:
        raise SelectionError(f"out: expected an array of shape {shape}, found {out.shape}")
    if not out.flags.writeable:
        raise SelectionError("out: expected an array that can be written to, found one that is read-only")


def _lengths(shape: Any) -> tuple[int, ...]:
    try:
        return tuple(map(as_index, shape)) if isinstance(shape, Iterable) else (as_index(shape),)
    except TypeError:
        raise SelectionError(f"expected lengths as whole numbers, found {shape!r}") from None


def _checked_shape(found: ArrayMetadata, new: tuple[int, ...]) -> tuple[int, ...]:
    if len(new) != found.ndim or any(length < 0 for length in new):
        raise SelectionError(f"expected {found.ndim} lengths of at least 0, found {new}")
    if not isinstance(found.grid, RegularGrid):
        for axis, (sizes, length) in enumerate(zip(found.grid.chunk_shapes, new, strict=True)):
            if not isinstance(sizes, int) and sum(sizes) < length:
                raise SelectionError(
                    f"the chunks of axis {axis} reach to {sum(sizes)}, not to the new length {length}"
                )
    return new
