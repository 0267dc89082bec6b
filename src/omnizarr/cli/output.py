"""What commands write to standard output."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from math import isfinite, isnan

import click

from omnizarr.jsontypes import Json, dump_json


def write_json(value: Json) -> None:
    """Write a JSON document; numbers that JSON has not are strings, as in Zarr v3: `"NaN"`, `"Infinity"`."""
    click.echo(dump_json(_strict(value)).decode("utf-8", "surrogateescape"))


def _strict(value: Json) -> Json:
    match value:
        case dict():
            return {name: _strict(item) for name, item in value.items()}
        case list():
            return [_strict(item) for item in value]
        case float() if not isfinite(value):
            return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


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
