"""`omnizarr keys`: what a store holds, key by key."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress

import click

from omnizarr.cli.output import write_json, write_text
from omnizarr.cli.places import json_option, place_argument, store_at
from omnizarr.cli.sizes import counted, shown_size
from omnizarr.errors import MetadataError
from omnizarr.hierarchy.belongings import sizes_at
from omnizarr.hierarchy.opening.within import hierarchies_above
from omnizarr.hierarchy.paths import prefix_of
from omnizarr.store.base import Store

# Of the column of sizes where they are not known before the first is written: up to 999 GB.
_WIDTH = 12


@click.command("keys")
@place_argument
@click.argument("prefix", default="")
@json_option
def command(place: str, prefix: str, as_json: bool) -> None:
    """List the keys of the store at PLACE with the sizes of their values, in bytes.

    With PREFIX, only keys below it. They are in order; those of stores on a network come as the listing does.
    """
    with store_at(place) as (store, path):
        listed = _listed(store, path, prefix.strip("/"))
        if store.requests > 1 and not as_json:
            _show(listed, _WIDTH)
            return
        sizes = sorted(listed)
    if as_json:
        write_json([{"key": key, "size": size} for key, size in sizes])
    else:
        _show(sizes, max((len(str(size)) for _, size in sizes), default=1))


def _listed(store: Store, path: str, prefix: str) -> Iterator[tuple[str, int]]:
    """Return the keys below a path with their sizes; of a node of a draft, wherever the draft has them."""
    if path and not prefix:
        with suppress(MetadataError):
            for draft in hierarchies_above(store, path):
                return sizes_at(*draft)
    return store.list_sizes(prefix_of("/".join(filter(None, (path, prefix)))))


def _show(listed: Iterable[tuple[str, int]], width: int) -> None:
    """Write a line for each key, as they come."""
    count = total = 0

    def lines() -> Iterator[str]:
        nonlocal count, total
        for key, size in listed:
            count += 1
            total += size
            yield f"{size:>{width}}  {key}\n"

    write_text(lines())
    sys.stdout.flush()
    click.echo(f"{counted(count, 'key')}, {shown_size(total)}", err=True)
