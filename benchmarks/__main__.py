"""``python -m benchmarks``: measure, print, and write docs/benchmarks.md."""

from __future__ import annotations

import gc
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import click
from rich.console import Console

from benchmarks import (
    dask_peers,
    model_peers,
    netcdf_peers,
    nwb_peers,
    object_peers,
    w1_large_chunks,
    w2_small_chunks,
    w3_shards,
    w4_selections,
    w5_hierarchies,
    w6_memory,
    w7_objects,
    w8_netcdf,
    w9_models,
    w10_nwb,
    w11_xarray,
    w12_dask,
    xarray_peers,
)
from benchmarks.case import Case
from benchmarks.dask_peers.base import DaskLibrary
from benchmarks.machine import facts
from benchmarks.measure import Row, measure
from benchmarks.memory import Peak, peaks
from benchmarks.model_peers.base import ModelLibrary
from benchmarks.netcdf_peers.base import NetCDFLibrary, ReadsAndWrites
from benchmarks.nwb_peers.base import NWBLibrary
from benchmarks.nwb_peers.environment import PYTHON, VARIABLE
from benchmarks.object_peers.base import ObjectLibrary
from benchmarks.object_server import NoServerError
from benchmarks.peers import MODULES, OURS, REFERENCE, load
from benchmarks.peers.base import Library, Named
from benchmarks.report import Section, fault_lines, markdown, memory_table, summary, terminal_table
from benchmarks.room import Room
from benchmarks.sizes import SIZES, Sizes
from benchmarks.xarray_peers.base import XarrayLibrary

WORKLOADS: dict[str, Callable[[Sizes, Room], Iterator[Case]]] = {
    "W1": w1_large_chunks.cases,
    "W2": w2_small_chunks.cases,
    "W3": w3_shards.cases,
    "W4": w4_selections.cases,
    "W5": w5_hierarchies.cases,
    "W6": w6_memory.cases,
}
OBJECTS = "W7"
NETCDF = "W8"
MODELS = "W9"
NWB = "W10"
XARRAY = "W11"
DASK = "W12"
APART = {
    OBJECTS: None,
    NETCDF: None,
    MODELS: None,
    NWB: None,
    XARRAY: None,
    DASK: None,
}  # workloads with libraries of their own
OBJECT_WRITER = "zarr-python, obstore"
NETCDF_WRITER = "netCDF-C, HDF5"
XARRAY_WRITER = "xarray + zarr-python"
DASK_WRITER = "dask + zarr-python"
T = TypeVar("T")
PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"


def _names(allowed: dict[str, object]) -> Callable[[click.Context, click.Parameter, str | None], list[str]]:
    def parse(_: click.Context, __: click.Parameter, text: str | None) -> list[str]:
        names = text.split(",") if text else list(allowed)
        for name in names:
            if name not in allowed:
                raise click.BadParameter(f"expected some of {', '.join(allowed)}, found {name!r}")
        return names

    return parse


@click.command()
@click.option("--only", callback=_names({**WORKLOADS, **APART}), help="Workloads, W1,W2,… (all).")
@click.option(
    "--libraries", callback=_names(dict(MODULES)), help="Libraries of W1 to W6, with commas between (all)."
)
@click.option("--repeat", default=7, show_default=True, type=click.IntRange(1), help="Timings a figure.")
@click.option("--size", default="full", show_default=True, type=click.Choice(list(SIZES)))
@click.option("--quick", is_flag=True, help="The same as --size quick --repeat 3.")
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False), help="Where files go (/dev/shm).")
@click.option(
    "--hdmf-zarr",
    type=click.Path(path_type=Path, dir_okay=False),
    envvar=VARIABLE,
    default=PYTHON,
    help="The Python that has hdmf-zarr (.venv/hdmf-zarr/bin/python).",
)
@click.option("--report", type=click.Path(path_type=Path, dir_okay=False), help="The Markdown file.")
def main(
    only: list[str],
    libraries: list[str],
    repeat: int,
    size: str,
    quick: bool,
    folder: Path | None,
    hdmf_zarr: Path,
    report: Path | None,
) -> None:
    """Measure omnizarr and its peers side by side.

    A run of everything writes docs/benchmarks.md; a run of some writes a page only where --report says so.
    """
    if quick:
        size, repeat = "quick", min(repeat, 3)
    console = Console()
    present = _load(libraries, console)
    remote = _loaded(object_peers.load, object_peers.MODULES, console) if OBJECTS in only else []
    others = _loaded(netcdf_peers.load, netcdf_peers.MODULES, console) if NETCDF in only else []
    modelling = _loaded(model_peers.load, model_peers.MODULES, console) if MODELS in only else []
    filing = (
        _loaded(partial(nwb_peers.load, python=hdmf_zarr), nwb_peers.MODULES, console) if NWB in only else []
    )
    everything = size == "full" and {*only} == {*WORKLOADS, *APART} and len(present) == len(MODULES)
    page = report or (PAGE if everything else None)
    backends = _loaded(xarray_peers.load, xarray_peers.MODULES, console) if XARRAY in only else []
    by_blocks = _loaded(dask_peers.load, dask_peers.MODULES, console) if DASK in only else []
    # What was imported is no garbage: to look at it before each timing took most of a small run.
    gc.freeze()
    parent = folder or (Path("/dev/shm") if Path("/dev/shm").is_dir() else None)
    with tempfile.TemporaryDirectory(prefix="omnizarr-benchmarks-", dir=parent) as name:
        room = Room(Path(name), _reference())
        arrays = Section("", _measured(only, SIZES[size], room, present, repeat, console), _named(present))
        objects = _measured_objects(SIZES[size], room, remote, repeat, console)
        rows = _measured_netcdf(SIZES[size], room, others, repeat, console)
        models = _measured_models(SIZES[size], room, modelling, repeat, console)
        files = _measured_nwb(SIZES[size], room, filing, repeat, console)
        by_xarray = _measured_xarray(SIZES[size], room, backends, repeat, console)
        by_dask = _measured_dask(SIZES[size], room, by_blocks, repeat, console)
        sections = [
            arrays,
            Section("Object stores", objects, _named(remote)),
            Section("netCDF", rows, _named(others)),
            Section("Object models", models, _named(modelling)),
            Section("NWB", files, _named(filing)),
            Section("xarray", by_xarray, _named(backends)),
            Section("dask", by_dask, _named(by_blocks)),
        ]
        found = peaks(SIZES[size], room, present) if "W1" in only else []
        strangers: list[Named] = [
            each
            for each in (*remote, *others, *modelling, *filing, *backends, *by_blocks)
            if each.name != OURS
        ]
        about = facts([*present, *strangers], Path(name))
    _print(console, sections, found, about)
    if page is not None:
        page.write_text(markdown(sections, found, about, repeat))
        console.print(f"written to {page}")
    sys.exit(any(OURS in row.faults for section in sections for row in section.rows))


