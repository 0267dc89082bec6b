"""`omnizarr schema`: models of hierarchies, as JSON, as JSON Schema and as types of TypeScript."""

from __future__ import annotations

from typing import Any

import click

from omnizarr.cli.models import complete_model, model_named
from omnizarr.cli.places import node_at, place_argument
from omnizarr.jsontypes import Json, dump_json
from omnizarr.zom import from_node, json_schema, typescript
from omnizarr.zom.node import NodeSpec

_VERSIONS = ("v2", "v3")
_MODEL = "v2|v3|CONVENTION|MODULE:MODEL|FILE.py:MODEL"

_model_argument = click.argument("model", metavar=_MODEL, shell_complete=complete_model)
_format_option = click.option(
    "--zarr-format",
    type=click.Choice(["2", "3"]),
    default="3",
    show_default=True,
    help="The version of Zarr that a convention's model is wanted for.",
)


@click.group("schema")
def command() -> None:
    """Models of hierarchies: of a store, or the schemas and types of models.

    A model is v2 or v3, any hierarchy of that version of Zarr; a convention, such as xarray; or a class of
    yours, as package.module:Model, where the current directory is looked into, or as path/to/file.py:Model.
    """


@command.command("json")
@_model_argument
@_format_option
def as_json_schema(model: str, zarr_format: str) -> None:
    """Print the JSON Schema of a model."""
    _write(json_schema(_named(model, zarr_format)))


@command.command("typescript")
@_model_argument
@_format_option
def as_typescript(model: str, zarr_format: str) -> None:
    """Print a model's types as a module of TypeScript."""
    click.echo(typescript(_named(model, zarr_format)), nl=False)


@command.command("of")
@place_argument
@click.option(
    "--depth", type=click.IntRange(min=0), help="Read so many levels down; 0 is the node alone, default all."
)
def model_of(place: str, depth: int | None) -> None:
    """Print the model of the array or hierarchy at PLACE as JSON.

    The members of groups that were not looked into are null.
    """
    with node_at(place) as node:
        _write(from_node(node, depth=depth).to_json())


def _named(text: str, zarr_format: str) -> type[NodeSpec[Any]] | str:
    return text if text in _VERSIONS else model_named(text, int(zarr_format))


def _write(document: Json) -> None:
    """Write JSON as documents in stores have it, in which NaN is no text."""
    click.echo(dump_json(document).decode("utf-8", "surrogateescape"))
