"""Consolidated metadata from models, and models from them.

ZEP 6, "Implementing consolidated metadata via Zarr Object Models"
https://zarr.readthedocs.io/en/stable/user-guide/consolidated_metadata/
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from omnizarr.errors import ConversionError, MetadataError, Problem
from omnizarr.hierarchy.consolidate import in_block
from omnizarr.hierarchy.paths import ancestors_of, parent_of
from omnizarr.jsontypes import JsonObject, Problems, read_object, read_string, same_json, shown
from omnizarr.metadata.consolidated import documents_by_node, write_zmetadata
from omnizarr.metadata.formats import v3
from omnizarr.metadata.formats.v2_node import ARRAY, GROUP
from omnizarr.metadata.formats.v2_node import ATTRIBUTES as ZATTRS
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.metadata.names import is_path
from omnizarr.zom import renaming
from omnizarr.zom.plain import read_attributes
from omnizarr.zom.version import ATTRIBUTES, DEEPEST, Version, kind_of

if TYPE_CHECKING:
    from omnizarr.zom.node import NodeSpec

_METADATA = "metadata"
_MEMBERS = renaming.MEMBERS


# --- from models


def nodes_of(spec: NodeSpec[Any]) -> dict[str, NodeMetadata]:
    """Return the metadata of all nodes of a model as they are stored, by path; the root's is `""`."""
    below = cast("Any", spec).walk() if spec.kind == "group" else ()
    found = {"": spec.metadata, **{path: node.metadata for path, node in below}}
    return {path: _as_stored(metadata, spec.version) for path, metadata in found.items()}


def _as_stored(metadata: NodeMetadata, version: Version) -> NodeMetadata:
    """Return a node without what would have Zarr v2 store a document of no attributes."""
    if version.number == 3 or metadata.attributes:
        return metadata
    spelling = {name: value for name, value in metadata.spelling.items() if name != ATTRIBUTES}
    return replace(metadata, spelling=spelling)


def consolidated_root(nodes: Mapping[str, NodeMetadata], version: Version) -> GroupMetadata:
    """Return the root of nodes by path, with the metadata of the others.

    Raises
    ------
    NodeTypeError
        The root is an array.
    """
    root = nodes[""]
    assert isinstance(root, GroupMetadata), "arrays hold no nodes"
    below = {path: nodes[path] for path in sorted(nodes, key=lambda path: path.split("/")) if path}
    return root.with_consolidated(in_block(below, version.format))


def to_consolidated(spec: NodeSpec[Any]) -> JsonObject:
    """Return `.zmetadata`, or the `zarr.json` of the root with `consolidated_metadata`.

    Raises
    ------
    ConversionError
        Members of a group were not read, so that not all nodes are known.
    """
    below = [("", spec), *cast("Any", spec).walk()]
    unread = [f"/{path}" for path, node in below if node.kind == "group" and node.members is None]
    if unread:
        raise ConversionError(f"expected all nodes, but the members of {', '.join(unread)} were not read")
    root = consolidated_root(nodes_of(spec), spec.version)
    if spec.version.number == 3:
        return v3.write_node(root)
    return write_zmetadata(root, root.consolidated or {})


# --- from documents


def from_consolidated(document: Any, version: Version) -> JsonObject:
    """Return the document of the model that consolidated metadata tell of.

    Raises
    ------
    MetadataError
        It is no such document; every fault with its path, those of nodes too.
    """
    found = _Nodes(version)
    if not isinstance(document, dict):
        raise MetadataError([Problem("", f"expected an object, found {shown(document)}")])
    (found.add_v3 if version.number == 3 else found.add_v2)(document)
    return found.nested()


