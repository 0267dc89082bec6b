"""`omnizarr config`: the settings in force, and where each comes from."""

from __future__ import annotations

import os

import click

from omnizarr.cli.output import write_json
from omnizarr.cli.places import json_option
from omnizarr.config import PREFIX, config, variable_of
from omnizarr.jsontypes import shown

OTHERS = ("OMNIZARR_LOG",)


@click.command("config")
@json_option
def command(as_json: bool) -> None:
    """List all settings with their values, and where each comes from.

    They are set by environment variables; docs/configuration.md says what each means.
    """
    origins = config.origins()
    if as_json:
        write_json(
            {
                name: {"value": getattr(config, name), "origin": origin, "variable": variable_of(name)}
                for name, origin in origins.items()
            }
        )
    else:
        values = {name: shown(getattr(config, name)) for name in origins}
        widths = max(map(len, values)) + 2, max(map(len, values.values())) + 2
        for name, value in values.items():
            click.echo(f"{name:<{widths[0]}}{value:<{widths[1]}}{origins[name]}")
    for name in unknown_variables():
        click.echo(f"omnizarr: warning: {name} is set, and is no setting", err=True)


def unknown_variables() -> list[str]:
    """Return the variables of the environment that look like settings and are none."""
    known = {*map(variable_of, config.origins()), *OTHERS}
    return sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known)
