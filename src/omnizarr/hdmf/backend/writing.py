"""Writing builders: chunks first, then the documents of all nodes, and the root's attributes last.

Until then nothing that was there before has changed, and nothing that is new can be found: a writer that dies
on the way leaves the file as it was, or a root that has no type yet.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from hdmf.build import Builder, DatasetBuilder, GroupBuilder
from hdmf.data_utils import AbstractDataChunkIterator

from omnizarr.errors import ConversionError
from omnizarr.hdmf.backend.attribute_values import attributes_json
from omnizarr.hdmf.backend.builder_paths import BuilderPaths
from omnizarr.hdmf.backend.contents import Content, content_of, empty_content, unwrapped
from omnizarr.hdmf.backend.data_io import ZarrDataIO
from omnizarr.hdmf.backend.iterating import ChunkQueue, Workers
from omnizarr.hdmf.backend.pointing import Pointing
from omnizarr.hdmf.backend.stored_data import link_for
from omnizarr.hdmf.backend.storing import DatasetStore, chunks_of_iterator
from omnizarr.hdmf.dtypes import numpy_dtype
from omnizarr.hdmf.layout import Layout
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.creating.many import clear, place_all
from omnizarr.hierarchy.group import AnyNode, Group
from omnizarr.hierarchy.linking.reference import Link, Reference
from omnizarr.hierarchy.paths import joined, prefix_of
from omnizarr.jsontypes import Json, JsonObject, same_json
from omnizarr.metadata.group import GroupMetadata, NodeMetadata


class WritableFile(Protocol):
    """An open file, as much of it as writing needs."""

    @property
    def layout(self) -> Layout: ...
    @property
    def manager(self) -> Any: ...
    @property
    def source(self) -> Any: ...
    @property
    def _file(self) -> Group: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """How a file is written.

    Attributes
    ----------
    link_data
        Whether datasets that are stored in other files are linked to, or copied.
    exhaust_dci
        Whether iterators of chunks are written one after another, or all at once in turn.
    export_source
        The file whose builders are written; what points into it will point into this file.
    workers
        Who writes the chunks of iterators.
    pickled_references
        Whether references in datasets are pickled, as hdmf-zarr 0.13.0 needs it (Zarr v2).
    """

    link_data: bool = True
    exhaust_dci: bool = True
    export_source: str | None = None
    workers: Workers = field(default_factory=Workers)
    pickled_references: bool = False


class BuilderWriter:
    """Writes builders into an open file."""

    def __init__(self, io: WritableFile, options: WriteOptions | None = None) -> None:
        self._options = options or WriteOptions()
        self._layout = io.layout
        self._root = root = io._file
        place = io.source if isinstance(io.source, str) else root.store.name
        inside = {place, self._options.export_source or place}
        if not root.path:
            inside.add(root.store.name)
        self._pointing = Pointing(place, inside, io.manager)
        self._queue = ChunkQueue(self._options.workers)
        self._data = DatasetStore(
            root.store, root.format, io.layout, self._queue, self._options.pickled_references
        )
        self._changes: list[tuple[Group, JsonObject, list[Link]]] = []
        self._is_new = not _holds_anything(root)

    def write(self, builder: GroupBuilder) -> dict[str, NodeMetadata] | None:
        """Write a file; nodes that are there already are kept, and groups get what attributes are new.

        Returns
        -------
        dict or None
            The nodes of a file that is new, by path from its root; None where something was there before.

        Raises
        ------
        ConversionError
            Something has no form in this file; the message says what and where. Nothing of what was
            written can be seen.
        """
        root = self._root
        self._paths = BuilderPaths(builder, self._pointing)
        self._group("", builder, root)
        self._queue.exhaust()
        place_all(root.store, root.format, self._data.nodes, vacant=self._is_new, parent=root.path)
        for group, attributes, links in self._changes:  # the root comes last: its children went before it
            _change(group, attributes, links, self._layout)
        root._forget_snapshot()
        if not self._is_new:
            return None
        return {path[len(prefix_of(root.path)) :]: node for path, node in self._data.nodes.items()}

    def _group(self, path: str, builder: GroupBuilder, there: Group | None) -> None:
        for name, child in builder.groups.items():
            self._child(joined(path, name), child, there)
        links: list[Link] = []
        for name, child in builder.datasets.items():
            reference = self._child(joined(path, name), child, there)
            links += [] if reference is None else [Link(name, reference)]
        for name, link in builder.links.items():
            if self._paths.leads(link):
                links.append(Link(name, self._pointing.reference(link)))
            else:
                self._child(joined(path, name), link.builder, there)
        attributes = self._attributes(path, builder)
        if there is not None:
            self._changes.append((there, attributes, links))
        else:
            attributes = _with_links(attributes, links, self._layout)
            self._data.nodes[self._full(path)] = GroupMetadata(attributes=attributes)

    def _child(
        self, path: str, builder: GroupBuilder | DatasetBuilder, parent: Group | None
    ) -> Reference | None:
        """Write a node; where a link is to stand for it, return what that points at."""
        found = self._existing(path, parent)
        is_dataset = isinstance(builder, DatasetBuilder)
        if found is not None and isinstance(found, Array) is not is_dataset:
            kind = "an array" if isinstance(found, Array) else "a group"
            raise ConversionError(f"/{path}: expected no {kind}, which is there already")
        if not is_dataset:
            self._group(path, builder, found if isinstance(found, Group) else None)
            return None
        return self._dataset(path, builder) if found is None else None

    def _existing(self, path: str, parent: Group | None) -> AnyNode | None:
        """Return what is at a path; where there is nothing, what a writer that died has left goes away."""
        if parent is None or self._is_new:
            return None
        found = self._root.get(path)
        if found is None:
            clear(self._root.store, self._full(path))
        return found

    def _attributes(self, path: str, builder: Builder) -> JsonObject:
        try:
            return attributes_json(builder.attributes, self._pointing.reference, self._layout.zarr_format)
        except ConversionError as error:
            raise ConversionError(f"/{path}: {error}") from error

    def _full(self, path: str) -> str:
        return joined(self._root.path, path)

    # --- datasets

    def _dataset(self, path: str, builder: DatasetBuilder) -> Reference | None:
        data, params = unwrapped(builder.data)
        wish = params.get("link_data")
        if self._options.link_data if wish is None else wish:
            exported_from = self._options.export_source
            reference = link_for(data, path, self._pointing, self._paths, exported_from=exported_from)
            if reference is not None:
                return reference
        try:
            array = self._stored(path, builder, data, params)
        except (TypeError, ValueError) as error:
            raise ConversionError(f"/{path}: {error}") from error
        if isinstance(builder.data, ZarrDataIO):
            builder.data.dataset = array
        return None

    def _stored(self, path: str, builder: DatasetBuilder, data: Any, params: Any) -> Array:
        settings = dict(params)
        content = self._content(builder, data)
        if isinstance(data, AbstractDataChunkIterator) and not settings.get("chunks"):
            settings["chunks"] = chunks_of_iterator(data, numpy_dtype(content.element).itemsize)
        attributes = self._attributes(path, builder)
        array = self._data.add(self._full(path), content, settings, attributes, builder.dimension_labels)
        if isinstance(data, AbstractDataChunkIterator):
            self._data.add_iterator(array, data)
            if self._options.exhaust_dci:
                self._queue.exhaust()
        return array

    def _content(self, builder: DatasetBuilder, data: Any) -> Content:
        if data is None:
            if getattr(builder.data, "shape", None) is None:
                raise ConversionError("expected data, or a type and a shape in a ZarrDataIO, found neither")
            return empty_content(builder.data.dtype, builder.data.shape)
        return content_of(data, builder.dtype, self._pointing.reference)


def _holds_anything(root: Group) -> bool:
    """Say whether there are nodes below a root, or what is left of some."""
    own = set(root.format.document_keys(root.path))
    return bool(set(islice(root.store.list_prefix(prefix_of(root.path)), len(own) + 1)) - own)


def _with_links(attributes: JsonObject, links: list[Link], layout: Layout) -> JsonObject:
    stored: list[Json] = [link.to_json(layout.zarr_format) for link in links]
    return {**attributes, layout.links: stored} if stored else attributes


def _change(group: Group, attributes: JsonObject, links: list[Link], layout: Layout) -> None:
    """Give a group that is there new attributes and links by one write, if there are any."""
    found = dict(group.attrs)
    known = found.get(layout.links)
    listed = [*known] if isinstance(known, list) else []
    names = {item.get("name") for item in listed if isinstance(item, dict)}
    added: list[Json] = [link.to_json(layout.zarr_format) for link in links if link.name not in names]
    wanted = {**attributes, layout.links: [*listed, *added]} if added else attributes
    changed = {
        name: value
        for name, value in wanted.items()
        if name not in found or not same_json(value, found[name])
    }
    if changed:
        group.attrs.update(changed)
