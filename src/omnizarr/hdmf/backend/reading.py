"""Builders of what is stored in a file, one for each node.

The tree is built first, then what points: links, and attributes that are references, whose targets are
builders by then. References in datasets are resolved when they are read.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from hdmf.backends.warnings import BrokenLinkWarning
from hdmf.build import BuildManager, DatasetBuilder, GroupBuilder, LinkBuilder, ReferenceBuilder
from numpy.typing import NDArray

from omnizarr.errors import NodeNotFoundError, StoreNotFoundError
from omnizarr.hdmf.backend.attributes import plain_attributes, referring_attributes, referring_value
from omnizarr.hdmf.backend.builders import BuilderMaker, lazy_data, put, scalar_value
from omnizarr.hdmf.backend.datasets import StoredDataset
from omnizarr.hdmf.backend.growth import Growth
from omnizarr.hdmf.backend.pointing import path_of, reference_to
from omnizarr.hdmf.backend.tree import nodes_from
from omnizarr.hdmf.layout import is_scalar
from omnizarr.hdmf.objects import read_values
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import node_of
from omnizarr.hierarchy.linking.files import File, Files
from omnizarr.hierarchy.linking.following import Way
from omnizarr.hierarchy.linking.links import links_in
from omnizarr.hierarchy.linking.reference import Reference, RegionReference
from omnizarr.hierarchy.linking.sources import absolute_source, joined_folder
from omnizarr.hierarchy.paths import joined, normal_path, parent_of
from omnizarr.hierarchy.requests import each
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.store.urls.open import scheme_of

ROOT = "root"
AnyBuilder: TypeAlias = GroupBuilder | DatasetBuilder


@dataclass(eq=False)
class Session:
    """What the readers of all files share that are read together.

    Attributes
    ----------
    manager
        Who makes containers of builders.
    files
        The files that links lead to.
    readers
        A reader for each file that was come by, by the file's name.
    growth
        What is left to be done for datasets that have grown.
    """

    manager: BuildManager
    files: Files
    readers: dict[str, BuilderReader] = field(default_factory=dict)
    growth: Growth = field(default_factory=Growth)

    def reader(self, file: File) -> BuilderReader:
        """Return the reader of a file."""
        if file.name not in self.readers:
            self.readers[file.name] = BuilderReader(file, source_of(file), self)
        return self.readers[file.name]


@dataclass(eq=False)
class BuilderReader:
    """The builders of one file.

    Attributes
    ----------
    file
        The file.
    source
        The file's name, as HDMF compares it.
    session
        What it shares with the readers of other files.
    root
        The metadata of the file's root, where they are known.
    built
        The builders that were made, by path from the file's root.
    """

    file: File
    source: str
    session: Session
    root: NodeMetadata | None = None
    built: dict[str, AnyBuilder] = field(default_factory=dict)
    _pending: deque[tuple[str, NodeMetadata]] = field(default_factory=deque)
    _finishing: bool = False
    _maker: BuilderMaker = field(init=False)

    def __post_init__(self) -> None:
        self._maker = BuilderMaker(self.source)
        self.session.readers[self.file.name] = self

    def read(self) -> GroupBuilder:
        """Return the builder of the whole file.

        Raises
        ------
        MetadataError
            Documents of a node are broken.
        """
        return self.builder_at("/")

    def builder_at(self, path: str) -> AnyBuilder:
        """Return the builder of a node, with everything below it.

        Raises
        ------
        NodeNotFoundError
            There is no such node.
        """
        relative = normal_path(path)
        if relative not in self.built:
            self._build(relative)
        if not self._finishing:
            self._finish()
        return self.built[relative]

    # --- where references lead

    def builder_of(self, reference: Reference, at: str = "", what: str = "a reference") -> AnyBuilder:
        """Return the builder of what a reference points at, in this file or another.

        Parameters
        ----------
        at, what
            The node that has the reference, and its name, for errors.

        Raises
        ------
        NodeNotFoundError, MetadataError, StoreError
            It leads nowhere, round in a circle, or to a file that cannot be opened.
        """
        if not reference.is_external and reference.place in self.built:
            return self.builder_at(reference.place)
        place = joined(self.file.root, at)
        spot = Way(self.session.files).target(reference, self.file, place, what)
        return self.session.reader(spot.file).builder_at(spot.path)

    def container_of(self, reference: Reference) -> Any:
        """Return the container of what a reference points at; errors as those of `builder_of`."""
        return self.session.manager.construct(self.builder_of(reference))

    def reference_to(self, container: Any) -> Reference | None:
        """Return the reference to store in this file for a container; that is `pointing.reference_to`."""
        return reference_to(container, self.source, self.session.manager)

    def placed(self, reference: Reference, *, anywhere: bool = False) -> Reference:
        """Return a reference that is right where it is written to another place.

        Parameters
        ----------
        anywhere
            Whether it may be written to another file, so that those into this file have to name it.
        """
        if not (reference.is_external or anywhere):
            return reference
        return replace(reference, source=absolute_source(self.file.store, self.file.root, reference.source))

    def wait_for(self, dataset: StoredDataset, place: int, value: Any) -> None:
        """Store a value again once the containers in it are in a file."""
        self.session.growth.waiting.append((dataset, place, value))

    def note_growth(self, array: Array, left: list[str]) -> None:
        """Take note that an array has grown, and of the chunks that are not its own any more."""
        self.session.growth.grown = True
        self.session.growth.left += [(array.store, key) for key in left]

    def know(self, builder: GroupBuilder) -> None:
        """Take builders for those of their nodes, as they were written."""
        waiting: list[AnyBuilder] = [builder]
        while waiting:
            one = waiting.pop()
            self.built.setdefault(normal_path(path_of(one)), one)
            if isinstance(one, GroupBuilder):
                waiting += [*one.groups.values(), *one.datasets.values()]

    # --- the tree

    def _build(self, relative: str) -> None:
        nodes = list(nodes_from(self.file, relative, self.root))
        values = self._values([item for item in nodes if _is_value(item[1])])
        for path, metadata in nodes:
            if path in self.built:
                continue
            builder = self._builder(path, metadata, values)
            self.built[path] = builder
            self._pending.append((path, metadata))
            parent = self.built.get(parent_of(path)) if path != relative else None
            if isinstance(parent, GroupBuilder):
                put(parent, builder)

    def _values(self, nodes: list[tuple[str, NodeMetadata]]) -> dict[str, Any]:
        """Return the values of datasets that are one value, asked for at once."""
        arrays = [self._open(*node) for node in nodes]
        found = each(self.file.store, lambda array: read_values(array, ...), arrays)
        return {path: scalar_value(value) for (path, _), value in zip(nodes, found, strict=True)}

    def _builder(self, path: str, metadata: NodeMetadata, values: dict[str, Any]) -> AnyBuilder:
        name = path.rpartition("/")[2] or ROOT
        attributes = plain_attributes(metadata.attributes)
        if isinstance(metadata, GroupMetadata):
            builder = self._maker.group(name, attributes)
        else:
            data = (
                values[path]
                if path in values
                else lazy_data(metadata, partial(self._open, path, metadata), self)
            )
            builder = self._maker.dataset(name, metadata, data, attributes)
        builder.location = "/" + parent_of(path)
        return builder

    def _open(self, path: str, metadata: NodeMetadata) -> Any:
        file = self.file
        return node_of(file.store, file.format, joined(file.root, path), metadata)

    # --- what points

    def _finish(self) -> None:
        """Resolve links and references of all that was built; what they lead to is built on the way."""
        self._finishing = True
        try:
            while self._pending:
                path, metadata = self._pending.popleft()
                self._add_references(path, metadata)
                if isinstance(metadata, GroupMetadata):
                    self._add_links(path, metadata)
        finally:
            self._finishing = False

    def _add_references(self, path: str, metadata: NodeMetadata) -> None:
        builder = self.built[path]
        for name, value in referring_attributes(metadata.attributes).items():
            what = f"the attribute {name!r}"
            with _broken():
                found = referring_value(value, name, partial(self._pointed_at, at=path, what=what))
                builder.set_attribute(name, found)
        data = builder["data"] if isinstance(builder, DatasetBuilder) else None
        if isinstance(data, Reference):
            found = self._pointed_at(data, path, "the dataset")
            builder["data"] = found if isinstance(found, Reference) else ReferenceBuilder(found)
        elif isinstance(data, np.ndarray) and data.dtype.names is not None:
            builder["data"] = self._placed_record(data)

    def _pointed_at(self, reference: Reference, at: str, what: str) -> AnyBuilder | Reference:
        """Return the builder of what is pointed at; HDMF has none for regions, which stay references."""
        if isinstance(reference, RegionReference):
            return self.placed(reference)
        return self.builder_of(reference, at, what)

    def _placed_record(self, record: NDArray[Any]) -> NDArray[Any]:
        for name in record.dtype.names or ():
            if isinstance(value := record[name][()], Reference):
                record[name] = self.placed(value)
        return record

    def _add_links(self, path: str, metadata: GroupMetadata) -> None:
        builder = self.built[path]
        links = links_in(metadata.attributes, store=self.file.store.name, path=joined(self.file.root, path))
        for name, link in links.items():
            with _broken():
                target = self.builder_of(link.reference, path, f"the link {name!r}")
                found = LinkBuilder(target, name=name, source=self.source)
                found.location = "/" + path
                builder.set_link(found)


def source_of(file: File) -> str:
    """Return a file's name as HDMF has it: a path where it is on the file system."""
    return joined_folder(file.store, file.root) if scheme_of(file.store.name) == "file" else file.name


@contextmanager
def _broken() -> Iterator[None]:
    """Warn where something points at nothing, and go on without it."""
    try:
        yield
    except (NodeNotFoundError, StoreNotFoundError) as error:
        warnings.warn(str(error), BrokenLinkWarning, stacklevel=2)


def _is_value(metadata: NodeMetadata) -> bool:
    return isinstance(metadata, ArrayMetadata) and is_scalar(metadata)
