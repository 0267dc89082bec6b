"""Where the elements of an image are in space, as OME-Zarr says it of all resolutions in a group.

https://ngff.openmicroscopy.org/0.5/#multiscale-md
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from omnizarr.hierarchy.array import Array
from omnizarr.jsontypes import Json


@dataclass(frozen=True, slots=True)
class Pixels:
    """For each axis its name, its unit, how far elements are apart, and where the first is."""

    names: tuple[str | None, ...]
    units: tuple[str | None, ...]
    scale: tuple[float, ...]
    start: tuple[float, ...]

    def along(self, number: int, taken: slice) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Return the coordinates of some elements along an axis."""
        return self.start[number] + self.scale[number] * np.arange(taken.start, taken.stop, taken.step)


def pixels_of(array: Array, above: Mapping[str, Json]) -> Pixels | None:
    """Return where an image's elements are, from the attributes of its group; None where they do not say."""
    ome = above.get("ome")
    listed = (ome if isinstance(ome, dict) else above).get("multiscales")
    for image in _objects(listed):
        for dataset in _objects(image.get("datasets")):
            if dataset.get("path") == array.basename:
                return _pixels(array.ndim, image, dataset)
    return None


def _pixels(ndim: int, image: Mapping[str, Json], dataset: Mapping[str, Json]) -> Pixels | None:
    axes = image.get("axes")
    if not isinstance(axes, list) or len(axes) != ndim:
        return None
    # Version 0.3 has names alone.
    said = [axis if isinstance(axis, dict) else {"name": axis} for axis in axes]
    scale, start = np.ones(ndim), np.zeros(ndim)
    for owner in (dataset, image):
        for change in _objects(owner.get("coordinateTransformations")):
            factors = _numbers(change.get("scale"), ndim)
            shift = _numbers(change.get("translation"), ndim)
            if factors is not None:
                scale, start = scale * factors, start * factors
            if shift is not None:
                start = start + shift
    return Pixels(
        tuple(_text(axis.get("name")) for axis in said),
        tuple(_text(axis.get("unit")) for axis in said),
        tuple(scale.tolist()),
        tuple(start.tolist()),
    )


def _objects(found: Json) -> list[dict[str, Json]]:
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _numbers(found: Json, count: int) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    if not isinstance(found, list) or len(found) != count:
        return None
    if not all(isinstance(item, int | float) for item in found):
        return None
    return np.array(found, np.float64)


def _text(found: Json) -> str | None:
    return found if isinstance(found, str) and found else None
