"""What OME-Zarr images and labels ask of the arrays and groups that their metadata name.

https://ngff.openmicroscopy.org/0.5/index.html#multiscale-md
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from omnizarr.jsontypes import inside, shown
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.chunk_keys import separator_of
from omnizarr.zom.conventions.ome_edition import EDITION_04, EDITION_05, Edition
from omnizarr.zom.conventions.ome_metadata import ImageLabel, Multiscale
from omnizarr.zom.conventions.places import Missing, Place
from omnizarr.zom.faults import Violation

LABELS = "labels"


def check_image(place: Place, edition: Edition, *, listed: bool = False) -> Iterator[Violation]:
    """Yield what is wrong with an image, and with its labels; `listed` are images of labels."""
    metadata = edition.of(place.node)
    multiscales, faults = edition.read(place, "multiscales")
    yield from [*edition.version_faults(place), *faults, *edition.read(place, "omero")[1]]
    label, faults = edition.read(place, "image-label")
    yield from faults
    is_label = listed or "image-label" in metadata
    for number, multiscale in enumerate(multiscales or ()):
        yield from _check_multiscale(place, edition, number, multiscale, is_label)
    if label is not None:
        yield from _check_source(place, edition, label)
    group = place.find(LABELS)
    if isinstance(group, Place) and group.is_group and not is_label:
        if LABELS not in edition.of(group.node):
            message = "required, but missing: a group of this name in an image lists its labels"
            yield group.violation(edition.place(LABELS), message)
        yield from check_labels(group, edition, multiscales)


def check_field(
    place: Place, edition: Edition, at: str, found: Place | Missing, *, listed: bool = False
) -> Iterator[Violation]:
    """Yield what is wrong with what should be an image, and is named at a place in another group."""
    if (message := _no_image(found, edition)) is not None:
        yield place.violation(at, message)
    elif isinstance(found, Place):
        yield from check_image(found, edition, listed=listed)


def _no_image(found: Place | Missing, edition: Edition) -> str | None:
    """Return why something is no image; None where it is one, or cannot be known."""
    if isinstance(found, Missing):
        return None if found is Missing.UNREAD else f"expected the path of an image, but {found.value}"
    if found.is_group and "multiscales" in edition.of(found.node):
        return None
    kind = "a group without multiscales" if found.is_group else "an array"
    return f"expected the path of an image, found {kind}"


# --- labels


def check_labels(
    place: Place, edition: Edition, image: Sequence[Multiscale] | None = None
) -> Iterator[Violation]:
    """Yield what is wrong with a group of labels, and with the images that it lists for that one."""
    paths, faults = edition.read(place, LABELS)
    yield from [*edition.version_faults(place), *faults]
    for number, path in enumerate(paths or ()):
        at, found = f"{edition.place(LABELS)}[{number}]", place.find(path)
        if isinstance(found, Place) and not found.is_below(place):
            yield place.violation(at, f"expected a path below the group of labels, found {shown(path)}")
            continue
        yield from check_field(place, edition, at, found, listed=True)
        if isinstance(found, Place):
            yield from _check_between(place, found, edition)
            yield from _check_counts(found, edition, image)


def _check_between(labels: Place, label: Place, edition: Edition) -> Iterator[Violation]:
    """Yield metadata of the groups between those of the labels and of one of them: 0.5 forbids them."""
    parts = label.path.removeprefix(labels.path).strip("/").split("/")
    for count in range(1, len(parts)):
        group = labels.find("/".join(parts[:count]))
        if isinstance(group, Place) and edition is EDITION_05 and edition.of(group.node):
            yield group.violation(edition.at, "expected no metadata: the group only leads to labels")


def _check_counts(place: Place, edition: Edition, image: Sequence[Multiscale] | None) -> Iterator[Violation]:
    labels = edition.read(place, "multiscales")[0]
    if not labels or not image:
        return
    counts, found = [len(one.datasets) for one in image], len(labels[0].datasets)
    if found not in counts:
        at = edition.place("multiscales[0].datasets")
        yield place.violation(at, f"expected {counts[0]} levels, as many as its image has, found {found}")


# --- levels of resolution


@dataclass(frozen=True, slots=True)
class _Level:
    place: Place
    array: ArrayMetadata


def _check_multiscale(
    place: Place, edition: Edition, number: int, multiscale: Multiscale, is_label: bool
) -> Iterator[Violation]:
    levels = []
    for index, dataset in enumerate(multiscale.datasets):
        found = place.find(dataset.path)
        array = found.node.metadata if isinstance(found, Place) else None
        if isinstance(found, Place) and isinstance(array, ArrayMetadata):
            levels.append(_Level(found, array))
        elif found is not Missing.UNREAD:
            what = found.value if isinstance(found, Missing) else "a group is there"
            at = edition.place(f"multiscales[{number}].datasets[{index}].path")
            yield place.violation(at, f"expected the path of an array, but {what}")
    for level in levels:
        yield from _check_dimensions(level, edition, multiscale)
    yield from _check_types(levels, edition, is_label)
    yield from _check_sizes(levels)


def _check_dimensions(level: _Level, edition: Edition, multiscale: Multiscale) -> Iterator[Violation]:
    names, array, place = multiscale.names, level.array, level.place
    if len(array.shape) != len(names):
        expected = f"expected {len(names)} dimensions, one for each axis of the image"
        yield place.violation("shape", f"{expected}, found {len(array.shape)}")
    if edition is EDITION_04:
        if (separator := separator_of(array.chunk_keys)) != "/":
            yield place.violation("dimension_separator", f'expected "/", found {shown(separator)}')
    elif array.dimension_names != names:
        found = "none" if array.dimension_names is None else shown(list(array.dimension_names))
        expected = f"expected the names of the image's axes, {shown(list(names))}"
        yield place.violation("dimension_names", f"{expected}, found {found}")


def _check_types(levels: Sequence[_Level], edition: Edition, is_label: bool) -> Iterator[Violation]:
    field = "dtype" if edition is EDITION_04 else "data_type"
    for level in levels:
        first, found = levels[0].array.data_type, level.array.data_type
        if is_label and found.dtype.kind not in "iu":
            yield level.place.violation(
                field, f"expected an integer type, as labels have, found {found.name}"
            )
        elif first != found:
            expected = f"expected {first.name}, as in the first level"
            yield level.place.violation(field, f"{expected}, found {found.name}")


def _check_sizes(levels: Sequence[_Level]) -> Iterator[Violation]:
    """Yield axes of levels that are longer than in the level before."""
    for before, level in pairwise(levels):
        lengths = zip(before.array.shape, level.array.shape, strict=False)
        for axis, (limit, length) in enumerate(lengths):
            if length > limit:
                expected = f"expected at most {limit}, as in the level before: the largest comes first"
                yield level.place.violation(f"shape[{axis}]", f"{expected}; found {length}")


def _check_source(place: Place, edition: Edition, label: ImageLabel) -> Iterator[Violation]:
    """Yield that the image of labels is none; one outside of the hierarchy is not looked for."""
    if label.source is None or label.source.image is None:
        return
    found = place.find(label.source.image)
    if found is not Missing.OUTSIDE and (message := _no_image(found, edition)) is not None:
        yield place.violation(inside(edition.place("image-label"), "source.image"), message)
