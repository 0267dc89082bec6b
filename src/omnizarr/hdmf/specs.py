"""The specifications that an HDMF file holds: a text for each source, by namespace and version.

https://hdmf-zarr.readthedocs.io/en/stable/storage.html#caching-format-specifications
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from omnizarr.errors import MetadataError, NodeNotFoundError, NodeTypeError, Problem
from omnizarr.hdmf.dtypes import UTF8
from omnizarr.hdmf.layout import JSON2, LAYOUT_V3, SCALAR, SPECLOC
from omnizarr.hdmf.pickles import with_pickles
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.creating.many import clear, place_all
from omnizarr.hierarchy.creating.plan_array import plan_array
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.linking.reference import read_attribute
from omnizarr.hierarchy.paths import joined, parent_of, prefix_of
from omnizarr.hierarchy.requests import each
from omnizarr.jsontypes import Json, Problems, dump_json, shown
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.dtype import OBJECT
from omnizarr.metadata.group import GroupMetadata, NodeMetadata

SPECIFICATIONS = "specifications"
"""The group of the specifications, unless the root names another."""
UNVERSIONED = "unversioned"
"""The version of a namespace that has none."""

Sources: TypeAlias = Mapping[str, str]
"""The texts of one version of a namespace, by the names of their sources; that of itself is `namespace`."""

_VERSION = re.compile(r"v?([0-9]+(?:\.[0-9]+)*)(.*)", re.DOTALL)
_PARTS = re.compile(r"[0-9]+|[A-Za-z]+")


def spec_group(root: Group) -> Group | None:
    """Return the group that holds a file's specifications, or None.

    Raises
    ------
    MetadataError
        The root names a place that is none.
    """
    stated = root.metadata.attributes.get(SPECLOC)
    path = SPECIFICATIONS if stated is None else _path_of(stated, root)
    found = root.get(path)
    if isinstance(found, Group):
        return found
    if stated is None:
        return None
    message = f"expected the path of a group, found {shown(stated)}, where there is none"
    raise MetadataError([Problem(f"attributes.{SPECLOC}", message)], store=root.store.name, path=root.path)


def spec_versions(root: Group) -> dict[str, list[str]]:
    """Return the versions of each namespace that a file holds, the latest one last."""
    group = spec_group(root)
    if group is None:
        return {}
    return {name: sorted(by_version.group_keys(), key=version_order) for name, by_version in group.groups()}


def read_spec(root: Group, namespace: str, version: str | None = None) -> dict[str, str]:
    """Return the sources of a namespace: of its latest version where none is given.

    Raises
    ------
    NodeNotFoundError
        The file does not hold them.
    MetadataError
        One of them is no text.
    """
    group = spec_group(root)
    versions = group.get(namespace) if group is not None else None
    held = list(versions.group_keys()) if isinstance(versions, Group) else []
    chosen = latest(held) if version is None and held else version
    found = versions.get(chosen) if isinstance(versions, Group) and chosen in held and chosen else None
    if not isinstance(found, Group):
        what = namespace if version is None else f"{namespace} {version}"
        raise _absent(root, f"no namespace {what!r} is cached, but {', '.join(map(repr, held)) or 'none'}")
    return {source: _text_of(array) for source, array in found.arrays()}


def read_source(root: Group, namespace: str, version: str, source: str) -> str:
    """Return the text of one source of a namespace.

    Raises
    ------
    NodeNotFoundError
        The file does not hold it.
    MetadataError
        It is no text.
    """
    group = spec_group(root)
    found = None if group is None else group.get(f"{namespace}/{version}/{source}")
    if not isinstance(found, Array):
        raise _absent(root, f"the namespace {namespace} {version} has no source {source!r}")
    return _text_of(found)


def _absent(root: Group, message: str) -> NodeNotFoundError:
    return NodeNotFoundError(message, store=root.store.name, path=root.path)


def read_specs(root: Group) -> dict[str, dict[str, dict[str, str]]]:
    """Return all specifications that a file holds: texts by namespace, version and source.

    Raises
    ------
    MetadataError
        One of them is no text.
    """
    return {
        namespace: {version: read_spec(root, namespace, version) for version in versions}
        for namespace, versions in spec_versions(root).items()
    }


def write_specs(root: Group, specs: Mapping[str, Mapping[str, Sources]]) -> dict[str, NodeMetadata]:
    """Add specifications to a file; those that it holds already stay, unless their text has changed.

    They are stored many at a time where the store takes many requests at once, and a version that is new is
    seen when all of it is there.

    Returns
    -------
    dict
        The nodes that are new, by path from the root.
    """
    group = spec_group(root)
    place = SPECIFICATIONS if group is None else group.path[len(prefix_of(root.path)) :]
    new: dict[str, NodeMetadata] = {}
    texts: dict[str, str] = {}
    for namespace, versions in specs.items():
        for version, sources in versions.items():
            path = f"{place}/{namespace}/{version or UNVERSIONED}"
            for above in (place, parent_of(path), path):
                if _is_missing(root, above, new):
                    new[above] = GroupMetadata()
            texts |= {
                f"{path}/{source}": text
                for source, text in sources.items()
                if path in new or not _has_text(root, f"{path}/{source}", text)
            }
    new |= _store_texts(root, texts)
    nodes = {joined(root.path, path): metadata for path, metadata in new.items()}
    place_all(root.store, root.format, nodes, vacant=True, parent=root.path)
    root._forget_snapshot()
    if (new or group is not None) and SPECLOC not in root.metadata.attributes:
        root.update_attributes({SPECLOC: place})
    return new


def latest(versions: Iterable[str]) -> str:
    """Return the latest of versions, by number and not by text: 2.10 is later than 2.9 and 2.10.0-alpha.

    Raises
    ------
    ValueError
        There is none.
    """
    return max(versions, key=version_order)


def version_order(version: str) -> tuple[Any, ...]:
    """Return what versions are sorted by; those without a number come first."""
    found = _VERSION.fullmatch(version)
    if found is None:
        return (0, (), 0, (), version)
    numbers = tuple(map(int, found[1].split(".")))
    while numbers and numbers[-1] == 0:
        numbers = numbers[:-1]
    suffix = found[2]
    rank = 1 if not suffix else 2 if suffix[0] == "+" or suffix.startswith(".post") else 0
    parts = tuple(
        (part.isdigit(), int(part) if part.isdigit() else 0, part) for part in _PARTS.findall(suffix)
    )
    return (1, numbers, rank, parts, version)


def _path_of(stated: Json, root: Group) -> str:
    """Return the place that the root names, as text or as a reference."""
    if isinstance(stated, str):
        return stated.strip("/")
    problems = Problems()
    reference = read_attribute(stated, f"attributes.{SPECLOC}", problems)
    if reference is None and not problems:
        problems.add(f"attributes.{SPECLOC}", f"expected the path of a group, found {shown(stated)}")
    problems.check(store=root.store.name, path=root.path)
    assert reference is not None
    return reference.path.strip("/")


def _text_of(array: Array) -> str:
    items = np.asarray(with_pickles(array)[...]).reshape(-1)
    value = items[0] if items.size == 1 else None
    if isinstance(value, dict | list):  # JSON within JSON was taken apart by its writer
        return dump_json(value).decode()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, str):
        return str(value)
    message = f"expected a specification as one text, found {items.size} elements of {array.dtype}"
    raise MetadataError([Problem("", message)], store=array.store.name, path=array.path)


def _is_missing(root: Group, path: str, new: Collection[str]) -> bool:
    """Say whether a group is to be made; what a writer that died has left in its place goes away."""
    if path in new or parent_of(path) in new:
        return path not in new
    found = root.get(path)
    if isinstance(found, Array):
        message = "expected a group of specifications, found an array"
        raise NodeTypeError(message, store=root.store.name, path=found.path)
    if found is None:
        clear(root.store, joined(root.path, path))
    return found is None


def _has_text(root: Group, path: str, text: str) -> bool:
    """Say whether a source has a text; another one that stands in its place goes away."""
    found = root.get(path)
    if isinstance(found, Array) and _text_of(found) == text:
        return True
    clear(root.store, joined(root.path, path))
    return False


def _store_texts(root: Group, texts: Mapping[str, str]) -> dict[str, NodeMetadata]:
    """Store the chunks of texts, and return the arrays, of which no documents are stored yet."""
    metadata = _array_of_text(root.zarr_format)

    def store(path: str) -> None:
        item = np.empty(metadata.shape, object)
        item[...] = texts[path]
        Array(root.store, root.format, joined(root.path, path), metadata)[...] = item

    each(root.store, store, list(texts))
    return dict.fromkeys(texts, metadata)


def _array_of_text(zarr_format: int | str) -> ArrayMetadata:
    if zarr_format != 2:
        attributes = LAYOUT_V3.type_attributes(UTF8, scalar=True)
        return plan_array(zarr_format, shape=(), dtype="string", attributes=attributes)
    return plan_array(
        2,
        shape=(1,),
        dtype=OBJECT,
        chunks=(1,),
        filters=[JSON2.to_json()],
        compressors=None,
        fill_value=0,
        attributes={"zarr_dtype": SCALAR},
    )
