"""The two editions of OME-Zarr: where each keeps its metadata, and what they are made of.

https://ngff.openmicroscopy.org/0.4/ on Zarr v2, and https://ngff.openmicroscopy.org/0.5/ on Zarr v3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast, get_args

from pydantic import Field, TypeAdapter, ValidationError

from omnizarr.jsontypes import JsonObject, inside, shown
from omnizarr.zom.conventions.ome_metadata import (
    ImageLabel,
    ImageLabel04,
    Multiscale,
    Multiscale04,
    Omero,
)
from omnizarr.zom.conventions.ome_plate import Plate, Plate04, Well, Well04
from omnizarr.zom.conventions.parts import Filled, Part, Text
from omnizarr.zom.conventions.places import Place
from omnizarr.zom.faults import Violation, findings
from omnizarr.zom.node import NodeSpec
from omnizarr.zom.types import Items

LAYOUT = "bioformats2raw.layout"

Layout: TypeAlias = Literal[3]
Images: TypeAlias = Filled[Multiscale]
Images04: TypeAlias = Filled[Multiscale04]
Paths: TypeAlias = Items[Text]


class Metadata(Part):
    """The metadata that a group of OME-Zarr 0.5 may have."""

    multiscales: Images | None = None
    omero: Omero | None = None
    labels: Paths | None = None
    image_label: ImageLabel | None = Field(None, alias="image-label")
    plate: Plate | None = None
    well: Well | None = None
    layout: Layout | None = Field(None, alias="bioformats2raw.layout")
    series: Paths | None = None


class Metadata04(Metadata):
    """The metadata that a group of OME-Zarr 0.4 may have, among its other attributes."""

    multiscales: Images04 | None = None
    image_label: ImageLabel04 | None = Field(None, alias="image-label")
    plate: Plate04 | None = None
    well: Well04 | None = None


class Metadata05(Metadata):
    """The metadata of the group at the top of a hierarchy of OME-Zarr 0.5, which says its version."""

    version: Literal["0.5"]


class Attributes05(Part):
    """The attributes of a group of OME-Zarr 0.5."""

    ome: Metadata05


@dataclass(frozen=True)
class Edition:
    """An edition of the specification.

    Attributes
    ----------
    version
        Its number.
    at
        The place of the metadata in a group's document.
    metadata
        What they may be.
    """

    version: str
    at: str
    metadata: type[Metadata]

    def of(self, node: NodeSpec[Any]) -> JsonObject:
        """Return the metadata of a node; nothing where it has none."""
        return self._found(node) or {}

    def is_in(self, node: NodeSpec[Any]) -> bool:
        """Say whether a node has an object for the metadata, be it empty."""
        return self._found(node) is not None

    def _found(self, node: NodeSpec[Any]) -> JsonObject | None:
        found: Any = node.attributes if isinstance(node.attributes, dict) else node.attributes_as_json()
        for name in self.at.split(".")[1:]:
            found = found.get(name)
            if not isinstance(found, dict):
                return None
        return cast("JsonObject", found)

    def place(self, name: str) -> str:
        """Return the place of a part of the metadata in a group's document."""
        return inside(self.at, name)

    def read(self, place: Place, name: str) -> tuple[Any, list[Violation]]:
        """Return a part of a node's metadata, and what is wrong with it.

        None is returned where it is missing, or no such part. Of the root nothing is told: the model of its
        attributes has.
        """
        metadata, at = self.of(place.node), self.place(name)
        if name not in metadata:
            return None, []
        value = metadata[name]
        try:
            return _TYPES[self.version][name].validate_python(value), []
        except ValidationError as error:
            told = findings(error, value) if place.path else []
            return None, [place.violation(inside(at, one.at), one.message) for one in told]

    def version_faults(self, place: Place) -> list[Violation]:
        """Return that a node below the root is of another version; it need not say so again."""
        version = self.of(place.node).get("version", self.version) if "." in self.at else self.version
        if version == self.version or not place.path:
            return []
        message = f"expected {shown(self.version)}, as the whole hierarchy, found {shown(version)}"
        return [place.violation(self.place("version"), message)]


EDITION_04 = Edition("0.4", "attributes", Metadata04)
EDITION_05 = Edition("0.5", "attributes.ome", Metadata)


def _types_of(metadata: type[Metadata]) -> dict[str, TypeAdapter[Any]]:
    """Return the type of each part of the metadata, which must be there: none may be null."""
    fields = (
        (field.alias or name, get_args(field.annotation)) for name, field in metadata.model_fields.items()
    )
    return {name: TypeAdapter(cast("Any", kinds[0])) for name, kinds in fields}


_TYPES = {edition.version: _types_of(edition.metadata) for edition in (EDITION_04, EDITION_05)}
