"""What is served: stores by names, each opened once."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote

from omnizarr.errors import StoreError, UrlError
from omnizarr.hierarchy.group import AnyNode
from omnizarr.hierarchy.open import open as open_node
from omnizarr.hierarchy.opening.above import draft_above
from omnizarr.hierarchy.opening.locate import Place, Wishes, locate, wishes_of
from omnizarr.netcdf.files.magic import netcdf_file
from omnizarr.serve.inside import served
from omnizarr.store.base import Store
from omnizarr.store.layers.below import BelowStore
from omnizarr.store.urls.grammar import shown_place
from omnizarr.store.urls.open import archive_at

# A name that needs no quoting, neither in a URL nor in a shell.
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")
# How long a node is taken for what is stored; its documents may be written by others.
_FRESH = 10.0


@dataclass(slots=True, eq=False)
class Root:
    """A store that is served, and the node at its root.

    Attributes
    ----------
    name
        What stands for it in addresses.
    url
        Where it is, without credentials.
    store
        What is served of it, all of it.
    path
        The path of its node in `store`.
    """

    name: str
    url: str
    store: Store
    path: str = ""
    wishes: Wishes = field(default_factory=Wishes)
    _node: AnyNode | None = field(default=None, init=False, repr=False)
    _opened: float = field(default=0.0, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def node(self, *, again: bool = False) -> AnyNode:
        """Return the array or group there, opened a few seconds ago at most; with `again` just now.

        Raises
        ------
        NodeNotFoundError
            There is none.
        MetadataError, StoreError
            It cannot be read.
        """
        with self._lock:
            if self._node is None or again or time.monotonic() - self._opened > _FRESH:
                self._node = open_node(
                    self.store,
                    mode="r",
                    path=self.path,
                    zarr_format=self.wishes.zarr_format,
                    use_consolidated=self.wishes.use_consolidated,
                )
                self._opened = time.monotonic()
            return self._node

    def forget(self) -> None:
        """Open the node anew when it is asked for: something has been written."""
        with self._lock:
            self._node = None

    @property
    def address(self) -> str:
        """The name as it stands in a URL."""
        return quote(self.name, safe="")


def open_roots(
    places: Sequence[str], *, writable: bool = False, follow_links: bool = False, hidden: bool = False
) -> list[Root]:
    """Open what is to be served: paths and URLs, or `NAME=PLACE`.

    Parameters
    ----------
    writable
        Whether stores are opened for writing, too.
    follow_links, hidden
        As in `served`.

    Raises
    ------
    UrlError
        A name is given twice, or a place is within the hierarchy of a draft.
    StoreError
        A store cannot be opened, or it is a netCDF file.
    """
    roots: list[Root] = []
    try:
        for name, place in _named(places):
            roots.append(_opened(name, place, writable, follow_links, hidden))
    except BaseException:
        close_roots(roots)
        raise
    return roots


def close_roots(roots: Iterable[Root]) -> None:
    """Close the stores."""
    for root in roots:
        root.store.close()


def _opened(name: str, place: str, writable: bool, follow_links: bool, hidden: bool) -> Root:
    shown = shown_place(place)
    if (path := netcdf_file(place)) is not None and path.exists():
        raise StoreError("expected a Zarr store, found a netCDF file; omnizarr copy converts it", store=shown)
    if draft_above(place) is not None:
        message = "expected a store: this is within a hierarchy, whose keys are no longer its own below there"
        raise UrlError(f"{message}; serve the hierarchy", store=shown)
    found = locate(place, None, "r+" if writable else "r")
    store, inside = found if writable else _archive(place, found) or found
    store = served(store, follow_links=follow_links, hidden=hidden)
    return Root(name, shown, BelowStore(store, inside) if inside else store, wishes=wishes_of(place))


def _archive(place: str, found: Place) -> Place | None:
    """Return the zip archive that a URL of a network means where it has nothing of its own below it."""
    if found.store.requests == 1 or found.path:
        return None
    archive = archive_at(place)
    if archive is None:
        return None
    found.store.close()
    return Place(archive.store, archive.path)


# Names


def _named(places: Sequence[str]) -> list[tuple[str, str]]:
    """Return places with names, all of them distinct."""
    given = [_split(place) for place in places]
    taken: set[str] = set()
    for name, place in given:
        if name is not None and name in taken:
            raise UrlError(f"expected distinct names, found {name!r} twice", store=shown_place(place))
        if name is not None:
            taken.add(name)
    named = []
    for name, place in given:
        if name is None:
            name = _free(_last_part(place), taken)
            taken.add(name)
        named.append((name, place))
    return named


def _split(place: str) -> tuple[str | None, str]:
    """Return the name that is said and the place; a path that is there is a path, also where it has a `=`."""
    name, equals, rest = place.partition("=")
    if not equals or not rest or not _NAME.fullmatch(name) or os.path.lexists(place):
        return None, place
    return name, rest


def _last_part(place: str) -> str:
    """Return the last part of a path or URL, or of a step within it, as far as it is a name."""
    first, *steps = shown_place(place).split("|")
    if "://" not in first:
        first = str(Path(first).absolute())
    paths = [first, *(step.partition(":")[2] for step in steps)]
    parts = [re.split(r"[/\\:]", path.rstrip("/:"))[-1] for path in paths]
    last = unquote(next(filter(None, reversed(parts)), ""))
    return re.sub(r"[^A-Za-z0-9._-]+", "-", last).strip("-.") or "root"


def _free(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    return next(other for n in range(2, len(taken) + 3) if (other := f"{name}-{n}") not in taken)
