"""The attributes of HDMF's groups and datasets on Zarr: types, identities, links and references.

https://hdmf-zarr.readthedocs.io/en/stable/storage.html

The names with an underscore at their front are those of the newer layout, on Zarr v3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, TypeAlias

from pydantic import AfterValidator, Discriminator, Field, JsonValue, Tag

from omnizarr.jsontypes import shown
from omnizarr.zom.conventions.parts import Filled, Part, Text, repeated
from omnizarr.zom.faults import Violation
from omnizarr.zom.types import Items

HERE = "."
"""The source of links and references to nodes of the same file."""

_HEX = "[0-9a-fA-F]"
ObjectId: TypeAlias = Annotated[
    str, Field(strict=True, pattern=f"^{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}$")
]
"""A UUID as text."""


def _name(value: str) -> str:
    if not value or "/" in value:
        raise ValueError(f"expected a name without '/', found {shown(value)}")
    return value


class Target(Part):
    """What links and references point at: a path in a file; external files are relative to this one."""

    nullable: ClassVar[frozenset[str]] = frozenset({"object_id", "source_object_id"})

    source: Text
    path: Text
    object_id: ObjectId | None = None
    source_object_id: ObjectId | None = None


class Link(Target):
    """A name in a group for a node that lies elsewhere."""

    name: Annotated[Text, AfterValidator(_name)]


class Reference(Part):
    """An attribute that is a reference to a node, or to a region of a dataset."""

    zarr_dtype: Text
    value: Target

    def faults(self) -> Iterator[Violation]:
        """Yield that it is a reference of no known kind, or of a region that is not said."""
        if self.zarr_dtype not in ("object", "region"):
            yield Violation("zarr_dtype", f"expected 'object' or 'region', found {shown(self.zarr_dtype)}")
        region = (self.value.model_extra or {}).get("region")
        if self.zarr_dtype == "region" and not isinstance(region, list | dict):
            yield Violation(
                "value.region", f"expected slices or points of the dataset, found {shown(region)}"
            )


class ShortReference(Part):
    """A reference in the newer layout."""

    target: Target = Field(alias="_REFERENCE")


def _type_of(value: Any) -> Any:
    if not isinstance(value, str | list | dict):
        raise ValueError(f"expected the name of a type, or a list of fields, found {shown(value)}")
    return value


class FieldType(Part):
    """A field of records: its name and type."""

    name: Text
    dtype: Annotated[JsonValue, AfterValidator(_type_of)]


class ReferenceType(Part):
    """The type of references, as HDMF's specification language spells it."""

    reftype: Text
    target_type: Text | None = None


def _spelling(value: object) -> str | None:
    if isinstance(value, str):
        return "name"
    if isinstance(value, dict | ReferenceType):
        return "reference"
    return "fields" if isinstance(value, list | tuple) else None


TypeName: TypeAlias = Annotated[
    Annotated[Text, Tag("name")]
    | Annotated[ReferenceType, Tag("reference")]
    | Annotated[Filled[FieldType], Tag("fields")],
    Discriminator(
        _spelling,
        custom_error_type="zarr_type",
        custom_error_message="expected the name of a type, or a list of fields",
    ),
]
"""A type by name, or the fields of records."""


class NodeAttributes(Part):
    """The attributes of a group or dataset, with those of its type among them."""

    namespace: Text | None = None
    neurodata_type: Text | None = None
    data_type: Any = None
    object_id: ObjectId | None = None
    zarr_dtype: TypeName | None = None
    zarr_link: Items[Link] | None = None
    dtype: TypeName | None = Field(None, alias="_DTYPE")
    short_links: Items[Link] | None = Field(None, alias="_LINKS")
    reference_fields: Items[Text] | None = Field(None, alias="_REFERENCE_FIELDS")
    specloc: Text | None = Field(None, alias=".specloc")

    nullable: ClassVar[frozenset[str]] = frozenset({"data_type"})

    @property
    def links(self) -> Sequence[Link]:
        """The links in a group, of either layout."""
        return (*(self.zarr_link or ()), *(self.short_links or ()))

    @property
    def stated_type(self) -> TypeName | None:
        """The type that a dataset says it has, of either layout."""
        return self.zarr_dtype if self.zarr_dtype is not None else self.dtype

    def faults(self) -> Iterator[Violation]:
        """Yield an identity that is not whole, names that two links have, and references that are none."""
        yield from self._identity_faults()
        yield from repeated("zarr_link", "name", [link.name for link in self.zarr_link or ()])
        yield from repeated("_LINKS", "name", [link.name for link in self.short_links or ()])

    def _identity_faults(self) -> Iterator[Violation]:
        kind = self.neurodata_type
        if kind is None and isinstance(self.data_type, str) and self.namespace is not None:
            kind = self.data_type
        given = {"namespace": self.namespace, "neurodata_type": kind, "object_id": self.object_id}
        if any(value is not None for value in given.values()):
            for name, value in given.items():
                if value is None:
                    yield Violation(name, f"required, as the node has {_others(given)}, but missing")


def _others(given: dict[str, str | None]) -> str:
    return " and ".join(name for name, value in given.items() if value is not None)


class FileAttributes(NodeAttributes):
    """The attributes of the root: of the container that the file holds."""

    namespace: Text
    object_id: ObjectId
