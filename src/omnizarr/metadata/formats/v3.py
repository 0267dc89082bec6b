"""Zarr v3.1: `zarr.json`.

https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#metadata
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from omnizarr.jsontypes import Json, JsonObject, Problems, dump_json, parse_json, shown
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.convert import check_extra
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.formats.directories import InDirectories
from omnizarr.metadata.formats.v3_array import (
    finished,
    read_array,
    read_attributes,
    read_extra,
    write_array,
)
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.metadata.names import is_path

_KEY = "zarr.json"
CONSOLIDATED = "consolidated_metadata"
_OF_GROUP = frozenset(("zarr_format", "node_type", "attributes", CONSOLIDATED))


@dataclass(frozen=True, slots=True)
class V3(InDirectories):
    """Zarr v3: one document a node."""

    @property
    def zarr_format(self) -> int:
        """3."""
        return 3

    def document_keys(self, path: str) -> tuple[str, ...]:
        """Return the one key."""
        return (f"{path}/{_KEY}" if path else _KEY,)

    def consolidated_key(self, path: str) -> str | None:
        """Return None: consolidated metadata are a part of the group's document."""
        return None

    def attributes_key(self, path: str, kind: type[NodeMetadata] = GroupMetadata) -> str:
        """Return the one key."""
        return f"{path}/{_KEY}" if path else _KEY

    def document_place(self, metadata: ArrayMetadata, at: str) -> str:
        """Return the place itself: the model's fields are the document's."""
        return at

    def consolidating(self, path: str) -> Format | None:
        """Return this format: every group may have them."""
        return self

    def node_path(self, key: str) -> str | None:
        """Return the path of the node whose document lies at `key`."""
        if key == _KEY:
            return ""
        return key[: -len(_KEY) - 1] if key.endswith(f"/{_KEY}") else None

    def read(
        self, path: str, documents: Mapping[str, bytes], problems: Problems, *, consolidated: bool = True
    ) -> NodeMetadata | None:
        """Return the node; None where there is no document, or it belongs to a draft of v3."""
        data = documents.get(f"{path}/{_KEY}" if path else _KEY)
        if data is None:
            return None
        try:
            document = parse_json(data)
        except ValueError as error:
            problems.add(_KEY, f"expected JSON: {error}")
            return None
        return read_node(document, problems, consolidated=consolidated)

    def write(self, path: str, metadata: NodeMetadata) -> dict[str, bytes]:
        """Return the one document by its key.

        Raises
        ------
        ConversionError
            Zarr v3 cannot express this node.
        """
        return {self.attributes_key(path): dump_json(write_node(metadata))}


def read_node(document: Json, problems: Problems, *, consolidated: bool = True) -> NodeMetadata | None:
    """Read a parsed document; None where it is not one of Zarr v3.

    Where there are problems, an array is returned all the same if it can be, with harmless values in the
    place of those that are at fault, so that its codecs can be checked too.
    """
    if not isinstance(document, dict):
        problems.add(_KEY, f"expected an object, found {shown(document)}")
        return None
    zarr_format = document.get("zarr_format")
    if zarr_format != 3 or type(zarr_format) is not int:
        if isinstance(zarr_format, str) and "metadata_encoding" in document:
            return None
        problems.add("zarr_format", _expected("3", document, "zarr_format"))
        return None
    node_type = document.get("node_type")
    if node_type == "array":
        return read_array(document, problems)
    if node_type == "group":
        return _read_group(document, problems, consolidated)
    problems.add("node_type", _expected('"array" or "group"', document, "node_type"))
    return None


def write_node(metadata: NodeMetadata) -> JsonObject:
    """Return the document of a node.

    Raises
    ------
    ConversionError
        Zarr v3 cannot express this node.
    """
    if isinstance(metadata, ArrayMetadata):
        return write_array(metadata)
    return _write_group(metadata)


def _expected(what: str, document: JsonObject, name: str) -> str:
    return f"expected {what}, found {shown(document[name])}" if name in document else "required, but missing"


# --- groups


def _read_group(document: JsonObject, problems: Problems, wanted: bool) -> GroupMetadata:
    block = document.get(CONSOLIDATED)
    extra = read_extra(document, _OF_GROUP, problems)
    if block is not None and (not wanted or _may_be_ignored(block)):
        block, extra = None, {**extra, CONSOLIDATED: block}
    return GroupMetadata(
        attributes=read_attributes(document, problems),
        consolidated=None if block is None else _read_consolidated(block, problems),
        extra=extra,
        spelling=document,
    )


def _may_be_ignored(block: Json) -> bool:
    """Say whether consolidated metadata are of a kind that is not known here, and need not be."""
    return isinstance(block, dict) and block.get("kind") != "inline" and block.get("must_understand") is False


def _read_consolidated(block: Json, problems: Problems) -> dict[str, NodeMetadata]:
    if not isinstance(block, dict):
        problems.add(CONSOLIDATED, f"expected an object, found {shown(block)}")
        return {}
    if block.get("kind") != "inline":
        problems.add(f"{CONSOLIDATED}.kind", _expected('"inline"', block, "kind"), unsupported=True)
        return {}
    nodes = block.get("metadata")
    if not isinstance(nodes, dict):
        problems.add(f"{CONSOLIDATED}.metadata", _expected("an object", block, "metadata"))
        return {}
    found: dict[str, NodeMetadata] = {}
    for path, document in nodes.items():
        inner = Problems()
        if not is_path(path):
            inner.add("", "expected a path below this group")
        node = read_node(document, inner)
        if node is not None:
            found[path] = node
        elif not inner:  # a document of a draft of v3
            inner.add("zarr_format", "expected 3")
        if inner:
            problems.include(f"{CONSOLIDATED}.metadata[{shown(path)}]", inner)
    return found


def _write_group(metadata: GroupMetadata) -> JsonObject:
    document: JsonObject = {
        "zarr_format": 3,
        "node_type": "group",
        "attributes": dict(metadata.attributes),
    }
    if metadata.consolidated is not None:
        document[CONSOLIDATED] = _write_consolidated(
            metadata.consolidated, metadata.spelling.get(CONSOLIDATED)
        )
    if metadata.extra.keys() - {CONSOLIDATED}:
        check_extra(metadata)
    return finished(document, metadata, lambda name, value: False, (CONSOLIDATED,))


def _write_consolidated(nodes: Mapping[str, NodeMetadata], spelling: Json) -> JsonObject:
    block: JsonObject = {"kind": "inline", "must_understand": False, "metadata": {}}
    if isinstance(spelling, dict):
        block = dict(spelling)
    block["metadata"] = {path: write_node(node) for path, node in nodes.items()}
    return block
