"""What a dataset becomes in a store, checked before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import xarray as xr
from xarray import conventions

from omnizarr.integrations.xarray.backend import variable_of
from omnizarr.integrations.xarray.options import WriteOptions
from omnizarr.integrations.xarray.reading import StoredGroup, StoredVariable
from omnizarr.integrations.xarray.regions import Slices, region_of

NO_NAME = "__values__"  # what xarray calls a variable without a name
Encode: TypeAlias = Callable[[xr.Variable, str], xr.Variable]


@dataclass(frozen=True, slots=True)
class PlannedVariable:
    """A variable as it is to be stored.

    Attributes
    ----------
    variable
        Encoded: what the array will hold.
    region
        Where in the array it goes, by axis.
    shape
        That of the array, afterwards.
    stored
        What is there already, and is kept but for the region.
    is_strict
        Whether its encoding was given for this writing, so that unknown words in it are errors.
    """

    name: str
    variable: xr.Variable
    region: tuple[slice, ...]
    shape: tuple[int, ...]
    stored: StoredVariable | None = None
    is_strict: bool = False


@dataclass(frozen=True, slots=True)
class PlannedGroup:
    """A group as it is to be stored; `path` is relative to where writing began."""

    path: str
    attributes: Mapping[str, Any]
    variables: tuple[PlannedVariable, ...]
    unlimited: frozenset[Hashable] = frozenset()


def plan_group(
    path: str,
    dataset: xr.Dataset,
    encoding: Mapping[Hashable, Any],
    stored: StoredGroup | None,
    options: WriteOptions,
    encode: Encode,
) -> PlannedGroup:
    """Return what is to be stored of a dataset.

    Parameters
    ----------
    stored
        What is there, and is to be kept; None where there is nothing.
    encode
        How a variable becomes what an array holds.

    Raises
    ------
    ValueError, TypeError, KeyError
        The dataset does not fit what is there, or cannot be stored.
    """
    _check_names(dataset)
    unknown = [name for name in encoding if name not in dataset.variables]
    if unknown:
        raise KeyError(f"encoding: there are no variables {unknown!r} in the dataset")
    dataset, region = region_of(dataset, stored, options)
    there = {} if stored is None else stored.variables
    if both := [name for name in encoding if name in there]:
        raise ValueError(f"encoding: variable {both[0]!r} already exists, but encoding was provided")
    _check_against(dataset, there, options)
    unlimited = frozenset(dataset.encoding.get("unlimited_dims") or ())
    variables, attributes = conventions.encode_dataset_coordinates(dataset)
    planned = []
    for name, variable in variables.items():
        text = NO_NAME if name is None else str(name)
        if name in encoding:
            variable.encoding = dict(encoding[name])
        if text in there:
            found = _onto(text, variable, there[text], region, options, encode)
        else:
            found = _anew(text, encode(variable, text), region, name in encoding)
        if found is not None:
            planned.append(found)
    return PlannedGroup(path, attributes, tuple(planned), unlimited)


def _check_names(dataset: xr.Dataset) -> None:
    for name in dataset.variables:
        if name is not None and not isinstance(name, str):
            raise TypeError(f"Invalid name {name!r} of a variable: it must be a string or None")
        if name == "" or (isinstance(name, str) and "/" in name):
            raise ValueError(
                f"Invalid name {name!r} of a variable: a string must be length 1 or more, and have no /"
            )


def _check_against(dataset: xr.Dataset, there: Mapping[str, StoredVariable], options: WriteOptions) -> None:
    new = [name for name in dataset.variables if str(name) not in there]
    if options.mode == "r+" and new:
        raise ValueError(
            f"dataset contains non-pre-existing variables {new!r}, which mode 'r+' does not allow; "
            "mode 'a' makes new ones"
        )
    known = {dim for stored in there.values() for dim in stored.dims}
    if options.append_dim is not None and options.append_dim not in known and there:
        raise ValueError(
            f"append_dim={options.append_dim!r} does not match any existing dataset dimensions "
            f"({', '.join(sorted(known))})"
        )


def _anew(name: str, variable: xr.Variable, region: Slices, is_strict: bool) -> PlannedVariable:
    place = tuple(region.get(dim, slice(None)) for dim in variable.dims)
    return PlannedVariable(name, variable, place, variable.shape, None, is_strict)


def _onto(
    name: str,
    variable: xr.Variable,
    stored: StoredVariable,
    region: Slices,
    options: WriteOptions,
    encode: Encode,
) -> PlannedVariable | None:
    """Return what is to be stored of a variable that is there, in the encoding that it has there."""
    growing = options.append_dim
    if options.mode == "a-" and growing is not None and growing not in variable.dims:
        return None
    there = conventions.decode_cf_variable(name, variable_of(stored))
    _check_type(name, there, variable)
    variable = variable.copy(deep=False)
    variable.encoding = dict(there.encoding)
    encoded = encode(variable, name)
    raw = dict(zip(stored.dims, stored.array.shape, strict=False))
    encoded = _fitted(name, encoded, stored.dims, raw, region, growing)
    place, shape = [], []
    for dim, size in encoded.sizes.items():
        grown = dim == growing
        place.append(slice(raw[str(dim)], raw[str(dim)] + size) if grown else region.get(dim, slice(None)))
        shape.append(raw[str(dim)] + size if grown else raw[str(dim)])
    return PlannedVariable(name, encoded, tuple(place), tuple(shape), stored)


def _check_type(name: str, there: xr.Variable, new: xr.Variable) -> None:
    """Check that values of fixed-length texts have the length of those that are there."""
    kind = new.dtype.kind
    easy = kind in "biufcmMOT" or (kind in "SU" and there.dtype.kind == "O")
    if not easy and new.dtype != there.dtype:
        raise ValueError(
            f"Mismatched dtypes for variable {name}: the store has {there.dtype}, the dataset {new.dtype}"
        )


def _fitted(
    name: str,
    variable: xr.Variable,
    dims: tuple[str, ...],
    raw: Mapping[str, int],
    region: Slices,
    growing: Hashable | None,
) -> xr.Variable:
    """Return a variable with the dimensions of the array in their order, whose lengths are as expected."""
    if variable.dims != dims:
        if {*variable.dims} != {*dims}:
            raise ValueError(
                f"variable {name!r} already exists with different dimension names "
                f"{dims} != {variable.dims}, and they cannot be changed"
            )
        variable = variable.transpose(*dims)
    expected = {
        dim: len(range(size)[region[dim]]) if dim in region else size
        for dim, size in raw.items()
        if dim != growing
    }
    found = {dim: size for dim, size in variable.sizes.items() if dim != growing}
    if expected != found:
        raise ValueError(
            f"variable {name!r} already exists with different dimension sizes: {expected} != {found}; "
            f"they change by appending alone, and append_dim={growing!r}; "
            "to write to a part of what is there, give a region"
        )
    return variable
