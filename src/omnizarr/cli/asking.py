"""Asking before something is deleted: on a terminal; elsewhere `--yes` has to say it."""

from __future__ import annotations

import sys

import click

yes_option = click.option("--yes", "-y", is_flag=True, help="Do not ask.")
dry_run_option = click.option("--dry-run", "-n", is_flag=True, help="Only say what would be done.")


def is_agreed(question: str, yes: bool) -> bool:
    """Say whether the user wants it.

    Raises
    ------
    click.UsageError
        There is no terminal to ask on, and no `--yes`.
    """
    if yes:
        return True
    if not has_terminal():
        raise click.UsageError(f"{question} There is no terminal to ask on: expected --yes")
    return click.confirm(question, err=True)


def has_terminal() -> bool:
    """Say whether somebody can be asked, and answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()
