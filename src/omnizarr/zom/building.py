"""Models of what is there already: arrays of any kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.creating.like import codecs_of, likeness
from omnizarr.hierarchy.creating.make import by_present_names
from omnizarr.hierarchy.creating.plan_array import plan_array, shape_of
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.convert import DIMENSIONS, to_v2, to_v3
from omnizarr.metadata.formats import format_of

_FILL_VALUES = ("fill_value", "fillvalue")  # zarr-python's and numpy's, and h5py's
_OF_TYPE = ("fill_value", "filters", "serializer", "compressors")
_OF_RANK = ("chunks", "shards", "dimension_names", "filters", "serializer", "compressors")


def array_metadata(array: Any, zarr_format: int, arguments: Mapping[str, Any]) -> ArrayMetadata:
    """Return the metadata of a new array like another one, but for what `arguments` say otherwise.

    What belongs to the data type of the other one (fill value, codecs) is taken over unless there is
    another `dtype`, and what belongs to its axes unless there is a `shape` of another rank.

    Raises
    ------
    ConversionError, MetadataError, ValueError, TypeError
        The arguments do not fit together, or cannot be said in this version of Zarr.
    """
    given = by_present_names(arguments)
    values = array if hasattr(array, "shape") and hasattr(array, "dtype") else np.asarray(array)
    if isinstance(values, Array):
        values = _of_format(values, zarr_format)
        if not given:
            return values.metadata
    taken: dict[str, Any] = {**likeness(values, zarr_format), **_codecs(values), **_described(values)}
    _leave_out(taken, given)
    _name_dimensions(taken, zarr_format)
    return plan_array(zarr_format, **{**taken, **given})


def new_metadata(zarr_format: int, arguments: Mapping[str, Any]) -> ArrayMetadata:
    """Return the metadata of an array by what `create_array` takes; errors as those of `array_metadata`."""
    return plan_array(zarr_format, **by_present_names(arguments))


def _of_format(array: Array, zarr_format: int) -> Array:
    """Return an array's handle as if it were of a format; what that cannot say is left out."""
    if array.zarr_format == zarr_format:
        return array
    converted = (to_v2 if zarr_format == 2 else to_v3)(array.metadata).metadata
    assert isinstance(converted, ArrayMetadata)
    return Array(array.store, format_of(zarr_format), array.path, converted)


def _codecs(values: Any) -> dict[str, Any]:
    if not isinstance(values, Array):
        return {}
    return {**codecs_of(values), "chunk_key_encoding": values.metadata.chunk_keys}


def _name_dimensions(taken: dict[str, Any], zarr_format: int) -> None:
    """Say the names of dimensions as xarray does where the format has no field for them."""
    names = taken.get("dimension_names")
    if zarr_format == 2 and names is not None:
        del taken["dimension_names"]
        if None not in names:
            taken["attributes"] = {DIMENSIONS: list(names), **taken.get("attributes", {})}


def _described(values: Any) -> dict[str, Any]:
    """Return what an array-like says of itself beside its shape, type and chunks."""
    found: dict[str, Any] = {}
    attributes = getattr(values, "attrs", None)
    if attributes is not None:
        found["attributes"] = dict(attributes)
    for name in _FILL_VALUES:
        if getattr(values, name, None) is not None:
            found["fill_value"] = getattr(values, name)
    names = _dimension_names(values)
    if names is not None:
        found["dimension_names"] = names
    return found


def _dimension_names(values: Any) -> tuple[str | None, ...] | None:
    """Return the names of dimensions as omnizarr, zarr-python or xarray have them."""
    for holder, name in ((values, "dimension_names"), (values, "dims"), (values, "metadata")):
        found = getattr(holder, name, None)
        if name == "metadata":
            found = getattr(found, "dimension_names", None)
        if isinstance(found, tuple) and all(item is None or isinstance(item, str) for item in found):
            return found
    return None


def _leave_out(taken: dict[str, Any], given: Mapping[str, Any]) -> None:
    """Take out what belongs to a data type or to axes for which the user says otherwise."""
    names: tuple[str, ...] = _OF_TYPE if given.get("dtype") is not None else ()
    if len(shape_of(given.get("shape", taken["shape"]))) != len(taken["shape"]):
        names += _OF_RANK
        attributes = taken.get("attributes", {})
        taken["attributes"] = {name: attributes[name] for name in attributes if name != DIMENSIONS}
    for name in names:
        taken.pop(name, None)
