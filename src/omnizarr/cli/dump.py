"""`omnizarr dump`: a dataset as CDL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

import click
import numpy as np

from omnizarr.cli.output import write_text
from omnizarr.cli.places import netcdf_file, place_argument
from omnizarr.errors import NodeTypeError
from omnizarr.netcdf.cdl.data import AnyArray
from omnizarr.netcdf.cdl.write import Read, Shown, write_cdl
from omnizarr.netcdf.dataset import Dataset
from omnizarr.netcdf.files.read import NetCDFFile
from omnizarr.netcdf.model import GroupModel


@click.command("dump", context_settings={"help_option_names": ["--help"]})
@place_argument
@click.option("-h", "--header", is_flag=True, help="The header alone; so it is without -a, -c and -v.")
@click.option("-a", "--all", "everything", is_flag=True, help="Values of all variables too.")
@click.option("-v", "--variables", metavar="VAR[,VAR...]", multiple=True, help="Values of these variables.")
@click.option("-c", "--coordinates", is_flag=True, help="Values of coordinate variables.")
@click.option("-n", "--name", help="What the dataset is called, instead of what its place says.")
def command(
    place: str,
    header: bool,
    everything: bool,
    variables: tuple[str, ...],
    coordinates: bool,
    name: str | None,
) -> None:
    """Show the netCDF dataset at PLACE as CDL, as ncdump does.

    Any Zarr group is one, and so is a netCDF file.
    """
    names = [item for given in variables for item in given.split(",") if item]
    shown = Shown(names=names or None, coordinates=coordinates)
    wanted = not header and (everything or coordinates or bool(names))
    with source_at(place) as source:
        read = source.read if wanted else None
        text = write_cdl(source.root, name or name_of(place), read=read, shown=shown, classic=source.classic)
        write_text(text)


def name_of(place: str) -> str:
    """Return the last part of a path or URL without its suffix."""
    if "://" in place:
        place = unquote(place.partition("#")[0])
    last = PurePosixPath(place.rstrip("/\\").replace("\\", "/")).name
    return last.rpartition(".")[0] or last


@dataclass(frozen=True, slots=True)
class Source:
    """A dataset to dump: what it holds, how values are read, and whether it is of the classic model."""

    root: GroupModel
    read: Read
    classic: bool = False


@contextmanager
def source_at(place: str) -> Iterator[Source]:
    """Open the dataset at a place: Zarr, or a netCDF file."""
    path = netcdf_file(place)
    if path is not None:
        with NetCDFFile(path) as file:
            classic = file.netcdf.data_model != "NETCDF4"
            found = file.model(verbatim=True)
            for loss in found.losses:
                click.echo(f"not shown: {loss}", err=True)
            root = found.dataset.root
            yield Source(root, lambda path, rows: _values(file.variable(path), rows), classic)
        return
    with _dataset(place) as dataset:
        dataset.set_auto_maskandscale(False)
        dataset.set_auto_chartostring(False)
        yield Source(dataset.dataset.root, lambda path, rows: _values(dataset[path], rows))


def _dataset(place: str) -> Dataset:
    try:
        return Dataset(place)
    except NodeTypeError as error:
        message = "'omnizarr info' describes it, and 'omnizarr dump -v' of its group shows it"
        raise click.UsageError(f"{place} is an array, not a group: {message}") from error


def _values(variable: Any, rows: slice) -> AnyArray:
    return np.asarray(variable[rows if variable.ndim else ...])
