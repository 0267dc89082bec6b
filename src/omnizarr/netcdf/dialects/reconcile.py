"""Dimensions, and the shapes of the arrays that refer to them, made to agree.

They lie under different keys, and a writer can die between them; or they were never right. An unlimited
dimension is as long as the longest of its variables. Of what else does not agree, a fault is noted, and the
shape of the array holds, since the values are there:

- a dimension that is referred to and does not exist is made where the reference says, if that is the
  variable's group or one above, else in the variable's group;
- an axis that is longer or shorter than its fixed dimension gets one of its own: `x_5`;
- an axis whose dimension is not said gets an anonymous one in the root, one for each length.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from omnizarr.netcdf.dialects.base import Found
from omnizarr.netcdf.model.nodes import DimensionModel, GroupModel, VariableModel, join, parent_of

# Stands for a dimension that is not said.
ANONYMOUS = ""


def reconcile(found: Found, noted: Mapping[str, int]) -> None:
    """Make the model and the arrays' metadata of a dataset agree.

    Parameters
    ----------
    noted
        The sizes that interrupted growth was to reach, by the dimensions' absolute paths.
    """
    root = found.model.root
    dimensions = _Dimensions(found)
    resolved = dimensions.resolved(root, "/")
    dimensions.grow(resolved, noted)
    found.stored_sizes = {join(path, d.name): d.size for path, group in root.walk() for d in group.dimensions}
    checked = dimensions.fitted(resolved, "/")
    found.set_root(dimensions.defined(checked, "/"))
    found.stale = found.stale or bool(noted) or dimensions.have_grown


class _Dimensions:
    """All dimensions of a dataset, by the group's path and their name."""

    def __init__(self, found: Found) -> None:
        self.found = found
        self.have_grown = False
        self.of_group = {
            path: {d.name: d for d in group.dimensions} for path, group in found.model.root.walk()
        }

    def get(self, path: str) -> DimensionModel | None:
        return self.of_group.get(parent_of(path), {}).get(path.rpartition("/")[2])

    def set(self, path: str, dimension: DimensionModel) -> str:
        self.of_group[parent_of(path)][dimension.name] = dimension
        return path

    # --- which they are

    def resolved(self, group: GroupModel, path: str) -> GroupModel:
        """Return a group whose variables refer to dimensions that exist, by their absolute paths."""
        return replace(
            group,
            variables=tuple(self.with_dimensions(v, path) for v in group.variables),
            groups=tuple(self.resolved(inner, join(path, inner.name)) for inner in group.groups),
        )

    def with_dimensions(self, variable: VariableModel, path: str) -> VariableModel:
        where = join(path, variable.name)
        shape = self.found.arrays[where].metadata.shape
        pairs = zip(variable.dimensions, shape, strict=False)
        named = tuple(self.resolve(reference, length, where) for reference, length in pairs)
        return replace(variable, dimensions=named)

    def resolve(self, reference: str, length: int, where: str) -> str:
        """Return the absolute path of a dimension, made if need be."""
        *_, name = reference.split("/")
        if not name:
            path = f"/_Anonymous_Dim_{length}"
            return path if self.get(path) else self.set(path, DimensionModel(path[1:], length))
        own = parent_of(where)
        visible = _upwards(own)
        if "/" not in reference:
            found = [join(group, name) for group in visible if self.get(join(group, name))]
        else:
            found = [reference] if parent_of(reference) in visible and self.get(reference) else []
        if found:
            return found[0]
        named = "/" in reference and parent_of(reference) in visible
        path = join(parent_of(reference) if named else own, name)
        if self.get(path) is None:
            message = f"there is no dimension {reference} here or above; {path} is {length} long"
            self.found.fault("dangling-dimension", where, message)
            self.set(path, DimensionModel(name, length))
        return path

    # --- how long they are

    def grow(self, root: GroupModel, noted: Mapping[str, int]) -> None:
        """Give unlimited dimensions the length of what refers to them."""
        for path, size in noted.items():
            self.lengthen(path, size)
        for path, group in root.walk():
            for variable in group.variables:
                shape = self.found.arrays[join(path, variable.name)].metadata.shape
                for dimension, length in zip(variable.dimensions, shape, strict=False):
                    self.lengthen(dimension, length)

    def lengthen(self, path: str, size: int) -> None:
        dimension = self.get(path)
        if dimension is not None and dimension.unlimited and size > dimension.size:
            self.set(path, replace(dimension, size=size))
            self.have_grown = True

    # --- whether arrays fit them

    def fitted(self, group: GroupModel, path: str) -> GroupModel:
        """Return a group whose arrays have the shapes that their dimensions say."""
        return replace(
            group,
            variables=tuple(self.fit(v, join(path, v.name)) for v in group.variables),
            groups=tuple(self.fitted(inner, join(path, inner.name)) for inner in group.groups),
        )

    def fit(self, variable: VariableModel, path: str) -> VariableModel:
        array = self.found.arrays[path]
        stored, shape, dimensions = array.metadata.shape, [], []
        for dimension, length in zip(variable.dimensions, stored, strict=False):
            dimension = self.apart(dimension, length, path)
            dimensions.append(dimension)
            size = self.get(dimension)
            shape.append(size.size if size else length)
        if dimensions and tuple(shape) != stored:
            self.found.stored_shapes[path] = stored
            array.metadata = array.metadata.with_shape(tuple(shape))
            self.found.stale = True
        return replace(variable, dimensions=tuple(dimensions))

    def apart(self, reference: str, length: int, where: str) -> str:
        """Return a dimension, or another one where it is fixed and not as long as the axis."""
        dimension = self.get(reference)
        if dimension is None or dimension.unlimited or dimension.size == length:
            return reference
        group, name = parent_of(where), f"{dimension.name}_{length}"
        while (other := self.get(join(group, name))) and (other.unlimited or other.size != length):
            name += "_"
        message = f"dimension {reference} has size {dimension.size}, and the array {length}; here {name}"
        self.found.fault("shape-mismatch", where, message)
        return join(group, name) if other else self.set(join(group, name), DimensionModel(name, length))

    def defined(self, group: GroupModel, path: str) -> GroupModel:
        """Return a group with the dimensions that there are now."""
        return replace(
            group,
            dimensions=tuple(self.of_group[path].values()),
            groups=tuple(self.defined(inner, join(path, inner.name)) for inner in group.groups),
        )


def _upwards(path: str) -> list[str]:
    """Return a group's path and those of the groups above it, the root last."""
    above = [path]
    while above[-1] != "/":
        above.append(parent_of(above[-1]))
    return above