@dataclass(frozen=True, slots=True)
class _Nodes:
    """The documents of nodes by path, as models have them, and what is wrong beside them."""

    version: Version
    documents: dict[str, JsonObject] = field(default_factory=dict)
    problems: Problems = field(default_factory=Problems)

    def add_v3(self, document: Any) -> None:
        """Take a root's `zarr.json`."""
        problems = self.problems
        top = read_object(document, "", problems, required=(v3.CONSOLIDATED,), optional=None)
        if not isinstance(top.get(v3.CONSOLIDATED, {}), dict):
            problems.add(v3.CONSOLIDATED, f"expected an object, found {shown(top[v3.CONSOLIDATED])}")
            top = {**top, v3.CONSOLIDATED: {_METADATA: {}, "kind": "inline"}}
        block = Problems()
        inner = read_object(top.get(v3.CONSOLIDATED), "", block, required=("kind", _METADATA), optional=None)
        read_string(inner.get("kind", "inline"), "kind", block, ("inline",))
        nodes = read_object(inner.get(_METADATA, {}), _METADATA, block, optional=None)
        if v3.CONSOLIDATED in top:
            problems.include(v3.CONSOLIDATED, block)
        self.add("", top)
        for path, node in nodes.items():
            if path:
                self.add(path, node)
            else:
                problems.add(f'{v3.CONSOLIDATED}.{_METADATA}[""]', "expected a path below this group")

    def add_v2(self, document: Any) -> None:
        """Take a `.zmetadata`."""
        name = "zarr_consolidated_format"
        problems = self.problems
        top = read_object(document, "", problems, required=(_METADATA, name), optional=None)
        if not same_json(top.get(name, 1), 1):
            problems.add(name, f"expected 1, found {shown(top[name])}")
        found = read_object(top.get(_METADATA, {}), _METADATA, problems, optional=None)
        root = {name: value for name, value in found.items() if name in (ARRAY, GROUP, ZATTRS)}
        if isinstance(top.get(_METADATA), dict) and not {ARRAY, GROUP} & root.keys():
            problems.add(f"{_METADATA}[{shown(GROUP)}]", "required, but missing")
        by_node = {"": {GROUP: {"zarr_format": 2}, **root}, **documents_by_node(found)}
        for path, documents in cast("dict[str, JsonObject]", by_node).items():
            node = documents.get(ARRAY, documents.get(GROUP))
            attributes = documents.get(ZATTRS, {})
            self.add(path, {**node, ATTRIBUTES: attributes} if isinstance(node, dict) else node)

    def add(self, path: str, document: Any) -> None:
        """Take the document of a node."""
        if path and not is_path(path):
            self.refuse(path, "expected a path below this group")
        elif path.count("/") >= DEEPEST:
            self.refuse(path, f"lies in more than {DEEPEST} groups within one another")
        elif not isinstance(document, dict):
            self.refuse(path, f"expected an object, found {shown(document)}")
        else:
            self.documents[path] = self.as_in_model(document)

    def as_in_model(self, document: JsonObject) -> JsonObject:
        if kind_of(document) == "array":
            return document
        fields = {name: value for name, value in document.items() if name != v3.CONSOLIDATED}
        return {**renaming.to_model(fields), _MEMBERS: {}}

    def nested(self) -> JsonObject:
        """Return the root's document with those of all others in it."""
        paths = sorted(self.documents, key=lambda path: path.split("/"))
        self.check_above(paths)
        if self.problems:
            self.check_each()
            raise MetadataError(self.problems.found)
        for path in paths:
            if path:
                members = cast("JsonObject", self.documents[parent_of(path)][_MEMBERS])
                members[path.rpartition("/")[2]] = self.documents[path]
        return self.documents[""]

    def check_above(self, paths: list[str]) -> None:
        """Check that what holds nodes is there, and a group."""
        missing: dict[str, str] = {}
        for path in paths:
            for above in reversed(ancestors_of(path)):
                if above not in self.documents:
                    missing.setdefault(above, path)
                elif kind_of(self.documents[above]) == "array":
                    self.refuse(path, f"lies in /{above}, which is an array")
        for above, path in missing.items():
            self.refuse(above, f"there is no such group, though /{path} lies in it")

    def check_each(self) -> None:
        """Check every node by itself, so that its faults are told with those of the whole."""
        for path, document in self.documents.items():
            inner = Problems()
            read_attributes(document.get(ATTRIBUTES, {}), inner)
            fields = {name: value for name, value in document.items() if name != _MEMBERS}
            self.version.read(kind_of(document), fields, inner)
            for problem in inner.found:
                self.refuse(path, str(problem))

    def refuse(self, path: str, message: str) -> None:
        self.problems.found.append(Problem(f"/{path}", message))
