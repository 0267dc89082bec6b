"""What a command is pointed at: a path or a URL, opened and closed again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click
from click.shell_completion import CompletionItem

from omnizarr.cli.completing import places
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.open import open as open_node
from omnizarr.hierarchy.opening.locate import Place, locate
from omnizarr.netcdf.files.magic import netcdf_file
from omnizarr.store.urls.open import Mode


class PlaceType(click.ParamType[str]):
    """A path or URL; an empty one, as an unset variable of a shell gives it, is not the current directory."""

    name = "place"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the place."""
        if not value.strip():
            self.fail("expected a path or a URL, found nothing", param, ctx)
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return what the place may become."""
        return places(incomplete)


place_argument = click.argument("place", metavar="PLACE", type=PlaceType())
json_option = click.option("--json", "as_json", is_flag=True, help="Write JSON.")


@contextmanager
def node_at(place: str, mode: Mode = "r") -> Iterator[Array | Group]:
    """Open the array or group at a place."""
    _refuse_netcdf_file(place)
    node = open_node(place, mode=mode)
    try:
        yield node
    finally:
        node.store.close()


@contextmanager
def store_at(place: str, mode: Mode = "r") -> Iterator[Place]:
    """Open the store at a place, whatever it holds; the path is that of a place within a zip file."""
    _refuse_netcdf_file(place)
    found = locate(place, None, mode)
    with found.store:
        yield found


def _refuse_netcdf_file(place: str) -> None:
    path = netcdf_file(place)
    if path is not None and path.exists():
        raise click.UsageError(
            f"{place} is a netCDF file: 'omnizarr dump' shows it, and 'omnizarr copy' converts it"
        )
