"""Whose values are shown: what the options name, found in the dataset.

https://docs.unidata.ucar.edu/netcdf-c/current/netcdf_utilities_guide.html#ncdump_guide
"""

from __future__ import annotations

from collections.abc import Collection, Set
from dataclasses import dataclass

from omnizarr.errors import NodeNotFoundError
from omnizarr.netcdf.cdl.writing.declare import Names
from omnizarr.netcdf.cdl.writing.options import Shown
from omnizarr.netcdf.model.nodes import GroupModel, VariableModel, join, parent_of


@dataclass(frozen=True, slots=True)
class Chosen:
    """The variables and groups whose values are shown, by absolute path; None for all."""

    names: Names
    variables: Set[str] | None
    groups: Set[str] | None
    coordinates: bool

    @classmethod
    def of(cls, root: GroupModel, shown: Shown) -> Chosen:
        """Return what options name.

        Raises
        ------
        NodeNotFoundError
            There is nothing of such a name.
        """
        groups = [path for path, _ in root.walk()]
        variables = [join(path, v.name) for path, group in root.walk() for v in group.variables]
        return cls(
            Names(root),
            None if shown.variables is None else _found(shown.variables, variables, "variable"),
            None if shown.groups is None else _found_groups(shown.groups, groups),
            shown.coordinates,
        )

    def has_group(self, path: str) -> bool:
        """Say whether the values of a group are shown."""
        return self.groups is None or path in self.groups

    def has_variable(self, variable: VariableModel, group: str) -> bool:
        """Say whether the values of a variable are shown, where those of its group are."""
        if self.variables is not None and join(group, variable.name) not in self.variables:
            return False
        if not self.coordinates:
            return True
        return len(variable.dimensions) == 1 and self.names.has_dimension(variable.name, group)


def _found(names: Collection[str], paths: list[str], what: str) -> Set[str]:
    found: set[str] = set()
    for name in names:
        matching = {path for path in paths if _is_called(path, name)}
        if not matching:
            raise NodeNotFoundError(f"no {what} {name!r}", path=name)
        found |= matching
    return found


def _found_groups(names: Collection[str], paths: list[str]) -> Set[str]:
    # The root is called by its path, or by nothing.
    return _found([name or "/" for name in names], paths, "group")


def _is_called(path: str, name: str) -> bool:
    """Say whether a path is an absolute one, or ends in a relative one or in a name."""
    if name.startswith("/"):
        return path == name
    group, slash, last = name.rpartition("/")
    return path.rpartition("/")[2] == last and (not slash or parent_of(path).endswith(group))
