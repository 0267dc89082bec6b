"""What models of arrays and of groups share: they are checked by the specification, and compared by it.

ZEP 6, "Specification of the base Zarr Object Model".
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping
from typing import Any, Generic, Self, cast

import orjson
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ValidationError,
    model_serializer,
)
from pydantic_core import CoreSchema

from omnizarr import html
from omnizarr.hierarchy.group import AnyNode
from omnizarr.hierarchy.tree import Tree
from omnizarr.jsontypes import JsonObject, Problems, hash_json
from omnizarr.metadata.group import NodeMetadata
from omnizarr.zom.checked import Attrs, CheckedModel
from omnizarr.zom.compare import differences
from omnizarr.zom.drawing import page_of, tree_of
from omnizarr.zom.faults import raised
from omnizarr.zom.fields import HEAD, as_document
from omnizarr.zom.known import KnownDocument, is_untyped, model_of_known, model_of_sound, untyped_model
from omnizarr.zom.reading import read_model
from omnizarr.zom.schema.nodes import node_schema
from omnizarr.zom.storing import create
from omnizarr.zom.text import parsed
from omnizarr.zom.version import ATTRIBUTES, Kind
from omnizarr.zom.writing import text_of

PARAMETERS = "_parameters"
"""Where a class that `[…]` made remembers of what, if pydantic does not."""


class Attributes(BaseModel):
    """A base for models of attributes: others than those that are named are kept.

    Attributes whose names start with an underscore, as `_ARRAY_DIMENSIONS`, are fields with an alias.
    """

    model_config = ConfigDict(frozen=True, extra="allow", populate_by_name=True)


class NodeSpec(CheckedModel, Generic[Attrs]):
    """A node of a hierarchy: its attributes, and what the specification says of its kind.

    The fields hold JSON as the specification has it. A model that exists is sound: what does not fit together
    is refused when it is made, every fault at once (`pydantic.ValidationError`; the functions that read
    models raise `omnizarr.errors.MetadataError`, with the path of each). Models are equal where they
    describe equal structures, however those are spelled and whatever class they are of.
    """

    attributes: Attrs = Field(default_factory=cast("Any", dict), validate_default=True)

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

    def canonical(self) -> JsonObject:
        """Return the node's document in one spelling of all that mean the same, without members."""
        return self.version.write(self.metadata, as_spelled=False)

    def tree(self, level: int | None = None, *, max_nodes: int = 500) -> Tree:
        """Return a drawing of the hierarchy, `level` groups deep and of at most `max_nodes` nodes."""
        return tree_of(self, level, max_nodes=max_nodes)

    def _repr_html_(self) -> str:
        """The model in a notebook: what it is, and the nodes below it, which open."""
        return html.safely(lambda: page_of(self), type(self).__name__)

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
        if is_untyped(cls):
            untyped = read_model(node, cls.version, depth, model_of_known)
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
        value = parsed(document)
        return cls._of_value(value, from_text=value is not document)

    def to_json(self) -> JsonObject:
        """Return the model as a JSON object (ZEP 6, "Zarr Object Models in JSON")."""
        text = text_of(self)
        return self._full_json() if text is None else cast("JsonObject", orjson.loads(text))

    def model_dump_json(self, **options: Any) -> str:
        """Return the JSON text of the model; `options` are pydantic's."""
        text = None if options else text_of(self)
        return super().model_dump_json(**options) if text is None else text.decode()

    def _full_json(self) -> JsonObject:
        """Return the JSON object of any model, whatever its fields hold."""
        document = self._own_json()
        fields: JsonObject = {name: document.pop(name) for name in HEAD if name in document}
        return {**fields, ATTRIBUTES: self.attributes_as_json(), **document}

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
        shape = getattr(self, "shape", ())
        names = frozenset(getattr(self, "members", None) or ())
        return hash((self.kind, self.zarr_format, tuple(shape), names, hash_json(self.attributes_as_json())))

    def __reduce__(self) -> tuple[Any, ...]:
        # Models for certain attributes have no name by which pickle could find them.
        return _of_kind, _named(type(self)), self.__getstate__()

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with some fields replaced, which is checked as any model."""
        if not update:
            return super().model_copy(deep=deep)
        return type(self).model_validate({**(as_document(self) or {}), **update})

    # --- inside

    @classmethod
    def _of_value(cls, value: Any, *, from_text: bool) -> Self:
        """Return the model of parsed JSON; that from text holds nothing else, and nobody else has it."""
        if from_text and is_untyped(cls):
            sound = model_of_sound(value, cls.version.number)
            if isinstance(sound, cls):
                return sound
        return cls._read(value)

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


def _named(kind: type[NodeSpec[Any]]) -> tuple[Any, ...]:
    """Return a model's class such that pickle finds it: itself, or what it was made of by `[…]`."""
    if (parts := vars(kind).get(PARAMETERS)) is not None:
        return parts  # type: ignore[no-any-return]
    generic = kind.__pydantic_generic_metadata__
    return (kind,) if generic["origin"] is None else (generic["origin"], generic["args"])


def _of_kind(kind: Any, parameters: Any = None) -> NodeSpec[Any]:
    """Return a model to be filled with what was pickled."""
    kind = kind if parameters is None else kind[parameters]
    return cast("NodeSpec[Any]", kind.__new__(kind))
