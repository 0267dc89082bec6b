"""Dimensions of an open dataset."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol, Self

from omnizarr.netcdf.model.nodes import DimensionModel, join
from omnizarr.netcdf.opened.session import Live


class Owner(Protocol):
    """The group that a dimension belongs to."""

    @property
    def path(self) -> str:
        """The absolute path."""

    def createDimension(self, dimname: str, size: Any = None) -> Dimension:  # noqa: N802
        """Make a dimension."""

    def _about_to_change(self) -> None: ...


class Dimension(Live):
    """A shared dimension; `len` is its current size."""

    __slots__ = ("__weakref__", "_group", "_model", "_stored")
    _group: Owner
    _model: DimensionModel
    _stored: DimensionModel

    def __new__(cls, grp: Owner, name: str, size: Any = None, **_: Any) -> Dimension:
        """Make a dimension in a group, as its `createDimension` does."""
        return grp.createDimension(name, size)

    @classmethod
    def _of(cls, group: Owner, model: DimensionModel) -> Self:
        made = object.__new__(cls)
        made._group = group
        made._model = made._stored = model
        return made

    @property
    def name(self) -> str:
        """The name; `renameDimension` of the group changes it."""
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

    def _rename(self, name: str) -> None:
        self._model = replace(self._model, name=name)
        self._stored = replace(self._stored, name=name)

    def _grow(self, size: int) -> None:
        if size > self._model.size:
            self._model = replace(self._model, size=size)
            self._group._about_to_change()

    def __repr__(self) -> str:
        unlimited = " (unlimited)" if self.isunlimited() else ""
        return f'"{type(self)!r}"{unlimited}: name = {self.name!r}, size = {self.size}'
