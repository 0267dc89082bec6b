"""Models of what is there already: arrays of any kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from omnizarr.hierarchy.creating.like import likeness
from omnizarr.hierarchy.creating.make import by_present_names
from omnizarr.hierarchy.creating.plan_array import plan_array
from omnizarr.metadata.array import ArrayMetadata


def array_metadata(array: Any, zarr_format: int, arguments: Mapping[str, Any]) -> ArrayMetadata:
    """Return the metadata of a new array like another one, but for what `arguments` say otherwise."""
    return plan_array(zarr_format, **{**likeness(array, zarr_format), **by_present_names(arguments)})
