"""Models of Zarr v2 hierarchies.

https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html#metadata
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, ForwardRef, Generic, Literal, TypeAlias

from pydantic import Discriminator, Tag
from typing_extensions import TypeVar

from omnizarr.zom.array import ArraySpecBase
from omnizarr.zom.checked import Attrs
from omnizarr.zom.group import GroupSpecBase
from omnizarr.zom.known import untyped
from omnizarr.zom.types import DataTypeV2, Items, Lengths
from omnizarr.zom.version import Version, kind_of_value

Codec: TypeAlias = dict[str, Any]
"""A filter or compressor as numcodecs has it: an object with an `id`."""


__all__ = ["ArraySpec", "Codec", "GroupSpec", "Node"]


@untyped
class ArraySpec(ArraySpecBase[Attrs], Generic[Attrs]):
    """A Zarr v2 array: what its `.zarray` and `.zattrs` say.

    Attributes
    ----------
    attributes
        The user's attributes: a JSON object, or what `Attrs` is, such as a model or a TypedDict.
    shape, chunks, dtype, compressor, fill_value, order, filters, dimension_separator
        As in the specification; `dtype` is a string, or a list of fields.

    Raises
    ------
    pydantic.ValidationError
        Something breaks the specification, or does not fit together; every fault is listed.
    """

    version: ClassVar[Version] = Version(2)

    zarr_format: Literal[2] = 2
    shape: Lengths
    chunks: Lengths
    dtype: DataTypeV2
    compressor: Codec | None = None
    fill_value: Any = None
    order: Literal["C", "F"] = "C"
    filters: Items[Codec] | None = None
    dimension_separator: Literal[".", "/"] = "."


if TYPE_CHECKING:
    Node: TypeAlias = "ArraySpec[Any] | GroupSpec[Any, Any]"
else:  # the name is looked up here, and not where a user's subclass is
    _Group = ForwardRef("GroupSpec", module=__name__)
    Node = Annotated[
        Annotated[ArraySpec, Tag("array")] | Annotated[_Group, Tag("group")], Discriminator(kind_of_value)
    ]
"""Any node of a Zarr v2 hierarchy."""

Member = TypeVar("Member", default=Node)


@untyped
class GroupSpec(GroupSpecBase[Attrs, Member], Generic[Attrs, Member]):
    """A Zarr v2 group: what its `.zgroup` and `.zattrs` say, and the nodes in it.

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

    version: ClassVar[Version] = Version(2)

    zarr_format: Literal[2] = 2
