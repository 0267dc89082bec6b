"""The metadata of OME-Zarr images, 0.4 and 0.5: `multiscales`, `omero`, `labels` and `image-label`.

https://ngff.openmicroscopy.org/0.5/index.html#multiscale-md
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from omnizarr.jsontypes import shown
from omnizarr.zom.conventions.parts import Filled, Number, Part, Text, repeated
from omnizarr.zom.faults import Violation
from omnizarr.zom.types import Items

SPACE, TIME = "space", "time"
_RANKS = {TIME: 0, SPACE: 2}  # all other types lie between
_RANK_NAMES = ("time", "channel or custom", "space")


class Axis(Part):
    """A dimension of the space that an image lies in; its type and unit may be any, or none."""

    nullable: ClassVar[frozenset[str]] = frozenset({"type", "unit"})

    name: Text
    type: Text | None = None
    unit: Text | None = None

    @property
    def rank(self) -> int:
        """Where axes of this type stand: time first, then channels and custom ones, then space."""
        return _RANKS.get(self.type or "", 1)


class Scale(Part):
    """The size of a pixel along each axis, or the path of an array that holds it."""

    type: Literal["scale"] = "scale"
    scale: Items[Number] | None = None
    path: Text | None = None

    @property
    def vector(self) -> Sequence[float] | None:
        """The numbers, where they are not in an array."""
        return self.scale


class Translation(Part):
    """The place of the first pixel along each axis, or the path of an array that holds it."""

    type: Literal["translation"] = "translation"
    translation: Items[Number] | None = None
    path: Text | None = None

    @property
    def vector(self) -> Sequence[float] | None:
        """The numbers, where they are not in an array."""
        return self.translation


Transformation: TypeAlias = Annotated[Scale | Translation, Field(discriminator="type")]
"""The only kinds of transformations that images may have in these versions."""


class Dataset(Part):
    """One level of resolution: the path of its array, and where its pixels lie."""

    path: Text
    coordinateTransformations: Items[Transformation]  # noqa: N815 (as the specification has it)

    def faults(self) -> Iterator[Violation]:
        """Yield what is wrong with the kinds and the order of the transformations."""
        yield from _order_faults(self.coordinateTransformations)


def _order_faults(given: Sequence[Scale | Translation]) -> Iterator[Violation]:
    at, kinds = "coordinateTransformations", [one.type for one in given]
    if kinds not in (["scale"], ["scale", "translation"]):
        expected = "expected exactly one scale, and after it at most one translation"
        yield Violation(at, f"{expected}, found {shown(kinds)}")
    for number, one in enumerate(given):
        if (one.vector is None) == (one.path is None):
            found = "neither" if one.path is None else "both"
            yield Violation(f"{at}[{number}]", f"expected either {one.type!r} or 'path', found {found}")


class Multiscale(Part):
    """An image in several resolutions, largest first."""

    nullable: ClassVar[frozenset[str]] = frozenset({"type"})

    axes: Items[Axis]
    datasets: Filled[Dataset]
    coordinateTransformations: Items[Transformation] | None = None  # noqa: N815
    name: Text | None = None
    type: Any = None
    metadata: dict[str, Any] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the axes, in order."""
        return tuple(axis.name for axis in self.axes)

    def faults(self) -> Iterator[Violation]:
        """Yield what is wrong with the axes, and with transformations that do not fit them."""
        yield from _axis_faults(self.axes)
        if self.coordinateTransformations is not None:
            yield from _order_faults(self.coordinateTransformations)
            yield from self._length_faults("", self.coordinateTransformations)
        for number, dataset in enumerate(self.datasets):
            yield from self._length_faults(f"datasets[{number}].", dataset.coordinateTransformations)

    def _length_faults(self, where: str, given: Sequence[Scale | Translation]) -> Iterator[Violation]:
        for number, one in enumerate(given):
            if one.vector is not None and len(one.vector) != len(self.axes):
                at = f"{where}coordinateTransformations[{number}].{one.type}"
                yield Violation(
                    at, f"expected a number for each of {len(self.axes)} axes, found {len(one.vector)}"
                )


def _axis_faults(axes: Sequence[Axis]) -> Iterator[Violation]:
    if not 2 <= len(axes) <= 5:
        yield Violation("axes", f"expected 2 to 5 axes, found {len(axes)}")
    yield from repeated("axes", "name", [axis.name for axis in axes])
    counts = [sum(axis.rank == rank for axis in axes) for rank in range(3)]
    if not 2 <= counts[2] <= 3:
        yield Violation("axes", f"expected 2 or 3 axes of type 'space', found {counts[2]}")
    for rank in (0, 1):
        if counts[rank] > 1:
            yield Violation("axes", f"expected at most one {_RANK_NAMES[rank]} axis, found {counts[rank]}")
    for number, (before, axis) in enumerate(pairwise(axes), 1):
        if axis.rank < before.rank:
            first, then = _RANK_NAMES[axis.rank], _RANK_NAMES[before.rank]
            yield Violation(f"axes[{number}].type", f"expected a {first} axis before any {then} axis")


class Multiscale04(Multiscale):
    """An image of OME-Zarr 0.4, which says its version here."""

    version: Literal["0.4"] | None = None


# --- omero


class Window(Part):
    """The range of values that a channel has, and the one that is shown."""

    start: Number
    end: Number
    min: Number
    max: Number


class Channel(Part):
    """How one channel is shown."""

    window: Window
    color: Text
    label: Text | None = None
    family: Text | None = None
    active: Annotated[bool, Field(strict=True)] | None = None


class Omero(Part):
    """How an image is shown."""

    channels: Items[Channel]


# --- labels


def _whole(value: Any) -> Any:
    """Take 1.0 for the integer that it is in JSON."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


LabelValue: TypeAlias = Annotated[int, Field(strict=True), BeforeValidator(_whole)]
Byte: TypeAlias = Annotated[int, Field(strict=True, ge=0, le=255)]


class LabelColor(Part):
    """The color of the pixels with a value."""

    value: LabelValue = Field(alias="label-value")
    rgba: tuple[Byte, Byte, Byte, Byte] | None = None


class LabelProperties(Part):
    """What else is known of the pixels with a value, under any names."""

    value: LabelValue = Field(alias="label-value")


class LabelSource(Part):
    """The image that labels belong to; `../../` where nothing is said."""

    image: Text | None = None


class ImageLabel(Part):
    """That an image's pixels are labels, and what they mean."""

    colors: Filled[LabelColor] | None = None
    properties: Filled[LabelProperties] | None = None
    source: LabelSource | None = None
    version: Text | None = None

    def faults(self) -> Iterator[Violation]:
        """Yield label values that have several colors."""
        yield from repeated("colors", "label-value", [color.value for color in self.colors or ()])


class ImageLabel04(ImageLabel):
    """Labels of OME-Zarr 0.4."""

    version: Literal["0.4"] | None = None
