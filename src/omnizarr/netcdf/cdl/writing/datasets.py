"""Open datasets as CDL, whatever they are kept in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any, Protocol
from urllib.parse import unquote

import numpy as np

from omnizarr.netcdf.cdl.writing.options import Shown
from omnizarr.netcdf.cdl.writing.special import Storage
from omnizarr.netcdf.cdl.writing.write import Read, write_cdl
from omnizarr.netcdf.dialects.modes import asked_of
from omnizarr.netcdf.model.items import AnyArray
from omnizarr.netcdf.model.nodes import DatasetModel


class Opened(Protocol):
    """A dataset that was opened to be shown, and for nothing else."""

    def as_dataset(self) -> DatasetModel:
        """Return the dataset as a plain value."""

    def __getitem__(self, path: str) -> Any:
        """Return the variable at a path."""

    def set_auto_maskandscale(self, true_or_false: bool, /) -> None:
        """Say whether values are masked and scaled."""

    def set_auto_chartostring(self, true_or_false: bool, /) -> None:
        """Say whether characters become strings."""


def write_dataset(
    dataset: Opened, name: str, *, header: bool = False, shown: Shown | None = None
) -> Iterator[str]:
    """Yield a dataset in Zarr as CDL, piece by piece; its switches are turned off for that.

    Parameters
    ----------
    header
        Whether the values are left out.

    Raises
    ------
    NodeNotFoundError
        `shown` names what does not exist; nothing was yielded yet.
    """
    model = dataset.as_dataset()
    read = None if header else raw_values(dataset)
    return write_cdl(model.root, name, read=read, shown=shown, storage=Storage(properties=model.properties))


def raw_values(dataset: Opened) -> Read:
    """Return what reads values as they are, from a dataset that is for this alone."""
    dataset.set_auto_maskandscale(False)
    dataset.set_auto_chartostring(False)

    def read(path: str, rows: slice) -> AnyArray:
        variable = dataset[path]
        if variable.ndim:
            return np.asarray(variable[rows])
        found = np.asarray(variable[...])
        if not found.ndim:
            return found
        whole = np.empty((), object)  # one sequence
        whole[()] = found
        return whole

    return read


def name_of(place: str) -> str:
    """Return what CDL calls a dataset: the last part of a path or URL without its suffix."""
    place = str(asked_of(place).place)
    if "://" in place:
        place = unquote(place.partition("#")[0])
    last = PurePosixPath(place.rstrip("/\\").replace("\\", "/")).name
    return last.rpartition(".")[0] or last


def text_of(dataset: Opened, name: str, *, coordinates: bool, data: bool) -> str:
    """Return a dataset with its special attributes as `Dataset.tocdl` shows it.

    Parameters
    ----------
    coordinates
        Whether just coordinate variables have their values, where values are asked for.
    data
        Whether there are values.
    """
    shown = Shown(coordinates=coordinates, special=True)
    return "".join(write_dataset(dataset, name, header=not data, shown=shown))
