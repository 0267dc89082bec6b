"""What a picture is of: an array, with what its attributes and the groups above say about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from omnizarr.errors import MetadataError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.documents import fetch_metadata
from omnizarr.hierarchy.paths import ancestors_of, joined
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.group import NodeMetadata
from omnizarr.netcdf.attributes import to_python
from omnizarr.netcdf.dialects.arrays import time_attributes
from omnizarr.netcdf.dialects.plain import Plain
from omnizarr.netcdf.dialects.pure import shown_attributes
from omnizarr.netcdf.dialects.xarray import Xarray
from omnizarr.netcdf.model.types import NcType


@dataclass(frozen=True, slots=True)
class Subject:
    """An array as its dialect means it.

    Attributes
    ----------
    names
        The names of its axes; None for one that has none.
    kind
        The type in which netCDF shows its values; None where netCDF has none.
    attributes
        As users see them, in numpy's types; `_FillValue` also where the array's own fill value means that.
    has_default_fill
        Whether netCDF's default fill values stand for what is missing.
    """

    array: Array
    names: tuple[str | None, ...]
    kind: NcType | None
    attributes: Mapping[str, Any]
    has_default_fill: bool = False

    def text(self, name: str) -> str | None:
        """Return an attribute that is a text and not empty; else None."""
        value = self.attributes.get(name)
        return value if isinstance(value, str) and value.strip() else None


def subject_of(array: Array) -> Subject:
    """Return what the dialect of an array's hierarchy says about it."""
    return _pure(array)


def coordinates_of(subject: Subject, number: int) -> Subject | None:
    """Return the array of the coordinates along an axis: of one axis, of the same name and length."""
    name, length = subject.names[number], subject.array.shape[number]
    if not name or "/" in name:
        return None
    for group in ancestors_of(subject.array.path):
        path = joined(group, name)
        if path == subject.array.path:
            continue
        metadata = _metadata(subject.array, path)
        if isinstance(metadata, ArrayMetadata) and metadata.shape == (length,):
            found = subject_of(Array(subject.array.store, subject.array.format, path, metadata))
            if found.names[0] in (name, None):
                return found
    return None


def _metadata(array: Array, path: str) -> NodeMetadata | None:
    """Return a node's metadata; None where there is none, or what is there is broken."""
    snapshot = array._snapshot
    if snapshot is not None and snapshot.nodes is not None:
        return snapshot.get(path)
    try:
        return fetch_metadata(array.store, array.format, path)
    except MetadataError:
        return None


def _pure(array: Array) -> Subject:
    metadata = array.metadata
    zarr_format = 2 if array.zarr_format == 2 else 3
    names = Xarray(zarr_format).axis_names(metadata)
    convention = Plain(zarr_format) if names is None else Xarray(zarr_format)
    kind = convention.type_of(metadata)
    shown = {a.name: a for a in time_attributes(metadata.data_type.dtype)}
    shown |= {a.name: a for a in shown_attributes(metadata.attributes.items())}
    if kind is not None:
        shown.pop("_FillValue", None) if metadata.data_type.dtype.kind not in "mM" else None
        if (fill := convention.fill_attribute(metadata, kind)) is not None:
            shown[fill.name] = fill
    if names is None or len(names) != len(metadata.shape):
        names = (None,) * len(metadata.shape)
    return Subject(array, names, kind, {name: to_python(attribute) for name, attribute in shown.items()})


def is_number(dtype: np.dtype[Any]) -> bool:
    """Say whether a type's values are numbers that can be drawn."""
    return dtype.kind in "biufcmM" or (dtype.kind == "V" and dtype.names is None)
