"""Models of groups, and so of hierarchies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import UnionType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, Union, cast, get_args, get_origin

from pydantic import BaseModel, Field, ModelWrapValidatorHandler, ValidationError, create_model
from pydantic_core import InitErrorDetails
from typing_extensions import TypeVar, is_typeddict

from omnizarr.hierarchy.group import Group
from omnizarr.jsontypes import JsonObject, same_json
from omnizarr.zom.checked import Attrs
from omnizarr.zom.consolidated import from_consolidated, to_consolidated
from omnizarr.zom.drawing import shortened
from omnizarr.zom.faults import Violation, faults_of
from omnizarr.zom.flat import flattened, nested
from omnizarr.zom.known import KnownDocument, untyped_model
from omnizarr.zom.node import PARAMETERS, NodeSpec
from omnizarr.zom.text import parsed
from omnizarr.zom.version import DEEPEST, Kind, kind_of_value

Member = TypeVar("Member", default=Any)


class GroupSpecBase(NodeSpec[Attrs], Generic[Attrs, Member]):
    """A group: the properties of the specification's group metadata, and the nodes in it.

    `members` are nodes by name; None where they were not read, which is something else than no nodes.
    """

    kind: ClassVar[Kind] = "group"

    members: Mapping[str, Member] | None = Field(default_factory=cast("Any", dict))

    def __class_getitem__(cls, parameters: Any) -> Any:
        """Return the model for certain attributes and members.

        For the members, a type of nodes or a union of such is that of each; a TypedDict or a mapping, or a
        union of such, is that of all together.
        """
        given = parameters if isinstance(parameters, tuple) else (parameters,)
        if len(given) < 2 or not _is_of_all(given[1]):
            return super().__class_getitem__(parameters)
        found = _with_members(super().__class_getitem__((given[0], Any)), given[1])
        setattr(found, PARAMETERS, (cls, given))
        return found

    @property
    def nodes(self) -> dict[str, NodeSpec[Any]]:
        """The members that are models: all, where the group was checked; none, where they were not read."""
        members = cast("Mapping[str, Any]", self.members or {})
        return {name: node for name, node in members.items() if isinstance(node, NodeSpec)}

    def _full_json(self) -> JsonObject:
        members: JsonObject = {name: node._full_json() for name, node in self.nodes.items()}
        return {**super()._full_json(), "members": None if self.members is None else members}

    @classmethod
    def from_flat(cls, nodes: Mapping[str, Any]) -> Self:
        """Return the model of nodes by path: `""` is the root, `"/a/b"` lies in `"/a"`.

        Groups that are missing on the way, the root too, have no attributes.

        Parameters
        ----------
        nodes
            Models, or documents; the `members` of groups are what the paths say.

        Raises
        ------
        MetadataError
            Paths clash, or lie in arrays; or it is not of this model. Every fault with its path.
        """
        return cls._read(nested(nodes, cls.version))

    def to_flat(self, root_path: str = "") -> dict[str, NodeSpec[Any]]:
        """Return all nodes by path, the root by `root_path`; the `members` of groups are None."""
        return flattened(self, root_path)

    @classmethod
    def from_consolidated(cls, document: str | bytes | Mapping[str, Any]) -> Self:
        """Return the model of the hierarchy that consolidated metadata tell of.

        Parameters
        ----------
        document
            Zarr v2's `.zmetadata`; in Zarr v3 the `zarr.json` of the root, with `consolidated_metadata`.

        Raises
        ------
        MetadataError
            It is no such document, or not of this model; every fault with its path.
        """
        return cls._read(from_consolidated(parsed(document), cls.version))

    def to_consolidated(self) -> JsonObject:
        """Return the document with the metadata of all nodes: `.zmetadata`, or the root's `zarr.json`."""
        return to_consolidated(self)

    @classmethod
    def _refused(cls, document: Mapping[str, Any]) -> str | None:
        if (other := super()._refused(document)) is not None:
            return other
        if type(document) is not KnownDocument and _height(document) > DEEPEST:
            return f"expected {DEEPEST} groups within one another at most, found more"
        return None

    @classmethod
    def _by_types(
        cls, document: dict[str, Any], handler: ModelWrapValidatorHandler[Self]
    ) -> tuple[Self | None, list[InitErrorDetails]]:
        """Check the fields; members that a TypedDict does not name are nodes of any kind."""
        node, faults = super()._by_types(document, handler)
        if node is None or node.members is None or len(node.nodes) == len(node.members):
            return node, faults
        nodes: dict[str, Any] = {}
        for name, member in node.members.items():
            try:
                nodes[name] = cls._untyped_member(member)
            except ValidationError as error:
                faults += faults_of(error, cls.__name__, ("members", name))
        object.__setattr__(node, "__dict__", {**vars(node), "members": nodes})
        return (None, faults) if faults else (node, faults)

    @classmethod
    def _loosely(cls, document: Mapping[str, Any]) -> Self | None:
        loose = super()._loosely(document)
        members = document.get("members")
        if loose is None or not isinstance(members, Mapping):
            return loose
        try:
            nodes = {str(name): cls._untyped_member(member) for name, member in members.items()}
        except (ValidationError, TypeError):
            return None
        object.__setattr__(loose, "__dict__", {**vars(loose), "members": nodes})
        return loose

    @classmethod
    def _untyped_member(cls, member: Any) -> NodeSpec[Any]:
        if isinstance(member, NodeSpec):
            return member
        return untyped_model(cls.version.number, kind_of_value(member) or "group").model_validate(member)

    @classmethod
    def _check_members(cls, document: Mapping[str, Any], node: Self | None) -> list[Violation]:
        members = document.get("members")
        if not isinstance(members, Mapping):
            return []
        names = (cls.version.name_fault(name) for name in members if isinstance(name, str))
        violations = [Violation("members", fault) for fault in names if fault is not None]
        if node is not None and node.members is not None:
            lost = [name for name in members if name not in node.members]
            violations += [
                Violation("", "no such name among the members of this model", name) for name in lost
            ]
        return violations

    def walk(self) -> Iterator[tuple[str, NodeSpec[Any]]]:
        """Yield every node below with its path relative to this group; a group before what it holds."""
        waiting = list(reversed(self.nodes.items()))
        while waiting:
            path, node = waiting.pop()
            yield path, node
            if isinstance(node, GroupSpecBase):
                waiting += reversed([(f"{path}/{name}", inner) for name, inner in node.nodes.items()])

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        return shortened(self, super().__repr_args__())

    if TYPE_CHECKING:  # done by `NodeSpec`; here it is known what is opened

        def to_store(
            self,
            store: Any = None,
            path: str | None = None,
            *,
            overwrite: bool = False,
            exist_ok: bool = False,
            consolidated: bool = False,
            storage_options: Mapping[str, Any] | None = None,
        ) -> Group: ...

    def _equals(self, other: NodeSpec[Any]) -> bool:
        return (
            isinstance(other, GroupSpecBase)
            and same_json(self.canonical(), other.canonical())
            and (self.members is None) == (other.members is None)
            and self.nodes == other.nodes
        )


