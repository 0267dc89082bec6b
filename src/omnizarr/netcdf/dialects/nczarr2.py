"""NCZarr as netCDF-C 4.8.1 to 4.9.2 wrote it: notes inside `.zgroup`, `.zarray` and `.zattrs`.

Names are in capitals up to 4.9.0. Such datasets are read; what is to be changed is copied first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.jsontypes import Json, JsonObject
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.netcdf.dialects.base import Found
from omnizarr.netcdf.dialects.nczarr import (
    ARRAY,
    ATTRIBUTES,
    GROUP,
    SUPERBLOCK,
    array_notes,
    group_notes,
    types_in,
)
from omnizarr.netcdf.dialects.notes import ArrayNotes, GroupNotes, Notes
from omnizarr.netcdf.dialects.reading import read_annotated
from omnizarr.netcdf.dialects.retyping import in_order
from omnizarr.netcdf.model.nodes import join

_VERSION = re.compile(r"\bnetcdf=([0-9.]+)")


@dataclass(frozen=True, slots=True)
class NCZarr2:
    """The second generation of NCZarr, on Zarr v2."""

    name: str = "nczarr2"

    def recognizes(self, root: Group) -> bool:
        """Say whether there is a superblock in the root's own document."""
        return _content(root, SUPERBLOCK) is not None

    def read(self, root: Group) -> Found:
        """Return the dataset below a group; what cannot be shown warns, and stays out."""
        order = _Order.of(root)
        found = read_annotated(root, self.name, DocumentNotes(order))
        if not order.is_known:
            _settle_order(found)
        return found

    def noted(self, root: Group) -> tuple[Group, Notes]:
        """Return the group to read, and its notes; an order that only all arrays tell is not looked for."""
        return root, DocumentNotes(_Order.of(root))


@dataclass(frozen=True, slots=True)
class _Order:
    """The order of bytes in the chunks of big-endian variables.

    netCDF-C up to 4.9.2, and some development versions of 4.9.3, wrote and read such values as the machine
    has them, which was the wrong order on all common machines. Types of attributes are always written
    in the machine's own order, which tells the others.
    """

    is_swapped: bool
    is_known: bool = True

    @classmethod
    def of(cls, root: Group) -> _Order:
        codes = (types_in(_content(root, ATTRIBUTES) or {})).values()
        if any(isinstance(code, str) and code[:1] == ">" and code[1:] not in ("S1", "U1") for code in codes):
            return cls(False)
        version = _version(root)
        if SUPERBLOCK.upper() in root.metadata.extra or version < (4, 9, 3):
            return cls(True)
        return cls(False, is_known=version > (4, 9, 3))


def _version(root: Group) -> tuple[int, ...]:
    """Return the version of netCDF-C that made a dataset; the one before 4.9.3 where it does not say."""
    properties = root.metadata.attributes.get("_NCProperties")
    found = _VERSION.search(properties) if isinstance(properties, str) else None
    return tuple(int(part) for part in found[1].split(".") if part) if found else (4, 9, 2)


def _settle_order(found: Found) -> None:
    """Find out the order of bytes by how scalars are noted, which changed when the order was put right."""
    contents = [_content(array, ARRAY) or {} for array in found.arrays.values()]
    if any(content.get("storage") == "scalar" for content in contents):
        for array in found.arrays.values():
            array.metadata = in_order(array.metadata, "little")
    elif not any(content.get("scalar") for content in contents):
        doubt_order(found, "a development version of netCDF-C 4.9.3, of which some")


def doubt_order(found: Found, writer: str) -> None:
    """Note a fault for each big-endian variable of a writer that may have stored it otherwise."""
    for path, group in found.model.root.walk():
        for variable in group.variables:
            if variable.endian == "big" and variable.type.is_numeric and variable.type.size > 1:
                message = (
                    f"values may be in the other byte order: they were written by {writer} "
                    "stored big-endian values as little-endian ones"
                )
                found.fault("type-mismatch", join(path, variable.name), message)


@dataclass(frozen=True, slots=True)
class DocumentNotes:
    """Notes inside the documents."""

    order: _Order

    def of_group(self, node: Group) -> GroupNotes:
        """Return what is noted about a group."""
        return group_notes(_content(node, GROUP) or {})

    def of_array(self, node: Array) -> ArrayNotes:
        """Return what is noted about an array."""
        return array_notes(_content(node, ARRAY) or {})

    def attribute_types(self, node: Group | Array) -> Mapping[str, Json]:
        """Return the codes of the types of a node's attributes by name."""
        return types_in(_content(node, ATTRIBUTES) or {})

    def stored(self, array: Array) -> ArrayMetadata:
        """Return the array in the byte order in which its chunks are."""
        return in_order(array.metadata, "little") if self.order.is_swapped else array.metadata


def _content(node: Group | Array, name: str) -> JsonObject | None:
    for place in (node.metadata.extra, node.metadata.attributes):
        for spelled in (name, name.upper()):
            found = place.get(spelled)
            if isinstance(found, dict):
                return found
    return None
