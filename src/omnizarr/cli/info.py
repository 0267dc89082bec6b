"""`omnizarr info`: what an array or a group is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from omnizarr.cli.output import write_json
from omnizarr.cli.places import json_option, node_at, place_argument
from omnizarr.cli.sizes import shown_size
from omnizarr.errors import ConversionError, MetadataError, StoreError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.belongings import sizes_at
from omnizarr.hierarchy.group import Group, knowing
from omnizarr.jsontypes import Json, JsonObject, as_json, shown
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.extension import as_called
from omnizarr.metadata.fill import write_fill
from omnizarr.metadata.group import GroupMetadata
from omnizarr.netcdf.dialects.detect import read_dataset
from omnizarr.netcdf.dialects.modes import asked_of
from omnizarr.netcdf.model.nodes import DatasetModel

T = TypeVar("T")
# What stores say where web servers list nothing: the error of a listing that was refused by all means.
_NO_NAMES = "tells no names"


@click.command("info")
@place_argument
@json_option
def command(place: str, as_json: bool) -> None:
    """Describe the array or group at PLACE: what it is, how it is stored, its attributes."""
    with node_at(place) as node:
        facts = _of_array(node) if isinstance(node, Array) else _of_group(node, asked_of(place).opened_as())
        attributes = dict(node.attrs)
    if as_json:
        write_json({**facts, "attributes": attributes})
        return
    width = max(map(len, facts)) + 2
    for name, value in facts.items():
        click.echo(f"{name.replace('_', ' '):<{width}}{_shown(name, value)}")
    if attributes:
        click.echo("attributes")
    for name, value in attributes.items():
        click.echo(f"  {name}: {shown(value, 200)}")


def _shown(name: str, value: Json) -> str:
    if name == "fill_value":
        return shown(value, 500)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name.endswith("bytes") and isinstance(value, int):
        return f"{value} ({shown_size(value)})" if value >= 1000 else f"{value}"
    if isinstance(value, str | int):
        return str(value)
    if isinstance(value, list) and name == "codecs":
        return ", ".join(map(as_called, value))
    return shown(value, 500)


def _of_array(array: Array) -> JsonObject:
    chunks, stored = _listed(array.stored) or (None, None)
    facts: dict[str, Any] = {
        "kind": "array",
        "zarr_format": array.zarr_format,
        "store": array.store_path,
        "shape": list(array.shape),
        "data_type": array.metadata.data_type.name,
        "dtype": str(array.dtype),
        "chunks": array.chunks,
        "shards": array.shards,
        "codecs": [codec.to_json() for codec in array.metadata.codecs],
        "fill_value": _fill(array),
        "dimension_names": array.dimension_names,
        "bytes": array.nbytes,
        "stored_bytes": stored,
        "stored_chunks": chunks,
        "all_chunks": array.nchunks,
    }
    optional = ("shards", "dimension_names", "stored_bytes", "stored_chunks")
    return {name: _json(value) for name, value in facts.items() if value is not None or name not in optional}


def _listed(ask: Callable[[], T]) -> T | None:
    """Return what a listing tells; None where a web server lists nothing, and metadata are all there is."""
    try:
        return ask()
    except StoreError as error:
        if _NO_NAMES not in str(error):
            raise
        return None


def _fill(array: Array) -> Json:
    """Return the fill value as Zarr v3 would write it, whatever the format; NaT by its name."""
    if array.dtype.kind in "mM":
        return str(array.fill_value)
    try:
        return write_fill(array.metadata.fill_value, array.metadata.data_type)
    except (TypeError, ValueError, ConversionError):
        return None if array.fill_value is None else repr(array.fill_value)


def _json(value: Any) -> Json:
    return as_json(list(value) if isinstance(value, tuple) else value)


def _of_group(group: Group, dialect: str | None) -> JsonObject:
    unreadable: JsonObject = {}
    sizes = _listed(lambda: dict(sizes_at(group.store, group.format, group.path)))
    nodes = dict(
        group.walk(on_error=lambda path, error: unreadable.update({f"/{path}": str(error)}), keys=sizes)
    )
    facts: JsonObject = {
        "kind": "group",
        "zarr_format": group.zarr_format,
        "store": group.store_path,
        "groups": sum(isinstance(node, GroupMetadata) for node in nodes.values()),
        "arrays": sum(isinstance(node, ArrayMetadata) for node in nodes.values()),
        "consolidated": group.metadata.consolidated is not None,
    }
    if sizes is not None:
        facts |= {"keys": len(sizes), "stored_bytes": sum(sizes.values())}
    if unreadable:
        facts["unreadable"] = unreadable
    else:
        group = knowing(group, nodes)
    try:
        return facts | _of_dataset(read_dataset(group, dialect).found.model)
    except MetadataError as error:  # of a node below, which `validate` tells more about
        return facts | {"problem": "; ".join(map(str.strip, str(error).splitlines()))}


def _of_dataset(model: DatasetModel) -> JsonObject:
    """Return what the group is as a netCDF dataset, and what netCDF cannot show of it."""
    facts: JsonObject = {"netcdf": model.dialect}
    if model.properties:
        facts["netcdf_properties"] = model.properties
    if model.unmapped:
        facts["not_in_netcdf"] = {item.path: item.reason for item in model.unmapped}
    return facts
