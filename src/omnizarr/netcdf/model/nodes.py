"""The netCDF-4 data model as plain values, whatever stores them.

https://docs.unidata.ucar.edu/netcdf-c/current/netcdf_data_model.html
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from omnizarr.errors import NodeNotFoundError
from omnizarr.netcdf.filters.known import Filter
from omnizarr.netcdf.model.items import Item
from omnizarr.netcdf.model.types import CHAR, NATIVE, Endian, NcType, UserType

Text: TypeAlias = str
Values: TypeAlias = "tuple[Item, ...]"

FILL_VALUE = "_FillValue"


@dataclass(frozen=True, slots=True)
class DimensionModel:
    """A shared dimension; `size` is the current one where it is unlimited."""

    name: str
    size: int
    unlimited: bool = False


@dataclass(frozen=True, slots=True)
class AttributeModel:
    """A typed attribute.

    Attributes
    ----------
    value
        For char the text, where bytes that are not UTF-8 are surrogate escapes. For any other type a
        tuple of Python values, also where there is just one, or none; see `items.Item` for what the
        values of the user's types are.
    """

    name: str
    type: NcType
    value: Text | Values

    @property
    def values(self) -> Values:
        """The value as a tuple; a char attribute is one text."""
        return (self.value,) if isinstance(self.value, str) else self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableModel:
    """A variable.

    Attributes
    ----------
    dimensions
        The absolute paths of its dimensions (`/g1/x`); none for a scalar.
    attributes
        In their order, `_FillValue` among them where it is set.
    no_fill
        Whether elements that were never written are undefined.
    chunks
        The shape of a chunk; None where the variable is not cut, as scalars are.
    filters
        In the order of encoding.
    max_string_length
        The bytes of a stored string, where strings are stored at a fixed size: those of a string variable,
        and those in the fields of a compound type.
    contiguous
        Whether a file keeps the values in one piece, without chunks. In Zarr that is one chunk.
    """

    name: str
    type: NcType
    dimensions: tuple[str, ...] = ()
    attributes: tuple[AttributeModel, ...] = ()
    no_fill: bool = False
    chunks: tuple[int, ...] | None = None
    filters: tuple[Filter, ...] = ()
    endian: Endian = NATIVE
    max_string_length: int | None = None
    contiguous: bool = False

    @property
    def fill_value(self) -> Item | None:
        """What elements hold that were never written; None where that is undefined."""
        if self.no_fill:
            return None
        for attribute in self.attributes:
            if attribute.name == FILL_VALUE and attribute.values:
                return _as_fill(self.type, attribute.values[0])
        return self.type.default_fill


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupModel:
    """A group; the root's name is `/`."""

    name: str
    types: tuple[UserType, ...] = ()
    dimensions: tuple[DimensionModel, ...] = ()
    attributes: tuple[AttributeModel, ...] = ()
    variables: tuple[VariableModel, ...] = ()
    groups: tuple[GroupModel, ...] = ()

    def walk(self, path: str = "/") -> Iterator[tuple[str, GroupModel]]:
        """Yield (absolute path, group) for this group and all below, parents first."""
        yield path, self
        for group in self.groups:
            yield from group.walk(join(path, group.name))

    def dimension(self, path: str) -> DimensionModel | None:
        """Return the dimension at an absolute path, where this is the root; None where there is none."""
        *parents, name = path.strip("/").split("/")
        group: GroupModel | None = self
        for parent in parents:
            group = next((inner for inner in group.groups if inner.name == parent), None) if group else None
        return next((d for d in group.dimensions if d.name == name), None) if group else None

    def shape(self, variable: VariableModel) -> tuple[int, ...]:
        """Return the current shape of a variable below, where this is the root.

        Raises
        ------
        NodeNotFoundError
            The variable refers to a dimension that does not exist.
        """
        sizes = []
        for path in variable.dimensions:
            dimension = self.dimension(path)
            if dimension is None:
                raise NodeNotFoundError(f"variable {variable.name!r} refers to a missing dimension {path!r}")
            sizes.append(dimension.size)
        return tuple(sizes)


FaultName: TypeAlias = Literal[
    "missing-node",
    "dangling-dimension",
    "dimension-conflict",
    "shape-mismatch",
    "type-mismatch",
    "dangling-type",
    "attribute-type",
    "unlisted-node",
    "unmapped",
    "unreadable",
]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something of a dataset that contradicts itself, and what was read instead."""

    name: FaultName
    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message} ({self.name})"


class Loss(NamedTuple):
    """Something of a dataset that a target cannot hold; or that it holds, and a `reader` does not see.

    With `is_whole` it is all that stands at the path: the variable, not something of it.
    """

    path: str
    what: str
    reader: str | None = None
    is_whole: bool = False

    def __str__(self) -> str:
        return f"{self.path}: {self.what}"

    @property
    def told(self) -> str:
        """The line that tells users."""
        return f"{'not kept' if self.reader is None else f'not seen by {self.reader}'}: {self}"


@dataclass(frozen=True, slots=True)
class Unmapped:
    """A variable or group that netCDF cannot show, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetModel:
    """A whole dataset.

    Attributes
    ----------
    dialect
        How the dataset says that it is netCDF: the name of one of `dialects.detect.DIALECTS`; `netcdf` for
        a `.nc` file.
    properties
        `_NCProperties`: the library that created it.
    unmapped
        What stays in the store and is not in the model.
    faults
        All that was found wrong on reading, what is unmapped included.
    """

    root: GroupModel
    dialect: str = "nczarr"
    properties: str | None = None
    unmapped: tuple[Unmapped, ...] = ()
    faults: tuple[Fault, ...] = ()


def join(path: str, name: str) -> str:
    """Return the absolute path of a name in the group at an absolute path."""
    return f"{path.rstrip('/')}/{name}"


def parent_of(path: str) -> str:
    """Return the absolute path of the group that holds what is at an absolute path."""
    return path.rpartition("/")[0] or "/"


def _as_fill(kind: NcType, value: Item) -> Item:
    if kind is CHAR:
        return str(value).encode("utf-8", "surrogateescape")[:1] or b"\x00"
    return value