def _is_of_all(member: Any) -> bool:
    """Say whether a type is one of all members together."""
    if get_origin(member) in (Union, UnionType):
        return all(map(_is_of_all, get_args(member)))
    origin = get_origin(member) or member
    return is_typeddict(member) or (isinstance(origin, type) and issubclass(origin, Mapping))


@lru_cache(256)
def _with_members(kind: type[BaseModel], members: Any) -> type[BaseModel]:
    name = f"{kind.__name__.removesuffix('Any]')}{_shown(members)}]"
    default: Any = ... if _has_names(members) else Field(default_factory=dict)
    return create_model(name, __base__=kind, __module__=kind.__module__, members=(members | None, default))


def _has_names(members: Any) -> bool:
    return is_typeddict(members) or any(map(_has_names, get_args(members)))


def _shown(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) else str(kind)


def _height(document: Mapping[str, Any]) -> int:
    """Return how many groups lie within one another, or more than are allowed."""
    height, level = 0, _inner(document)
    while level and height <= DEEPEST:
        # what is there more than once is looked at once: a group may be there twice in itself
        level = list({id(below): below for node in level for below in _inner(node)}.values())
        height += 1
    return height


def _inner(node: Any) -> list[Any]:
    """Return the groups in a group, be it a document or a model."""
    members = node.get("members") if isinstance(node, Mapping) else getattr(node, "members", None)
    if not isinstance(members, Mapping):
        return []
    return [inner for inner in members.values() if isinstance(inner, Mapping | NodeSpec)]
