"""The variables of a group by name; those that cannot be shown say why."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from omnizarr.errors import ConversionError
from omnizarr.netcdf.model.names import MissingError
from omnizarr.netcdf.model.nodes import join
from omnizarr.netcdf.opened.session import Session

if TYPE_CHECKING:
    from omnizarr.netcdf.variable import Variable


class UnreadableError(MissingError, ConversionError):
    """A variable or group that is in the store, and that netCDF cannot show."""


class Variables(dict[str, "Variable"]):
    """A dictionary whose missing keys are explained where the store has something of that name."""

    def __init__(self, session: Session, path: str) -> None:
        super().__init__()
        self._session = session
        self._path = path

    def move(self, path: str) -> None:
        """Follow the group, which was renamed."""
        self._path = path

    def __missing__(self, name: object) -> NoReturn:
        check_readable(self._session, join(self._path, str(name)))
        raise KeyError(name)


def check_readable(session: Session, path: str) -> None:
    """Refuse the absolute path of what was left out when the dataset was read.

    Raises
    ------
    UnreadableError
        It is such a path; the error says why.
    """
    found = session.unmapped.get(path)
    if found is not None:
        raise UnreadableError(f"this cannot be shown by netCDF: {found.reason}", path=path)
