"""What NCZarr asks of each array and of each group, taken alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from omnizarr.jsontypes import Json, shown
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.group import NodeMetadata
from omnizarr.zom.array import ArraySpecBase
from omnizarr.zom.conventions.nczarr_notes import SUPERBLOCK
from omnizarr.zom.conventions.nczarr_reading import (
    ArrayNote,
    GroupNote,
    Part,
    definitions_in,
    type_codes,
)
from omnizarr.zom.conventions.nczarr_types import is_atomic, number_type, value_fault
from omnizarr.zom.faults import Violation
from omnizarr.zom.group import GroupSpecBase

AnyArray: TypeAlias = ArraySpecBase[Any]
AnyGroup: TypeAlias = GroupSpecBase[Any, Any]

_NAMES_V2 = "_ARRAY_DIMENSIONS"
_SCALAR = "_scalar_"
_FILL = "_FillValue"


# --- arrays


def array_faults(node: AnyArray) -> Iterator[Violation]:
    """Yield what is wrong with the notes of an array."""
    metadata = node.metadata
    note = ArrayNote.of(metadata)
    yield from _axes(metadata, note, node.zarr_format)
    yield from _alias(metadata, note.type)
    yield from attribute_faults(metadata)
    yield from _fill_value(metadata, note.type)


def _axes(metadata: ArrayMetadata, note: ArrayNote, zarr_format: int) -> Iterator[Violation]:
    """Yield where the references, the shape and the names of the axes disagree."""
    shape, references = metadata.shape, note.references
    if zarr_format == 2 and not shape:
        message = "expected [1], and scalar in the notes: netCDF-C leaves out arrays without axes"
        yield Violation("shape", message)
    is_scalar = note.is_scalar or not shape
    if note.is_scalar and shape not in ((), (1,)):
        yield Violation("shape", f"expected [1], since it is noted as a scalar, found {list(shape)}")
    if references is None:
        return
    paths = references.value if isinstance(references.value, list) else []
    expected = 0 if is_scalar else len(shape)
    if len(paths) != expected:
        yield Violation(references.at, f"expected {expected}, one for each axis, found {len(paths)}")
    else:
        yield from _names(_axis_names(metadata, zarr_format), [_last(path) for path in paths])


def _names(axes: tuple[str, list[Json] | None], expected: list[Json]) -> Iterator[Violation]:
    """Yield the names of axes that are not those of the dimensions."""
    at, names = axes
    if names is None or (not expected and names in ([_SCALAR], [None])):
        return
    if len(names) != len(expected):
        yield Violation(at, f"expected {shown(expected)}, as the notes have it, found {shown(names)}")
        return
    for number, (name, other) in enumerate(zip(names, expected, strict=True)):
        if name != other and name is not None:
            message = f"expected {shown(other)}, as the notes have it, found {shown(name)}"
            yield Violation(f"{at}[{number}]", message)


def _axis_names(metadata: ArrayMetadata, zarr_format: int) -> tuple[str, list[Json] | None]:
    """Return the place of the names of an array's axes, and these; None where it has none."""
    if zarr_format == 3:
        return "dimension_names", None if metadata.dimension_names is None else [*metadata.dimension_names]
    names = metadata.attributes.get(_NAMES_V2)
    return f"attributes.{_NAMES_V2}", names if isinstance(names, list) else None


def _last(path: Json) -> Json:
    return path.rpartition("/")[2] if isinstance(path, str) else path


def _alias(metadata: ArrayMetadata, alias: Part) -> Iterator[Violation]:
    """Yield a type that is stored as another one, but not as this."""
    dtype = metadata.data_type.dtype
    if alias.value in ("char", "json"):
        fits = f"{dtype.kind}{dtype.itemsize}" in ("u1", "i1", "S1") or dtype.str[1:] == "U1"
    else:
        fits = alias.value != "string" or (dtype.kind in "SUOTV" and dtype.names is None)
    if not fits:
        own = metadata.data_type.name
        yield Violation(alias.at, f"expected a type that is stored as {own}, found {shown(alias.value)}")


