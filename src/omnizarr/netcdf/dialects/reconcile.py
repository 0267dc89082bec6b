"""Dimensions and shapes that do not agree, made to agree.

A dimension's size and the shapes of its variables lie under different keys, and a writer can die between
them. An unlimited dimension is as long as the longest of its variables; what else does not fit stays out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from omnizarr.netcdf.dialects.base import Found
from omnizarr.netcdf.model import FaultName, GroupModel, VariableModel, join


def reconcile(found: Found, noted: Mapping[str, int]) -> None:
    """Make the model and the arrays' metadata of a dataset agree.

    Parameters
    ----------
    noted
        The sizes that interrupted growth was to reach, by the dimensions' absolute paths.
    """
    root = found.model.root
    sizes = _sizes(found, noted)
    grown = _with_sizes(root, "/", sizes)
    found.stored_sizes = {join(path, d.name): d.size for path, group in root.walk() for d in group.dimensions}
    found.set_root(_checked(found, grown, grown, "/"))
    found.stale = bool(noted) or found.stale or grown != root


def _sizes(found: Found, noted: Mapping[str, int]) -> dict[str, int]:
    """Return the size of every unlimited dimension."""
    root = found.model.root
    sizes = {
        join(path, d.name): max(d.size, noted.get(join(path, d.name), 0))
        for path, group in root.walk()
        for d in group.dimensions
        if d.unlimited
    }
    for path, group in root.walk():
        for variable in group.variables:
            shape = found.arrays[join(path, variable.name)].metadata.shape
            for dimension, length in zip(variable.dimensions, shape, strict=False):
                if dimension in sizes:
                    sizes[dimension] = max(sizes[dimension], length)
    return sizes


def _with_sizes(group: GroupModel, path: str, sizes: Mapping[str, int]) -> GroupModel:
    return replace(
        group,
        dimensions=tuple(replace(d, size=sizes.get(join(path, d.name), d.size)) for d in group.dimensions),
        groups=tuple(_with_sizes(inner, join(path, inner.name), sizes) for inner in group.groups),
    )


def _checked(found: Found, root: GroupModel, group: GroupModel, path: str) -> GroupModel:
    variables = []
    for variable in group.variables:
        where = join(path, variable.name)
        fault = _fit(found, root, variable, where)
        if fault is None:
            variables.append(variable)
        else:
            found.leave_out(fault[0], where, fault[1])
            del found.arrays[where]
    groups = (_checked(found, root, inner, join(path, inner.name)) for inner in group.groups)
    return replace(group, variables=tuple(variables), groups=tuple(groups))


def _fit(found: Found, root: GroupModel, variable: VariableModel, path: str) -> tuple[FaultName, str] | None:
    """Give an array the shape that its dimensions say; return what keeps it from having it."""
    array = found.arrays[path]
    shape = []
    for name, length in zip(variable.dimensions, array.metadata.shape, strict=False):
        dimension = root.dimension(name)
        if dimension is None:
            return "dangling-dimension", f"dimension {name} does not exist"
        if dimension.size != length and not dimension.unlimited:
            return "shape-mismatch", f"dimension {name} has size {dimension.size}, and the array {length}"
        shape.append(dimension.size)
    if variable.dimensions and tuple(shape) != array.metadata.shape:
        found.stored_shapes[path] = array.metadata.shape
        array.metadata = array.metadata.with_shape(tuple(shape))
        found.stale = True
    return None
