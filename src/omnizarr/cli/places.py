"""What a command is pointed at: a path or a URL, opened and closed again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.open import open as open_node
from omnizarr.store.base import Store
from omnizarr.store.url import Mode, open_store

place_argument = click.argument("place", metavar="PLACE")
json_option = click.option("--json", "as_json", is_flag=True, help="Write JSON.")

_NETCDF = (".nc", ".nc4", ".cdf", ".netcdf")
_MAGIC = (b"CDF\x01", b"CDF\x02", b"CDF\x05", b"\x89HDF\r\n\x1a\n")


@contextmanager
def node_at(place: str, mode: Mode = "r") -> Iterator[Array | Group]:
    """Open the array or group at a place."""
    node = open_node(place, mode=mode)
    try:
        yield node
    finally:
        node.store.close()


@contextmanager
def store_at(place: str) -> Iterator[Store]:
    """Open the store at a place for reading, whatever it holds."""
    with open_store(place, mode="r") as store:
        yield store


def is_netcdf_file(place: str) -> bool:
    """Say whether a place is, or by its name claims to be, a file of netCDF-3, netCDF-4 or HDF5."""
    path = Path(place)
    if not path.is_file():
        return path.suffix.lower() in _NETCDF and not path.exists() and "://" not in place
    with path.open("rb") as file:
        return file.read(8).startswith(_MAGIC) or path.suffix.lower() in _NETCDF
