"""Reading a dataset by what a generation of NCZarr notes about its nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from omnizarr.errors import ConversionError, OmniZarrError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.jsontypes import Json
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.netcdf.attributes import cast_attribute
from omnizarr.netcdf.dialects.ahead import AskedAhead
from omnizarr.netcdf.dialects.arrays import (
    array_type,
    describe_array,
    time_attributes,
    with_fill,
    with_string_shuffle,
    with_szip_scanline,
)
from omnizarr.netcdf.dialects.attributes import decode_attributes
from omnizarr.netcdf.dialects.base import Found
from omnizarr.netcdf.dialects.notes import ArrayNotes, GroupNotes, Notes
from omnizarr.netcdf.dialects.reconcile import ANONYMOUS, reconcile
from omnizarr.netcdf.dialects.retyping import as_text, is_filled_swapped
from omnizarr.netcdf.dialects.stored import holds
from omnizarr.netcdf.dialects.typedefs import TypeReader
from omnizarr.netcdf.dialects.zarrtypes import declared
from omnizarr.netcdf.model.names import check_depth
from omnizarr.netcdf.model.nodes import (
    FILL_VALUE,
    AttributeModel,
    DatasetModel,
    GroupModel,
    VariableModel,
    join,
)
from omnizarr.netcdf.model.types import CHAR, STRING, NcType, UserType

T = TypeVar("T")
# How atomic types are called that are stored as others.
_ALIASES = {"char": CHAR, "json": CHAR, "string": STRING}


def read_annotated(root: Group, dialect: str, notes: Notes) -> Found:
    """Return the dataset below a group; what cannot be shown warns, and stays out."""
    return _Reader(root, dialect, notes).run()


@dataclass(frozen=True, slots=True)
class _Content:
    """A group with what is noted about it, and the nodes in it by name."""

    node: Group
    notes: GroupNotes
    children: Mapping[str, Group | Array]


class _Reader:
    """One reading of a dataset."""

    def __init__(self, root: Group, dialect: str, notes: Notes) -> None:
        self.root = root
        self.notes = AskedAhead(notes)
        self.noted: dict[str, int] = {}
        self.contents: dict[str, _Content] = {}
        self.types: dict[str, UserType] = {}
        properties = root.metadata.attributes.get("_NCProperties")
        self.found = Found(
            DatasetModel(
                root=GroupModel(name="/"),
                dialect=dialect,
                properties=properties if isinstance(properties, str) else None,
            )
        )

    def run(self) -> Found:
        self.notes.ask(self.root)
        self.collect(self.root, "/")
        self.read_types()
        self.found.set_root(declared(self.group("/", "/")))
        reconcile(self.found, self.noted)
        return self.found

    # --- groups

    def collect(self, node: Group, path: str) -> None:
        """Read what is noted about a group and all below: types may refer to others anywhere."""
        check_depth(path)
        notes = self.noted_or(path, partial(self.notes.of_group, node), GroupNotes())
        content = _Content(node, notes, dict(self.children(node, path, notes)))
        self.contents[path] = content
        self.found.groups[path] = node
        self.noted |= notes.growing
        for problem in notes.problems:
            self.found.fault("dimension-conflict", path, problem)
        for name, child in content.children.items():
            if isinstance(child, Group):
                self.collect(child, join(path, name))

    def read_types(self) -> None:
        definitions = {
            join(path, name): definition
            for path, content in self.contents.items()
            for name, definition in content.notes.types.items()
        }
        reader = TypeReader(definitions)
        self.types = reader.read()
        for fault in reader.faults:
            self.found.fault(fault.name, fault.path, fault.message)

    def group(self, path: str, name: str) -> GroupModel:
        content = self.contents[path]
        names = {join(path, inner) for inner in content.notes.types}
        children = content.children.items()
        return GroupModel(
            name=name,
            types=tuple(kind for kind in self.types.values() if kind.path in names),
            dimensions=content.notes.dimensions,
            attributes=self.attributes(content.node, path),
            variables=tuple(
                variable
                for inner, child in children
                if isinstance(child, Array) and (variable := self.variable(child, path, inner)) is not None
            ),
            groups=tuple(
                self.group(join(path, inner), inner) for inner, child in children if isinstance(child, Group)
            ),
        )

    def noted_or(self, path: str, read: Callable[[], T], otherwise: T) -> T:
        """Return what is noted, or something else where that cannot be read."""
        try:
            return read()
        except OmniZarrError as error:
            self.found.fault("unreadable", path, str(error))
            return otherwise

    def children(self, node: Group, path: str, notes: GroupNotes) -> Iterator[tuple[str, Group | Array]]:
        """Yield the arrays, then the groups that the notes list; what is not there, or unreadable, warns."""
        stored = self.notes.names(node) if notes.arrays is None or notes.groups is None else ()
        for names, kind in ((notes.arrays, Array), (notes.groups, Group)):
            for name in dict.fromkeys(stored if names is None else names):
                child = self.child(node, path, name)
                if isinstance(child, kind):
                    yield name, child
                elif child is not None and names is not None:
                    expected, other = kind.__name__.lower(), type(child).__name__.lower()
                    self.found.leave_out(
                        "missing-node", join(path, name), f"expected {expected}, found {other}"
                    )

    def child(self, node: Group, path: str, name: str) -> Group | Array | None:
        try:
            if "/" not in name:
                return self.notes.child(node, name)
            self.found.leave_out("missing-node", join(path, name), "expected the name of a node here")
        except KeyError as error:
            self.found.leave_out("missing-node", join(path, name), str(error))
        except OmniZarrError as error:
            self.found.leave_out("unreadable", join(path, name), str(error))
        return None

    # --- variables

    def variable(self, array: Array, path: str, name: str) -> VariableModel | None:
        where = join(path, name)
        notes = self.noted_or(where, partial(self.notes.of_array, array), ArrayNotes())
        kind = self.type_of(array.metadata, notes, where)
        if kind is None:
            reason = f"netCDF has no type for {array.metadata.data_type.name}"
            self.found.leave_out("unmapped", where, reason)
            return None
        dimensions = self.references(array.metadata, notes, where)
        attributes = self.with_own_fill(self.attributes(array, where), kind, where)
        said = {attribute.name for attribute in attributes}
        implied = time_attributes(array.metadata.data_type.dtype)
        attributes = (*(a for a in implied if a.name not in said), *attributes)
        # What the documents say is the variable; what the chunks hold is for the handle.
        metadata = as_text(array.metadata, kind)
        variable = describe_array(name, metadata, kind, dimensions, attributes)
        if notes.no_fill:
            variable = replace(variable, no_fill=True)
        stored = with_szip_scanline(with_string_shuffle(self.notes.stored(array), kind))
        array.metadata = with_fill(stored, variable)
        array.write_empty_chunks = is_filled_swapped(variable)
        self.found.arrays[where] = array
        return variable

    def type_of(self, metadata: ArrayMetadata, notes: ArrayNotes, where: str) -> NcType | None:
        """Return the type that is noted, where there is such a type and the array can hold its values."""
        own = array_type(metadata, has_char=True)
        if notes.type is None:
            return own
        noted = _ALIASES.get(notes.type) or self.types.get(notes.type)
        if noted is None:
            if notes.type.startswith("/"):
                self.found.fault("dangling-type", where, f"there is no type {notes.type}")
            return own
        if holds(as_text(metadata, noted), noted) or own is noted:
            return noted
        name = metadata.data_type.name
        self.found.fault("type-mismatch", where, f"an array of {name} holds no values of type {notes.type}")
        return own

    def references(self, metadata: ArrayMetadata, notes: ArrayNotes, where: str) -> tuple[str, ...]:
        """Return a dimension for each axis, as the notes have it, or the names of the axes, or anonymous."""
        axes = len(metadata.shape)
        if not axes or (notes.is_scalar and metadata.shape == (1,)):
            if notes.references and not notes.is_scalar:
                self.found.fault(
                    "dimension-conflict", where, f"{len(notes.references)} dimensions for no axis"
                )
            return ()
        if notes.references is not None and len(notes.references) == axes:
            return notes.references
        names = _axis_names(metadata)
        if notes.references is not None or names is None:
            count = len(notes.references or ())
            self.found.fault("dimension-conflict", where, f"{count} dimension references for {axes} axes")
        return names or (ANONYMOUS,) * axes

    # --- attributes

    def attributes(self, node: Group | Array, path: str) -> tuple[AttributeModel, ...]:
        none: Mapping[str, Json] = {}
        codes = self.noted_or(path, partial(self.notes.attribute_types, node), none)
        tell = partial(self.found.fault, "attribute-type", path)
        return decode_attributes(node.metadata.attributes, codes, self.types, tell)

    def with_own_fill(
        self, attributes: tuple[AttributeModel, ...], kind: NcType, where: str
    ) -> tuple[AttributeModel, ...]:
        """Return attributes with a `_FillValue` of the variable's type, or without one."""
        return tuple(
            fitting
            for attribute in attributes
            if (fitting := self.own_fill(attribute, kind, where)) is not None
        )

    def own_fill(self, attribute: AttributeModel, kind: NcType, where: str) -> AttributeModel | None:
        if attribute.name != FILL_VALUE:
            return attribute
        if len(attribute.values) != 1:
            message = f"_FillValue has {len(attribute.values)} values, and not one: it is left out"
            self.found.fault("type-mismatch", where, message)
            return None
        if attribute.type == kind:
            return attribute
        message = f"_FillValue is {attribute.type}, and the variable {kind}"
        try:
            fitting = cast_attribute(attribute, kind)
        except ConversionError:
            self.found.fault("type-mismatch", where, f"{message}: it is left out")
            return None
        self.found.fault("type-mismatch", where, message)
        return fitting


def _axis_names(metadata: ArrayMetadata) -> tuple[str, ...] | None:
    """Return the names of the axes, without which they are anonymous; None where there are none for them."""
    names = metadata.dimension_names
    if names is None:
        listed = metadata.attributes.get("_ARRAY_DIMENSIONS")
        names = tuple(map(str, listed)) if isinstance(listed, list) else None
    if names is None or len(names) != len(metadata.shape):
        return None
    return tuple(name if isinstance(name, str) and "/" not in name else ANONYMOUS for name in names)
