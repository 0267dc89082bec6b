"""`omnizarr doctor`: what is installed and works here, and how fast this machine is."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click

from omnizarr.cli.diagnosis.codecs import codecs
from omnizarr.cli.diagnosis.disk import disk
from omnizarr.cli.diagnosis.findings import Finding, Level, one_line
from omnizarr.cli.diagnosis.machine import machine, settings
from omnizarr.cli.diagnosis.packages import libraries, plugins
from omnizarr.cli.diagnosis.remote import place
from omnizarr.cli.diagnosis.stores import stores
from omnizarr.cli.output import write_json
from omnizarr.cli.places import PlaceType, json_option
from omnizarr.cli.progress import progress_bar

_MARKS: dict[Level, str] = {"ok": "ok", "note": "-", "warning": "warning", "broken": "BROKEN"}


@click.command("doctor")
@click.argument("url", metavar="[PLACE]", type=PlaceType(), required=False)
@click.option("--write", is_flag=True, help="Also write to PLACE, and remove again, a key of its own.")
@click.option(
    "--disk",
    "folder",
    metavar="FOLDER",
    type=click.Path(exists=True, file_okay=False, writable=True, path_type=Path),
    help="Measure the disk of this folder, instead of that of temporary files.",
)
@json_option
def command(url: str | None, write: bool, folder: Path | None, as_json: bool) -> int:
    """Look at what is installed, which codecs and stores work, and how fast this machine is.

    With PLACE, a URL or path, also at what can be done there; nothing else asks a network. Exit status 1
    where something that is installed does not work.
    """
    if write and url is None:
        raise click.UsageError("--write: expected a PLACE to write to")
    found: list[Finding] = []
    with progress_bar("looking", in_bytes=False) as advance:
        checks = _checks(url, write, folder)
        for number, check in enumerate(checks):
            advance(number, len(checks))
            for finding in _looked(check):
                found.append(finding)
                if not as_json:
                    _write(finding, None if len(found) == 1 else found[-2])
    if as_json:
        write_json([finding.to_json() for finding in found])
    return int(any(finding.level == "broken" for finding in found))


def _checks(url: str | None, write: bool, folder: Path | None) -> Sequence[Callable[[], Iterator[Finding]]]:
    checks = [libraries, plugins, codecs, stores, machine, settings, lambda: disk(folder or _temporary())]
    return checks if url is None else [*checks, lambda: place(url, write)]


def _temporary() -> Path:
    return Path(tempfile.gettempdir())


def _looked(check: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """Yield what a check does; where there is no place to try things, that, and go on with the next."""
    try:
        yield from check()
    except OSError as error:
        advice = "set TMPDIR to a folder that can be written to"
        yield Finding("temporary files", "", "warning", one_line(error), advice)


def _write(finding: Finding, before: Finding | None) -> None:
    if before is None or before.about != finding.about:
        click.echo(("" if before is None else "\n") + finding.about)
    mark = _MARKS[finding.level]
    click.echo(f"  {mark:<8}{finding.name}: {finding.text}" if finding.name else f"  {mark:<8}{finding.text}")
    if finding.advice:
        click.echo(f"          {finding.advice}")