def _load(names: list[str], console: Console) -> list[Library]:
    present = []
    for name in names:
        library = load(name)
        if library is None:
            console.print(f"{name} is not installed and left out", style="yellow")
        else:
            present.append(library)
    return present


def _loaded(load_one: Callable[[str], T | None], names: Iterable[str], console: Console) -> list[T]:
    found = {name: load_one(name) for name in names}
    for name in (name for name, library in found.items() if library is None):
        console.print(f"{name} is not installed and left out", style="yellow")
    return [library for library in found.values() if library is not None]


def _named(libraries: Sequence[Named]) -> list[str]:
    return [library.name for library in libraries]


def _reference() -> Library:
    reference = load(REFERENCE)
    if reference is None:
        raise click.ClickException(f"{REFERENCE} is needed: it writes the files that all libraries read")
    return reference


def _measured(
    only: list[str], sizes: Sizes, room: Room, libraries: list[Library], repeat: int, console: Console
) -> list[Row]:
    rows = []
    for workload in (name for name in only if name in WORKLOADS):
        for case in WORKLOADS[workload](sizes, room):
            with console.status(f"{case.workload} {case.title}"):
                rows.append(measure(case, libraries, repeat))
    return rows


def _measured_objects(
    sizes: Sizes, room: Room, libraries: list[ObjectLibrary], repeat: int, console: Console
) -> list[Row]:
    writer = next((library for library in libraries if library.name == OBJECT_WRITER), None)
    rows: list[Row] = []
    if writer is None:
        return rows
    try:
        for case in w7_objects.cases(sizes, room, writer):
            with console.status(f"{case.workload} {case.title}"):
                rows.append(measure(case, libraries, repeat))
    except NoServerError as error:
        console.print(f"W7 is left out: {error}", style="yellow")
    return rows


def _measured_netcdf(
    sizes: Sizes, room: Room, libraries: list[NetCDFLibrary], repeat: int, console: Console
) -> list[Row]:
    writer = next((library for library in libraries if library.name == NETCDF_WRITER), None)
    rows: list[Row] = []
    if isinstance(writer, ReadsAndWrites):
        for case in w8_netcdf.cases(sizes, room, writer):
            with console.status(f"{case.workload} {case.title}"):
                rows.append(measure(case, libraries, repeat))
    return rows


def _measured_models(
    sizes: Sizes, room: Room, libraries: list[ModelLibrary], repeat: int, console: Console
) -> list[Row]:
    rows: list[Row] = []
    for case in w9_models.cases(sizes, room) if libraries else ():
        with console.status(f"{case.workload} {case.title}"):
            rows.append(measure(case, libraries, repeat))
    return rows


def _measured_nwb(
    sizes: Sizes, room: Room, libraries: list[NWBLibrary], repeat: int, console: Console
) -> list[Row]:
    rows: list[Row] = []
    for case in w10_nwb.cases(sizes, room) if libraries else ():
        with console.status(f"{case.workload} {case.title}"):
            rows.append(measure(case, libraries, repeat))
    for library in libraries:
        library.stop()
    return rows


def _measured_xarray(
    sizes: Sizes, room: Room, libraries: list[XarrayLibrary], repeat: int, console: Console
) -> list[Row]:
    writer = next((library for library in libraries if library.name == XARRAY_WRITER), None)
    rows: list[Row] = []
    if writer is not None:
        for case in w11_xarray.cases(sizes, room, writer):
            with console.status(f"{case.workload} {case.title}"):
                rows.append(measure(case, libraries, repeat))
    return rows


def _measured_dask(
    sizes: Sizes, room: Room, libraries: list[DaskLibrary], repeat: int, console: Console
) -> list[Row]:
    writer = next((library for library in libraries if library.name == DASK_WRITER), None)
    rows: list[Row] = []
    if writer is not None:
        for case in w12_dask.cases(sizes, room, writer):
            with console.status(f"{case.workload} {case.title}"):
                rows.append(measure(case, libraries, repeat))
    return rows


def _print(console: Console, sections: list[Section], found: list[Peak], about: dict[str, str]) -> None:
    for section in sections:
        if section.rows:
            console.print(terminal_table(section))
            console.print(summary(section.rows))
    if found:
        console.print(memory_table(found, sections[0].names))
    for line in fault_lines(sections):
        console.print(f"failed: {line}", style="red", markup=False)
    for key, value in about.items():
        console.print(f"{key}: {value}", markup=False, highlight=False)


if __name__ == "__main__":
    main()
