"""Models as nodes by path, and back.

The root is `""`, its children are `"/a"`, theirs `"/a/b"`. In this form no group tells of its members: they
are what the paths say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from omnizarr.errors import MetadataError, Problem
from omnizarr.hierarchy.paths import ancestors_of, joined, parent_of
from omnizarr.jsontypes import JsonObject, shown
from omnizarr.zom.faults import findings
from omnizarr.zom.fields import as_document
from omnizarr.zom.known import untyped_model
from omnizarr.zom.node import NodeSpec
from omnizarr.zom.version import DEEPEST, Version, kind_of_value

_MEMBERS = "members"
_LONGEST = 200  # characters of a path that an error shows


def flattened(spec: NodeSpec[Any], root_path: str = "") -> dict[str, NodeSpec[Any]]:
    """Return a model's nodes by path, a group before what it holds; the members of groups are None.

    Raises
    ------
    TypeError
        It is no model.
    """
    if not isinstance(spec, NodeSpec):
        raise TypeError(f"expected a model, found {shown(spec)}")
    below = cast("Any", spec).walk() if spec.kind == "group" else ()
    root = root_path.rstrip("/")
    return {root: _alone(spec), **{f"{root}/{path}": _alone(node) for path, node in below}}


def _alone(node: NodeSpec[Any]) -> NodeSpec[Any]:
    """Return a node without its members; not checked, since its class may require some."""
    return node if node.kind == "array" else BaseModel.model_copy(node, update={_MEMBERS: None})


def nested(nodes: Mapping[str, Any], version: Version) -> Any:
    """Return the root of nodes by path, models or documents: a document that is to be checked, or a model.

    Models remain what they are, groups with the members that the paths say. Groups that are missing on the
    way have no attributes. What is given as a member of a group, too, has to be the same there.

    Raises
    ------
    MetadataError
        Paths clash, lie in arrays or too deep, or have names that no node may have; groups are given with
        members that the paths contradict. Every fault with its path, those of single documents too.
    """
    _check_mapping(nodes)
    tree = _Tree(version)
    for key, value in nodes.items():
        tree.add(key, value)
    tree.expand()
    tree.place()
    root = None if tree.problems else tree.built()
    if tree.problems:
        raise MetadataError(list(dict.fromkeys([*tree.problems, *tree.faults()])))
    return root


def version_of(nodes: Mapping[str, Any]) -> Version:
    """Return the version of Zarr of nodes by path: the root's, or that of the first one that has one.

    Raises
    ------
    MetadataError
        No node says which.
    """
    _check_mapping(nodes)
    root = next((nodes[key] for key in ("", "/") if key in nodes), None)
    for value in (root, *nodes.values()):
        number = _number(value)
        if number == 2 or number == 3:
            return Version(2 if number == 2 else 3)
    raise MetadataError([Problem("zarr_format", "expected 2 or 3 in one of the nodes at least, found none")])


def _check_mapping(nodes: Any) -> None:
    if not isinstance(nodes, Mapping):
        raise MetadataError([Problem("", f"expected nodes by path, found {shown(nodes)}")])


def _number(value: Any) -> Any:
    if isinstance(value, NodeSpec):
        return value.version.number
    return value.get("zarr_format", value.get("zarr_version")) if isinstance(value, Mapping) else None


@dataclass(slots=True)
class _Tree:
    """Nodes on their way from paths to a tree.

    `keys` are the paths in the user's words, `order` are the names in each group, in the order in which they
    were given.
    """

    version: Version
    nodes: dict[str, Any] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    order: dict[str, dict[str, None]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def add(self, key: Any, value: Any) -> None:
        """Take what a user gave."""
        if not isinstance(key, str):
            self.problems.append(Problem("", f"expected paths as strings, found {shown(key)}"))
            return
        path = "/".join(filter(None, key.split("/")))
        if path in self.keys:
            self.refuse(path, f"given twice, as {shown(self.keys[path])} and as {shown(key)}")
            return
        self.keys[path] = key
        if self.is_legal(path, value):
            self.nodes[path] = value

    def is_legal(self, path: str, value: Any) -> bool:
        """Say whether a node may be at a path, and may be at all; what is wrong is told."""
        before = len(self.problems)
        parts = path.split("/") if path else []
        if len(parts) > DEEPEST:
            self.refuse(path, f"lies in more than {DEEPEST} groups within one another")
            return False
        for fault in filter(None, map(self.version.name_fault, parts)):
            self.refuse(path, fault)
        if kind_of_value(value) is None:
            self.refuse(path, f"expected a model or a document, found {shown(value)}")
        elif (number := _number(value)) in (2, 3) and number != self.version.number:
            expected = f"expected Zarr {self.version.number} as of the other nodes, found Zarr {number}"
            self.refuse(path, f"{expected}; convert maps one to the other")
        return len(self.problems) == before

    def expand(self) -> None:
        """Take the members that groups are given with as nodes too, where paths name others beside them."""
        above = {group for path in self.nodes for group in ancestors_of(path)}
        waiting = [path for path in self.nodes if path in above]
        while waiting:
            path = waiting.pop()
            for name, member in _members(self.nodes[path]).items():
                inner = joined(path, str(name))
                if inner in self.nodes:
                    self.compare(path, inner, member)
                elif "/" in str(name):
                    self.refuse(path, f"members: {self.version.name_fault(str(name))}")
                elif self.is_legal(inner, member):
                    self.nodes[inner] = member
                    waiting += [inner] if inner in above else []

    def compare(self, path: str, inner: str, member: Any) -> None:
        """Refuse a node that is something else as a member of its group."""
        if not self.is_same(self.nodes[inner], member):
            self.refuse(inner, f"not the same as in the members of the group {_shown(path)}")

    def is_same(self, one: Any, other: Any) -> bool:
        try:
            return bool(self.alone(one) == self.alone(other))
        except ValidationError:
            return bool(_document(one) == _document(other))

    def alone(self, node: Any) -> NodeSpec[Any]:
        """Return a node, without those in it, as a model.

        Raises
        ------
        ValidationError
            It is at fault.
        """
        kind = kind_of_value(node) or "group"
        document = _document(node)
        if kind == "group":
            document.pop(_MEMBERS, None)
        return untyped_model(self.version.number, kind).model_validate(document)

    def place(self) -> None:
        """Put every node into its group, and groups that are missing into theirs."""
        for path, value in self.nodes.items():
            above = ancestors_of(path)
            for array in (group for group in above if kind_of_value(self.nodes.get(group)) == "array"):
                self.refuse(path, f"lies in {_shown(array)}, which is an array")
            if kind_of_value(value) == "group":
                self.order.setdefault(path, {})
            for inner in (path, *above):
                if inner:
                    self.order.setdefault(parent_of(inner), {}).setdefault(inner.rpartition("/")[2])
        self.order.setdefault("", {})

    def built(self) -> Any:
        """Return the root, made from the bottom up."""
        if kind_of_value(self.nodes.get("")) == "array":
            return self.nodes[""]
        made = dict(self.nodes)
        for path in sorted(self.order, key=_depth, reverse=True):
            members = {name: made[joined(path, name)] for name in self.order[path]}
            made[path] = self.filled(path, self.nodes.get(path), members)
        return made[""]

    def filled(self, path: str, group: Any, members: dict[str, Any]) -> Any:
        """Return a group with its members: a model of the class it was of, or a document."""
        if group is None:
            return {**_new_group(self.version), _MEMBERS: members}
        if not members and (given := _field(group)) is not None:
            # All there is to say of it stands in the group itself: nothing was given below.
            return group if isinstance(group, NodeSpec) else {**group, _MEMBERS: given}
        if isinstance(group, NodeSpec):
            try:
                return group.model_copy(update={_MEMBERS: members})
            except ValidationError as error:
                document = {**_document(group), _MEMBERS: members}
                self.tell(error, document, path)
                return document
        return {**group, _MEMBERS: members}

    def faults(self) -> Iterator[Problem]:
        """Yield what is wrong with single documents, for who is told of other faults already."""
        told = len(self.problems)
        for path, value in self.nodes.items():
            if isinstance(value, Mapping):
                try:
                    self.alone(value)
                except ValidationError as error:
                    self.tell(error, value, path)
        yield from self.problems[told:]

    def tell(self, error: ValidationError, document: Any, path: str) -> None:
        for one in findings(error, document, path):
            self.refuse(one.path, f"{one.at}: {one.message}" if one.at else one.message)

    def refuse(self, path: str, message: str) -> None:
        self.problems.append(Problem(_shown(path), message))


def _shown(path: str) -> str:
    return f"/{path}" if len(path) < _LONGEST else f"/{path[:_LONGEST]}…"


def _depth(path: str) -> int:
    return path.count("/") + 1 if path else 0


def _new_group(version: Version) -> JsonObject:
    return {"zarr_format": 2} if version.number == 2 else {"zarr_format": 3, "node_type": "group"}


def _field(group: Any) -> Any:
    return group.get(_MEMBERS) if isinstance(group, Mapping) else getattr(group, _MEMBERS, None)


def _members(group: Any) -> Mapping[Any, Any]:
    """Return the members that a group was given with; none where they are no members."""
    found = _field(group) if kind_of_value(group) == "group" else None
    return found if isinstance(found, Mapping) else {}


def _document(node: Any) -> dict[str, Any]:
    """Return the fields of a model or a document."""
    return as_document(node) or {}
