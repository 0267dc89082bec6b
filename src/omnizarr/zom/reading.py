"""Models of hierarchies in stores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from omnizarr.errors import ConversionError, MetadataError, Problem
from omnizarr.hierarchy.group import AnyNode, Group
from omnizarr.hierarchy.paths import parent_of
from omnizarr.jsontypes import JsonObject
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.zom.version import DEEPEST, Version

M = TypeVar("M")
Make = Callable[[dict[str, Any], NodeMetadata], M]


def read_model(node: AnyNode, version: Version, depth: int | None, make: Make[M]) -> M:
    """Return what `make` makes of the document of an open array or group, with those of the nodes below it.

    Parameters
    ----------
    depth
        How far down nodes are read: 0 is the node alone, 1 its children too; None (and -1) for all.
    make
        Receives a document and the metadata that say the same. A group's `members` are filled in
        afterwards, with what it made of them.

    Raises
    ------
    ConversionError
        The node is of another version.
    MetadataError
        Documents in the store are broken, or lie too deep; all of them are named.
    """
    if node.zarr_format != version.number:
        message = f"expected Zarr {version.number}, found Zarr {node.zarr_format}: {node.store_path}"
        raise ConversionError(f"{message}; convert maps the models of one to the other")
    document = version.write(node.metadata)
    if isinstance(node, Group):
        limit = None if depth is None or depth < 0 else depth
        members: dict[str, M] | None = None if limit == 0 else {}
        document["members"] = members  # type: ignore[assignment]
        if members is not None:
            _add_below(node, version, members, limit, make)
    return make(document, node.metadata)


def _add_below(
    group: Group, version: Version, members: dict[str, M], limit: int | None, make: Make[M]
) -> None:
    problems: list[Problem] = []

    def refuse(path: str, error: MetadataError) -> None:
        problems.extend(one._replace(at=_at(path, one.at)) for one in error.problems)

    groups = {"": members}
    for path, metadata in group.walk(None if limit is None else limit - 1, on_error=refuse):
        level = path.count("/") + 1
        if level > DEEPEST:
            problems.append(Problem(_at(path), f"lies in more than {DEEPEST} groups within one another"))
            break
        document: JsonObject = version.as_read(metadata)
        if isinstance(metadata, GroupMetadata):
            inner: Any = None if level == limit else {}
            document["members"] = groups[path] = inner
        groups[parent_of(path)][path.rpartition("/")[2]] = make(document, metadata)
    if problems:
        raise MetadataError(problems, store=group.store.name, path=group.path)


def _at(path: str, at: str = "") -> str:
    return f"/{path}: {at}" if at else f"/{path}"
