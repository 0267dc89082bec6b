"""`omnizarr keys`: what a store holds, key by key."""

from __future__ import annotations

import click

from omnizarr.cli.output import write_json
from omnizarr.cli.places import json_option, place_argument, store_at
from omnizarr.cli.sizes import counted, shown_size
from omnizarr.hierarchy.paths import prefix_of


@click.command("keys")
@place_argument
@click.argument("prefix", default="")
@json_option
def command(place: str, prefix: str, as_json: bool) -> None:
    """List the keys of the store at PLACE with the sizes of their values, in bytes.

    With PREFIX, only keys below it.
    """
    with store_at(place) as (store, path):
        below = prefix_of("/".join(filter(None, (path, prefix.strip("/")))))
        sizes = {key: store.size(key) or 0 for key in sorted(store.list_prefix(below))}
    if as_json:
        write_json([{"key": key, "size": size} for key, size in sizes.items()])
        return
    width = max((len(str(size)) for size in sizes.values()), default=1)
    for key, size in sizes.items():
        click.echo(f"{size:>{width}}  {key}")
    total = sum(sizes.values())
    click.echo(f"{counted(len(sizes), 'key')}, {shown_size(total)}", err=True)
