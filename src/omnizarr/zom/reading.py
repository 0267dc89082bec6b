"""Models of hierarchies in stores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import orjson

from omnizarr.errors import ConversionError, MetadataError, Problem
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.discover import OnError
from omnizarr.hierarchy.group import AnyNode, Group
from omnizarr.jsontypes import JsonObject, shown
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.zom.fields import TOO_DEEP
from omnizarr.zom.plain import is_too_deep
from omnizarr.zom.version import DEEPEST, Version

M = TypeVar("M")
Make = Callable[[dict[str, Any], NodeMetadata], M]


def read_model(
    node: AnyNode, version: Version, depth: int | None, make: Make[M], on_error: OnError | None = None
) -> M:
    """Return what `make` makes of the document of an open array or group, with those of the nodes below it.

    Parameters
    ----------
    depth
        How far down nodes are read: 0 is the node alone, 1 its children too; None (and -1) for all.
    make
        Receives a document and the metadata that say the same. A group's `members` are filled in
        afterwards, with what it made of them.
    on_error
        Receives the path, relative to the node, and the error of each node whose documents are broken. Such
        nodes are left out, and so is what lies in them.

    Raises
    ------
    ConversionError
        The node is of another version.
    MetadataError
        Documents in the store are broken, or lie too deep, and there is no `on_error`; all are named.
    TypeError
        It is no array or group of omnizarr's, or the depth no integer.
    """
    check_open(node)
    if depth is not None and not hasattr(depth, "__index__"):
        raise TypeError(f"depth: expected an integer or None, found {shown(depth)}")
    if node.zarr_format != version.number:
        message = f"expected Zarr {version.number}, found Zarr {node.zarr_format}: {node.store_path}"
        raise ConversionError(f"{message}; convert maps the models of one to the other")
    document = version.write(node.metadata)
    if (faults := _depth_faults(document)) is not None:
        raise MetadataError(faults.problems, store=node.store.name, path=node.path)
    if isinstance(node, Group):
        limit = None if depth is None or depth < 0 else depth
        members: dict[str, M] | None = None if limit == 0 else {}
        document["members"] = members  # type: ignore[assignment]
        if members is not None:
            _read_below(node, version, members, limit, make, on_error)
    return make(document, node.metadata)


def check_open(node: object) -> None:
    """Refuse what is no open array or group of a version that has models.

    Raises
    ------
    ConversionError
        It is of a draft of Zarr v3.
    TypeError
        It is something else, such as a path.
    """
    if not isinstance(node, Array | Group):
        expected = "expected an array or group that omnizarr.open has opened"
        kind = type(node)
        found = shown(node) if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
        raise TypeError(f"{expected}, found {found}")
    if isinstance(node.zarr_format, str):
        message = f"expected Zarr 2 or 3, found a draft, Zarr {node.zarr_format}: {node.store_path}"
        raise ConversionError(f"{message}; omnizarr.copy(…, zarr_format=3) makes one that has a model")


def _read_below(
    group: Group,
    version: Version,
    members: dict[str, M],
    limit: int | None,
    make: Make[M],
    on_error: OnError | None,
) -> None:
    problems: list[Problem] = []

    def collect(path: str, error: MetadataError) -> None:
        problems.extend(one._replace(at=_at(path, one.at)) for one in error.problems)

    _add_below(group, version, members, limit, make, on_error or collect)
    if problems:
        raise MetadataError(problems, store=group.store.name, path=group.path)


def _add_below(
    group: Group,
    version: Version,
    members: dict[str, M],
    limit: int | None,
    make: Make[M],
    refuse: OnError,
) -> None:
    groups: dict[str, Any] = {"": members}
    for path, metadata in group.walk(None if limit is None else limit - 1, on_error=refuse):
        level = path.count("/") + 1
        if level > DEEPEST:
            refuse(path, _fault(f"lies in more than {DEEPEST} groups within one another"))
            break
        parent, _, name = path.rpartition("/")
        if parent not in groups:  # consolidated metadata can say so
            refuse(path, _fault(f"lies in /{parent}, where there is no group"))
            continue
        document: JsonObject = version.as_read(metadata)
        if (faults := _faults(name, metadata, document, version)) is not None:
            refuse(path, faults)
            continue
        if isinstance(metadata, GroupMetadata):
            inner: Any = None if level == limit else {}
            document["members"] = groups[path] = inner
        groups[parent][name] = make(document, metadata)


def _faults(
    name: str, metadata: NodeMetadata, document: JsonObject, version: Version
) -> MetadataError | None:
    """Return what is wrong with a node that a store may have, but no model; None where nothing is."""
    if (fault := version.name_fault(name)) is not None:
        return _fault(fault)
    return version.codec_faults(metadata) or _depth_faults(document)


def _depth_faults(document: JsonObject) -> MetadataError | None:
    """Return what is nested so deeply that models cannot hold it.

    Writing as text takes 1 µs, where looking takes 13, and refuses more than 254 levels.
    """
    try:
        orjson.dumps(document)
    except TypeError:
        names = [name for name, value in document.items() if is_too_deep(value)]
        return MetadataError([Problem(name, TOO_DEEP) for name in names]) if names else None
    return None


def _fault(message: str) -> MetadataError:
    return MetadataError([Problem("", message)])


def _at(path: str, at: str = "") -> str:
    return f"/{path}: {at}" if at else f"/{path}"
