"""`omnizarr tree`: a hierarchy as a tree."""

from __future__ import annotations

import warnings

import click

from omnizarr.cli.output import write_json
from omnizarr.cli.places import json_option, node_at, place_argument
from omnizarr.errors import MetadataError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.tree import described, draw
from omnizarr.jsontypes import JsonObject
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.group import NodeMetadata


@click.command("tree")
@place_argument
@click.option("--level", "-L", type=click.IntRange(min=1), help="Show so many levels.")
@click.option("--max-nodes", type=click.IntRange(min=1), default=10_000, show_default=True)
@json_option
def command(place: str, level: int | None, max_nodes: int, as_json: bool) -> None:
    """Show the hierarchy at PLACE as a tree."""
    with node_at(place) as node:
        if as_json:
            write_json([_entry("", node.metadata), *_entries(node, level)])
        elif isinstance(node, Array):
            click.echo(f"{node.store_path} {described(node.metadata)}")
        else:
            depth = None if level is None else level - 1
            click.echo(str(draw(node.store_path, node.walk(depth, on_error=_warn), max_nodes)))


def _entries(node: Array | Group, level: int | None) -> list[JsonObject]:
    if isinstance(node, Array):
        return []
    depth = None if level is None else level - 1
    return [_entry(path, metadata) for path, metadata in node.walk(depth, on_error=_warn)]


def _warn(path: str, error: MetadataError) -> None:
    warnings.warn(f"/{path} is left out: {error}", stacklevel=2)


def _entry(path: str, metadata: NodeMetadata) -> JsonObject:
    if not isinstance(metadata, ArrayMetadata):
        return {"path": f"/{path}", "kind": "group"}
    kind = metadata.data_type
    return {"path": f"/{path}", "kind": "array", "shape": list(metadata.shape), "data_type": kind.name}
