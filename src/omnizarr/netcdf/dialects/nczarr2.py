"""NCZarr as netCDF-C 4.8.1 to 4.9.2 wrote it: notes inside `.zgroup`, `.zarray` and `.zattrs`.

Names are in capitals up to 4.9.0. Such datasets are read; what is to be changed is copied first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.jsontypes import Json, JsonObject
from omnizarr.netcdf.dialects.base import Found
from omnizarr.netcdf.dialects.nczarr import ARRAY, ATTRIBUTES, GROUP, SUPERBLOCK
from omnizarr.netcdf.dialects.notes import ArrayNotes, GroupNotes, dimensions_in, first_of, names_in
from omnizarr.netcdf.dialects.reading import read_annotated


@dataclass(frozen=True, slots=True)
class NCZarr2:
    """The second generation of NCZarr, on Zarr v2."""

    name: str = "nczarr2"

    def recognizes(self, root: Group) -> bool:
        """Say whether there is a superblock in the root's own document."""
        return bool(_content(root, SUPERBLOCK)) or SUPERBLOCK in root.metadata.extra

    def read(self, root: Group) -> Found:
        """Return the dataset below a group; what cannot be shown warns, and stays out."""
        return read_annotated(root, self.name, DocumentNotes())


class DocumentNotes:
    """Notes inside the documents."""

    def of_group(self, node: Group) -> GroupNotes:
        """Return what is noted about a group."""
        content = _content(node, GROUP)
        return GroupNotes(
            dimensions=dimensions_in(first_of(content, "dims", "dimensions")),
            arrays=names_in(first_of(content, "vars", "arrays")),
            groups=names_in(content.get("groups")),
        )

    def of_array(self, node: Array) -> ArrayNotes:
        """Return what is noted about an array."""
        content = _content(node, ARRAY)
        return ArrayNotes(
            references=names_in(first_of(content, "dimrefs", "dimension_references")),
            is_scalar=bool(content.get("scalar")) or content.get("storage") == "scalar",
        )

    def attribute_types(self, node: Group | Array) -> Mapping[str, Json]:
        """Return the codes of the types of a node's attributes by name."""
        types = _content(node, ATTRIBUTES).get("types")
        return types if isinstance(types, dict) else {}


def _content(node: Group | Array, name: str) -> JsonObject:
    for place in (node.metadata.extra, node.metadata.attributes):
        for spelled in (name, name.upper()):
            found = place.get(spelled)
            if isinstance(found, dict):
                return found
    return {}
