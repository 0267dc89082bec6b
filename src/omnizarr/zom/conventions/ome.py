"""Models of OME-Zarr: 0.4 on Zarr v2, and 0.5 on Zarr v3.

https://ngff.openmicroscopy.org/0.4/ and https://ngff.openmicroscopy.org/0.5/

`OmeV04` and `OmeV05` are whatever the metadata of a group say that it is; the others are of one kind. What
the specification only recommends is not asked for, and what it does not know may be there.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from omnizarr.zom import v2, v3
from omnizarr.zom.conventions.ome_collections import check_group, check_some_kind
from omnizarr.zom.conventions.ome_edition import (
    EDITION_04,
    EDITION_05,
    Attributes05,
    Images,
    Images04,
    Layout,
    Metadata04,
    Metadata05,
    Paths,
)
from omnizarr.zom.conventions.ome_metadata import ImageLabel, ImageLabel04
from omnizarr.zom.conventions.ome_plate import Plate, Plate04, Well, Well04
from omnizarr.zom.faults import Violation

__all__ = [
    "MODELS",
    "CollectionV04",
    "CollectionV05",
    "ImageV04",
    "ImageV05",
    "LabelImageV04",
    "LabelImageV05",
    "LabelsV04",
    "LabelsV05",
    "OmeV04",
    "OmeV05",
    "PlateV04",
    "PlateV05",
    "WellV04",
    "WellV05",
]


class GroupV04(v2.GroupSpec[Metadata04, v2.Node]):
    """A group of OME-Zarr 0.4."""

    def check(self) -> Iterator[Violation]:
        """Yield what is wrong with it and with all that its metadata name."""
        yield from check_group(self, EDITION_04)


class GroupV05(v3.GroupSpec[Attributes05, v3.Node]):
    """A group of OME-Zarr 0.5."""

    def check(self) -> Iterator[Violation]:
        """Yield what is wrong with it and with all that its metadata name."""
        yield from check_group(self, EDITION_05)


class OmeV04(GroupV04):
    """An OME-Zarr 0.4 image, plate, well, group of labels, or collection of bioformats2raw."""

    def check(self) -> Iterator[Violation]:
        """Yield what is wrong with it; where it is none of these, that it is none."""
        yield from check_some_kind(self, EDITION_04)
        yield from super().check()


class OmeV05(GroupV05):
    """An OME-Zarr 0.5 image, plate, well, group of labels, or collection of bioformats2raw."""

    def check(self) -> Iterator[Violation]:
        """Yield what is wrong with it; where it is none of these, that it is none."""
        yield from check_some_kind(self, EDITION_05)
        yield from super().check()


# --- 0.4


class ImageMetadata04(Metadata04):
    """The attributes of an image."""

    multiscales: Images04


class LabelImageMetadata04(ImageMetadata04):
    """The attributes of an image of labels."""

    image_label: ImageLabel04 = Field(alias="image-label")


class LabelsMetadata04(Metadata04):
    """The attributes of a group of labels."""

    labels: Paths


class PlateMetadata04(Metadata04):
    """The attributes of a plate."""

    plate: Plate04


class WellMetadata04(Metadata04):
    """The attributes of a well."""

    well: Well04


class CollectionMetadata04(Metadata04):
    """The attributes of a collection of bioformats2raw."""

    layout: Layout = Field(alias="bioformats2raw.layout")


class ImageV04(GroupV04):
    """An image of OME-Zarr 0.4, with labels or without."""

    attributes: ImageMetadata04


class LabelImageV04(GroupV04):
    """An image of OME-Zarr 0.4 whose pixels are labels."""

    attributes: LabelImageMetadata04


class LabelsV04(GroupV04):
    """The group of OME-Zarr 0.4 that lists an image's labels."""

    attributes: LabelsMetadata04


class PlateV04(GroupV04):
    """A plate of OME-Zarr 0.4."""

    attributes: PlateMetadata04


class WellV04(GroupV04):
    """A well of OME-Zarr 0.4, without its plate."""

    attributes: WellMetadata04


class CollectionV04(GroupV04):
    """What bioformats2raw makes of a file with several images: OME-Zarr 0.4."""

    attributes: CollectionMetadata04


# --- 0.5


class ImageMetadata05(Metadata05):
    """The metadata of an image."""

    multiscales: Images


class LabelImageMetadata05(ImageMetadata05):
    """The metadata of an image of labels."""

    image_label: ImageLabel = Field(alias="image-label")


class LabelsMetadata05(Metadata05):
    """The metadata of a group of labels."""

    labels: Paths


class PlateMetadata05(Metadata05):
    """The metadata of a plate."""

    plate: Plate


class WellMetadata05(Metadata05):
    """The metadata of a well."""

    well: Well


class CollectionMetadata05(Metadata05):
    """The metadata of a collection of bioformats2raw."""

    layout: Layout = Field(alias="bioformats2raw.layout")


class ImageAttributes05(Attributes05):
    """The attributes of an image."""

    ome: ImageMetadata05


class LabelImageAttributes05(Attributes05):
    """The attributes of an image of labels."""

    ome: LabelImageMetadata05


class LabelsAttributes05(Attributes05):
    """The attributes of a group of labels."""

    ome: LabelsMetadata05


class PlateAttributes05(Attributes05):
    """The attributes of a plate."""

    ome: PlateMetadata05


class WellAttributes05(Attributes05):
    """The attributes of a well."""

    ome: WellMetadata05


class CollectionAttributes05(Attributes05):
    """The attributes of a collection of bioformats2raw."""

    ome: CollectionMetadata05


class ImageV05(GroupV05):
    """An image of OME-Zarr 0.5, with labels or without."""

    attributes: ImageAttributes05


class LabelImageV05(GroupV05):
    """An image of OME-Zarr 0.5 whose pixels are labels."""

    attributes: LabelImageAttributes05


class LabelsV05(GroupV05):
    """The group of OME-Zarr 0.5 that lists an image's labels."""

    attributes: LabelsAttributes05


class PlateV05(GroupV05):
    """A plate of OME-Zarr 0.5."""

    attributes: PlateAttributes05


class WellV05(GroupV05):
    """A well of OME-Zarr 0.5, without its plate."""

    attributes: WellAttributes05


class CollectionV05(GroupV05):
    """What bioformats2raw makes of a file with several images: OME-Zarr 0.5."""

    attributes: CollectionAttributes05


MODELS: dict[int, type[OmeV04] | type[OmeV05]] = {2: OmeV04, 3: OmeV05}
