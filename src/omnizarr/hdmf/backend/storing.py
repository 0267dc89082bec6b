"""Storing the data of one dataset: first the chunks, while nothing in the file says that they are there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hdmf.data_utils import AbstractDataChunkIterator

from omnizarr.hdmf.backend.contents import Content
from omnizarr.hdmf.backend.iterating import ChunkQueue
from omnizarr.hdmf.dtypes import ElementType, Numbers, Records, References, Text
from omnizarr.hdmf.layout import DIMENSIONS, Layout
from omnizarr.hdmf.objects import read_values, write_values
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.arrays.resize import stored_chunks
from omnizarr.hierarchy.creating.chunking import good_chunks
from omnizarr.hierarchy.creating.data import fill_from
from omnizarr.hierarchy.creating.plan_array import plan_array
from omnizarr.hierarchy.linking.reference import element_text
from omnizarr.hierarchy.requests import each
from omnizarr.jsontypes import JsonObject
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import NodeMetadata
from omnizarr.store.base import Store

BLOSC = {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}
"""What compresses unless told otherwise; hdmf-zarr's choice."""

# Axes without end are taken to be so long when chunks are chosen.
_ENDLESS = 2**20
# Rows that are read and written at once are about so many elements.
_BLOCK = 2**18


@dataclass(eq=False, slots=True)
class DatasetStore:
    """Where datasets go: their chunks to the store, their documents to `nodes`, for later."""

    store: Store
    format: Format
    layout: Layout
    queue: ChunkQueue
    pickled: bool = False
    nodes: dict[str, NodeMetadata] = field(default_factory=dict)

    def add(
        self,
        path: str,
        content: Content,
        settings: Mapping[str, Any],
        attributes: JsonObject,
        labels: tuple[str, ...] | None,
    ) -> Array:
        """Store values, and return the array whose documents are still to be stored.

        Parameters
        ----------
        settings
            What a `DataIO` says about chunks and codecs.
        labels
            The names of the dimensions.
        """
        metadata = self._planned(content, settings, attributes, labels)
        array = Array(self.store, self.format, path, metadata)
        self.nodes[path] = metadata
        if content.values is not None and array.size:
            _fill(array, content)
        return array

    def add_iterator(self, array: Array, source: AbstractDataChunkIterator) -> None:
        """Take the values of an array from an iterator, when the queue is exhausted."""

        def done(filled: Array) -> None:
            self.nodes[array.path] = array.metadata = filled.metadata

        self.queue.add(array, source, done)

    def _planned(
        self,
        content: Content,
        settings: Mapping[str, Any],
        attributes: JsonObject,
        labels: tuple[str, ...] | None,
    ) -> ArrayMetadata:
        element, scalar = content.element, content.shape == ()
        shape = self.layout.scalar_shape if scalar else content.shape
        stated = self.layout.type_attributes(element, scalar=scalar)
        names = _dimension_names(content, labels, len(shape)) if not scalar else None
        if names is not None and self.format.zarr_format == 2:
            stated = {**stated, DIMENSIONS: list(names)}
        attributes = {**attributes, **stated}
        if not settings and (taken := self._taken_over(content, attributes)) is not None:
            return taken
        storage = self.layout.storage(element, pickled=self.pickled, widths=_widths(content)).arguments()
        wishes = _arguments(settings)
        filters = [*storage.pop("filters", ()), *wishes.pop("filters", ())]
        if self.format.zarr_format != 2:
            storage = {"dtype": storage["dtype"], "dimension_names": names}
        arguments = {"compressors": BLOSC, **storage, **wishes}
        if filters:
            arguments["filters"] = filters
        return plan_array(self.format.zarr_format, shape=shape, attributes=attributes, **arguments)

    def _taken_over(self, content: Content, attributes: JsonObject) -> ArrayMetadata | None:
        """Return the metadata of an array of the same format, for its chunks to be copied as they are."""
        source = content.values
        if not isinstance(source, Array) or source.format != self.format or _refers(content.element):
            return None
        return source.metadata.with_attributes(attributes)


