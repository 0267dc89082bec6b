"""What NCZarr asks of each array and of each group, taken alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from omnizarr.jsontypes import Json, shown
from omnizarr.zom.conventions.nczarr_notes import SUPERBLOCK
from omnizarr.zom.conventions.nczarr_reading import (
    AnyArray,
    AnyGroup,
    ArrayNote,
    GroupNote,
    Part,
    definitions_in,
    type_codes,
)
from omnizarr.zom.conventions.nczarr_types import is_atomic, number_type, value_fault
from omnizarr.zom.faults import Violation
from omnizarr.zom.node import NodeSpec

_NAMES_V2 = "_ARRAY_DIMENSIONS"
_SCALAR = "_scalar_"
_FILL = "_FillValue"


# --- arrays


def array_faults(node: AnyArray) -> Iterator[Violation]:
    """Yield what is wrong with the notes of an array."""
    note = ArrayNote.of(node)
    yield from _axes(node, note)
    yield from _alias(node, note.type)
    yield from attribute_faults(node)
    yield from _fill_value(node, note.type)


def _axes(node: AnyArray, note: ArrayNote) -> Iterator[Violation]:
    """Yield where the references, the shape and the names of the axes disagree."""
    shape, references = node.metadata.shape, note.references
    if node.zarr_format == 2 and not shape:
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
        yield from _names(node, [_last(path) for path in paths])


def _names(node: AnyArray, expected: list[Json]) -> Iterator[Violation]:
    """Yield the names of axes that are not those of the dimensions."""
    at, names = _axis_names(node)
    if names is None or (not expected and names in ([_SCALAR], [None])):
        return
    if len(names) != len(expected):
        yield Violation(at, f"expected {shown(expected)}, as the notes have it, found {shown(names)}")
        return
    for number, (name, other) in enumerate(zip(names, expected, strict=True)):
        if name != other and name is not None:
            message = f"expected {shown(other)}, as the notes have it, found {shown(name)}"
            yield Violation(f"{at}[{number}]", message)


def _axis_names(node: AnyArray) -> tuple[str, list[Json] | None]:
    """Return the names of an array's axes with their place; None where it has none."""
    metadata = node.metadata
    if node.zarr_format == 3:
        return "dimension_names", None if metadata.dimension_names is None else [*metadata.dimension_names]
    names = metadata.attributes.get(_NAMES_V2)
    return f"attributes.{_NAMES_V2}", names if isinstance(names, list) else None


def _last(path: Json) -> Json:
    return path.rpartition("/")[2] if isinstance(path, str) else path


def _alias(node: AnyArray, alias: Part) -> Iterator[Violation]:
    """Yield a type that is stored as another one, but not as this."""
    dtype = node.metadata.data_type.dtype
    is_bytes = f"{dtype.kind}{dtype.itemsize}" in ("u1", "i1", "S1")
    if alias.value in ("char", "json") and not is_bytes and dtype.str[1:] != "U1":
        yield Violation(
            alias.at, f"expected a type that is stored as {_type(node)}, found {shown(alias.value)}"
        )
    if alias.value == "string" and (dtype.kind not in "SUOTV" or dtype.names is not None):
        yield Violation(alias.at, f'expected a type that is stored as {_type(node)}, found "string"')


def _fill_value(node: AnyArray, alias: Part) -> Iterator[Violation]:
    """Yield a `_FillValue` that is not one number of the array's type."""
    metadata = node.metadata
    dtype, value = metadata.data_type.dtype, metadata.attributes.get(_FILL)
    if dtype.kind not in "iuf" or alias.value is not None:
        return
    if isinstance(value, list) and len(value) != 1:
        yield Violation(f"attributes.{_FILL}", f"expected one value, found {len(value)}")
    for code in (code for name, code, _ in type_codes(node) if name == _FILL):
        is_known = isinstance(code.value, str) and is_atomic(code.value)
        if is_known and number_type(str(code.value)) != f"{dtype.kind}{dtype.itemsize}":
            message = f"expected the type of the array, {_type(node)}, found {shown(code.value)}"
            yield Violation(code.at, message)


def _type(node: AnyArray) -> str:
    return node.metadata.data_type.name


# --- attributes


def attribute_faults(node: NodeSpec[Any]) -> Iterator[Violation]:
    """Yield the types that are noted for attributes which are not there, or not of them, or noted twice."""
    attributes, seen = node.metadata.attributes, set[tuple[str, str]]()
    for name, code, at in type_codes(node):
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
    yield from _dimension_names(node)
    yield from _listed(node)
    yield from attribute_faults(node)


def inner_group_faults(node: AnyGroup) -> Iterator[Violation]:
    """Yield what is wrong with a group that is not the root."""
    if SUPERBLOCK in node.metadata.attributes:
        yield Violation(f"attributes.{SUPERBLOCK}", "only the root of a dataset has one")
    yield from group_faults(node)


def _dimension_names(node: AnyGroup) -> Iterator[Violation]:
    seen = set()
    for name, definition in definitions_in(node):
        if not name or "/" in name:
            yield Violation(definition.at, f"expected the name of a dimension, found {shown(name)}")
        if name in seen:
            yield Violation(definition.at, f"dimension {shown(name)} is defined already")
        seen.add(name)


def _listed(node: AnyGroup) -> Iterator[Violation]:
    """Yield the members that are listed and not there, or there and not listed."""
    note = GroupNote.of(node)
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
