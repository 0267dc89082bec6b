"""Regions of what is there, to which a dataset is written: given, or found by coordinates."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import xarray as xr
from xarray import conventions

from omnizarr.integrations.xarray.backend import variable_of
from omnizarr.integrations.xarray.options import Region, WriteOptions
from omnizarr.integrations.xarray.reading import StoredGroup

Slices = dict[Hashable, slice]


def region_of(
    dataset: xr.Dataset, stored: StoredGroup | None, options: WriteOptions
) -> tuple[xr.Dataset, Slices]:
    """Return what is to be written, and the place of each dimension that the region names.

    Variables with an index are left out, as in `to_zarr`: a region changes values, and not where they are.

    Raises
    ------
    ValueError, TypeError
        The region does not fit the dataset.
    KeyError
        A coordinate is not found where the dataset is to go.
    """
    asked = options.region
    if asked is None:
        return dataset, {}
    named = _named(asked, dataset)
    found = {dim: _found(dim, part, dataset, stored, options) for dim, part in named.items()}
    _check(found, dataset, options)
    return dataset.drop_vars(list(dataset.xindexes)), found


def _named(asked: Region, dataset: xr.Dataset) -> dict[Hashable, Any]:
    if asked == "auto":
        return dict.fromkeys(dataset.dims, "auto")
    if not isinstance(asked, Mapping):
        raise TypeError(f"region: expected slices by dimension, or 'auto', found {type(asked).__name__}")
    return dict(asked)


def _found(
    dim: Hashable, part: Any, dataset: xr.Dataset, stored: StoredGroup | None, options: WriteOptions
) -> slice:
    if dim not in dataset.dims:
        known = ", ".join(map(str, dataset.dims))
        raise ValueError(f"region: all keys in it must be Dataset dimensions ({known}), found {dim!r}")
    if part != "auto":
        return _checked(dim, part)
    if options.mode not in ("r+", "a"):
        raise ValueError(f"region: 'auto' needs mode 'r+' or 'a', found {options.mode!r}")
    if dim not in dataset.variables:
        return slice(0, dataset.sizes[dim])
    if stored is None or str(dim) not in stored.variables:
        raise KeyError(f"region: there is no coordinate {dim!r} in the store to look up the region by")
    there = conventions.decode_cf_variable(str(dim), variable_of(stored.variables[str(dim)]).load())
    return _place(dim, there, dataset[dim].values)


def _checked(dim: Hashable, part: Any) -> slice:
    if not isinstance(part, slice):
        raise TypeError(f"region: all values must be slice objects, found {part!r} for {dim!r}")
    if part.step not in (1, None):
        raise ValueError(f"region: the step of all slices must be 1 or None, found {part} for {dim!r}")
    return part


def _place(dim: Hashable, there: xr.Variable, wanted: Any) -> slice:
    """Return where values are in an index."""
    places = there.to_index_variable().to_index().get_indexer(wanted)
    if bool((places == -1).any()):
        missing = wanted[places == -1][:3]
        raise KeyError(
            f"region: Not all values of coordinate {dim!r} were found in the original store: {missing}"
        )
    if bool((np.diff(places) != 1).any()):
        raise ValueError(
            f"region: the values of coordinate {dim!r} have non-contiguous indices in the original store"
        )
    return slice(int(places[0]), int(places[-1]) + 1)


def _check(region: Slices, dataset: xr.Dataset, options: WriteOptions) -> None:
    strays = [name for name, variable in dataset.variables.items() if not region.keys() & {*variable.dims}]
    if region and strays:
        raise ValueError(
            f"region: all variables must have a dimension of it ({', '.join(map(str, region))}); "
            f"leave out the others by .drop_vars({strays!r})"
        )
    if options.append_dim in region:
        raise ValueError(f"region: {options.append_dim!r} cannot be in both append_dim and region")
