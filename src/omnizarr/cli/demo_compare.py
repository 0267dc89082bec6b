"""Comparing what two readers make of one dataset, value by value and bit by bit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group


@dataclass(slots=True)
class Comparison:
    """How much was compared, and what differs.

    Attributes
    ----------
    values, attributes
        How many array elements, and how many attributes, were compared.
    """

    reader: str
    variables: int = 0
    values: int = 0
    attributes: int = 0
    differences: list[str] = field(default_factory=list)

    def expect(self, same: bool, what: str) -> None:
        """Note a difference unless there is none."""
        if not same:
            self.differences.append(what)


def compare_datasets(ours: Any, theirs: Any, reader: str) -> Comparison:
    """Compare two open datasets that have netCDF4's interface: the file, and what a reader shows."""
    result = Comparison(reader)
    for dataset in (ours, theirs):
        dataset.set_auto_maskandscale(False)
        dataset.set_auto_chartostring(False)
    _compare_groups(ours, theirs, "/", result)
    return result


def _compare_groups(ours: Any, theirs: Any, path: str, result: Comparison) -> None:
    for kind in ("dimensions", "variables", "groups"):
        names = list(getattr(ours, kind)), list(getattr(theirs, kind))
        result.expect(names[0] == names[1], f"{path}: {kind} {names[0]} became {names[1]}")
    for name, dimension in ours.dimensions.items():
        other = theirs.dimensions.get(name)
        same = other is not None and (len(dimension), dimension.isunlimited()) == (
            len(other),
            other.isunlimited(),
        )
        result.expect(same, f"{path}: dimension {name} differs")
    _compare_attributes(ours, theirs, path, result)
    for name, variable in ours.variables.items():
        if name in theirs.variables:
            _compare_variables(variable, theirs.variables[name], f"{path}{name}", result)
    for name, group in ours.groups.items():
        if name in theirs.groups:
            _compare_groups(group, theirs.groups[name], f"{path}{name}/", result)


def _compare_variables(ours: Any, theirs: Any, path: str, result: Comparison) -> None:
    result.variables += 1
    result.expect(ours.dimensions == theirs.dimensions, f"{path}: dimensions differ")
    _compare_attributes(_Fitting(ours), theirs, path, result)
    mine, found = np.asarray(ours[...]), np.asarray(theirs[...])
    result.values += mine.size
    result.expect(same_values(mine, found), f"{path}: values differ")


class _Fitting:
    """The attributes of a variable as netCDF-4 can hold them: `_FillValue` has the variable's type.

    Classic files may hold another, which becomes that type, or is left out where it does not fit.
    """

    def __init__(self, variable: Any) -> None:
        self._variable = variable
        self._fill = None
        if "_FillValue" in variable.ncattrs() and variable.dtype is not str:
            given = np.asarray(variable.getncattr("_FillValue"))
            with np.errstate(invalid="ignore"):
                cast = given.astype(variable.dtype)
            self._fill = cast[()] if np.array_equal(cast, given, equal_nan=given.dtype.kind == "f") else None

    def ncattrs(self) -> list[str]:
        """Return the names."""
        names = list(self._variable.ncattrs())
        return [n for n in names if n != "_FillValue" or self._fill is not None or self._is_text]

    def getncattr(self, name: str) -> Any:
        """Return a value."""
        if name == "_FillValue" and not self._is_text:
            return self._fill
        return self._variable.getncattr(name)

    @property
    def _is_text(self) -> bool:
        return self._variable.dtype is str or np.dtype(self._variable.dtype).kind == "S"


def _compare_attributes(ours: Any, theirs: Any, path: str, result: Comparison) -> None:
    names = ours.ncattrs()
    others = theirs.ncattrs()
    result.expect(sorted(names) == sorted(others), f"{path}: attributes {names} became {others}")
    for name in names:
        result.attributes += 1
        if name in others:
            mine, found = ours.getncattr(name), theirs.getncattr(name)
            result.expect(same_attribute(mine, found), f"{path}: {name} {mine!r} became {found!r}")


def same_attribute(ours: Any, theirs: Any) -> bool:
    """Say whether two attributes are of one type and bit for bit equal."""
    if isinstance(ours, str) or isinstance(theirs, str):
        return type(ours) is type(theirs) and bool(ours == theirs)
    if isinstance(ours, list) or isinstance(theirs, list):
        return list(ours) == list(theirs)
    return same_values(np.atleast_1d(ours), np.atleast_1d(theirs))


def same_values(ours: NDArray[Any], theirs: NDArray[Any]) -> bool:
    """Say whether two arrays have one shape, one type and the same bits, whatever their byte order."""
    if ours.shape != theirs.shape or ours.dtype.newbyteorder("=") != theirs.dtype.newbyteorder("="):
        return False
    if ours.dtype.hasobject:
        return bool(ours.tolist() == theirs.tolist())
    return (
        ours.astype(ours.dtype.newbyteorder("<")).tobytes()
        == theirs.astype(theirs.dtype.newbyteorder("<")).tobytes()
    )


def compare_arrays(ours: Any, root: Group, reader: str) -> Comparison:
    """Compare an open netCDF file with the Zarr arrays below a group, as Zarr shows them."""
    result = Comparison(reader)
    ours.set_auto_maskandscale(False)
    ours.set_auto_chartostring(False)
    for path, variable in _variables(ours, ""):
        array = root[path]
        result.variables += 1
        if not isinstance(array, Array):
            result.expect(False, f"/{path}: expected an array, found a group")
            continue
        mine = np.asarray(variable[...])
        found = np.asarray(array[...]).reshape(mine.shape if not mine.shape else array.shape)
        result.values += mine.size
        if mine.dtype.hasobject:
            mine, found = np.asarray(mine, object), _decoded(found)
        result.expect(same_values(mine, found), f"/{path}: values differ")
    return result


def _variables(group: Any, path: str) -> Iterator[tuple[str, Any]]:
    for name, variable in group.variables.items():
        yield path + name, variable
    for name, inner in group.groups.items():
        yield from _variables(inner, f"{path}{name}/")


def _decoded(texts: NDArray[Any]) -> NDArray[Any]:
    """Return fixed-size bytes as the strings that netCDF reads them as."""
    result = np.empty(texts.shape, object)
    for place in np.ndindex(texts.shape):
        result[place] = bytes(texts[place]).decode()
    return result
