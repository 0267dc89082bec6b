"""The command line: which commands there are, and how a run of one ends.

Exit status: 0; 1 where a command that looks for something found it (problems, differences); 2 for usage
and input errors, told in one line on standard error; 130 after Ctrl-C; 141 where the reader of the output
went away, as for any command of a pipe.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from omnizarr.cli.completion import VARIABLE
from omnizarr.cli.logs import LEVELS, logging_to_stderr
from omnizarr.config import config
from omnizarr.errors import OmniZarrError

# A command is imported when it is run: what one needs, the others need not wait for.
COMMANDS = {
    "completion": "Print the script that makes a shell complete what is typed.",
    "config": "List the settings in force.",
    "consolidate": "Gather the metadata of a hierarchy in its root.",
    "copy": "Copy a node or a whole hierarchy, or a netCDF file.",
    "create": "Create an array or a hierarchy from its model.",
    "delete": "Delete a node or a whole hierarchy.",
    "demo": "Convert a netCDF file and compare it through three readers.",
    "diff": "List what differs between two hierarchies or models.",
    "doctor": "Look at what is installed and works, and at how fast this machine is.",
    "dump": "Show a dataset as CDL, as ncdump does.",
    "gen": "Make a dataset from CDL, as ncgen does.",
    "info": "Describe an array or a group.",
    "keys": "List the keys of a store, and the sizes of their values.",
    "move": "Move a node or a whole hierarchy.",
    "plot": "Draw an array, in a file or in the terminal.",
    "schema": "Print the model of a hierarchy, or the schema of a model.",
    "serve": "Serve stores over HTTP, and a page that shows them.",
    "tree": "Show a hierarchy as a tree.",
    "validate": "Look for problems in a hierarchy, and repair some.",
}

DEBUG = "--debug"


class Commands(click.Group):
    """The group of all commands; `main` turns every failure into a line and an exit status."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, which is imported for it."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"omnizarr.cli.{cmd_name}").command
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return commands or options that start so, without importing any."""
        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        return [
            CompletionItem(name, help=COMMANDS[name])
            for name in sorted(COMMANDS)
            if name.startswith(incomplete)
        ]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name]) for name in sorted(COMMANDS)])

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> None:
        """Run a command, and exit."""
        given = list(sys.argv[1:] if args is None else args)
        debug = DEBUG in given
        arguments = [argument for argument in given if argument != DEBUG]
        extra["standalone_mode"] = False
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            status = self._status(arguments, debug, extra)
        sys.exit(status)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; a reader that went away is told apart, since to click it is status 1."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _ReaderGone from error

    def _status(self, arguments: list[str], debug: bool, extra: dict[str, Any]) -> int:
        try:
            status = super().main(arguments, "omnizarr", **extra)
            sys.stdout.flush()
        except (click.Abort, KeyboardInterrupt):
            _say("interrupted")
            return 130
        except (_ReaderGone, BrokenPipeError):
            _silence()
            return 141
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message(), err=True)
            return 2
        except Exception as error:
            if VARIABLE in os.environ:
                return 1  # a shell asks what may be completed, while somebody types
            if debug:
                traceback.print_exc()
            _say(told(error))
            return 2
        return status if isinstance(status, int) else 0


class _ReaderGone(Exception):
    """The reader of our output has gone, which is its right."""


def _silence() -> None:
    """Write to nobody from now on: Python flushes at exit, and would complain of a reader that has gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())


def told(error: Exception) -> str:
    """Return an error as one line: what the user gave, or what was found there."""
    if isinstance(error, click.ClickException):
        return _line(error.format_message())
    if isinstance(error, OSError) and not isinstance(error, OmniZarrError) and error.strerror:
        place = f": {error.filename}" if error.filename else ""
        return _line(error.strerror + place)
    if isinstance(error, MemoryError):
        return "out of memory"
    if isinstance(error, ImportError) and "pip install" in str(error):  # of an extra, which it names
        return _line(str(error))
    if isinstance(error, OmniZarrError | ValueError | OSError):
        # Errors name the argument of the library; on the command line it is an option.
        text = str(error).replace("overwrite=True", "--overwrite").replace("exist_ok=True", "--exist-ok")
        return _line(text)
    return _line(f"unexpected {type(error).__name__}: {error} ({DEBUG} shows where)")


def _line(text: str) -> str:
    head, *rest = [part.strip() for part in text.splitlines() if part.strip()] or [""]
    if not rest:
        return head
    return head + " " + "; ".join(part.removeprefix("- ") for part in rest)


def _say(text: str) -> None:
    with suppress(BrokenPipeError):  # nobody reads, but the exit status still tells
        click.echo(f"omnizarr: {text}", err=True)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _say(f"warning: {_line(str(message))}")


def _show_versions(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        version_text: Callable[[], str] = import_module("omnizarr.cli.installed").version_text
        click.echo(version_text())
        ctx.exit()


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_versions,
    help="Show the versions of omnizarr and of the libraries it uses.",
)
@click.option(DEBUG, is_flag=True, expose_value=False, help="Show where an error came from.")
@click.option(
    "-v", "--verbose", count=True, help="Tell what is done, on standard error; -vv: requests to stores too."
)
@click.option(
    "--log-level",
    type=click.Choice(LEVELS, case_sensitive=False),
    envvar="OMNIZARR_LOG",
    help="The same by name.",
)
@click.pass_context
def cli(ctx: click.Context, verbose: int, log_level: str | None) -> None:
    """Look into, check, convert and copy Zarr hierarchies and netCDF datasets.

    Wherever a dataset is asked for, a path or a URL will do.
    """
    _ = config.settings  # a variable that is wrong is told before anything is done
    level = LEVELS[min(verbose, 2)] if verbose else log_level
    if level is not None:
        ctx.with_resource(logging_to_stderr(level))


def main() -> None:
    """Run the command line."""
    cli()
