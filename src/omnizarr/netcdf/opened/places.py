"""Where things are, seen from a group: at paths, and in the groups above."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import normpath
from typing import TYPE_CHECKING, Any

from omnizarr.netcdf.attributes import length_in
from omnizarr.netcdf.dialects.stored import DEFAULT_STRING_LENGTH
from omnizarr.netcdf.dimension import Dimension
from omnizarr.netcdf.model.names import DefinitionError, MissingError
from omnizarr.netcdf.usertypes import label_of

if TYPE_CHECKING:
    from omnizarr.netcdf.group import Group
    from omnizarr.netcdf.variable import Variable

_DEFAULT_MAX_STRING = "_nczarr_default_maxstrlen"


def parent_at(group: Group, path: str) -> tuple[Group, str]:
    """Return the group that a path leads to, and the path's last name.

    Raises
    ------
    MissingError
        A group on the way is missing.
    """
    found = group._root() if path.startswith("/") else group
    *parents, name = steps(path)
    for parent in parents:
        if parent not in found._groups:
            raise MissingError(f"there is no group {parent!r}", path=found.path)
        found = found._groups[parent]
    return found, name


def steps(path: str) -> list[str]:
    """Return the names of a path; `./` and `a/../` say nothing, and of no path the one name is empty."""
    plain = normpath(path)
    return [""] if plain == "." else plain.strip("/").split("/")


def group_at(group: Group, path: str) -> Group | None:
    """Return the group at an absolute path; None where there is none."""
    found: Group | None = group._root()
    for name in filter(None, path.split("/")):
        found = found._groups.get(name) if found is not None else None
    return found


def dimension_at(group: Group, path: str) -> Dimension:
    """Return the dimension at an absolute path."""
    parent, name = parent_at(group, path)
    return parent._dimensions[name]


def dimensions_of(
    group: Group, dimensions: Sequence[str | Dimension] | str | Dimension
) -> tuple[Dimension, ...]:
    """Return the dimensions that a user gives for a variable of a group: the nearest ones of their names.

    Raises
    ------
    MissingError
        There is none of a name, here or above.
    DefinitionError
        A dimension is of another group; also a RuntimeError.
    """
    listed = (dimensions,) if isinstance(dimensions, str | Dimension) else dimensions
    return tuple(_seen(group, d) if isinstance(d, Dimension) else _nearest(group, d) for d in listed)


def _seen(group: Group, dimension: Dimension) -> Dimension:
    if any(above._dimensions.get(dimension.name) is dimension for above in _upwards(group)):
        return dimension
    message = f"dimension {dimension.name!r} is neither of this group nor of those above"
    raise DefinitionError(f"{message}: {group.path}")


def _nearest(group: Group, name: str) -> Dimension:
    for above in _upwards(group):
        if name in above._dimensions:
            return above._dimensions[name]
    raise MissingError(f"there is no dimension {name!r}, here or in the groups above", path=group.path)


def _upwards(group: Group) -> Iterator[Group]:
    found: Group | None = group
    while found is not None:
        yield found
        found = found._parent


def string_length(group: Group) -> int:
    """Return the bytes that stored strings of new variables have."""
    found = group._root()._attributes.get(_DEFAULT_MAX_STRING)
    return length_in(found) if found is not None else DEFAULT_STRING_LENGTH


def suits(variable: Variable, name: str, wanted: Any) -> bool:
    """Say whether an attribute has a value, or satisfies a function, which gets None where there is none."""
    found = getattr(variable, name, None)
    return bool(wanted(found)) if callable(wanted) else found is not None and bool(found == wanted)


def description(group: Group) -> str:
    """Return what a group holds, as lines of text."""
    head = f"group {group.path}:"
    if group._parent is None:
        head = f"root group ({group.data_model} data model, file format {group.disk_format}):"
    lines = [repr(type(group)), head]
    lines += [f"    {name}: {value}" for name, value in group.__dict__.items()]
    sizes = ", ".join(f"{d.name}({d.size})" for d in group._dimensions.values())
    variables = ", ".join(
        f"{label_of(v._model.type, v.dtype)} {v.name}({', '.join(v.dimensions)})"
        for v in group._variables.values()
    )
    lines += [f"    dimensions(sizes): {sizes}", f"    variables(dimensions): {variables}"]
    return "\n".join((*lines, f"    groups: {', '.join(group._groups)}"))
