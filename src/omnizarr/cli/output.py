"""What commands write to standard output."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import click

from omnizarr.jsontypes import Json, dump_json


def write_json(value: Json) -> None:
    """Write a JSON document."""
    click.echo(dump_json(value).decode("utf-8", "surrogateescape"))


def write_text(pieces: Iterable[str]) -> None:
    """Write text piece by piece; bytes that are no UTF-8 come out as they were."""
    stream = sys.stdout
    stream.flush()
    binary = getattr(stream, "buffer", None)
    for piece in pieces:
        if binary is None:
            stream.write(piece)
        else:
            binary.write(piece.encode("utf-8", "surrogateescape"))
