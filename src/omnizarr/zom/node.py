"""What models of arrays and of groups share: they are checked by the specification, and compared by it.

ZEP 6, "Specification of the base Zarr Object Model".
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping
from typing import Any, ClassVar, Generic, Self, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationError,
    model_serializer,
    model_validator,
)
from pydantic_core import CoreSchema, InitErrorDetails
from typing_extensions import TypeVar

from omnizarr.hierarchy.group import AnyNode
from omnizarr.hierarchy.tree import Tree
from omnizarr.jsontypes import JsonObject, Problems, shown
from omnizarr.metadata.group import NodeMetadata
from omnizarr.zom.compare import differences
from omnizarr.zom.drawing import tree_of
from omnizarr.zom.faults import Violation, faults_of, other_kind, raised, refusal, together
from omnizarr.zom.fields import apart, as_document, by_alias, defaults, in_order, unseen, with_defaults
from omnizarr.zom.plain import plain, read_attributes
from omnizarr.zom.reading import read_model
from omnizarr.zom.schema_nodes import node_schema
from omnizarr.zom.storing import create
from omnizarr.zom.text import parsed
from omnizarr.zom.version import ATTRIBUTES, Kind, Version, kind_of

Attrs = TypeVar("Attrs", default=dict[str, Any])

_TUPLES = ("shape", "chunks", "codecs", "filters", "storage_transformers", "dimension_names")
_GIVEN: dict[frozenset[str], set[str]] = {}  # for the garbage collector, one set for all alike
_ANY = (Attrs, Any, dict[str, Any])  # types that say nothing of attributes
_IDLE = ("storage_transformers", "dimension_names")  # None where the document has none
_ARTICLES = {"array": "an array", "group": "a group"}


class Attributes(BaseModel):
    """A base for models of attributes: others than those that are named are kept.

    Attributes whose names start with an underscore, as `_ARRAY_DIMENSIONS`, are fields with an alias.
    """

    model_config = ConfigDict(frozen=True, extra="allow", populate_by_name=True)


_UNTYPED: dict[tuple[int, Kind], type[NodeSpec[Any]]] = {}
_Node = TypeVar("_Node", bound="type[NodeSpec[Any]]")


def untyped(kind: _Node) -> _Node:
    """Register the model of a kind of node that says nothing special of its attributes and members."""
    _UNTYPED[kind.version.number, kind.kind] = kind
    return kind


def untyped_model(number: int, kind: Kind) -> type[NodeSpec[Any]]:
    """Return the model of a kind of node that says nothing of its attributes and members."""
    return _UNTYPED[number, kind]


class KnownDocument(dict[str, Any]):
    """The document of a node whose metadata were read, and so checked, already."""

    __slots__ = ("metadata",)

    def __init__(self, document: Mapping[str, Any], metadata: NodeMetadata) -> None:
        super().__init__(document)
        self.metadata = metadata


class _Entered(dict[str, Any]):
    """A document that its model checks already: pydantic asks a model twice where another one holds it."""

    __slots__ = ("by",)

    def __init__(self, document: Mapping[str, Any], by: type[NodeSpec[Any]]) -> None:
        super().__init__(document)
        self.by = by


class NodeSpec(BaseModel, Generic[Attrs]):
    """A node of a hierarchy: its attributes, and what the specification says of its kind.

    The fields hold JSON as the specification has it. A model that exists is sound: what does not fit together
    is refused when it is made, every fault at once (`pydantic.ValidationError`; the functions that read
    models raise `omnizarr.errors.MetadataError`, with the path of each). Models are equal where they
    describe equal structures, however those are spelled and whatever class they are of.
    """

    model_config = ConfigDict(frozen=True, extra="allow", ser_json_inf_nan="constants")

    version: ClassVar[Version]
    kind: ClassVar[Kind]

    zarr_format: int
    attributes: Attrs = Field(default_factory=cast("Any", dict), validate_default=True)
    _structure: NodeMetadata | None = PrivateAttr(default=None)
    _unseen: JsonObject = PrivateAttr(
        default_factory=dict
    )  # attributes that the type of `attributes` left out

    # --- what it says

    @property
    def metadata(self) -> NodeMetadata:
        """The node as values: its data type, its codecs; attributes as JSON, no members."""
        structure = self._structure
        if structure is None:  # made by `model_construct`
            problems = Problems()
            structure = self.version.read(self.kind, self._own_json(), problems)
            problems.check()
            assert structure is not None
        return structure.with_attributes(self.attributes_as_json())

    def attributes_as_json(self) -> JsonObject:
        """Return the attributes as a JSON object, whatever model they are of; also those that it left out."""
        return {**self._unseen, **cast("JsonObject", plain(self.attributes))}

    def canonical(self) -> JsonObject:
        """Return the node's document in one spelling of all that mean the same, without members."""
        return self.version.write(self.metadata, as_spelled=False)

    def check(self) -> Iterator[Violation]:
        """Yield what breaks the convention that this model is of; nothing, unless a subclass says so.

        For what types cannot say, such as lengths that must agree. It is asked also where types have found
        faults, so that all of them are told at once: `metadata` and `nodes` are as the specification has
        them in any case, while attributes and members that are at fault are not of their types.
        """
        return iter(())

    def tree(self, level: int | None = None, *, max_nodes: int = 500) -> Tree:
        """Return a drawing of the hierarchy, `level` groups deep and of at most `max_nodes` nodes."""
        return tree_of(self, level, max_nodes=max_nodes)

    def _repr_html_(self) -> str:
        return self.tree()._repr_html_()

    # --- in and out

    @classmethod
    def from_node(cls, node: AnyNode, *, depth: int | None = None) -> Self:
        """Return the model of an array or group that is open, with the nodes below it.

        Parameters
        ----------
        depth
            How far down nodes are read: 0 is the node alone, 1 its children too; None (and -1) for all. The
            members of groups that are not looked into are None.

        Raises
        ------
        MetadataError
            It is not of this model, or documents in the store are broken; every fault with its path.
        ConversionError
            It is of another version of Zarr.
        """
        if cls in _UNTYPED.values():
            untyped = read_model(node, cls.version, depth, _untyped)
            if isinstance(untyped, cls):
                return untyped
        document = read_model(node, cls.version, depth, KnownDocument)
        return cls._read(document, store=node.store.name, path=node.path)

    @classmethod
    def from_json(cls, document: str | bytes | Mapping[str, Any]) -> Self:
        """Return the model that JSON describes, given as text or as parsed.

        Raises
        ------
        MetadataError
            It is no JSON, or not of such a model; every fault with its path.
        """
        return cls._read(parsed(document))

    def to_json(self) -> JsonObject:
        """Return the model as a JSON object (ZEP 6, "Zarr Object Models in JSON")."""
        document = self._own_json()
        fields = {name: document.pop(name) for name in ("zarr_format", "node_type") if name in document}
        return {**fields, ATTRIBUTES: self.attributes_as_json(), **document}  # type: ignore[dict-item]

    def to_store(
        self,
        store: Any = None,
        path: str | None = None,
        *,
        overwrite: bool = False,
        exist_ok: bool = False,
        consolidated: bool = False,
        storage_options: Mapping[str, Any] | None = None,
    ) -> AnyNode:
        """Create the array or the whole hierarchy, without values, and return it opened.

        Either all nodes are there afterwards, or those that were there before, or none: the root's document
        is written last, and what was written before a failure is deleted again. A node is one write, in
        Zarr v2 two where it has attributes.

        Parameters
        ----------
        store, path
            Where: a path, a URL, a store or a group, as for `create_group`; None is a new store in memory.
        overwrite
            Delete what is there first, with its data.
        exist_ok
            Leave nodes as they are that are there and equal to the model's; create the others.
        consolidated
            Also write consolidated metadata.

        Raises
        ------
        NodeExistsError
            Something is there, and neither `overwrite` nor an equal node that `exist_ok` lets be; every
            difference is listed.
        """
        return create(
            self,
            store,
            path,
            overwrite=overwrite,
            exist_ok=exist_ok,
            consolidated=consolidated,
            storage_options=storage_options,
        )

    @model_serializer(mode="plain", when_used="json")
    def _serialized(self) -> dict[str, Any]:
        # So that pydantic's ways to JSON give what `to_json` gives, of numpy's values and of sets too.
        return self.to_json()

    # --- equality

    def like(
        self, other: NodeSpec[Any] | AnyNode, *, include: Collection[str] = (), exclude: Collection[str] = ()
    ) -> bool:
        """Say whether another model, or an open array or group, is the same but for some fields.

        Parameters
        ----------
        include
            Names of the only fields to compare, of every node: `{"shape", "attributes"}`; all, where empty.
        exclude
            Names of fields not to compare.
        """
        return not differences(self, other, include=include, exclude=exclude, first=True)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NodeSpec):
            return NotImplemented
        return self is other or self._equals(other)

    @abstractmethod
    def _equals(self, other: NodeSpec[Any]) -> bool: ...

    def __hash__(self) -> int:
        return hash((self.kind, self.zarr_format, *sorted(self.attributes_as_json())))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with some fields replaced, which is checked as any model."""
        if not update:
            return super().model_copy(deep=deep)
        return type(self).model_validate({**(as_document(self) or {}), **update})

    # --- inside

    @classmethod
    def _of_known(cls, document: dict[str, Any], structure: NodeMetadata) -> Self:
        """Return the model of what was read, and so checked, already: 3 µs, where pydantic takes 11."""
        node = cls.__new__(cls)
        fields, extra = document, {}
        if not document.keys() <= cls.model_fields.keys():
            extra = {name: document[name] for name in document if name not in cls.model_fields}
            fields = {name: document[name] for name in document if name in cls.model_fields}
        given = _GIVEN.setdefault(frozenset(fields), set(fields))
        for name in _TUPLES:
            if type(fields.get(name)) is list:
                fields[name] = tuple(fields[name])
        object.__setattr__(node, "__dict__", {**in_order(cls), **fields})
        object.__setattr__(node, "__pydantic_fields_set__", given)
        object.__setattr__(node, "__pydantic_extra__", extra)
        object.__setattr__(node, "__pydantic_private__", {"_structure": structure, "_unseen": {}})
        return node

    @classmethod
    def _read(cls, document: Any, *, store: str = "", path: str | None = None) -> Self:
        try:
            return cls.model_validate(document)
        except ValidationError as error:
            raise raised(error, document, store=store, path=path) from error

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Return the JSON Schema of such nodes, with what the specification says of them."""
        if not hasattr(cls, "version"):
            return handler(core_schema)
        kinds: tuple[Kind, ...] = ("group", "array")
        bases = {kind: untyped_model(cls.version.number, kind) for kind in kinds}
        return node_schema(cls, bases, core_schema, handler)

    @model_validator(mode="wrap")
    @classmethod
    def _checked(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Check a model by its fields' types, by the specification, and by its convention."""
        if isinstance(data, cls):
            return data
        if type(data) is _Entered and data.by is cls:
            return handler(dict(data))
        known = data.metadata if type(data) is KnownDocument else None
        problems, unreadable = Problems(), Problems()
        document = data if known is not None else as_document(data, unreadable)
        if document is None:
            raise other_kind(cls.__name__, data, f"expected an object, found {shown(data)}")
        if (refused := cls._refused(document)) is not None:
            raise other_kind(cls.__name__, data, refused)
        node, faults = cls._by_types(document, handler)
        structure = known or cls._read_structure(node, document, problems)
        violations = cls._check_members(document, node)
        problems = together(unreadable, problems)
        if not problems and structure is not None:
            looked_at = node or cls._loosely(document)
            if looked_at is not None:
                looked_at._structure = structure
                violations += looked_at.check()
        if node is None or problems or violations:
            raise refusal(cls.__name__, document, problems, violations, faults)
        node._structure = structure
        if type(node.attributes) is not dict:
            node._unseen = unseen(document.get(ATTRIBUTES), node.attributes)
        elif known is None and cls.model_fields[ATTRIBUTES].annotation in _ANY:
            # JSON, as other fields are, and not what the user may still change
            vars(node)[ATTRIBUTES] = node.attributes_as_json()
        return node

    @classmethod
    def _by_types(
        cls, document: dict[str, Any], handler: ModelWrapValidatorHandler[Self]
    ) -> tuple[Self | None, list[InitErrorDetails]]:
        try:
            return handler(_Entered(document, cls)), []
        except ValidationError as error:
            return None, faults_of(error, cls.__name__)

    @classmethod
    def _refused(cls, document: Mapping[str, Any]) -> str | None:
        """Return why something is no such node at all, so that nothing else need be said of it."""
        number, kind = document.get("zarr_format", cls.version.number), kind_of(cls._with_shape(document))
        if kind != cls.kind:
            return f"expected {_ARTICLES[cls.kind]}, found {_ARTICLES[kind]}"
        if number in (2, 3) and number != cls.version.number:
            return f"expected Zarr {cls.version.number}, found Zarr {number}; convert maps one to the other"
        return None

    @classmethod
    def _with_shape(cls, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a document with the shape that arrays of this model have where none is said."""
        if "members" in document or "shape" not in defaults(cls):
            return document
        return {"shape": defaults(cls)["shape"], **document}

    @classmethod
    def _read_structure(
        cls, node: Self | None, document: Mapping[str, Any], problems: Problems
    ) -> NodeMetadata | None:
        if node is not None:
            read_attributes(node.attributes, problems)
        elif ATTRIBUTES in document:
            read_attributes(document[ATTRIBUTES], problems)
        fields = with_defaults(cls, document) if node is None else node._own_json()
        return cls.version.read(cls.kind, fields, problems)

    @classmethod
    def _check_members(cls, document: Mapping[str, Any], node: Self | None) -> list[Violation]:
        """Return what is wrong with the names of members; `node` is None where types have found faults."""
        return []

    @classmethod
    def _loosely(cls, document: Mapping[str, Any]) -> Self | None:
        """Return the model without its own types, to be looked at by `check`; None where it cannot be had."""
        attributes = read_attributes(document.get(ATTRIBUTES, {}), Problems())
        return cls.model_construct(None, **with_defaults(cls, document), attributes=attributes)

    def _own_json(self) -> JsonObject:
        """Return all fields but the attributes, by the names that JSON has for them."""
        not_of_it = apart(type(self))
        found = {name: value for name, value in by_alias(self).items() if name not in not_of_it}
        return {name: plain(value) for name, value in found.items() if value is not None or name not in _IDLE}


def _untyped(document: dict[str, Any], metadata: NodeMetadata) -> NodeSpec[Any]:
    return _UNTYPED[document["zarr_format"], kind_of(document)]._of_known(document, metadata)
