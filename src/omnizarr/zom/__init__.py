"""Zarr Object Models: whole hierarchies as typed values, without values and without storage.

ZEP 6, https://zarr.dev/zeps/draft/ZEP0006.html

>>> from omnizarr import zom
>>> array = zom.v3.ArraySpec.from_array([1, 2, 3], dtype="int32", chunks=(3,))
>>> group = zom.v3.GroupSpec(attributes={"title": "example"}, members={"a": array})
>>> group == zom.from_json(group.to_json())
True
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from omnizarr.errors import MetadataError, Problem
from omnizarr.hierarchy.group import AnyNode, Group
from omnizarr.jsontypes import shown
from omnizarr.zom import v2, v3
from omnizarr.zom.compare import diff
from omnizarr.zom.convert import Conversion, convert
from omnizarr.zom.difference import Difference
from omnizarr.zom.faults import Violation
from omnizarr.zom.flat import flattened, nested, version_of
from omnizarr.zom.known import untyped_model
from omnizarr.zom.node import Attributes, NodeSpec
from omnizarr.zom.reading import check_open
from omnizarr.zom.schema.document import json_schema
from omnizarr.zom.text import parsed
from omnizarr.zom.typescript import typescript
from omnizarr.zom.validation import validate
from omnizarr.zom.version import Kind, kind_of

if TYPE_CHECKING:
    from omnizarr.zom import conventions

__all__ = [
    "Attributes",
    "Conversion",
    "Difference",
    "NodeSpec",
    "Violation",
    "conventions",
    "convert",
    "diff",
    "from_flat",
    "from_json",
    "from_node",
    "json_schema",
    "to_flat",
    "typescript",
    "v2",
    "v3",
    "validate",
]


def from_json(document: str | bytes | Mapping[str, Any]) -> NodeSpec[Any]:
    """Return the model that JSON describes, of the version and kind that it says.

    Raises
    ------
    MetadataError
        It is no JSON, or no model; every fault with its path.
    """
    found = parsed(document)
    if not isinstance(found, Mapping):
        raise MetadataError([Problem("", f"expected an object, found {shown(found)}")])
    number = found.get("zarr_format", found.get("zarr_version"))
    if number not in (2, 3):
        raise MetadataError([Problem("zarr_format", f"expected 2 or 3, found {shown(number)}")])
    return untyped_model(number, kind_of(found))._of_value(found, from_text=found is not document)


def from_node(node: AnyNode, *, depth: int | None = None) -> NodeSpec[Any]:
    """Return the model of an array or group that is open, with the nodes below it.

    Parameters
    ----------
    depth
        How far down nodes are read: 0 is the node alone, 1 its children too; None (and -1) for all.

    Raises
    ------
    MetadataError
        Documents in the store are broken; every fault with its path.
    TypeError
        It is nothing that was opened, such as a path.
    """
    check_open(node)
    kind: Kind = "group" if isinstance(node, Group) else "array"
    return untyped_model(int(node.zarr_format), kind).from_node(node, depth=depth)


def from_flat(nodes: Mapping[str, Any]) -> NodeSpec[Any]:
    """Return the model of nodes by path: `""` is the root, `"/a/b"` lies in `"/a"`.

    Groups that are missing on the way, the root too, have no attributes. Nodes are models, which remain of
    their classes, or documents, of one version of Zarr; the `members` of groups are what the paths say.

    Raises
    ------
    MetadataError
        Paths clash, lie in arrays or too deep; versions differ; documents are broken. Every fault with its
        path.
    """
    root = nested(nodes, version_of(nodes))
    return root if isinstance(root, NodeSpec) else from_json(root)


def to_flat(spec: NodeSpec[Any], root_path: str = "") -> dict[str, NodeSpec[Any]]:
    """Return the nodes of a model by path, the root by `root_path`; the `members` of groups are None."""
    return flattened(spec, root_path)


def __getattr__(name: str) -> Any:
    """Return the conventions, which are imported when they are first asked for: that takes 60 ms."""
    if name == "conventions":
        return import_module("omnizarr.zom.conventions")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
