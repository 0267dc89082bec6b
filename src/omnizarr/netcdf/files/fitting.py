"""A dataset as a kind of netCDF file can hold it, and what that loses.

https://docs.unidata.ucar.edu/nug/current/netcdf_data_set_components.html
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from math import prod

import numpy as np

from omnizarr.netcdf.files.kinds import Kind, is_classic_model, is_hdf5
from omnizarr.netcdf.filters.known import Filter, OtherFilter, Szip, Zlib, is_storable, name_of, with_scanline
from omnizarr.netcdf.model.nodes import (
    FILL_VALUE,
    AttributeModel,
    DimensionModel,
    GroupModel,
    Loss,
    VariableModel,
    join,
)
from omnizarr.netcdf.model.types import (
    BYTE,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    INT64,
    SHORT,
    STRING,
    UBYTE,
    UINT,
    UINT64,
    USHORT,
    AtomicType,
    Enum,
    NcType,
)

_CLASSIC = (BYTE, CHAR, SHORT, INT, FLOAT, DOUBLE)
_CDF5 = (*_CLASSIC, UBYTE, USHORT, UINT, INT64, UINT64)
# The smallest type that holds every value, or, of 64 bits, most; which do not is seen when they are written.
_WIDER = {UBYTE: SHORT, USHORT: INT, UINT: DOUBLE, INT64: DOUBLE, UINT64: DOUBLE}
# HDF5 counts the bytes of a chunk in 32 bits.
_LARGEST_CHUNK = 2**32 - 1

Longest = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Fitted:
    """What a kind of file gets.

    Attributes
    ----------
    root
        The dataset; a variable of strings has one dimension more where it is kept as characters.
    """

    root: GroupModel
    losses: tuple[Loss, ...] = ()


def fitted(root: GroupModel, kind: Kind, longest: Longest) -> Fitted:
    """Return a dataset as a kind of file can hold it.

    Parameters
    ----------
    longest
        Returns the bytes of the longest string of the variable at a path.
    """
    return (_Classic(root, kind, longest) if is_classic_model(kind) else _Enhanced(root)).run()


@dataclass(slots=True)
class _Enhanced:
    """netCDF-4 holds the model; HDF5 has its own ways with dimensions, chunks and filters."""

    root: GroupModel
    losses: list[Loss] = field(default_factory=list)

    def run(self) -> Fitted:
        return Fitted(self.group(self.root, "/"), tuple(self.losses))

    def group(self, group: GroupModel, path: str) -> GroupModel:
        for dimension in group.dimensions:
            if not dimension.size and not dimension.unlimited:
                self.losses.append(Loss(path, f"that the empty dimension {dimension.name} is not unlimited"))
        return replace(
            group,
            dimensions=tuple(replace(d, unlimited=d.unlimited or not d.size) for d in group.dimensions),
            variables=tuple(self.variable(v, join(path, v.name)) for v in group.variables),
            groups=tuple(self.group(inner, join(path, inner.name)) for inner in group.groups),
        )

    def variable(self, variable: VariableModel, path: str) -> VariableModel:
        filters = self.filters(variable, path)
        dimensions = [self.root.dimension(name) for name in variable.dimensions]
        chunked = bool(filters) or any(d is not None and (d.unlimited or not d.size) for d in dimensions)
        shape = self.root.shape(variable)
        whole = variable.chunks is None or variable.contiguous
        if not variable.dimensions or (whole and not chunked):
            return replace(variable, chunks=None, filters=(), contiguous=bool(variable.dimensions))
        chunks = [
            max(1, chunk if d is None or d.unlimited or not d.size else min(chunk, d.size))
            for chunk, d in zip(variable.chunks or shape, dimensions, strict=True)
        ]
        while prod(chunks) * max(1, variable.type.size) > _LARGEST_CHUNK:
            largest = chunks.index(max(chunks))
            chunks[largest] = -(-chunks[largest] // 2)
        filters = tuple(with_scanline(entry, chunks[-1], chunks) for entry in filters)
        return replace(variable, chunks=tuple(chunks), filters=filters, contiguous=False)

    def filters(self, variable: VariableModel, path: str) -> tuple[Filter, ...]:
        kept = []
        for entry in map(_in_a_zlib_frame, variable.filters):
            if not is_storable(entry) or (isinstance(entry, Szip) and variable.type is CHAR):
                what = f"the filter {name_of(entry)}; its chunks are stored without it"
                self.losses.append(Loss(path, what))
            else:
                kept.append(entry)
        return tuple(kept)


def _in_a_zlib_frame(entry: Filter) -> Filter:
    """Return zlib for gzip: the same compression in another frame, which HDF5 does not know."""
    if not isinstance(entry, OtherFilter) or entry.name not in ("gzip", "numcodecs.gzip"):
        return entry
    level = dict(entry.configuration).get("level")
    return Zlib(level if isinstance(level, int) else 5)


@dataclass(slots=True)
class _Classic:
    """The classic model: one group, few types, one unlimited dimension, which comes first."""

    root: GroupModel
    kind: Kind
    longest: Longest
    losses: list[Loss] = field(default_factory=list)
    added: list[DimensionModel] = field(default_factory=list)
    missing: set[str] = field(default_factory=set)

    def run(self) -> Fitted:
        for inner in self.root.groups:
            for path, _ in inner.walk(join("/", inner.name)):
                self.lose(path, f"the group, with all that is in it: {self.kind} has none")
        for user_type in self.root.types:
            self.lose(user_type.path, f"the type {user_type.name}: {self.kind} has none of the user's")
        record = self.record()
        dimensions = tuple(
            found for d in self.root.dimensions if (found := self.dimension(d, record)) is not None
        )
        kept = {dimension.name for dimension in dimensions}
        self.missing = {join("/", d.name) for d in self.root.dimensions if d.name not in kept}
        variables = tuple(v for old in self.root.variables if (v := self.variable(old)) is not None)
        attributes = tuple(self.attributes(self.root.attributes, "/", None))
        root = GroupModel(
            name="/",
            dimensions=(*dimensions, *self.added),
            attributes=attributes,
            variables=variables,
        )
        if not is_hdf5(self.kind):
            return Fitted(root, tuple(self.losses))
        enhanced = _Enhanced(root, self.losses).run()
        return Fitted(enhanced.root, tuple(self.losses))

    def lose(self, path: str, what: str) -> None:
        self.losses.append(Loss(path, what))

    # --- dimensions

    def record(self) -> str | None:
        """Return the dimension that stays unlimited: one that comes first wherever it is, and is somewhere.

        How many records there are is told by the variables that have them.
        """
        for dimension in self.root.dimensions:
            path = join("/", dimension.name)
            users = [v for v in self.root.variables if path in v.dimensions and self.type_of(v.type)]
            if dimension.unlimited and users and all(path not in v.dimensions[1:] for v in users):
                return path
        unused = (d for d in self.root.dimensions if d.unlimited and not d.size)
        first = next(unused, None)
        return None if first is None or self.is_inner(first.name) else join("/", first.name)

    def is_inner(self, name: str) -> bool:
        return any(join("/", name) in v.dimensions[1:] for v in self.root.variables)

    def dimension(self, dimension: DimensionModel, record: str | None) -> DimensionModel | None:
        stays = join("/", dimension.name) == record
        if dimension.unlimited and not stays:
            self.lose("/", f"that the dimension {dimension.name} is unlimited: {self.kind} has one at most")
        if not dimension.size and not stays:
            self.lose("/", f"the dimension {dimension.name}: {self.kind} has no others that are empty")
            return None
        return replace(dimension, unlimited=stays)

    # --- variables

    def type_of(self, kind: NcType) -> AtomicType | None:
        """Return the type that holds the values of another; None where there is none."""
        if isinstance(kind, Enum):
            return self.type_of(kind.base)
        if not isinstance(kind, AtomicType):
            return None
        if kind is STRING:
            return CHAR
        known = _CDF5 if self.kind == "NETCDF3_64BIT_DATA" else _CLASSIC
        return kind if kind in known else _WIDER[kind]

    def variable(self, variable: VariableModel) -> VariableModel | None:
        path = join("/", variable.name)
        if not self.missing.isdisjoint(variable.dimensions):
            self.lose(path, "the variable, which has an empty dimension")
            return None
        kind = self.type_of(variable.type)
        if kind is None:
            self.lose(path, f"the variable: {self.kind} has no type like {variable.type}")
            return None
        if kind is not variable.type:
            self.lose(path, f"the type {variable.type}; its values are kept as {kind}")
        made = replace(
            variable,
            type=kind,
            attributes=tuple(self.attributes(variable.attributes, path, (variable.type, kind))),
            max_string_length=None,
        )
        if not is_hdf5(self.kind):
            made = replace(made, chunks=None, filters=(), endian="big", contiguous=bool(made.dimensions))
        return self.with_letters(made, path) if variable.type is STRING else made

    def with_letters(self, variable: VariableModel, path: str) -> VariableModel:
        """Return a variable of strings as one of characters, along a dimension that is made for it."""
        width = max(1, self.longest(path))
        taken = {d.name: d.size for d in (*self.root.dimensions, *self.added)}
        name = f"string{width}"
        while taken.get(name, width) != width:
            name += "_"
        if name not in taken:
            self.added.append(DimensionModel(name, width))
        chunks = None if variable.chunks is None else (*variable.chunks, width)
        return replace(variable, dimensions=(*variable.dimensions, join("/", name)), chunks=chunks)

    # --- attributes

    def attributes(
        self, attributes: Collection[AttributeModel], path: str, change: tuple[NcType, AtomicType] | None
    ) -> Iterator[AttributeModel]:
        for attribute in attributes:
            made = self.attribute(attribute, change)
            if made is None:
                if attribute.name != FILL_VALUE:
                    self.lose(path, f"the attribute {attribute.name!r} of the type {attribute.type}")
                continue
            if made.type is not attribute.type and (change is None or attribute.type is not change[0]):
                what = f"the type {attribute.type} of the attribute {attribute.name!r}, kept as {made.type}"
                self.lose(path, what)
            yield made

    def attribute(
        self, attribute: AttributeModel, change: tuple[NcType, AtomicType] | None
    ) -> AttributeModel | None:
        kind = attribute.type
        base = kind.base if isinstance(kind, Enum) else kind
        known = self.type_of(base)
        if known is None or known is kind:
            return None if known is None else attribute
        if base is STRING:
            if attribute.name == FILL_VALUE:
                return None
            return AttributeModel(attribute.name, CHAR, "\n".join(map(str, attribute.values)))
        wanted = [change[1]] if change is not None and kind is change[0] else [INT, DOUBLE]
        for target in (*wanted, known):
            numbers = _as_type(attribute, target)
            if numbers is not None:
                return AttributeModel(attribute.name, target, numbers)
        return None


def _as_type(attribute: AttributeModel, kind: AtomicType) -> tuple[int | float, ...] | None:
    """Return the numbers of an attribute as a type; None where it does not hold them exactly."""
    given = attribute.values
    with np.errstate(all="ignore"):
        try:
            cast = np.array(given, kind.dtype)
        except (OverflowError, ValueError, TypeError):
            return None
    found: tuple[int | float, ...] = tuple(cast.tolist())
    return found if all(a == b or a != a for a, b in zip(found, given, strict=True)) else None
