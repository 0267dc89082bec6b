"""What OME-Zarr plates, wells and the collections of bioformats2raw ask of the groups in them.

https://ngff.openmicroscopy.org/0.5/index.html#plate-md
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from omnizarr.jsontypes import inside, shown
from omnizarr.zom.conventions.ome_edition import LAYOUT, Edition
from omnizarr.zom.conventions.ome_images import LABELS, check_field, check_image, check_labels
from omnizarr.zom.conventions.ome_plate import FieldOfView
from omnizarr.zom.conventions.places import AnyGroup, Missing, Place
from omnizarr.zom.faults import Violation

KINDS = ("multiscales", "plate", "well", LABELS, LAYOUT)


def check_group(group: AnyGroup, edition: Edition) -> Iterator[Violation]:
    """Yield what is wrong with a hierarchy, be it an image, a plate or anything else that is specified."""
    root = Place(group, "", group)
    kinds = edition.of(group)
    if "multiscales" in kinds:
        yield from check_image(root, edition)
    elif "image-label" in kinds:
        yield Violation(edition.place("multiscales"), "required beside image-label, but missing")
    if "plate" in kinds:
        yield from _check_plate(root, edition)
    elif LAYOUT in kinds:
        yield from _check_collection(root, edition)
    if "well" in kinds:
        yield from _check_well(root, edition)
    if LABELS in kinds:
        yield from check_labels(root, edition)


def check_some_kind(group: AnyGroup, edition: Edition) -> Iterator[Violation]:
    """Yield that the metadata of a group do not tell what it is; where there are none, its model has told."""
    if edition.is_in(group) and not any(kind in edition.of(group) for kind in KINDS):
        expected = f"expected metadata of OME-Zarr {edition.version}: {', '.join(KINDS[:-1])} or {KINDS[-1]}"
        yield Violation(edition.at, f"{expected}; found none of them")


def _check_plate(place: Place, edition: Edition) -> Iterator[Violation]:
    plate, faults = edition.read(place, "plate")
    yield from faults
    if plate is None:
        return
    acquisitions = [one.id for one in plate.acquisitions or ()]
    for number, well in enumerate(plate.wells):
        at, found = edition.place(f"plate.wells[{number}].path"), place.find(well.path)
        if isinstance(found, Place) and found.is_group:
            yield from _check_well(found, edition, acquisitions)
        elif found is not Missing.UNREAD:
            what = found.value if isinstance(found, Missing) else "an array is there"
            yield place.violation(at, f"expected the path of a well, but {what}")
    yield from _check_series(place, edition)


def _check_well(place: Place, edition: Edition, acquisitions: Sequence[int] = ()) -> Iterator[Violation]:
    """Yield what is wrong with a well and its images; `acquisitions` are those of its plate."""
    well, faults = edition.read(place, "well")
    yield from [*edition.version_faults(place), *faults]
    if "well" not in edition.of(place.node):
        yield place.violation(edition.place("well"), "required, but missing: the plate names this well")
    for number, image in enumerate(well.images if well is not None else ()):
        at = edition.place(f"well.images[{number}]")
        yield from _check_acquisition(place, at, image, acquisitions)
        yield from check_field(place, edition, inside(at, "path"), place.find(image.path))


def _check_acquisition(
    place: Place, at: str, image: FieldOfView, acquisitions: Sequence[int]
) -> Iterator[Violation]:
    at = inside(at, "acquisition")
    if image.acquisition is None:
        if len(acquisitions) > 1:
            yield place.violation(at, "required where a plate has several acquisitions, but missing")
    elif acquisitions and image.acquisition not in acquisitions:
        expected = f"expected one of the plate's acquisitions, {shown(list(acquisitions))}"
        yield place.violation(at, f"{expected}, found {image.acquisition}")


def _check_collection(place: Place, edition: Edition) -> Iterator[Violation]:
    """Yield what is wrong with images that are listed as a series, or else numbered from 0."""
    ome = place.find("OME")
    if isinstance(ome, Place) and "series" in edition.of(ome.node):
        yield from _check_series(place, edition)
    elif place.node is place.root and place.root.members is not None:
        yield from _check_numbered(place, edition)


def _check_series(place: Place, edition: Edition) -> Iterator[Violation]:
    """Yield what is wrong with the series of images that the group `OME` lists; it need not list any."""
    ome = place.find("OME")
    if not isinstance(ome, Place) or not ome.is_group:
        return
    paths, faults = edition.read(ome, "series")
    yield from [*edition.version_faults(ome), *faults]
    is_plate = "plate" in edition.of(place.node)
    for number, path in enumerate(paths or ()):
        at, found = f"{edition.place('series')}[{number}]", place.find(path)
        faults = list(check_field(ome, edition, at, found))
        yield from (one for one in faults if one.path == ome.path or not is_plate)


def _check_numbered(place: Place, edition: Edition) -> Iterator[Violation]:
    nodes = place.root.nodes
    count = sum(name.isdecimal() for name in nodes)
    for number in range(max(count, 1)):
        found = place.find(str(number))
        expected = (
            f"expected images in groups that are numbered from 0, without gaps; {str(number)!r} is none"
        )
        if not isinstance(found, Place) or "multiscales" not in edition.of(found.node):
            yield place.violation("members", expected)
        else:
            yield from check_image(found, edition)
