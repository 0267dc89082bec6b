"""What links and references of a file that is being written point at.

https://hdmf-zarr.readthedocs.io/en/stable/storage.html#links
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from posixpath import relpath
from typing import Any, TypeAlias
from urllib.parse import unquote, urlsplit

import h5py
from hdmf.build import Builder, DatasetBuilder, GroupBuilder, LinkBuilder, ReferenceBuilder
from hdmf.container import AbstractContainer

from omnizarr.errors import ConversionError
from omnizarr.hierarchy.linking.reference import HERE, Reference
from omnizarr.jsontypes import shown

NodeBuilder: TypeAlias = GroupBuilder | DatasetBuilder


@dataclass(frozen=True, slots=True)
class Pointing:
    """Builders and containers → references, as seen from one file.

    Attributes
    ----------
    place
        The path or URL of the file's root; None where it has none.
    inside
        The sources whose nodes are, or will be, nodes of this file: it, and what is exported into it.
    manager
        HDMF's build manager, which knows the builders of containers.
    paths
        Where builders that are being written go, by `id`; others are where they say.
    """

    place: str | None
    inside: Collection[str]
    manager: Any
    paths: dict[int, str] = field(default_factory=dict)

    def reference(self, target: Any) -> Reference:
        """Return the reference to store for a builder or a container.

        Raises
        ------
        ConversionError
            It is in a file that is no Zarr hierarchy, where no reference can point.
        """
        if isinstance(target, Reference):
            return self._as_seen_here(target)
        builder = self.builder_of(target)
        ids = _id_of(builder.attributes), _id_of(root_of(builder).attributes)
        if (path := self.paths.get(id(builder))) is not None:
            return Reference("/" + path, HERE, *ids)
        return Reference(path_of(builder), self.source_of(builder), *ids)

    def builder_of(self, target: Any) -> NodeBuilder:
        """Return the builder that is meant by a link, a reference or a container."""
        if isinstance(target, ReferenceBuilder | LinkBuilder):
            return target.builder
        if isinstance(target, AbstractContainer):
            return self.manager.get_builder(target) or self.manager.build(target)
        if isinstance(target, GroupBuilder | DatasetBuilder):
            return target
        raise ConversionError(f"expected what a reference can point at, found {type(target).__name__}")

    def _as_seen_here(self, reference: Reference) -> Reference:
        """Return a reference that names its file from anywhere as it is seen from this file."""
        source = reference.source
        if not (_is_url(source) or Path(source).is_absolute()):
            return reference
        is_ours = same_place(source, self.inside)
        return replace(reference, source=HERE if is_ours else relative_source(source, self.place))

    def is_inside(self, builder: Builder) -> bool:
        """Say whether a builder's node is one of this file's."""
        return builder.source is None or same_place(builder.source, self.inside)

    def source_of(self, builder: Builder) -> str:
        """Return the file of a builder's node, as links and references of this file name it."""
        if self.is_inside(builder):
            return HERE
        if is_foreign(builder.source):
            where = path_of(builder)
            raise ConversionError(
                f"nothing on Zarr can point at {where} in {builder.source}: no Zarr hierarchy"
            )
        return relative_source(builder.source, self.place)


def reference_to(container: Any, place: str, manager: Any) -> Reference | None:
    """Return the reference to store in the file at a place for a container of it or another.

    None for None, and for a container that is in no file yet.

    Raises
    ------
    ConversionError
        It is no container, or in a file that is no Zarr hierarchy.
    """
    if isinstance(container, Reference) or container is None:
        return container
    if not isinstance(container, AbstractContainer):
        raise ConversionError(f"expected what a reference can point at, found {shown(container)}")
    builder = manager.get_builder(container)
    if builder is None or builder.source is None:
        return None
    return Pointing(place, {place}, manager).reference(builder)


def points(value: Any) -> bool:
    """Say whether a value is stored as a reference."""
    return isinstance(value, Reference | ReferenceBuilder | Builder | AbstractContainer)


def path_of(builder: Builder) -> str:
    """Return the path of a builder's node in its file, `/` first; the root has no name of its own."""
    if getattr(builder, "location", None) is not None:
        return "/" + "/".join(part for part in f"{builder.location}/{builder.name}".split("/") if part)
    names = []
    while builder.parent is not None:
        names.append(builder.name)
        builder = builder.parent
    return "/" + "/".join(reversed(names))


def root_of(builder: Builder) -> Builder:
    """Return the outermost builder above one, or itself."""
    while builder.parent is not None:
        builder = builder.parent
    return builder


def is_foreign(source: str) -> bool:
    """Say whether a file is there that is no Zarr hierarchy: HDF5."""
    return not _is_url(source) and Path(source).is_file() and h5py.is_hdf5(source)


def same_place(source: str, others: Collection[str]) -> bool:
    """Say whether a path or URL names one of several places."""
    return source in others or _plain(source) in {_plain(other) for other in others}


def relative_source(source: str, place: str | None) -> str:
    """Return a path or URL as it is seen from the root of a file; as it is where there is no way.

    Links on the way are followed first, so that it is right wherever the file is opened through one.
    """
    source = _plain(source)
    if place is None:
        return source
    place = _plain(place)
    if not _is_url(source) and not _is_url(place):
        return os.path.relpath(source, place).replace(os.sep, "/")
    one, other = urlsplit(source), urlsplit(place)
    if one[:2] != other[:2] or one.query or other.query:
        return source
    return relpath(unquote(one.path) or "/", unquote(other.path) or "/")


def _is_url(source: str) -> bool:
    return "://" in source


def _plain(source: str) -> str:
    if source.startswith("file://"):
        source = unquote(urlsplit(source).path)
    return source.rstrip("/") if _is_url(source) else os.path.realpath(source)


def _id_of(attributes: Any) -> str | None:
    found = attributes.get("object_id")
    return found if isinstance(found, str) else None
