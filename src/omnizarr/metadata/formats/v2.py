"""Zarr v2: `.zarray`, `.zgroup`, `.zattrs`, `.zmetadata`.

https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from omnizarr.jsontypes import Json, JsonObject, Problems, dump_json, parse_json
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.consolidated import EMPTY, read_zmetadata, write_zmetadata
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.formats.directories import InDirectories
from omnizarr.metadata.formats.v2_node import (
    ARRAY,
    ATTRIBUTES,
    GROUP,
    STAND_IN,
    document_place,
    read_node,
    write_node,
)
from omnizarr.metadata.group import GroupMetadata, NodeMetadata

CONSOLIDATED = ".zmetadata"


@dataclass(frozen=True, slots=True)
class V2(InDirectories):
    """Zarr v2: one document that decides what a node is, and one with its attributes."""

    @property
    def zarr_format(self) -> int:
        """2."""
        return 2

    def document_keys(self, path: str) -> tuple[str, ...]:
        """Return the keys of the array's document, the group's, and the attributes'."""
        at = f"{path}/" if path else ""
        return (f"{at}{ARRAY}", f"{at}{GROUP}", f"{at}{ATTRIBUTES}")

    def attributes_key(self, path: str, kind: type[NodeMetadata] = GroupMetadata) -> str:
        """Return the key of `.zattrs`."""
        return f"{path}/{ATTRIBUTES}" if path else ATTRIBUTES

    def consolidated_key(self, path: str) -> str:
        """Return the key of `.zmetadata`."""
        return f"{path}/{CONSOLIDATED}" if path else CONSOLIDATED

    def document_place(self, metadata: ArrayMetadata, at: str) -> str:
        """Return the place in `.zarray`."""
        return document_place(metadata, at)

    def consolidating(self, path: str) -> Format | None:
        """Return this format: every group may have them."""
        return self

    def node_path(self, key: str) -> str | None:
        """Return the path of the node whose deciding document lies at `key`."""
        path, _, name = key.rpartition("/")
        return path if name in (ARRAY, GROUP) else None

    def read(
        self, path: str, documents: Mapping[str, bytes], problems: Problems, *, consolidated: bool = True
    ) -> NodeMetadata | None:
        """Return the node; None where there is neither `.zarray` nor `.zgroup`. An array comes first.

        A group's `.zmetadata`, where it is among the documents, is read too.
        """
        array, group, attributes = (documents.get(key) for key in self.document_keys(path))
        name, data = (ARRAY, array) if array is not None else (GROUP, group)
        if data is None:
            return None
        parsed = {name: _parsed(name, data, problems, STAND_IN)}
        if attributes is not None:
            parsed[ATTRIBUTES] = _parsed(ATTRIBUTES, attributes, problems, {})
        node = read_node(parsed, problems)
        zmetadata = documents.get(self.consolidated_key(path)) if consolidated else None
        if zmetadata is None or not isinstance(node, GroupMetadata):
            return node
        return _with_consolidated(node, _parsed(CONSOLIDATED, zmetadata, problems, EMPTY), problems)

    def write(self, path: str, metadata: NodeMetadata) -> dict[str, bytes]:
        """Return the node's documents by key, the deciding one last.

        Raises
        ------
        ConversionError
            Zarr v2 cannot express this node.
        """
        documents = write_node(metadata)
        if isinstance(metadata, GroupMetadata) and metadata.consolidated is not None:
            documents = {CONSOLIDATED: write_zmetadata(metadata, metadata.consolidated), **documents}
        at = f"{path}/" if path else ""
        return {f"{at}{name}": dump_json(document) for name, document in documents.items()}


def _with_consolidated(group: GroupMetadata, document: Json, problems: Problems) -> GroupMetadata:
    inner = Problems()
    nodes = read_zmetadata(document, inner)
    problems.include(CONSOLIDATED, inner)
    return replace(group, consolidated=nodes, spelling={**group.spelling, CONSOLIDATED: document})


def _parsed(name: str, data: bytes, problems: Problems, otherwise: JsonObject) -> Json:
    try:
        return parse_json(data)
    except ValueError as error:
        problems.add(name, f"expected JSON: {error}")
        return otherwise
