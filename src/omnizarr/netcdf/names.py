"""The names of dimensions, variables and groups.

https://docs.unidata.ucar.edu/netcdf-c/current/programming_notes.html#object_name
"""

from __future__ import annotations

from omnizarr.errors import NodeNameError, NodeNotFoundError


class MissingError(NodeNotFoundError, IndexError):
    """No group, variable or dimension of that name; an IndexError too, as netCDF4-python raises."""


def check_name(name: str) -> None:
    """Refuse what netCDF does not take as a name.

    Raises
    ------
    NodeNameError
        The name is empty, holds control characters, or starts or ends with a space.
    """
    if (
        not name
        or name != name.strip()
        or any(ord(character) < 32 or ord(character) == 127 for character in name)
    ):
        raise NodeNameError(f"netCDF takes no name like {name!r}")
