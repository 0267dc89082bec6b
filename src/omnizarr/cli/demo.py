"""`omnizarr demo`: a netCDF file becomes NCZarr, and three readers must agree with the file."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from omnizarr.cli.demo_compare import Comparison, compare_arrays, compare_datasets
from omnizarr.cli.demo_sample import make_sample
from omnizarr.cli.progress import progress_bar
from omnizarr.cli.sizes import shown_size
from omnizarr.hierarchy.open import open_group
from omnizarr.hierarchy.tree import draw
from omnizarr.netcdf import Dataset
from omnizarr.netcdf.cdl.writing.write import write_cdl
from omnizarr.netcdf.copying.convert import ConversionReport, convert

_MAX_DIFFERENCES = 10
_MAX_NODES = 60


@click.command("demo")
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default="demo-output",
    show_default=True,
    help="Where to write.",
)
def command(file: Path | None, output: Path) -> int:
    """Convert a netCDF file to NCZarr, show it, and compare it through three readers.

    Without FILE a netCDF-4 file is made. The readers are omnizarr's netCDF and Zarr faces, and netCDF-C
    by way of the netCDF4 library. The exit status is 1 where one of them differs in a single bit.
    """
    if importlib.util.find_spec("netCDF4") is None:
        raise click.ClickException("the demo needs netCDF4: pip install 'omnizarr[netcdf]'")
    console = Console(highlight=False, soft_wrap=True)
    output.mkdir(parents=True, exist_ok=True)
    source = file or output / "sample.nc"
    if file is None:
        make_sample(source)
    target = output / f"{source.stem}.zarr"
    seconds, report = _convert(source, target)
    _show(target)
    _tell_conversion(console, source, target, report, seconds)
    comparisons = _compare(source, target)
    _tell_comparisons(console, comparisons)
    differences = [f"{c.reader}: {text}" for c in comparisons for text in c.differences]
    for text in differences[:_MAX_DIFFERENCES]:
        console.print(text, markup=False, style="red")
    if differences:
        console.print(f"{len(differences)} differences", style="bold red")
        return 1
    besides = ", but for what is not kept" if report.losses else ""
    console.print(f"every reader agrees with the file, bit for bit{besides}", style="bold green")
    return 0


def _convert(source: Path, target: Path) -> tuple[float, ConversionReport]:
    begun = perf_counter()
    with progress_bar("converting") as advance:
        report = convert(source, target, overwrite=True, progress=advance)
    return perf_counter() - begun, report


def _show(target: Path) -> None:
    with Dataset(target) as dataset:
        cdl = "".join(write_cdl(dataset.as_dataset().root, target.stem))
    root = open_group(target, mode="r")
    click.echo(cdl)
    click.echo(f"{draw(target.name, root.walk(), _MAX_NODES)}\n")


def _tell_conversion(
    console: Console, source: Path, target: Path, report: ConversionReport, seconds: float
) -> None:
    table = Table(title=f"{source.name} → {target}", title_justify="left", show_header=False)
    stored = sum(file.stat().st_size for file in target.rglob("*") if file.is_file())
    for name, value in (
        ("netCDF file", shown_size(source.stat().st_size)),
        ("NCZarr dataset", shown_size(stored)),
        ("groups, variables", f"{report.groups}, {report.variables}"),
        ("moved without decoding", f"{report.moved.chunks} chunks, {shown_size(report.moved.bytes)}"),
        ("encoded anew", shown_size(report.moved.recoded_bytes)),
        ("converted in", f"{seconds:.2f} s"),
    ):
        table.add_row(name, value)
    console.print(table)
    for loss in report.losses:
        console.print(loss.told, markup=False, style="yellow")


def _compare(source: Path, target: Path) -> list[Comparison]:
    import netCDF4  # an extra, which the demo asks for

    url = f"{target.resolve().as_uri()}#mode=nczarr,file"
    with _opened(netCDF4.Dataset(source)) as file:
        with Dataset(target) as ours:
            by_netcdf = compare_datasets(file, ours, "omnizarr.netcdf")
        by_zarr = compare_arrays(file, open_group(target, mode="r"), "omnizarr (Zarr)")
        with _opened(netCDF4.Dataset(url)) as theirs:
            library = f"netCDF-C {netCDF4.__netcdf4libversion__}"
            return [by_netcdf, by_zarr, compare_datasets(file, theirs, library)]


@contextmanager
def _opened(dataset: Any) -> Iterator[Any]:
    with dataset, warnings.catch_warnings():
        # netCDF4 warns where an attribute such as _FillValue has another type than its variable.
        warnings.simplefilter("ignore")
        yield dataset


def _tell_comparisons(console: Console, comparisons: list[Comparison]) -> None:
    table = Table("reader", "variables", "values", "attributes", "differences")
    for column in table.columns[1:]:
        column.justify = "right"
    for found in comparisons:
        table.add_row(
            found.reader,
            str(found.variables),
            f"{found.values:,}",
            str(found.attributes) if found.attributes else "-",
            str(len(found.differences)),
        )
    console.print(table)
