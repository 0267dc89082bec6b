"""Models of xarray's convention: arrays that name their dimensions, groups that are datasets, trees of these.

What these models refuse, `xarray.open_datatree` refuses or warns of, and what it opens they accept; with
three exceptions. On Zarr v2 xarray lets names pass that are no strings, which its own documentation rules
out. What CF says of times and of missing values is left to CF. And models have no values: that the
coordinates of a dataset equal those of the group above it, which xarray insists on, cannot be told.

https://docs.xarray.dev/en/stable/internals/zarr-encoding-spec.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, TypeAlias, cast

from pydantic import AfterValidator, Discriminator, Field, StrictStr, Tag, WithJsonSchema

from omnizarr.jsontypes import shown
from omnizarr.zom import v2, v3
from omnizarr.zom.array import ArraySpecBase
from omnizarr.zom.conventions.axes import Dimension, Name, Naming, conflicts, dimensions_of, told_arrays
from omnizarr.zom.conventions.encoding import fill_fault
from omnizarr.zom.faults import Violation
from omnizarr.zom.group import GroupSpecBase
from omnizarr.zom.node import Attributes, NodeSpec
from omnizarr.zom.types import Items
from omnizarr.zom.version import kind_of_value

__all__ = [
    "MODELS",
    "ArrayV2",
    "ArrayV3",
    "DatasetV2",
    "DatasetV3",
    "VariableAttributes",
    "VariableAttributesV2",
]

DIMENSIONS = "_ARRAY_DIMENSIONS"
_UNSET = cast("Any", None)


def _one_number(value: Any) -> Any:
    found = value[0] if isinstance(value, list | tuple) and len(value) == 1 else value
    if isinstance(found, int | float) or value is None:
        return value
    raise ValueError(f"expected a number, found {shown(value)}")


_NUMBER: Any = {"type": ["number", "boolean"]}
Scale: TypeAlias = Annotated[
    Any,
    AfterValidator(_one_number),
    WithJsonSchema({"anyOf": [_NUMBER, {"type": "array", "items": _NUMBER, "minItems": 1, "maxItems": 1}]}),
]
"""A number, alone or in a list of one."""


class VariableAttributes(Attributes):
    """The attributes of a variable: those that xarray takes for its own have its types.

    Parameters
    ----------
    coordinates
        The names of this variable's coordinates, with blanks between them; they need not exist.
    scale_factor, add_offset
        How stored values become those that are meant.
    """

    coordinates: StrictStr = _UNSET
    scale_factor: Scale = None
    add_offset: Scale = None


class VariableAttributesV2(VariableAttributes):
    """The attributes of a variable on Zarr v2, where they name its dimensions."""

    array_dimensions: Items[StrictStr] = Field(alias="_ARRAY_DIMENSIONS")


class ArrayV2(v2.ArraySpec[VariableAttributesV2]):
    """A variable on Zarr v2: `_ARRAY_DIMENSIONS` among its attributes names each axis once."""

    def check(self) -> Iterator[Violation]:
        """Yield what is wrong with the names of the axes."""
        names = self.metadata.attributes.get(DIMENSIONS)
        if isinstance(names, list):
            at = f"attributes.{DIMENSIONS}"
            if len(names) != len(self.shape):
                yield Violation(at, f"expected {len(self.shape)}, one for each axis, found {len(names)}")
            if all(isinstance(name, str) for name in names):
                yield from _repeated(names, at)


class ArrayV3(v3.ArraySpec[VariableAttributes]):
    """A variable on Zarr v3: `dimension_names` names each axis once; one may be null, which is a name too."""

    def check(self) -> Iterator[Violation]:
        """Yield what is wrong with the names of the axes, and with the fill value among the attributes."""
        if self.dimension_names is None and self.shape:
            yield Violation("dimension_names", "required, but missing")
        yield from _repeated(self.dimension_names or (), "dimension_names")
        metadata = self.metadata
        if "_FillValue" in metadata.attributes:
            fault = fill_fault(metadata.data_type, metadata.attributes["_FillValue"])
            if fault is not None:
                yield Violation("attributes._FillValue", fault)


MemberV2: TypeAlias = Annotated[
    Annotated[ArrayV2, Tag("array")] | Annotated["DatasetV2", Tag("group")], Discriminator(kind_of_value)
]
MemberV3: TypeAlias = Annotated[
    Annotated[ArrayV3, Tag("array")] | Annotated["DatasetV3", Tag("group")], Discriminator(kind_of_value)
]


class DatasetV2(v2.GroupSpec[dict[str, Any], MemberV2]):
    """A dataset on Zarr v2, or a tree: a dimension has one size in a group and all groups in it."""

    def check(self) -> Iterator[Violation]:
        """Yield where sizes of dimensions disagree."""
        return _disagreements(self, _names_v2)


class DatasetV3(v3.GroupSpec[dict[str, Any], MemberV3]):
    """A dataset on Zarr v3, or a tree: a dimension has one size in a group and all groups in it."""

    def check(self) -> Iterator[Violation]:
        """Yield where sizes of dimensions disagree."""
        return _disagreements(self, _names_v3)


MODELS: dict[int, type[NodeSpec[Any]]] = {2: DatasetV2, 3: DatasetV3}
"""The model of a whole store for each version of Zarr."""


# --- arrays


def _repeated(names: Any, at: str) -> Iterator[Violation]:
    for number, name in enumerate(names):
        if name in names[:number]:
            first = names.index(name)
            yield Violation(f"{at}[{number}]", f"{shown(name)} names axis {first} already")


def _names_v2(array: ArraySpecBase[Any]) -> tuple[Name, ...] | None:
    names = array.metadata.attributes.get(DIMENSIONS)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return None
    return tuple(cast("list[str]", names)) if len(names) == array.ndim else None


def _names_v3(array: ArraySpecBase[Any]) -> tuple[Name, ...] | None:
    return array.metadata.dimension_names


# --- datasets


def _disagreements(dataset: GroupSpecBase[Any, Any], naming: Naming) -> Iterator[Violation]:
    own = dimensions_of(dataset, naming)
    yield from conflicts(own)
    yield from _scalars(dataset, own)
    yield from _below(dataset, "", own, naming)


def _scalars(dataset: GroupSpecBase[Any, Any], own: Mapping[Name, Dimension]) -> Iterator[Violation]:
    """Yield the variables without axes that have the name of a dimension, whose coordinate they cannot be."""
    for name, node in dataset.nodes.items():
        if isinstance(node, ArraySpecBase) and name in own and not node.ndim:
            arrays = told_arrays(iter(own[name].axes))
            yield Violation("shape", f"expected an axis, since {name!r} is a dimension of {arrays}", name)


def _below(
    group: GroupSpecBase[Any, Any], path: str, above: Mapping[Name, Dimension], naming: Naming
) -> Iterator[Violation]:
    """Yield axes in groups below whose dimension, in the nearest group above that has it, is another size.

    Each dataset looks for its own dimensions only: what lies below a group that has the same ones is that
    group's to tell.
    """
    for name, node in group.nodes.items():
        if isinstance(node, GroupSpecBase) and above:
            inner = f"{path}/{name}" if path else name
            own = dimensions_of(node, naming)
            yield from _against(own, above, inner)
            rest = {name: dimension for name, dimension in above.items() if name not in own}
            yield from _below(node, inner, rest, naming)


def _against(
    own: Mapping[Name, Dimension], above: Mapping[Name, Dimension], path: str
) -> Iterator[Violation]:
    for name, dimension in own.items():
        other = above.get(name)
        if other is not None and dimension.size != other.size:
            message = f"dimension {shown(name)} has size {dimension.size} here, and {other.told} above"
            for axis in dimension.axes:
                if axis.length == dimension.size:
                    yield Violation(axis.at, message, f"{path}/{axis.array}")
