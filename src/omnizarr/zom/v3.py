"""Models of Zarr v3 hierarchies.

https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#metadata
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, ForwardRef, Generic, Literal, TypeAlias

from pydantic import Discriminator, Tag
from typing_extensions import TypeVar

from omnizarr.zom.array import ArraySpecBase
from omnizarr.zom.checked import Attrs
from omnizarr.zom.group import GroupSpecBase
from omnizarr.zom.known import untyped
from omnizarr.zom.types import DataTypeV3, Extension, Items, Lengths, NamedConfig, Names
from omnizarr.zom.version import Version, kind_of_value

__all__ = ["ArraySpec", "Extension", "GroupSpec", "NamedConfig", "Node"]


@untyped
class ArraySpec(ArraySpecBase[Attrs], Generic[Attrs]):
    """A Zarr v3 array: what its `zarr.json` says.

    Attributes
    ----------
    attributes
        The user's attributes: a JSON object, or what `Attrs` is, such as a model or a TypedDict.
    shape, data_type, chunk_grid, chunk_key_encoding, fill_value, codecs
        As in the specification. Names of extensions may stand for objects without a configuration.
    storage_transformers, dimension_names
        None where the document has none.

    Raises
    ------
    pydantic.ValidationError
        Something breaks the specification, or does not fit together; every fault is listed.
    """

    version: ClassVar[Version] = Version(3)

    zarr_format: Literal[3] = 3
    node_type: Literal["array"] = "array"
    shape: Lengths
    data_type: DataTypeV3
    chunk_grid: Extension
    chunk_key_encoding: Extension
    fill_value: Any
    codecs: Items[Extension]
    storage_transformers: Items[Extension] | None = None
    dimension_names: Names | None = None


if TYPE_CHECKING:
    Node: TypeAlias = "ArraySpec[Any] | GroupSpec[Any, Any]"
else:  # the name is looked up here, and not where a user's subclass is
    _Group = ForwardRef("GroupSpec", module=__name__)
    Node = Annotated[
        Annotated[ArraySpec, Tag("array")] | Annotated[_Group, Tag("group")], Discriminator(kind_of_value)
    ]
"""Any node of a Zarr v3 hierarchy."""

Member = TypeVar("Member", default=Node)


@untyped
class GroupSpec(GroupSpecBase[Attrs, Member], Generic[Attrs, Member]):
    """A Zarr v3 group: what its `zarr.json` says, and the nodes in it.

    Attributes
    ----------
    attributes
        The user's attributes: a JSON object, or what `Attrs` is, such as a model or a TypedDict.
    members
        Nodes by name, of type `Member`: a model or a union of models. Subclasses may declare `members` as
        a TypedDict of required and optional names. None where they were not read.

    Raises
    ------
    pydantic.ValidationError
        Something breaks the specification, or does not fit together; every fault is listed.
    """

    version: ClassVar[Version] = Version(3)

    zarr_format: Literal[3] = 3
    node_type: Literal["group"] = "group"
