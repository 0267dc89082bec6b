"""The types of options: sizes, lengths, codecs, chunks as nccopy has them."""

from __future__ import annotations

import json
from typing import Any

import click
from click.shell_completion import CompletionItem

from omnizarr.cli.completing import names
from omnizarr.cli.sizes import parse_size
from omnizarr.codecs.registry import CODECS, codec_class
from omnizarr.jsontypes import shown
from omnizarr.metadata.chains import PREFIX

EVERY = ""
CODEC_EXAMPLE = '{"name": "zstd", "configuration": {"level": 3}}'


def format_named(text: str) -> int | str:
    """Return a format as functions take it: a number, or the name of a draft."""
    return int(text) if text.isdigit() else text


class Size(click.ParamType[Any]):
    """A byte count: `512MB`, `1.5GiB`, `4096`."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number of bytes."""
        try:
            return value if isinstance(value, int) else parse_size(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Lengths(click.ParamType[Any]):
    """Lengths for one array (`PATH=10,20`) or for all (`10,20`); `auto`, or `none` for no shards."""

    name = "[path=]lengths"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return (path, lengths)."""
        path, found, text = value.rpartition("=")
        if text in ("auto", "none"):
            return path if found else EVERY, None if text == "none" else text
        try:
            return path if found else EVERY, tuple(int(length) for length in text.split(","))
        except ValueError:
            self.fail(f"expected lengths such as 100,200 or PATH=100,200, found {value!r}", param, ctx)


class Codecs(click.ParamType[Any]):
    """Codecs as JSON, or the name of one; for one array (`PATH=zstd`) or for all; `none` for none."""

    name = "[path=]codecs"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return (path, codecs)."""
        path, found, text = ("", "", value) if value.startswith(("{", "[")) else value.partition("=")
        if not found:
            text = value
        return path if found else EVERY, self._codecs(text, param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names of codecs that start so."""
        return names((*CODECS, "none"), incomplete)

    def _codecs(self, text: str, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if text == "none":
            return None
        if not text.startswith(("{", "[")):
            return {"name": _known(text)}
        try:
            return json.loads(text)
        except ValueError as error:
            self.fail(f"expected JSON such as {CODEC_EXAMPLE}, found {shown(text)}: {error}", param, ctx)


def _known(name: str) -> str:
    """Return the name that Zarr v3 has for a codec, where only numcodecs knows it by this one."""
    other = f"{PREFIX}{name}"
    return other if codec_class(name) is None and codec_class(other) is not None else name


class ChunkSpec(click.ParamType[Any]):
    """Chunks as nccopy has them: `time/10,lat/100`, or `VAR:10,100` for one variable.

    `time/` is all of a dimension, `/` no chunks at all, and `VAR:` one piece for a variable.
    """

    name = "dim/n,…"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return what `chunks` takes: a mapping, or `contiguous`."""
        if value == "/":
            return "contiguous"
        variable, found, sizes = value.rpartition(":")
        try:
            if found:
                return {variable: tuple(map(int, sizes.split(","))) if sizes else "contiguous"}
            return dict(_along(part) for part in value.split(","))
        except ValueError:
            example = "time/10,lat/100 or VAR:10,100"
            self.fail(f"expected chunks such as {example}, found {value!r}", param, ctx)


def _along(part: str) -> tuple[str, int]:
    """Return a dimension and its length; the name may itself have slashes."""
    dimension, slash, length = part.rpartition("/")
    if not slash or not dimension:
        raise ValueError(part)
    return dimension, int(length) if length else 0


class FilterSpec(click.ParamType[Any]):
    """Filters by HDF5's numbers, as nccopy has them: `307,9`, `VAR,32015,3|1,5`, `none`."""

    name = "[vars,]filters"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return (variables, the text of the filters); no variables stand for all."""
        head, comma, rest = value.partition(",")
        if value.lower() == "none" or head.split("|")[0].strip().isdigit():
            return (), value
        if not comma:
            self.fail(f"expected filters such as 307,9 or VAR,32015,3, found {value!r}", param, ctx)
        return () if head == "*" else tuple(head.split("|")), rest
