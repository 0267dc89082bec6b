"""Consolidated metadata: `.zmetadata` of Zarr v2, and what differs from the nodes themselves.

Zarr v3's are a part of the group's document, see `omnizarr.metadata.formats.v3`.

https://zarr.readthedocs.io/en/stable/user-guide/consolidated_metadata
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from omnizarr.jsontypes import Json, JsonObject, Problems, read_int, read_object, shown
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.fill import same_fill
from omnizarr.metadata.formats.v2_node import ARRAY, ATTRIBUTES, GROUP, read_node, write_node
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.metadata.names import is_path

_VERSION = "zarr_consolidated_format"
_DOCUMENTS = (ARRAY, GROUP, ATTRIBUTES)

EMPTY: JsonObject = {"metadata": {}, _VERSION: 1}


def read_zmetadata(document: Json, problems: Problems) -> dict[str, NodeMetadata]:
    """Read the nodes of a `.zmetadata`, by path relative to its group; the group itself is left out."""
    top = read_object(document, "", problems, required=("metadata", _VERSION), optional=None)
    read_int(top.get(_VERSION, 1), _VERSION, problems, 1, 1)
    found = read_object(top.get("metadata", {}), "metadata", problems, optional=None)
    nodes: dict[str, NodeMetadata] = {}
    for path, documents in documents_by_node(found).items():
        inner = Problems()
        nodes[path] = read_node(documents, inner)
        if not is_path(path):
            problems.add(f"metadata[{shown(path)}]", "expected a path below this group")
        for problem in inner.found:
            name = next(name for name in _DOCUMENTS if problem.at.startswith(name))
            at = f"metadata[{shown(f'{path}/{name}')}]{problem.at[len(name) :]}"
            problems.add(at, problem.message, unsupported=problem.unsupported)
    return nodes


def write_zmetadata(group: GroupMetadata, nodes: Mapping[str, NodeMetadata]) -> JsonObject:
    """Return the `.zmetadata` of a group and the nodes below it.

    Raises
    ------
    ConversionError
        Zarr v2 cannot express one of the nodes.
    """
    metadata: JsonObject = dict(write_node(group))
    for path, node in nodes.items():
        metadata.update({f"{path}/{name}": document for name, document in write_node(node).items()})
    spelling = group.spelling.get(".zmetadata")
    if not isinstance(spelling, dict) or not isinstance(spelling.get("metadata"), dict):
        return {"metadata": metadata, _VERSION: 1}
    return {**spelling, "metadata": _with_strangers(metadata, spelling["metadata"])}


def _with_strangers(metadata: JsonObject, spelled: Any) -> JsonObject:
    """Add what the document held beside the nodes: sidecar documents of netCDF-C, say."""
    nodes = documents_by_node(spelled)
    of_nodes = {f"{path}/{name}" for path, documents in nodes.items() for name in documents}
    strangers = {
        key: value for key, value in spelled.items() if key not in of_nodes and key not in _DOCUMENTS
    }
    return metadata | strangers


def documents_by_node(metadata: Mapping[str, Json]) -> dict[str, dict[str, Json]]:
    """Return the documents of each node of a `.zmetadata`, by name; not those of the group itself."""
    found: dict[str, dict[str, Json]] = {}
    for key, document in metadata.items():
        path, _, name = key.rpartition("/")
        if path and name in _DOCUMENTS:
            found.setdefault(path, {})[name] = document
    return {path: documents for path, documents in found.items() if ARRAY in documents or GROUP in documents}


def stale(
    consolidated: Mapping[str, NodeMetadata], actual: Mapping[str, NodeMetadata]
) -> list[tuple[str, str]]:
    """Return what consolidated metadata say that is not so: (path, what differs), sorted by path."""
    found: list[tuple[str, str]] = []
    for path in sorted(consolidated.keys() | actual.keys()):
        if path not in actual:
            found.append((path, "in the consolidated metadata, but there is no such node"))
        elif path not in consolidated:
            found.append((path, "missing from the consolidated metadata"))
        else:
            difference = _difference(consolidated[path], actual[path])
            if difference:
                found.append((path, f"the consolidated metadata differ from the node's own: {difference}"))
    return found


_FIELDS = ("shape", "data_type", "grid", "chunk_keys", "codecs", "dimension_names", "attributes", "extra")


def _difference(said: NodeMetadata, actual: NodeMetadata) -> str:
    if isinstance(said, ArrayMetadata) and isinstance(actual, ArrayMetadata):
        names = [name for name in _FIELDS if not _equal(getattr(said, name), getattr(actual, name))]
        if not same_fill(said.fill_value, actual.fill_value):
            names.append("fill_value")
        return ", ".join(names)
    if isinstance(said, GroupMetadata) and isinstance(actual, GroupMetadata):
        names = [
            name for name in ("attributes", "extra") if not _equal(getattr(said, name), getattr(actual, name))
        ]
        return ", ".join(names)
    return "kind of node"


def _equal(a: Any, b: Any) -> bool:
    """Compare, with NaN equal to itself."""
    return bool(a == b) or repr(a) == repr(b)
