"""What mkdocs cannot do by itself: the commands of the command line as a page, and bars in code in tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import click

from omnizarr.cli import cli

COMMANDS_HERE = "<!-- the commands stand here -->"
_CODE = re.compile(r"`[^`\n]+`")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Return a page as mkdocs is to read it (an event of mkdocs)."""
    return with_bars(markdown).replace(COMMANDS_HERE, "\n".join(command_lines()))


def with_bars(markdown: str) -> str:
    r"""Return a page with `|` for `\|` in code in tables: GitHub wants the one, Python-Markdown the other."""
    lines = markdown.split("\n")
    return "\n".join(_CODE.sub(_unescaped, line) if line.startswith("|") else line for line in lines)


def _unescaped(code: re.Match[str]) -> str:
    return code[0].replace(r"\|", "|")


def command_lines() -> Iterator[str]:
    """Return all commands with their options, as Markdown."""
    top = click.Context(cli, info_name="omnizarr")
    yield from _options(cli, top)
    for name in cli.list_commands(top):
        command = cli.get_command(top, name)
        assert command is not None, name
        yield from _command(command, top, name, level=2)


def _command(command: click.Command, parent: click.Context, name: str, level: int) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent)
    yield from ("", f"{'#' * level} {context.command_path}", "")
    pieces = " ".join(command.collect_usage_pieces(context))
    yield from ("```console", f"$ {context.command_path} {pieces}".rstrip(), "```", "")
    yield from _paragraphs(command.help or "")
    yield from _options(command, context)
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            assert found is not None, below
            yield from _command(found, context, below, level + 1)


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    records = [
        record for option in command.get_params(context) if (record := option.get_help_record(context))
    ]
    if records:
        yield from ("", "| option | |", "|---|---|")
        yield from (f"| `{_cell(names)}` | {_text(told)} |" for names, told in records)
        yield ""


def _cell(names: str) -> str:
    return names.replace("|", r"\|") if "`" in names else names


def _text(text: str) -> str:
    """Return plain text as Markdown that shows it."""
    return re.sub(r"([\\`*_{}\[\]<>|])", r"\\\1", text)


def _paragraphs(text: str) -> Iterator[str]:
    """Return help as Markdown; a paragraph after `\b` keeps its lines."""
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if paragraph.startswith("\b"):
            yield from ("```text", *paragraph.lstrip("\b\n").splitlines(), "```", "")
        else:
            yield from (_text(line.strip()) for line in paragraph.splitlines())
            yield ""
