"""Dimensions of an open dataset."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from omnizarr.netcdf.model import DimensionModel, join


class Owner(Protocol):
    """The group that a dimension belongs to."""

    @property
    def path(self) -> str:
        """The absolute path."""

    def _about_to_change(self) -> None: ...


class Dimension:
    """A shared dimension; `len` is its current size."""

    __slots__ = ("_group", "_model", "_stored")

    def __init__(self, group: Owner, model: DimensionModel) -> None:
        self._group = group
        self._model = model
        self._stored = model

    @property
    def name(self) -> str:
        """The name."""
        return self._model.name

    @property
    def size(self) -> int:
        """The current size."""
        return self._model.size

    def __len__(self) -> int:
        return self._model.size

    def isunlimited(self) -> bool:
        """Say whether writing past the end makes the dimension longer."""
        return self._model.unlimited

    def group(self) -> Owner:
        """Return the group that the dimension belongs to."""
        return self._group

    @property
    def _path(self) -> str:
        return join(self._group.path, self._model.name)

    def _set_stored(self, size: int) -> None:
        """Note the size that is stored."""
        self._stored = replace(self._model, size=size)

    def _grow(self, size: int) -> None:
        if size > self._model.size:
            self._model = replace(self._model, size=size)
            self._group._about_to_change()

    def __repr__(self) -> str:
        head = f"{type(self)!r}"
        if self.isunlimited():
            return f"{head} (unlimited): name = {self.name!r}, size = {self.size}"
        return f"{head}: name = {self.name!r}, size = {self.size}"
