"""The extension of consolidated metadata: one document that repeats those of all nodes of a hierarchy.

`docs/spec/extension-consolidated-metadata.md`. The bootstrap document declares it, with its key:
`{"extension": "urn:omnizarr:extension:consolidated-metadata:1.0", "must_understand": false,
"configuration": {"key": "meta/consolidated"}}`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from omnizarr.jsontypes import Json, JsonObject, Problems, read_object, shown
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats.drafts.bootstrap import Bootstrap
from omnizarr.metadata.formats.drafts.declared import Declared, declares
from omnizarr.metadata.formats.drafts.uris import CONSOLIDATED, same_extension
from omnizarr.metadata.group import GroupMetadata, NodeMetadata

USUAL_KEY = "meta/consolidated"

NodePath = Callable[[str], str | None]
ReadDocument = Callable[[str, Json, Problems], NodeMetadata | None]


def declared_key(bootstrap: Bootstrap) -> str | None:
    """Return the key that a bootstrap document declares, or None where nothing is consolidated."""
    found = declares(bootstrap.extensions, CONSOLIDATED)
    key = None if found is None else found.configuration.get("key")
    return key if isinstance(key, str) else None


def declaring(bootstrap: Bootstrap) -> Bootstrap:
    """Return a bootstrap document that declares consolidated metadata, at the key it has or the usual one."""
    key = declared_key(bootstrap) or USUAL_KEY
    return bootstrap.with_extension(Declared(CONSOLIDATED, False, {"key": key}))


def undeclaring(bootstrap: Bootstrap) -> Bootstrap:
    """Return a bootstrap document that declares no consolidated metadata."""
    others = tuple(one for one in bootstrap.extensions if not same_extension(one.uri, CONSOLIDATED))
    return replace(bootstrap, extensions=others)


def read_gathered(
    document: Json, node_path: NodePath, read: ReadDocument, problems: Problems
) -> dict[str, NodeMetadata]:
    """Return the nodes of a consolidated document by path, the root and implied groups among them.

    Where it has an array and a group of one path it is the array; what lies below an array is left out.

    Parameters
    ----------
    node_path
        Says which node's document a key is, or None.
    read
        Reads the document of a key.
    """
    top = read_object(document, "", problems, required=("metadata",), optional=None)
    found = read_object(top.get("metadata", {}), "metadata", problems, optional=None)
    nodes: dict[str, NodeMetadata] = {}
    for key, value in found.items():
        inner = Problems()
        if (path := node_path(key)) is None:
            inner.add("", "expected the key of an array's or a group's document")
        elif (node := read(key, value, inner)) is not None and not isinstance(nodes.get(path), ArrayMetadata):
            nodes[path] = node
        problems.include(f"metadata[{shown(key)}]", inner)
    return with_implied_groups(nodes)


def with_implied_groups(nodes: Mapping[str, NodeMetadata]) -> dict[str, NodeMetadata]:
    """Return nodes by path with the groups that they imply, without what lies below arrays."""
    found: dict[str, NodeMetadata] = {"": nodes.get("", GroupMetadata())}
    for path in sorted(nodes, key=lambda path: path.split("/")):
        parts = path.split("/") if path else []
        above = ["/".join(parts[:count]) for count in range(len(parts))]
        if any(isinstance(found.get(place), ArrayMetadata) for place in above):
            continue
        for place in above:
            found.setdefault(place, GroupMetadata())
        found[path] = nodes[path]
    return found


def write_gathered(documents: Mapping[str, Json]) -> JsonObject:
    """Return the consolidated document that repeats documents, given by key."""
    return {"metadata": dict(documents)}
