"""Switches of a group that turn those of all variables below it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from omnizarr.netcdf.variable import Variable


class Switchable:
    """How values are shown, for all variables of a group and of those below; not for later ones."""

    def set_auto_mask(self, value: bool) -> None:
        """Say for all variables whether missing values are masked."""
        self._for_all(lambda variable: variable.set_auto_mask(value))

    def set_auto_scale(self, value: bool) -> None:
        """Say for all variables whether packed numbers are unpacked."""
        self._for_all(lambda variable: variable.set_auto_scale(value))

    def set_auto_maskandscale(self, value: bool) -> None:
        """Say both for all variables."""
        self._for_all(lambda variable: variable.set_auto_maskandscale(value))

    def set_always_mask(self, value: bool) -> None:
        """Say for all variables whether arrays come masked also where nothing is missing."""
        self._for_all(lambda variable: variable.set_always_mask(value))

    def set_auto_chartostring(self, value: bool) -> None:
        """Say for all variables whether characters with an `_Encoding` become strings."""
        self._for_all(lambda variable: variable.set_auto_chartostring(value))

    def _walk(self) -> Iterator[Any]:
        raise TypeError("this holds no variables")

    def _for_all(self, action: Callable[[Variable], None]) -> None:
        for group in self._walk():
            for variable in list(group.variables.values()):
                action(variable)
