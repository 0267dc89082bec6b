"""`omnizarr create`: an array or a hierarchy from its model."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import BinaryIO

import click

from omnizarr.cli.diff import model_in
from omnizarr.cli.places import PlaceType, store_at
from omnizarr.cli.sizes import counted
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.group import NodeMetadata
from omnizarr.netcdf.files.magic import netcdf_file
from omnizarr.store.urls.grammar import shown_place
from omnizarr.zom.storing import store_model


@click.command("create")
@click.argument("model", metavar="MODEL.json", type=click.File("rb"))
@click.argument("place", metavar="STORE", type=PlaceType())
@click.option("--overwrite", is_flag=True, help="Delete what is at STORE first, with its data.")
@click.option("--exist-ok", is_flag=True, help="Leave nodes that are the same, and create the others.")
@click.option("--consolidated", is_flag=True, help="Also write consolidated metadata.")
def command(model: BinaryIO, place: str, overwrite: bool, exist_ok: bool, consolidated: bool) -> None:
    """Create the array or hierarchy that MODEL.json describes at STORE, without values.

    MODEL.json is the JSON of an array or group, groups with their members, of Zarr v2 or v3; - is standard
    input. All nodes are created or, after a failure, none.
    """
    if overwrite and exist_ok:
        raise click.UsageError("expected --overwrite or --exist-ok, found both")
    if netcdf_file(place) is not None:
        message = f"expected a place for Zarr, found the name of a netCDF file: {shown_place(place)}"
        raise click.UsageError(f"STORE: {message}")
    spec = model_in(model.read(), "standard input" if model is sys.stdin.buffer else model.name)
    if consolidated and spec.kind == "array":
        raise click.UsageError("--consolidated: expected the model of a group, found that of an array")
    with store_at(place, "a") as (store, path):
        stored = store_model(
            spec, store, path, overwrite=overwrite, exist_ok=exist_ok, consolidated=consolidated
        )
    tell(stored.created)


def tell(created: Mapping[str, NodeMetadata]) -> None:
    """Say what was created."""
    arrays = sum(isinstance(metadata, ArrayMetadata) for metadata in created.values())
    click.echo(f"created {counted(len(created) - arrays, 'group')}, {counted(arrays, 'array')}")
