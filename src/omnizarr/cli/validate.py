"""`omnizarr validate`: looking for problems in a hierarchy."""

from __future__ import annotations

import click

from omnizarr.cli.output import write_json
from omnizarr.cli.places import json_option, place_argument, store_at
from omnizarr.cli.progress import progress_bar
from omnizarr.hierarchy.discover import is_node
from omnizarr.hierarchy.opening.diagnose import absent
from omnizarr.hierarchy.validate import Finding, validate
from omnizarr.metadata.formats import FORMATS
from omnizarr.metadata.formats.base import Format
from omnizarr.store.base import Store


@click.command("validate")
@place_argument
@click.option("--data", is_flag=True, help="Also decode every chunk.")
@json_option
def command(place: str, data: bool, as_json: bool) -> int:
    """Look for problems in the hierarchy at PLACE, and exit with status 1 where there are any.

    Checked are: every document, with the place of each fault in it; whether consolidated metadata are up
    to date; keys that belong to nothing; copies that were never completed; with --data, every chunk.
    """
    with store_at(place) as (store, path), progress_bar("chunks", in_bytes=False) as advance:
        formats = _formats(store, path)
        found = [validate(store, format, path, data=data, progress=advance) for format in formats]
        findings = _together(found)
    if as_json:
        write_json([finding.to_json() for finding in findings])
    else:
        for finding in findings:
            click.echo(f"{finding.kind}: {finding}")
        if not findings:
            click.echo("no problems")
    return 1 if findings else 0


def _formats(store: Store, path: str) -> list[Format]:
    """Return the formats that the node is in: usually one, two where both have a document there."""
    found = [format for format in FORMATS.values() if is_node(store, format, path)]
    if not found:
        raise absent(store, None, path)
    return found


def _together(found: list[list[Finding]]) -> list[Finding]:
    """Return the findings of all formats; a key that one of them knows is no stranger to the others."""
    strange = set.intersection(*({f.at for f in findings if f.kind == "key"} for findings in found))
    seen: dict[Finding, None] = {}
    for finding in (finding for findings in found for finding in findings):
        if finding.kind != "key" or finding.at in strange:
            seen[finding] = None
    return list(seen)
