"""`omnizarr diff`: in what two hierarchies, or models of them, differ."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from omnizarr.cli.output import write_json
from omnizarr.cli.places import PlaceType, json_option, node_at
from omnizarr.errors import MetadataError
from omnizarr.hierarchy.group import AnyNode
from omnizarr.zom import NodeSpec, diff, from_json


@click.command("diff")
@click.argument("one", metavar="A", type=PlaceType())
@click.argument("other", metavar="B", type=PlaceType())
@click.option("--include", metavar="FIELDS", multiple=True, help="Only these fields: shape,attributes")
@click.option("--exclude", metavar="FIELDS", multiple=True, help="Not these; 'members' for the nodes alone.")
@json_option
def command(one: str, other: str, include: tuple[str, ...], exclude: tuple[str, ...], as_json: bool) -> int:
    """List what differs between A and B, and exit with status 1 where anything does.

    Each of them is a hierarchy or a MODEL.json, as `omnizarr schema of` prints it; - is such a model on
    standard input. Metadata and attributes are compared by what they mean, however they are spelled; values
    of arrays are not looked at.
    """
    if one == other == "-":
        raise click.UsageError("expected - for one of A and B, found it for both")
    with _opened(one) as first, _opened(other) as second:
        found = diff(first, second, include=_fields(include), exclude=_fields(exclude))
    if as_json:
        write_json([difference.to_json() for difference in found])
    else:
        for difference in found:
            click.echo(str(difference))
        if not found:
            click.echo("no differences")
    return 1 if found else 0


def _fields(given: tuple[str, ...]) -> list[str]:
    return [name.strip() for text in given for name in text.split(",") if name.strip()]


@contextmanager
def _opened(place: str) -> Iterator[NodeSpec[Any] | AnyNode]:
    """Read the model in a file, or open the node at a place."""
    path = Path(place)
    if place == "-":
        yield model_in(sys.stdin.buffer.read(), "standard input")
    elif path.suffix.lower() == ".json" and path.is_file():
        yield model_in(path.read_bytes(), str(path))
    else:
        with node_at(place) as node:
            yield node


def model_in(text: bytes, name: str) -> NodeSpec[Any]:
    """Return the model that the JSON of a file is; errors tell the name of the file."""
    try:
        return from_json(text)
    except MetadataError as error:
        raise MetadataError(error.problems, store=name) from error
