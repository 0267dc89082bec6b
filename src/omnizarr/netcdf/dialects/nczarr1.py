"""NCZarr as netCDF-C 4.8.0 wrote it: documents beside those of Zarr.

`.nczarr` in the root, `.nczgroup`, `.nczvar` and `.nczattr`; development versions called the last two
`.nczarray` and `.nczattrs`. Such datasets are read; what is to be changed is copied first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.paths import joined
from omnizarr.jsontypes import Json, JsonObject, dump_json, parse_json
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats import v2_node
from omnizarr.netcdf.dialects.base import Found
from omnizarr.netcdf.dialects.nczarr import array_notes, group_notes
from omnizarr.netcdf.dialects.nczarr2 import doubt_order
from omnizarr.netcdf.dialects.notes import ArrayNotes, GroupNotes, Notes
from omnizarr.netcdf.dialects.reading import read_annotated
from omnizarr.netcdf.dialects.sidecars import read_sidecar
from omnizarr.netcdf.model.types import ATOMIC_TYPES
from omnizarr.store.base import ByteRange
from omnizarr.store.layers.wrap import ReadOnlyStore

_ROOT = ".nczarr"
_GROUP = (".nczgroup",)
_ARRAY = (".nczvar", ".nczarray")
_ATTRIBUTES = (".nczattr", ".nczattrs")
_BY_NUMBER = {kind.number: kind.name for kind in ATOMIC_TYPES}


@dataclass(frozen=True, slots=True)
class NCZarr1:
    """The first generation of NCZarr, on Zarr v2."""

    name: str = "nczarr1"

    def recognizes(self, root: Group) -> bool:
        """Say whether there is a document of NCZarr beside the root's own."""
        return root.zarr_format == 2 and root.store.exists(joined(root.path, _ROOT))

    def read(self, root: Group) -> Found:
        """Return the dataset below a group; what cannot be shown warns, and stays out."""
        node, notes = self.noted(root)
        found = read_annotated(node, self.name, notes)
        doubt_order(found, "netCDF-C 4.8.0, whose next versions")
        return found

    def noted(self, root: Group) -> tuple[Group, Notes]:
        """Return the group to read, and its notes."""
        store = _WithFillValues(root.store)
        return Group(store, root.format, root.path, root.metadata), SidecarNotes()


class _WithFillValues(ReadOnlyStore):
    """A store whose `.zarray` documents have the `fill_value` that Zarr v2 requires.

    netCDF-C 4.8.0 left it out where elements that were never written are undefined.
    """

    def get(self, key: str, part: ByteRange | None = None) -> bytes | None:
        value = super().get(key, part)
        if value is None or part is not None or key.rpartition("/")[2] != v2_node.ARRAY:
            return value
        try:
            document = parse_json(value)
        except ValueError:
            return value
        if not isinstance(document, dict) or "fill_value" in document:
            return value
        return dump_json({**document, "fill_value": None})


class SidecarNotes:
    """Notes in documents beside those of Zarr."""

    def of_group(self, node: Group) -> GroupNotes:
        """Return what is noted about a group."""
        return group_notes(_beside(node, _GROUP))

    def of_array(self, node: Array) -> ArrayNotes:
        """Return what is noted about an array; what has one byte of text is char, there were no strings."""
        notes = array_notes(_beside(node, _ARRAY))
        dtype = node.metadata.data_type.dtype
        is_char = dtype == "S1" or dtype.str[1:] == "U1"
        return replace(notes, type="char") if is_char else notes

    def attribute_types(self, node: Group | Array) -> Mapping[str, Json]:
        """Return the codes of the types of a node's attributes by name: netCDF's names for its numbers."""
        types = _beside(node, _ATTRIBUTES).get("types")
        return {name: _name_of(code) for name, code in types.items()} if isinstance(types, dict) else {}

    def stored(self, array: Array) -> ArrayMetadata:
        """Return the array as its document says it."""
        return array.metadata


def _beside(node: Group | Array, names: tuple[str, ...]) -> JsonObject:
    found = (read_sidecar(node, name) for name in names)
    return next((content for content in found if content is not None), {})


def _name_of(code: Json) -> Json:
    number = int(code) if isinstance(code, str) and code.isdecimal() else code
    return _BY_NUMBER.get(number, code) if isinstance(number, int) else code
