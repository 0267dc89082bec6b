"""`omnizarr copy`: hierarchies and netCDF datasets between stores, files, formats, dialects and chunkings."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

import click

from omnizarr.cli.parameters import (
    CODEC_EXAMPLE,
    EVERY,
    ChunkSpec,
    Codecs,
    FilterSpec,
    Lengths,
    Size,
    format_named,
)
from omnizarr.cli.places import PlaceType
from omnizarr.cli.progress import progress_bar
from omnizarr.cli.sizes import counted, shown_size
from omnizarr.cli.working import told_by, worker_options, workers_for
from omnizarr.config import config
from omnizarr.hierarchy.copy import opened, place_of_copy, target_of
from omnizarr.hierarchy.copying.check import plan_copy
from omnizarr.hierarchy.copying.recut import KEEP, Cuts, keeps
from omnizarr.hierarchy.copying.transfer import Moved
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.workers.base import Workers
from omnizarr.netcdf.copying.convert import Aim, planned, refuse
from omnizarr.netcdf.copying.options import Options
from omnizarr.netcdf.dialects.base import Dialect
from omnizarr.netcdf.dialects.detect import Pure, detect
from omnizarr.netcdf.dialects.modes import asked_of
from omnizarr.netcdf.files.magic import netcdf_file
from omnizarr.netcdf.filters.known import Shuffle, Zlib
from omnizarr.netcdf.filters.text import read_filter_attribute
from omnizarr.store.urls.grammar import shown_place


@click.command("copy")
@click.argument("places", metavar="SRC... DST", type=PlaceType(), nargs=-1, required=True)
@click.option(
    "--zarr-format",
    type=click.Choice(["2", "3", "3-2019"]),
    help="The format of the copy; SRC's unless given.",
)
@click.option("--dialect", help="How a netCDF dataset is kept in Zarr: nczarr, xarray, plain, …")
@click.option("-k", "--kind", help="The kind of a netCDF file: classic, nc4, cdf5, …, as nccopy has them.")
@click.option("--join", metavar="DIM", help="Join all SRC along this dimension.")
@click.option("--chunks", type=Lengths(), multiple=True, help="Chunk shape, of all arrays or of one.")
@click.option("-c", "along", type=ChunkSpec(), multiple=True, help="Chunks: time/10,lat/100 or VAR:10,100.")
@click.option("--shards", type=Lengths(), multiple=True, help="Shard shape; 'none' undoes shards.")
@click.option(
    "--compressor", "--codec", "compressors", type=Codecs(), multiple=True, help=f"As JSON: {CODEC_EXAMPLE}"
)
@click.option("--filters", type=Codecs(), multiple=True, help="Array-to-array codecs, as JSON.")
@click.option("-d", "deflate", type=click.IntRange(0, 9), help="Deflate at this level; 0 for none.")
@click.option("-s", "shuffle", is_flag=True, help="Shuffle bytes before -d deflates them.")
@click.option(
    "-F", "hdf5_filters", type=FilterSpec(), multiple=True, help="[VAR,]NUMBER,PARAMETERS, or none."
)
@click.option("--endian", type=click.Choice(["little", "big"]), help="The byte order of numbers.")
@click.option("-v", "variables", metavar="VARS", multiple=True, help="Only these variables: a,b,/g/c.")
@click.option("-g", "groups", metavar="GROUPS", multiple=True, help="Only these groups.")
@worker_options
@click.option(
    "--memory", type=Size(), default="512MB", show_default=True, help="Memory that a worker uses at most."
)
@click.option("--overwrite", is_flag=True, help="Replace what is at DST.")
@click.option("--strict", is_flag=True, help="Refuse to copy what DST cannot hold completely.")
def command(places: tuple[str, ...], scheduler: str, workers: int | None, **options: Any) -> None:
    """Copy the array, hierarchy or netCDF dataset at SRC to DST.

    Chunks that are stored alike on both sides are moved without decoding. What DST cannot hold is listed
    before anything is written. A copy that was interrupted is continued by the same command, or starts
    anew where SRC has changed.

    netCDF files (.nc) of every kind become Zarr datasets and the other way round, with the same chunks and
    filters unless others are given. Several SRC become one with --join, in the order of its coordinate.

    With --scheduler the work is done by processes, or by the workers of a dask cluster, which all have to
    reach SRC and DST; a netCDF file is written by threads alone.
    """
    if len(places) < 2:
        raise click.UsageError("expected SRC and DST")
    *sources, target = places
    with workers_for(scheduler, workers) as crew, config.using(threads=crew.share(0).threads):
        _Copy(sources, target, options, crew).run()


class _Copy:
    """One run of the command."""

    def __init__(self, sources: list[str], target: str, options: Mapping[str, Any], workers: Workers) -> None:
        self.workers = workers
        self.sources = sources
        self.target = target
        self.options = options
        self.asked = asked_of(target)
        number = options["zarr_format"]
        self.zarr_format = self.asked.zarr_format if number is None else format_named(number)
        self.join: str | None = options["join"]
        if len(sources) > 1 and self.join is None:
            raise click.UsageError(f"{len(sources)} sources become one only with --join DIM")

    def run(self) -> None:
        if self.is_netcdf():
            self.convert(self.options["dialect"])
            return
        with ExitStack() as held:
            node = opened(self.sources[0], held)
            dialect = self.dialect_of(node)
            if dialect is None:
                self.copy(node, held)
                return
        self.convert(dialect)

    def is_netcdf(self) -> bool:
        """Say whether a file on either side, an option of netCDF's or DST's URL asks for a conversion."""
        asked = ("dialect", "kind", "join", "along", "hdf5_filters", "endian", "variables", "groups")
        if any(self.options[name] for name in asked) or self.options["deflate"] is not None:
            return True
        if self.asked.dialect is not None:
            return True
        return any(netcdf_file(place) is not None for place in (*self.sources, self.target))

    def dialect_of(self, node: Node) -> str | None:
        """Return the dialect that a hierarchy has to be converted to; None where it is copied as it is.

        Generations of NCZarr that are only read become the present one. The notes of NCZarr on another
        format of Zarr are others.
        """
        if not isinstance(node, Group) or isinstance(self.zarr_format, str):
            return None
        found = detect(node)
        if not isinstance(found, Dialect | Pure):
            return "nczarr"
        changes = self.zarr_format not in (None, node.zarr_format) and not self.options["shards"]
        return found.name if changes and found.name == "nczarr" else None

    def convert(self, dialect: str | None) -> None:
        """Copy as netCDF datasets."""
        if self.options["shards"]:
            given, wanted = shown_place(self.sources[0]), shown_place(self.target)
            raise click.UsageError(
                f"--shards: netCDF knows no shards; first 'omnizarr copy {given} STEP.zarr "
                f"--zarr-format 3', then 'omnizarr copy STEP.zarr {wanted} --shards …'"
            )
        if isinstance(self.zarr_format, str):
            raise click.UsageError(f"--zarr-format {self.zarr_format}: netCDF datasets are kept in 2 and 3")
        source = self.sources if self.join is not None else self.sources[0]
        aim = Aim(self.target, dialect, self.zarr_format, self.options["kind"])
        memory, overwrite = self.options["memory"], self.options["overwrite"]
        with planned(
            source, aim, self.netcdf_options(), self.join, memory, workers=self.workers
        ) as conversion:
            if self.options["strict"]:
                refuse(" ".join(map(shown_place, self.sources)), conversion.losses)
            for loss in conversion.losses:
                click.echo(loss.told, err=True)
            with progress_bar(told_by("converting", self.workers)) as advance:
                done = conversion.run(overwrite=overwrite, progress=advance)
        tell(done.groups, done.variables, "variable", done.moved, done.resumed)

    def netcdf_options(self) -> Options:
        compressors = _per_array("compressor", self.options["compressors"])
        for names, text in self.options["hdf5_filters"]:
            compressors = _merged("-F", compressors, names, read_filter_attribute(text))
        if self.options["deflate"] is not None:
            level = self.options["deflate"]
            shuffle = (Shuffle(),) if self.options["shuffle"] and level else ()
            compressors = _merged("-d", compressors, (), (*shuffle, Zlib(level)) if level else ())
        elif self.options["shuffle"]:
            raise click.UsageError("-s shuffles what -d deflates; expected -d too")
        return Options(
            chunks=self.chunks(),
            filters=_per_array("filters", self.options["filters"]),
            compressors=compressors,
            endian=self.options["endian"],
            variables=_names(self.options["variables"]),
            groups=_names(self.options["groups"]),
        )

    def chunks(self) -> Any:
        given = _per_array("chunks", self.options["chunks"])
        along = self.options["along"]
        if along and not keeps(given):
            raise click.UsageError("expected either --chunks or -c")
        if len(along) <= 1:
            return along[0] if along else given
        if any(isinstance(one, str) for one in along):
            raise click.UsageError("-c: '/' stands for everything, and alone")
        return {name: size for one in along for name, size in one.items()}

    def copy(self, node: Node, held: ExitStack) -> None:
        """Copy a hierarchy as it is."""
        names = ("chunks", "shards", "filters", "compressors")
        cuts = Cuts(**{name: _per_array(name, self.options[name]) for name in names})
        options = self.options
        where = place_of_copy(
            node, *target_of(self.asked.place, None, held), self.zarr_format, options["overwrite"]
        )
        memory, strict = options["memory"], options["strict"]
        plan = plan_copy(node, *where, cuts=cuts, memory=memory, strict=strict, workers=self.workers)
        for loss in plan.losses:
            click.echo(f"not kept: {loss}", err=True)
        with progress_bar(told_by("copying", self.workers)) as advance:
            done = plan.run(overwrite=options["overwrite"], progress=advance)
        tell(done.groups, done.arrays, "array", done.moved, done.resumed)


def tell(groups: int, arrays: int, noun: str, moved: Moved, resumed: bool) -> None:
    """Say what was copied."""
    parts = [f"{counted(groups, 'group')}, {counted(arrays, noun)}"]
    if resumed:
        parts.append("an interrupted copy was continued")
    if moved.chunks:
        parts.append(f"{counted(moved.chunks, 'chunk')} ({shown_size(moved.bytes)}) moved without decoding")
    if moved.recoded_bytes:
        parts.append(f"{shown_size(moved.recoded_bytes)} encoded anew")
    click.echo("copied " + "; ".join(parts))


def _per_array(name: str, given: tuple[tuple[str, Any], ...]) -> Any:
    """Return what `Cuts` takes for options that were given once for all arrays, or once for each."""
    if not given:
        return KEEP
    by_path: Mapping[str, Any] = dict(given)
    if EVERY in by_path and len(by_path) > 1:
        raise click.UsageError(f"--{name}: expected either one value for all arrays or PATH=VALUE for each")
    return by_path.get(EVERY, by_path)


def _merged(option: str, given: Any, names: tuple[str, ...], filters: tuple[Any, ...]) -> Any:
    """Return filters for all variables, or beside those that others have."""
    if keeps(given):
        return dict.fromkeys(names, filters) if names else filters
    if not names or not isinstance(given, Mapping):
        raise click.UsageError(f"{option}: the filters of all variables were given already")
    return {**given, **dict.fromkeys(names, filters)}


def _names(given: tuple[str, ...]) -> list[str] | None:
    return [name for one in given for name in one.split(",") if name] if given else None
