"""Documents that a dialect keeps beside those of Zarr."""

from __future__ import annotations

from collections.abc import Mapping

from omnizarr.errors import MetadataError, Problem
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.paths import joined
from omnizarr.jsontypes import Json, JsonObject, dump_json, parse_json

# Those of NCZarr's first generation, then those of the proposal of 2018.
SIDECARS = frozenset(
    (
        *(".nczarr", ".nczgroup", ".nczvar", ".nczarray", ".nczattr", ".nczattrs"),
        *(".zdataset", ".zdims", ".ztypedefs", ".zattr_type"),
    )
)


def store_sidecars(node: Group | Array, path: str, documents: Mapping[str, Json]) -> None:
    """Store documents beside those of the node at a path of a node's store."""
    for name, document in documents.items():
        node.store.set(joined(path, name), dump_json(document))


def read_sidecar(node: Group | Array, name: str) -> JsonObject | None:
    """Return a document beside a node's own; None where there is none.

    Raises
    ------
    MetadataError
        It is no JSON object.
    """
    key = joined(node.path, name)
    data = node.store.get(key)
    if data is None:
        return None
    try:
        found = parse_json(data)
    except ValueError as error:
        raise MetadataError([Problem(key, f"expected JSON: {error}")], path=node.path) from error
    if not isinstance(found, dict):
        raise MetadataError([Problem(key, "expected a JSON object")], path=node.path)
    return found
