"""`omnizarr delete`: a node, or a whole hierarchy, deleted."""

from __future__ import annotations

import click

from omnizarr.cli.asking import dry_run_option, is_agreed, yes_option
from omnizarr.cli.places import place_argument, store_at
from omnizarr.cli.progress import progress_bar
from omnizarr.cli.sizes import counted, shown_size
from omnizarr.hierarchy.belongings import sizes_at
from omnizarr.hierarchy.paths import prefix_of
from omnizarr.hierarchy.removal import delete, place_of_removal
from omnizarr.netcdf.dialects.modes import asked_of


@click.command("delete")
@place_argument
@yes_option
@dry_run_option
def command(place: str, yes: bool, dry_run: bool) -> int:
    """Delete the array or group at PLACE, with everything below it.

    Asks first, on a terminal; elsewhere --yes is needed. A deletion that was interrupted is completed by the
    same command. Exit status 1: it was not wanted, and nothing was deleted.
    """
    with store_at(place) as (store, path):
        sizes = dict(store.list_sizes(prefix_of(path)))
        where = place_of_removal(store, path, sizes)
        if where.format.implicit_groups:
            sizes = dict(sizes_at(*where))
        there = f"{store.name.rstrip('/')}/{path}".rstrip("/")
    what = f"{counted(len(sizes), 'key')} ({shown_size(sum(sizes.values()))}) at {there}"
    if dry_run:
        click.echo(f"would delete {what}")
        return 0
    if not is_agreed(f"Delete {what}?", yes):
        click.echo("nothing was deleted", err=True)
        return 1
    with progress_bar("deleting", in_bytes=False) as advance:
        count = delete(asked_of(place).place, progress=advance)
    click.echo(f"deleted {counted(count, 'key')} at {there}")
    return 0
