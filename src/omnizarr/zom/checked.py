"""How a model is checked: by the types of its fields, by the specification, and by its convention.

One validator around all others finds every fault, so that they are told together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar, Self, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationError,
    model_validator,
)
from pydantic_core import InitErrorDetails
from typing_extensions import TypeVar

from omnizarr.jsontypes import JsonObject, Problems, shown
from omnizarr.metadata.group import NodeMetadata
from omnizarr.zom.faults import Violation, faults_of, other_kind, refusal, together
from omnizarr.zom.fields import IDLE, apart, as_document, by_alias, defaults, unseen, with_defaults
from omnizarr.zom.known import KnownDocument
from omnizarr.zom.plain import plain, read_attributes
from omnizarr.zom.version import ATTRIBUTES, Kind, Version, kind_of

Attrs = TypeVar("Attrs", default=dict[str, Any])

_ANY = (Attrs, Any, dict[str, Any])  # types that say nothing of attributes
_ARTICLES = {"array": "an array", "group": "a group"}


class _Entered(dict[str, Any]):
    """A document that its model checks already: pydantic asks a model twice where another one holds it."""

    __slots__ = ("by",)

    def __init__(self, document: Mapping[str, Any], by: type[CheckedModel]) -> None:
        super().__init__(document)
        self.by = by


_Outcomes = dict[tuple[int, type], tuple[Any, Any]]
_outcomes: ContextVar[_Outcomes | None] = ContextVar("_outcomes", default=None)


@contextmanager
def _checked_before() -> Iterator[_Outcomes]:
    """Hold what models made of documents until the outermost one is done.

    Unions ask each model they are of, and each asks all below it: without, groups of a union that lie 13 deep
    within one another take 2.4 s, and twice as long for each one more.
    """
    found = _outcomes.get()
    if found is not None:
        yield found
        return
    token = _outcomes.set({})
    try:
        yield cast("_Outcomes", _outcomes.get())
    finally:
        _outcomes.reset(token)


class CheckedModel(BaseModel):
    """A model that cannot be made unless it is sound; what it says is the business of `NodeSpec`."""

    model_config = ConfigDict(frozen=True, extra="allow", ser_json_inf_nan="constants")

    version: ClassVar[Version]
    kind: ClassVar[Kind]

    zarr_format: int
    attributes: Any
    _structure: NodeMetadata | None = PrivateAttr(default=None)
    # attributes that the type of `attributes` left out
    _unseen: JsonObject = PrivateAttr(default_factory=dict)

    def attributes_as_json(self) -> JsonObject:
        """Return the attributes as a JSON object, whatever model they are of; also those that it left out."""
        return {**self._unseen, **cast("JsonObject", plain(self.attributes))}

    def check(self) -> Iterator[Violation]:
        """Yield what breaks the convention that this model is of; nothing, unless a subclass says so.

        For what types cannot say, such as lengths that must agree. It is asked also where types have found
        faults, so that all of them are told at once: `metadata` and `nodes` are as the specification has
        them in any case, while attributes and members that are at fault are not of their types.
        """
        return iter(())

    @model_validator(mode="wrap")
    @classmethod
    def _checked(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if isinstance(data, cls):
            return data
        if type(data) is _Entered and data.by is cls:
            return handler(dict(data))
        with _checked_before() as before:
            key = id(data), cls
            if key not in before:
                before[key] = data, cls._outcome(data, handler)
            found = before[key][1]
        if isinstance(found, ValidationError):
            raise found
        return cast("Self", found)

    @classmethod
    def _outcome(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self | ValidationError:
        try:
            return cls._made(data, handler)
        except ValidationError as error:
            return error

    @classmethod
    def _made(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Check a model by its fields' types, by the specification, and by its convention."""
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
                violations += cls._broken_by(looked_at)
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
    def _broken_by(cls, node: Self) -> list[Violation]:
        """Return what `check` yields of a model."""
        found = list(node.check() or ())
        if not all(isinstance(one, tuple) for one in found):
            raise TypeError(f"{cls.__name__}.check: expected violations, found {shown(found)}")
        return [Violation(*one) for one in found]

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
        empty = [name for name, value in found.items() if value is None and name not in IDLE]
        filled = plain({name: value for name, value in found.items() if value is not None})
        return {**cast("JsonObject", filled), **dict.fromkeys(empty)}
