"""`omnizarr consolidate`: the metadata of a hierarchy in one document."""

from __future__ import annotations

import click

from omnizarr.cli.places import place_argument
from omnizarr.hierarchy.consolidate import consolidate_metadata
from omnizarr.store.url import open_store


@click.command("consolidate")
@place_argument
@click.option("--zarr-format", type=click.Choice(["2", "3"]), help="Which, where there are two.")
def command(place: str, zarr_format: str | None) -> None:
    """Gather the metadata of all nodes below the group at PLACE in its root.

    What is changed later makes them stale; `omnizarr validate` tells.
    """
    with open_store(place, mode="r+") as store:
        group = consolidate_metadata(store, zarr_format=None if zarr_format is None else int(zarr_format))
    nodes = len(group.metadata.consolidated or {})
    click.echo(f"consolidated {nodes} node{'' if nodes == 1 else 's'} in {group.store_path}")
