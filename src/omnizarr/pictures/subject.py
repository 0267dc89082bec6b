"""What a picture is of: an array, with what its attributes and the groups above say about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.paths import ancestors_of, joined
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.netcdf.attributes import to_python
from omnizarr.netcdf.dialects.arrays import time_attributes
from omnizarr.netcdf.dialects.plain import Plain
from omnizarr.netcdf.dialects.pure import shown_attributes
from omnizarr.netcdf.dialects.some import read_some
from omnizarr.netcdf.dialects.xarray import Xarray
from omnizarr.netcdf.model.nodes import FILL_VALUE, VariableModel
from omnizarr.netcdf.model.types import NcType
from omnizarr.pictures.ome import Pixels, pixels_of
from omnizarr.pictures.surroundings import Surroundings

# What hdmf-zarr says of the type of any array.
_HDMF = frozenset({"zarr_dtype", "_DTYPE"})
# Of coordinates; datasets have a handful.
_MOST_NAMES = 64


@dataclass(frozen=True, slots=True)
class Subject:
    """An array as its dialect means it.

    Attributes
    ----------
    surroundings
        The groups above.
    names
        The names of its axes; None for one that has none.
    kind
        The type in which netCDF shows its values; None where netCDF has none.
    attributes
        As users see them, in numpy's types; `_FillValue` also where the array's own fill value means that.
    is_noted
        Whether netCDF wrote it, whose default fill values stand for what is missing.
    no_fill
        Whether elements that were never written are undefined.
    pixels
        Where its elements are in space, as OME-Zarr says it of images.
    """

    array: Array
    surroundings: Surroundings
    names: tuple[str | None, ...]
    kind: NcType | None
    attributes: Mapping[str, Any]
    is_noted: bool = False
    no_fill: bool = True
    pixels: Pixels | None = None

    def text(self, name: str) -> str | None:
        """Return an attribute that is a text and not empty; else None."""
        value = self.attributes.get(name)
        return value if isinstance(value, str) and value.strip() else None

    def number(self, name: str, default: float) -> float:
        """Return an attribute that is a number, or else the default."""
        value = self.attributes.get(name, default)
        try:
            return float(value)
        except (TypeError, ValueError):
            return default

    def label(self, number: int) -> str:
        """Return the name of an axis, or `axis 0`."""
        return self.names[number] or f"axis {number}"

    @property
    def coordinates(self) -> list[str]:
        """The names that the attribute `coordinates` has, of which each may have to be looked for."""
        return (self.text("coordinates") or "").split(maxsplit=_MOST_NAMES)[:_MOST_NAMES]

    @property
    def units(self) -> str | None:
        """The units of the values: by CF's `units`, or by `unit` and `conversion` as NWB has them."""
        unit = self.text("unit")
        if (units := self.text("units")) is not None or unit is None:
            return units
        factor, offset = self.number("conversion", 1.0), self.number("offset", 0.0)
        scaled = unit if factor == 1.0 else f"{factor:g} {unit}"
        return scaled if not offset else f"{scaled} + {offset:g} {unit}"

    @property
    def long_name(self) -> str | None:
        """What the values are, in words."""
        return next(filter(None, map(self.text, ("long_name", "standard_name", "description"))), None)


def subject_of(array: Array) -> Subject:
    """Return what the dialect of an array's hierarchy says about it.

    The documents of the groups above are read, and what is noted there.
    """
    return _subject(array, Surroundings.of(array))


def siblings(subject: Subject, name: str) -> Iterator[Subject]:
    """Yield the arrays of a name in the group of a subject and in those above, nearest first."""
    if not name or "/" in name or name.startswith("."):
        return
    for group in ancestors_of(subject.array.path):
        path = joined(group, name)
        metadata = None if path == subject.array.path else subject.surroundings.metadata(path)
        if isinstance(metadata, ArrayMetadata):
            found = Array(subject.array.store, subject.array.format, path, metadata)
            yield _subject(found, subject.surroundings)


def _subject(array: Array, surroundings: Surroundings) -> Subject:
    if (dataset := surroundings.known()) is not None:
        place = "/" + array.path[len(dataset.root.path) :].strip("/")
        found = read_some(dataset.root, dataset.dialect, [place])
        for _, group in found.model.root.walk():
            for variable in group.variables:
                return _noted(found.arrays[place], surroundings, variable)
    return _pure(array, surroundings)


def _noted(array: Array, surroundings: Surroundings, variable: VariableModel) -> Subject:
    names: tuple[str | None, ...] = tuple(path.rpartition("/")[2] for path in variable.dimensions)
    attributes = {attribute.name: to_python(attribute) for attribute in variable.attributes}
    names = names if len(names) == array.ndim else (None,) * array.ndim
    return Subject(
        array, surroundings, names, variable.type, attributes, is_noted=True, no_fill=variable.no_fill
    )


def _pure(array: Array, surroundings: Surroundings) -> Subject:
    metadata = array.metadata
    zarr_format = 2 if array.zarr_format == 2 else 3
    names = Xarray(zarr_format).axis_names(metadata)
    convention = Plain(zarr_format) if names is None else Xarray(zarr_format)
    kind = convention.type_of(metadata)
    said = {name: value for name, value in metadata.attributes.items() if name != FILL_VALUE}
    shown = {a.name: a for a in time_attributes(metadata.data_type.dtype)}
    # Of hdmf-zarr, the fill value is what Zarr gives any array, and zeros are data.
    filling = Plain(zarr_format) if _HDMF & said.keys() else convention
    shown |= {a.name: a for a in shown_attributes(said.items())}
    if kind is not None and (fill := filling.fill_attribute(metadata, kind)) is not None:
        shown[fill.name] = fill
    pixels = pixels_of(array, surroundings.parent_attributes(array.path))
    if pixels is not None and not any(names or ()):
        names = pixels.names
    if names is None or len(names) != len(metadata.shape):
        names = (None,) * len(metadata.shape)
    attributes = {name: to_python(attribute) for name, attribute in shown.items()}
    return Subject(array, surroundings, names, kind, attributes, pixels=pixels)