def arguments_of_hdf5(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return what HDMF's `H5DataIO` asks for as arguments for an array."""
    found: dict[str, Any] = {}
    if params.get("compression") in ("gzip", True, 1):
        level = params.get("compression_opts")
        found["compressors"] = {"id": "zlib", "level": 4 if level is None else int(level)}
    if params.get("fillvalue") is not None:
        found["fill_value"] = params["fillvalue"]
    return found


def _arguments(settings: Mapping[str, Any]) -> dict[str, Any]:
    known = ("chunks", "shards", "filters", "compressors", "fill_value")
    found = {name: settings[name] for name in known if name in settings}
    if "compressor" in settings:  # another backend's word for it
        found["compressors"] = settings["compressor"]
    if "filters" in found:
        given = found["filters"] or ()
        found["filters"] = list(given) if isinstance(given, list | tuple) else [given]
    return {**arguments_of_hdf5(settings), **found}


def _dimension_names(content: Content, labels: Any, ndim: int) -> tuple[str, ...] | None:
    source = content.values
    if labels is None and isinstance(source, Array):
        labels = source.dimension_names or source.metadata.attributes.get(DIMENSIONS)
    if not isinstance(labels, list | tuple) or len(labels) != ndim:
        return None
    return tuple(labels) if all(isinstance(label, str) for label in labels) else None


def chunks_of_iterator(source: AbstractDataChunkIterator, itemsize: int) -> tuple[int, ...]:
    """Return the chunks for data of which the length is not known: what is recommended, else good ones."""
    recommended = source.recommended_chunk_shape()
    if recommended is not None:
        return tuple(int(length) for length in recommended)
    return good_chunks(tuple(_ENDLESS if n is None else max(1, n) for n in source.maxshape), itemsize, 2**22)


def _widths(content: Content) -> dict[str, int] | None:
    """Return the longest text of each field of records, in characters."""
    element = content.element
    if not isinstance(element, Records) or element.is_plain or not isinstance(content.values, np.ndarray):
        return None
    widths: dict[str, int] = {}
    for row in content.values.flat:
        for (name, kind), value in zip(element.fields, row, strict=True):
            widths[name] = max(widths.get(name, 1), _width(kind, value))
    return widths


def _width(kind: ElementType, value: Any) -> int:
    if isinstance(kind, References):
        return 0 if value is None else len(element_text(value))
    return len(value) if isinstance(kind, Text) else 0


def _refers(element: ElementType) -> bool:
    return isinstance(element, References) or (isinstance(element, Records) and bool(element.references))


# --- values


def _fill(array: Array, content: Content) -> None:
    values, element = content.values, content.element
    if isinstance(values, Array) and _stored_alike(values, array):
        _copy_chunks(values, array)
    elif isinstance(values, np.ndarray):
        _put(array, ..., values.reshape(array.shape), element)
    elif _is_plain(element):
        fill_from(array, values)
    else:
        read = _reader(values)
        for part in _row_blocks(array):
            _put(array, part, read(part), element)


def _reader(values: Any) -> Callable[[slice], Any]:
    if isinstance(values, Array):
        return lambda part: read_values(values, part)
    return lambda part: values[part]


def _put(array: Array, part: Any, values: Any, element: ElementType) -> None:
    if _is_plain(element):
        array[part] = values
    else:
        write_values(array, values, part)


def _is_plain(element: ElementType) -> bool:
    return isinstance(element, Numbers) or (isinstance(element, Records) and element.is_plain)


def _row_blocks(array: Array) -> Iterator[slice]:
    """Yield parts of the first axis, each of whole chunks."""
    length, unit = array.shape[0], array.layout.axes[0].extent(0)
    rows = max(1, _BLOCK // max(1, array.size // length) // unit) * unit
    return (slice(start, min(start + rows, length)) for start in range(0, length, rows))


def _stored_alike(one: Array, other: Array) -> bool:
    first, second = one.metadata, other.metadata
    parts = ("shape", "data_type", "grid", "codecs")
    return one.format == other.format and all(getattr(first, p) == getattr(second, p) for p in parts)


def _copy_chunks(source: Array, target: Array) -> None:
    """Copy chunks as they are stored."""
    keys = target.layout

    def copy(chunk: tuple[str, tuple[int, ...]]) -> None:
        key, coords = chunk
        value = source.store.get(key)
        if value is not None:
            target.store.set(keys.key(coords), value)

    each(target.store, copy, list(stored_chunks(source.layout)))
