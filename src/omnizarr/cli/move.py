"""`omnizarr move`: a node, or a whole hierarchy, brought to another place."""

from __future__ import annotations

import click

from omnizarr.cli.asking import dry_run_option, is_agreed, yes_option
from omnizarr.cli.parameters import Size
from omnizarr.cli.places import PlaceType, node_at
from omnizarr.cli.progress import progress_bar
from omnizarr.cli.sizes import counted, shown_size
from omnizarr.hierarchy.copying.check import plan_copy
from omnizarr.hierarchy.relocate import move
from omnizarr.netcdf.dialects.modes import asked_of
from omnizarr.store.memory import MemoryStore
from omnizarr.store.objects.places import shown_url


@click.command("move")
@click.argument("source", metavar="SRC", type=PlaceType())
@click.argument("target", metavar="DST", type=PlaceType())
@click.option("--memory", type=Size(), default="512MB", show_default=True, help="Memory to use at most.")
@click.option("--overwrite", is_flag=True, help="Replace what is at DST.")
@yes_option
@dry_run_option
def command(source: str, target: str, memory: int, overwrite: bool, yes: bool, dry_run: bool) -> int:
    """Move the array or hierarchy at SRC to DST, also to another store.

    It is copied as it is, and compared; only then SRC is deleted. Asks first, on a terminal; elsewhere --yes
    is needed. Exit status 1: it was not wanted, and nothing was moved.
    """
    aim = asked_of(target).place
    with node_at(source) as node:
        # What could not be moved is told before anything is asked; for that the target is not made.
        plan = plan_copy(node, MemoryStore(), node.format, memory=memory, strict=True)
        arrays = len(plan.tasks)
        size = shown_size(plan.total_bytes)
        what = f"{counted(len(plan.nodes) - arrays, 'group')}, {counted(arrays, 'array')} ({size} in memory)"
        ways = f"{node.store_path} to {shown_url(aim)}"
    if dry_run:
        click.echo(f"would move {what} from {ways}")
        return 0
    if not is_agreed(f"Move {what} from {ways}?", yes):
        click.echo("nothing was moved", err=True)
        return 1
    with progress_bar("moving") as advance:
        done = move(asked_of(source).place, aim, memory=memory, overwrite=overwrite, progress=advance)
    click.echo(
        f"moved {what}; {counted(done.moved.chunks, 'chunk')} ({shown_size(done.moved.bytes)}) as stored"
    )
    return 0
