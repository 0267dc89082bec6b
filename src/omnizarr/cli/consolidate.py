"""`omnizarr consolidate`: the metadata of a hierarchy in one document."""

from __future__ import annotations

import click

from omnizarr.cli.parameters import format_named
from omnizarr.cli.places import place_argument, store_at
from omnizarr.cli.sizes import counted
from omnizarr.hierarchy.consolidate import consolidate_metadata


@click.command("consolidate")
@place_argument
@click.option("--zarr-format", type=click.Choice(["2", "3", "3-2019"]), help="Which, where there are two.")
def command(place: str, zarr_format: str | None) -> None:
    """Gather the metadata of all nodes below the group at PLACE in its root.

    What is changed later makes them stale; `omnizarr validate` tells.
    """
    format = None if zarr_format is None else format_named(zarr_format)
    with store_at(place, "r+") as (store, path):
        group = consolidate_metadata(store, path, format)
    nodes = len(group.metadata.consolidated or {})
    click.echo(f"consolidated {counted(nodes, 'node')} in {group.store_path}")
