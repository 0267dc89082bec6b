"""`omnizarr gen`: a dataset from CDL."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from omnizarr.cli.output import write_text
from omnizarr.cli.places import PlaceType
from omnizarr.netcdf.cdl.fromcdl import read_cdl
from omnizarr.netcdf.cdl.generate import generate
from omnizarr.netcdf.cdl.python import losses_in_python, write_python
from omnizarr.netcdf.cdl.reading.parse import ParsedCDL, parse_cdl
from omnizarr.netcdf.dialects.base import Dialect
from omnizarr.netcdf.dialects.detect import DIALECTS
from omnizarr.store.urls.grammar import shown_place

_DIALECTS = tuple(dict.fromkeys(d.name for d in DIALECTS if isinstance(d, Dialect)))


@click.command("gen")
@click.argument("file", metavar="FILE.cdl", type=PlaceType())
@click.option("-o", "--output", metavar="OUT", help="Where to, rather than NAME.zarr; .nc is a netCDF file.")
@click.option("-k", "--kind", help="The kind of a netCDF file: nc4, classic, 64-bit-offset, cdf5, nc7, …")
@click.option("--dialect", type=click.Choice(_DIALECTS), help="How Zarr holds the dataset.")
@click.option("--zarr-format", type=click.Choice(["2", "3"]), help="Zarr's format.")
@click.option(
    "-l", "--language", type=click.Choice(["python"]), help="Write a script that makes the dataset."
)
@click.option("--overwrite", is_flag=True, help="Replace what is at OUT.")
@click.option("--strict", is_flag=True, help="Refuse what OUT cannot hold whole.")
def command(
    file: str,
    output: str | None,
    kind: str | None,
    dialect: str | None,
    zarr_format: str | None,
    language: str | None,
    overwrite: bool,
    strict: bool,
) -> None:
    """Make the dataset that a CDL text describes, as ncgen does.

    FILE.cdl may be - for standard input. Without -o the dataset is called as the text says: NAME.zarr, or
    NAME.nc where -k asks for a netCDF file. What OUT cannot hold is listed.
    """
    parsed = parse_cdl(_text_of(file), "" if file == "-" else file)
    target = output or f"{_file_name(parsed.name)}{'.nc' if kind else '.zarr'}"
    format = int(zarr_format) if zarr_format else None
    if language is not None:
        _write_script(parsed, output, dialect, format)
        return
    losses = generate(
        parsed, target, dialect=dialect, zarr_format=format, kind=kind, strict=strict, overwrite=overwrite
    )
    for loss in losses:
        click.echo(loss.told, err=True)
    click.echo(f"made {shown_place(target)}")


def _write_script(
    parsed: ParsedCDL, output: str | None, dialect: str | None, zarr_format: int | None
) -> None:
    for loss in losses_in_python(parsed):
        click.echo(loss.told, err=True)
    script = write_python(parsed, f"{_file_name(parsed.name)}.zarr", dialect=dialect, zarr_format=zarr_format)
    if output is None:
        write_text(script)
    else:
        Path(output).write_text("".join(script), "utf-8", "surrogateescape")


def _text_of(file: str) -> str:
    if file == "-":
        return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    return read_cdl(file)


def _file_name(name: str) -> str:
    """Return a dataset's name as one of a file: no slashes, and not nothing."""
    return name.replace("/", "_").strip(". ") or "dataset"
