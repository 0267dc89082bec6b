"""The document of a node in a model, for one version of Zarr: what the specification says of it, by floor 3.

The document of an array or group has the fields of its metadata and `attributes`, in Zarr v2 too, where a
store keeps those apart. `members` are none of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from omnizarr.errors import MetadataError, NodeNameError
from omnizarr.hierarchy.arrays.layout import checked_chain
from omnizarr.jsontypes import Json, JsonObject, Problems
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats import format_of, v3
from omnizarr.metadata.formats import v2_node as v2
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.metadata.names import check_name
from omnizarr.zom import renaming

Kind: TypeAlias = Literal["array", "group"]

ATTRIBUTES = "attributes"

DEEPEST = 100
"""How many groups may lie within one another, from the root to a node."""

_HEAD = ("zarr_format", "node_type")
_CONSOLIDATED = v3.CONSOLIDATED


@dataclass(frozen=True, slots=True)
class Version:
    """A version of Zarr whose hierarchies have models: 2 or 3."""

    number: Literal[2, 3]

    @property
    def format(self) -> Format:
        """The format, which turns metadata into the documents of a store."""
        return format_of(self.number)

    def read(self, kind: Kind, document: Mapping[str, Json], problems: Problems) -> NodeMetadata | None:
        """Return what a node's document says; faults go to `problems`, those of its codecs too."""
        fields = {name: value for name, value in document.items() if name != ATTRIBUTES}
        if kind == "group":
            fields = renaming.from_model(fields)
            if _CONSOLIDATED in fields:
                problems.add(_CONSOLIDATED, "no part of a model; from_consolidated reads it")
                del fields[_CONSOLIDATED]
        metadata = self._read(kind, fields, problems)
        if isinstance(metadata, ArrayMetadata):
            self._check_codecs(metadata, problems)
        return metadata

    def write(self, metadata: NodeMetadata, *, as_spelled: bool = True) -> JsonObject:
        """Return the document of a node, in the words in which it was read unless told otherwise.

        Raises
        ------
        ConversionError
            The format cannot express this node.
        """
        if not as_spelled:
            metadata = replace(metadata, spelling={})
        if isinstance(metadata, GroupMetadata):
            metadata = metadata.with_consolidated(None)
        if self.number == 3:
            document = v3.write_node(metadata)
        else:
            documents = v2.write_node(metadata)
            document = dict(documents[next(reversed(documents))])
        return _in_model(document, metadata)

    def as_read(self, metadata: NodeMetadata) -> JsonObject:
        """Return the document of a node that was read and not changed since: 1 µs, where writing takes 3."""
        if (
            _HEAD[0] not in metadata.spelling
        ):  # made, not read, even where it has attributes as they were given
            return self.write(metadata)
        return _in_model(dict(metadata.spelling), metadata)

    def name_fault(self, name: str) -> str | None:
        """Return why a node may not have a name, or None where it may."""
        try:
            check_name(name, self.number)
        except NodeNameError as error:
            return str(error)
        return None

    def codec_faults(self, metadata: NodeMetadata) -> MetadataError | None:
        """Return what an array's codecs have against themselves and one another, or None: 4 µs."""
        found = Problems()
        if isinstance(metadata, ArrayMetadata):
            checked_chain(self.format, metadata, found)
        faults = [problem for problem in found.found if not problem.unsupported]
        return MetadataError(faults) if faults else None

    def _read(self, kind: Kind, fields: JsonObject, problems: Problems) -> NodeMetadata | None:
        if self.number == 3:
            return v3.read_node(fields, problems)
        name = v2.ARRAY if kind == "array" else v2.GROUP
        found = Problems()
        metadata = v2.read_node({name: fields}, found)
        for name, value in metadata.extra.items():
            if not may_be_ignored(name, value) and (kind == "array" or name != renaming.MEMBERS):
                found.add(name, "unknown name; those of conventions start with an underscore")
        _include(found, problems)
        return metadata

    def _check_codecs(self, metadata: ArrayMetadata, problems: Problems) -> None:
        """Check what codecs say of themselves and one another; those not known here are held as they are."""
        if (faults := self.codec_faults(metadata)) is None:
            return
        found, told = Problems(), {problem.at for problem in problems.found}
        # Of fields that are missing or nothing of the kind, the reader takes others to go on.
        found.found = [
            one for one in faults.problems if re.split(r"[.\[]", one.at, maxsplit=1)[0] not in told
        ]
        _include(found, problems)


def _include(found: Problems, problems: Problems) -> None:
    """Add problems without the name of a v2 document before their places."""
    for problem in found.found:
        at = problem.at
        for name in (v2.ARRAY, v2.GROUP):
            at = at.removeprefix(name).removeprefix(".")
        problems.add(at, problem.message, unsupported=problem.unsupported)


def _in_model(document: JsonObject, metadata: NodeMetadata) -> JsonObject:
    """Return a node's document with the names and in the order of its model; `document` is used up."""
    if isinstance(metadata, GroupMetadata):
        document.pop(_CONSOLIDATED, None)
        document = renaming.to_model(document)
    head: JsonObject = {name: document.pop(name) for name in _HEAD if name in document}
    document.pop(ATTRIBUTES, None)
    return {**head, ATTRIBUTES: dict(metadata.attributes), **document}


def may_be_ignored(name: str, value: Json) -> bool:
    """Say whether a field of a v2 document may be one that is not known: as in v3, or some convention's."""
    return name.startswith("_") or (isinstance(value, dict) and value.get("must_understand") is False)


def kind_of(document: Mapping[str, object]) -> Kind:
    """Return what kind of node a document is of: Zarr v3 says so, in v2 arrays alone have a shape."""
    said = document.get("node_type")
    if said == "array" or said == "group":
        return "array" if said == "array" else "group"
    return "array" if "shape" in document or "chunks" in document or "chunk_grid" in document else "group"


def kind_of_value(value: object) -> Kind | None:
    """Return what kind of node a model or a document is of, and None for anything else."""
    if isinstance(value, Mapping):
        return kind_of(value)
    return getattr(value, "kind", None)
