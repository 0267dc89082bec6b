"""`omnizarr dump`: a dataset as CDL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click

from omnizarr.cli.output import write_text
from omnizarr.cli.places import place_argument
from omnizarr.errors import NodeTypeError, OmniZarrError
from omnizarr.netcdf.cdl.writing.chosen import Chosen
from omnizarr.netcdf.cdl.writing.datasets import name_of, raw_values
from omnizarr.netcdf.cdl.writing.ncml import write_ncml
from omnizarr.netcdf.cdl.writing.options import Comments, Language, Precision, Shown
from omnizarr.netcdf.cdl.writing.special import Storage
from omnizarr.netcdf.cdl.writing.write import Read, write_cdl
from omnizarr.netcdf.dataset import Dataset
from omnizarr.netcdf.files.magic import netcdf_file
from omnizarr.netcdf.files.read import NetCDFFile
from omnizarr.netcdf.files.storage import storage_of
from omnizarr.netcdf.model.nodes import GroupModel, VariableModel, join
from omnizarr.store.urls.grammar import shown_place

_MOST_DIGITS = 20
_LANGUAGES = click.Choice(["c", "f"], case_sensitive=False)


class NamesType(click.ParamType[tuple[str, ...]]):
    """Names between commas."""

    name = "names"

    def convert(
        self, value: str | tuple[str, ...], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Return the names."""
        return value if isinstance(value, tuple) else tuple(name for name in value.split(",") if name)


class PrecisionType(click.ParamType[Precision]):
    """Digits of floats and, behind a comma, of doubles."""

    name = "digits"

    def convert(
        self, value: str | Precision, param: click.Parameter | None, ctx: click.Context | None
    ) -> Precision:
        """Return the digits."""
        if isinstance(value, Precision):
            return value
        first, comma, second = value.partition(",")
        return Precision(self._digits(first, param, ctx), self._digits(second, param, ctx) if comma else None)

    def _digits(self, text: str, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if not text.isdecimal() or not 1 <= int(text) <= _MOST_DIGITS:
            self.fail(f"expected 1 to {_MOST_DIGITS} digits, found {text!r}", param, ctx)
        return int(text)


@click.command("dump", context_settings={"help_option_names": ["--help"]})
@place_argument
@click.option("-h", "--header", is_flag=True, help="The header alone, without values.")
@click.option("-c", "--coordinates", is_flag=True, help="Values of coordinate variables only.")
@click.option("-v", "--variables", metavar="VAR[,VAR...]", type=NamesType(), help="Values of these only.")
@click.option("-g", "--groups", metavar="GRP[,GRP...]", type=NamesType(), help="Values of these groups only.")
@click.option("-s", "--special", is_flag=True, help="Special attributes: storage, chunks, filters, …")
@click.option("-F", "--filters", is_flag=True, help="With -s, all filters as _Filter and _Codecs.")
@click.option("-n", "--name", help="What the dataset is called, instead of what its place says.")
@click.option("-p", "--precision", metavar="FLT[,DBL]", type=PrecisionType(), help="Digits of numbers.")
@click.option(
    "-l", "--length", type=click.IntRange(10), default=80, help="The most bytes of a line of values."
)
@click.option(
    "-b", "--brief", type=_LANGUAGES, help="Comments with the indices of rows, as C or Fortran counts."
)
@click.option("-f", "--full", type=_LANGUAGES, help="Comments with the indices of all values.")
@click.option("-t", "--times", is_flag=True, help="Times as dates.")
@click.option("-i", "--iso", is_flag=True, help="The same, with a T between date and time.")
@click.option("-x", "--xml", is_flag=True, help="NcML instead of CDL.")
@click.option("-k", "--kind", is_flag=True, help="Only the kind of the dataset.")
@click.option(
    "-a", "--all", "everything", is_flag=True, hidden=True, help="Values of all variables: the default."
)
def command(
    place: str, header: bool, kind: bool, xml: bool, name: str | None, everything: bool, **options: Any
) -> None:
    """Show the netCDF dataset at PLACE as CDL, as ncdump does.

    Any Zarr group is one, and so is a netCDF file.
    """
    shown = _shown(**options)
    with source_at(place) as source:
        if kind:
            click.echo(source.storage.kind)
            return
        if xml:
            write_text(_ncml(source, place, header, shown))
            return
        read = None if header else source.read
        errors: list[OmniZarrError] = []
        write_text(
            write_cdl(
                source.root,
                name or name_of(place),
                read=read,
                shown=shown,
                storage=source.storage,
                on_error=errors.append,
            )
        )
    for error in errors:
        click.echo(f"omnizarr: {error}", err=True)
    if errors:
        raise click.exceptions.Exit(2)


def _shown(
    *,
    variables: tuple[str, ...] | None,
    groups: tuple[str, ...] | None,
    coordinates: bool,
    special: bool,
    filters: bool,
    precision: Precision | None,
    length: int,
    brief: Language | None,
    full: Language | None,
    times: bool,
    iso: bool,
) -> Shown:
    language = full or brief
    return Shown(
        variables=variables,
        groups=groups,
        coordinates=coordinates,
        precision=precision or Precision(),
        width=length,
        comments=Comments(language, full is not None) if language else None,
        times="T" if iso else " " if times else None,
        special=special,
        all_filters=filters,
    )


def _ncml(source: Source, place: str, header: bool, shown: Shown) -> Iterator[str]:
    chosen = Chosen.of(source.root, shown)

    def has_values(variable: VariableModel, group: str) -> bool:
        return not header and chosen.has_variable(variable, group)

    return write_ncml(source.root, place, has_values, shown.precision)


@dataclass(frozen=True, slots=True)
class Source:
    """A dataset to dump: what it holds, how values are read, and how it is stored."""

    root: GroupModel
    read: Read
    storage: Storage


@contextmanager
def source_at(place: str) -> Iterator[Source]:
    """Open the dataset at a place: Zarr, or a netCDF file."""
    path = netcdf_file(place)
    if path is not None:
        with NetCDFFile(path) as file:
            found = file.model()
            for loss in found.losses:
                click.echo(f"not shown: {loss}", err=True)
            root = found.dataset.root
            variables = {join(at, v.name): v for at, group in root.walk() for v in group.variables}
            yield Source(root, lambda at, rows: file.read(variables[at], at, rows), storage_of(file, found))
        return
    with _dataset(place) as dataset:
        model = dataset.as_dataset()
        yield Source(model.root, raw_values(dataset), Storage(properties=model.properties))


def _dataset(place: str) -> Dataset:
    try:
        return Dataset(place)
    except NodeTypeError as error:
        message = "'omnizarr info' describes it, and 'omnizarr dump -v' of its group shows it"
        raise click.UsageError(f"{shown_place(place)} is an array, not a group: {message}") from error
