"""`omnizarr validate`: looking for problems in a hierarchy, and removing what belongs to nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from omnizarr.cli.asking import dry_run_option, yes_option
from omnizarr.cli.models import complete_model
from omnizarr.cli.places import json_option, place_argument, store_at
from omnizarr.cli.validating import Outcome, Wishes, carry_out, checker, write_line, write_outcome
from omnizarr.cli.working import worker_options
from omnizarr.hierarchy.opening.within import in_hierarchy
from omnizarr.hierarchy.paths import joined, normal_path
from omnizarr.hierarchy.validate import MOST_FINDINGS

_OPTIONS = (
    click.option("--data/--no-data", default=None, help="Also decode every chunk; as --level data."),
    click.option(
        "--level",
        type=click.Choice(["documents", "keys", "data"]),
        help="How far to look: documents and names; also what each key belongs to, as without this option; "
        "also the values of every chunk.",
    ),
    click.option("--path", "below", metavar="PATH", help="The node's path within PLACE."),
    click.option(
        "--max-findings",
        type=click.IntRange(0),
        default=MOST_FINDINGS,
        show_default=True,
        metavar="N",
        help="How many findings to list, the others are counted; 0: all.",
    ),
    worker_options,
    click.option("--notes", is_flag=True, help="Also list what is worth knowing, though nothing is wrong."),
    click.option("--repair", is_flag=True, help="Remove orphans, and refresh consolidated metadata."),
    click.option("--keep", multiple=True, metavar="PATTERN", help="Keys that a repair leaves: 'notes/*'."),
    yes_option,
    dry_run_option,
    click.option(
        "--model",
        "models",
        multiple=True,
        metavar="MODEL",
        shell_complete=complete_model,
        help="Also check whether it is as a model has it: xarray, nczarr, hdmf, ome, package.module:Model, "
        "path/to/file.py:Model, or the file of a JSON Schema. Can be given several times.",
    ),
    json_option,
    click.option(
        "--json-lines", is_flag=True, help="Write each finding as a line of JSON, once it is found."
    ),
)


def _with_options(function: Callable[..., int]) -> Callable[..., int]:
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@click.command("validate")
@place_argument
@_with_options
def command(place: str, below: str | None, models: tuple[str, ...], **options: Any) -> int:
    """Look for problems in the hierarchy at PLACE, and exit with status 1 where there are any.

    Checked are: every document, with the place of each fault in it; names; whether consolidated metadata
    are up to date; keys that belong to nothing; copies that were never completed; with --data, every chunk,
    inner chunk and checksum. In a netCDF dataset also: what it says of its groups, dimensions, types and
    attributes. With --model, all this and whether the hierarchy is of that model.

    With --repair, keys that belong to nothing are removed, and consolidated metadata that are stale are
    written anew, after a question on a terminal, elsewhere with --yes; --dry-run only says what would be
    done. Nothing else is changed. The status is then 0 where nothing wrong is left.

    With --data, --scheduler says who decodes the chunks: threads, processes, or the workers of a dask
    cluster, which all have to reach PLACE.
    """
    wishes = Wishes.of(options)
    by_models = checker(models)
    writes = wishes.repair and not wishes.dry_run
    with store_at(place, "r+" if writes else "r") as (store, path):
        where = in_hierarchy(store, joined(path, normal_path(below)))
        outcome: Outcome = carry_out(where, wishes, by_models, write_line(wishes))
    return write_outcome(outcome, wishes)
