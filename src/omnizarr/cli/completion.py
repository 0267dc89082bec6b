"""`omnizarr completion`: what makes a shell complete commands, options and places."""

from __future__ import annotations

import os
from pathlib import PurePath

import click
from click.shell_completion import get_completion_class

VARIABLE = "_OMNIZARR_COMPLETE"
SHELLS = {
    "bash": "~/.local/share/bash-completion/completions/omnizarr",
    "zsh": "~/.zfunc/_omnizarr, with fpath+=~/.zfunc before compinit in ~/.zshrc",
    "fish": "~/.config/fish/completions/omnizarr.fish",
}
# A group goes on with what is below it, so that no blank follows its slash.
_TAKEN = "COMPREPLY+=($value)"
_AT_A_GROUP = f"{_TAKEN}\n            [[ $value == */ ]] && compopt -o nospace"


@click.command("completion")
@click.argument("shell", type=click.Choice(tuple(SHELLS)), required=False)
@click.pass_context
def command(ctx: click.Context, shell: str | None) -> None:
    """Print the script that makes SHELL (else the one you use) complete commands, options and places.

    To try it, in bash and zsh: eval "$(omnizarr completion)"; in fish: omnizarr completion | source. To keep
    it, write it to the file that its last line names.
    """
    name = shell or PurePath(os.environ.get("SHELL", "")).name
    found = get_completion_class(name) if name in SHELLS else None
    if found is None:
        known = ", ".join(SHELLS)
        raise click.UsageError(f"the shell is not known: expected {known}, found {name or 'none in SHELL'}")
    script = found(ctx.find_root().command, {}, "omnizarr", VARIABLE)
    text = script.source_template % script.source_vars()
    # zsh has a first line that must stay the first, so that this one is the last
    click.echo(f"{text.replace(_TAKEN, _AT_A_GROUP).strip()}\n# To keep this, write it to {SHELLS[name]}")