def _fill_value(metadata: ArrayMetadata, alias: Part) -> Iterator[Violation]:
    """Yield a `_FillValue` that is not one number of the array's type."""
    dtype, value = metadata.data_type.dtype, metadata.attributes.get(_FILL)
    if dtype.kind not in "iuf" or alias.value is not None:
        return
    if isinstance(value, list) and len(value) != 1:
        yield Violation(f"attributes.{_FILL}", f"expected one value, found {len(value)}")
    for code in (code for name, code, _ in type_codes(metadata) if name == _FILL):
        is_known = isinstance(code.value, str) and is_atomic(code.value)
        if is_known and number_type(str(code.value)) != f"{dtype.kind}{dtype.itemsize}":
            message = f"expected the type of the array, {metadata.data_type.name}, found {shown(code.value)}"
            yield Violation(code.at, message)


# --- attributes


def attribute_faults(metadata: NodeMetadata) -> Iterator[Violation]:
    """Yield the types that are noted for attributes which are not there, or not of them, or noted twice."""
    attributes, seen = metadata.attributes, set[tuple[str, str]]()
    for name, code, at in type_codes(metadata):
        entry = (name, at.partition("types")[0])
        if name not in attributes:
            yield Violation(at, f"there is no attribute {shown(name)}")
        elif at.endswith(".name") and entry in seen:
            yield Violation(at, f"the type of {shown(name)} is noted already")
        elif isinstance(code.value, str) and (fault := value_fault(attributes[name], code.value)) is not None:
            is_code = fault.endswith("no type of netCDF")
            yield Violation(code.at if is_code else f"attributes.{name}", fault)
        seen.add(entry)


# --- groups


def group_faults(node: AnyGroup) -> Iterator[Violation]:
    """Yield what is wrong with the notes of a group, and between them and what is in it."""
    metadata = node.metadata
    yield from _dimension_names(metadata)
    yield from _listed(node, GroupNote.of(metadata))
    yield from attribute_faults(metadata)


def inner_group_faults(node: AnyGroup) -> Iterator[Violation]:
    """Yield what is wrong with a group that is not the root."""
    if SUPERBLOCK in node.metadata.attributes:
        yield Violation(f"attributes.{SUPERBLOCK}", "only the root of a dataset has one")
    yield from group_faults(node)


def _dimension_names(metadata: NodeMetadata) -> Iterator[Violation]:
    seen = set()
    for name, definition in definitions_in(metadata):
        if not name or "/" in name:
            yield Violation(definition.at, f"expected the name of a dimension, found {shown(name)}")
        if name in seen:
            yield Violation(definition.at, f"dimension {shown(name)} is defined already")
        seen.add(name)


def _listed(node: AnyGroup, note: GroupNote) -> Iterator[Violation]:
    """Yield the members that are listed and not there, or there and not listed."""
    if node.members is None:
        return
    yield from _there(node, note.arrays, "array")
    yield from _there(node, note.groups, "group")
    groups = {name for name, _ in note.groups.names()}
    for name, member in node.nodes.items():
        listed = note.every if member.kind == "array" else groups
        if (
            listed is not None
            and name not in listed
            and (member.kind == "array" or note.groups.value is not None)
        ):
            yield Violation(
                "", f"its group does not list this {member.kind}, and netCDF does not show it", name
            )


def _there(node: AnyGroup, names: Part, kind: str) -> Iterator[Violation]:
    seen = set()
    for name, at in names.names():
        member = node.nodes.get(name)
        if name in seen:
            yield Violation(at, f"{shown(name)} is listed already")
        elif member is None:
            yield Violation(at, f"there is no {kind} {shown(name)} here")
        elif member.kind != kind:
            yield Violation(at, f"expected the name of a {kind}, found {shown(name)}, a {member.kind}")
        seen.add(name)
