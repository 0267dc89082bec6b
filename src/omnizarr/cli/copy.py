"""`omnizarr copy`: hierarchies between stores, formats, chunkings and codecs; netCDF files to Zarr."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from omnizarr.cli.places import NETCDF, PlaceType, netcdf_file
from omnizarr.cli.progress import progress_bar
from omnizarr.cli.sizes import counted, parse_size, shown_size
from omnizarr.codecs.registry import codec_class
from omnizarr.hierarchy.copy import opened, target_of
from omnizarr.hierarchy.copying.check import plan_copy
from omnizarr.hierarchy.copying.recut import KEEP, Cuts, keeps
from omnizarr.hierarchy.copying.transfer import Moved
from omnizarr.hierarchy.opening.formats import format_of
from omnizarr.jsontypes import shown
from omnizarr.metadata.chains import PREFIX
from omnizarr.netcdf.copying.convert import ConversionReport, convert, losses_of

_EVERY = ""


class Size(click.ParamType[Any]):
    """A byte count: `512MB`, `1.5GiB`, `4096`."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number of bytes."""
        try:
            return value if isinstance(value, int) else parse_size(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Lengths(click.ParamType[Any]):
    """Lengths for one array (`PATH=10,20`) or for all (`10,20`); `auto`, or `none` for no shards."""

    name = "[path=]lengths"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return (path, lengths)."""
        path, found, text = value.rpartition("=")
        if text in ("auto", "none"):
            return path if found else _EVERY, None if text == "none" else text
        try:
            return path if found else _EVERY, tuple(int(length) for length in text.split(","))
        except ValueError:
            self.fail(f"expected lengths such as 100,200 or PATH=100,200, found {value!r}", param, ctx)


class Codecs(click.ParamType[Any]):
    """Codecs as JSON, or the name of one; for one array (`PATH=zstd`) or for all; `none` for none."""

    name = "[path=]codecs"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return (path, codecs)."""
        path, found, text = ("", "", value) if value.startswith(("{", "[")) else value.partition("=")
        if not found:
            text = value
        return path if found else _EVERY, self._codecs(text, param, ctx)

    def _codecs(self, text: str, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if text == "none":
            return None
        if not text.startswith(("{", "[")):
            return {"name": _known(text)}
        try:
            return json.loads(text)
        except ValueError as error:
            self.fail(f"expected JSON such as {_EXAMPLE}, found {shown(text)}: {error}", param, ctx)


def _known(name: str) -> str:
    """Return the name that Zarr v3 has for a codec, where only numcodecs knows it by this one."""
    other = f"{PREFIX}{name}"
    return other if codec_class(name) is None and codec_class(other) is not None else name


_EXAMPLE = '{"name": "zstd", "configuration": {"level": 3}}'


@click.command("copy")
@click.argument("source", metavar="SRC", type=PlaceType())
@click.argument("target", metavar="DST", type=PlaceType())
@click.option(
    "--zarr-format", type=click.Choice(["2", "3"]), help="The format of the copy; SRC's unless given."
)
@click.option("--chunks", type=Lengths(), multiple=True, help="Chunk shape, of all arrays or of one.")
@click.option("--shards", type=Lengths(), multiple=True, help="Shard shape; 'none' undoes shards.")
@click.option(
    "--compressor", "--codec", "compressors", type=Codecs(), multiple=True, help=f"As JSON: {_EXAMPLE}"
)
@click.option("--filters", type=Codecs(), multiple=True, help="Array-to-array codecs, as JSON.")
@click.option("--memory", type=Size(), default="512MB", show_default=True, help="Memory to use at most.")
@click.option("--overwrite", is_flag=True, help="Replace what is at DST.")
@click.option("--strict", is_flag=True, help="Refuse to copy what DST cannot hold completely.")
def command(source: str, target: str, memory: int, overwrite: bool, strict: bool, **options: Any) -> None:
    """Copy the array, hierarchy or netCDF file at SRC to DST.

    Chunks that are stored alike on both sides are moved without decoding. What DST cannot hold is listed
    before anything is written. A copy that was interrupted is continued by the same command, or starts
    anew where SRC has changed.

    A netCDF file (.nc) becomes an NCZarr dataset, with the file's chunks and filters unless others are
    given.
    """
    _refuse_netcdf_target(target)
    zarr_format = options.pop("zarr_format")
    given = {name: _per_array(name, values) for name, values in options.items()}
    if (file := netcdf_file(source)) is not None:
        _refuse_for_netcdf(source, target, zarr_format, given.pop("shards"))
        report = _copy_netcdf(file, target, memory, overwrite=overwrite, strict=strict, **given)
        tell(report.groups, report.variables, "variable", report.moved, report.resumed)
        return
    cuts = Cuts(**given)
    with ExitStack() as held:
        node = opened(source, held)
        store, path = target_of(target, None, held)
        format = node.format if zarr_format is None else format_of(int(zarr_format))
        plan = plan_copy(node, store, format, path, cuts=cuts, memory=memory, strict=strict)
        for loss in plan.losses:
            click.echo(f"not kept: {loss}", err=True)
        with progress_bar("copying") as advance:
            done = plan.run(overwrite=overwrite, progress=advance)
    tell(done.groups, done.arrays, "array", done.moved, done.resumed)


def _copy_netcdf(
    source: Path, target: str, memory: int, *, overwrite: bool, strict: bool, **given: Any
) -> ConversionReport:
    for loss in () if strict else losses_of(source):
        click.echo(f"not kept: {loss}", err=True)
    with progress_bar("converting") as advance:
        return convert(
            source, target, memory=memory, overwrite=overwrite, strict=strict, progress=advance, **given
        )


def _refuse_netcdf_target(target: str) -> None:
    if target.rstrip("/").lower().endswith(NETCDF):
        raise click.UsageError(
            f"{target}: copies are Zarr, not netCDF files; expected a name such as "
            f"{Path(target.rstrip('/')).stem}.zarr or {Path(target.rstrip('/')).stem}.zip"
        )


def _refuse_for_netcdf(source: str, target: str, zarr_format: str | None, shards: Any) -> None:
    """Refuse what only Zarr v3 has, and tell how to come by it."""
    asked = "--zarr-format 3" if zarr_format == "3" else "--shards" if not keeps(shards) else None
    if asked is not None:
        raise click.UsageError(
            f"{asked}: a netCDF file becomes NCZarr, which is Zarr v2; first "
            f"'omnizarr copy {source} STEP.zarr', then 'omnizarr copy STEP.zarr {target} --zarr-format 3', "
            "with any chunks, shards and codecs"
        )


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
    if _EVERY in by_path and len(by_path) > 1:
        raise click.UsageError(f"--{name}: expected either one value for all arrays or PATH=VALUE for each")
    return by_path.get(_EVERY, by_path)
