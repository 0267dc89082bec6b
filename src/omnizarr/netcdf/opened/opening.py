"""The root of a dataset, opened or made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, Self

from omnizarr._version import __version__
from omnizarr.errors import NodeExistsError, NodeNotFoundError, StoreNotFoundError
from omnizarr.hierarchy.consolidate import consolidate_metadata
from omnizarr.hierarchy.creating.place import place
from omnizarr.hierarchy.discover import is_node
from omnizarr.hierarchy.group import Group as Node
from omnizarr.hierarchy.open import open_group
from omnizarr.hierarchy.opening.formats import format_of
from omnizarr.hierarchy.opening.locate import locate
from omnizarr.hierarchy.paths import prefix_of
from omnizarr.metadata.formats import FORMATS
from omnizarr.netcdf.dialects.base import Dialect
from omnizarr.netcdf.dialects.sidecars import store_sidecars
from omnizarr.netcdf.files.magic import is_netcdf
from omnizarr.netcdf.model.nodes import GroupModel
from omnizarr.store.base import Store
from omnizarr.store.urls.open import Mode

PROPERTIES = f"version=2,omnizarr={__version__},nczarr=2.0.0"

MODES = ("r", "r+", "a", "w", "x")
# netCDF4-python's spellings for files that are not buffered.
_ALIASES = {"rs": "r", "r+s": "r+", "as": "a", "ws": "w"}


def mode_of(mode: str, clobber: bool) -> str:
    """Return the mode that an argument means, one of `MODES`.

    Raises
    ------
    ValueError
        It is none.
    """
    if mode not in (*MODES, *_ALIASES):
        raise ValueError(f"mode: expected one of {', '.join(map(repr, MODES))}, found {mode!r}")
    mode = _ALIASES.get(mode, mode)
    return "x" if mode == "w" and not clobber else mode


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a dataset is, or will be.

    Attributes
    ----------
    target, path, storage_options
        As `omnizarr.open` takes them.
    consolidated
        Whether to read from consolidated metadata, and to make them for a new dataset.
    """

    target: Any = field(repr=False)  # a URL may have credentials too
    path: str | None
    storage_options: Mapping[str, Any] | None = field(repr=False)  # perhaps with credentials
    consolidated: bool

    def within(self, store: Store) -> Self:
        """Return the root of a store as the place of the same dataset."""
        return replace(self, target=store, path=None, storage_options=None)

    def node(self, mode: str, dialect: Callable[[], Dialect]) -> Node:
        """Return the root of the dataset, opened or made in a dialect, which is only then asked for.

        Raises
        ------
        NodeNotFoundError, StoreNotFoundError
            There is nothing to read.
        NodeExistsError
            There is something, and `mode` is `"x"`; or it is not Zarr.
        """
        if mode == "r":
            return self._existing("r", self.consolidated)
        if mode in ("r+", "a"):
            try:
                # netCDF-C never brings consolidated metadata up to date: what is changed is read as it is.
                return self._existing("r+", False)
            except (NodeNotFoundError, StoreNotFoundError):
                mode = "x"
        node = self._made(dialect(), replaces=mode == "w")
        if self.consolidated:
            return consolidate_metadata(node.store, node.path, node.zarr_format)
        return node

    def _existing(self, mode: Mode, consolidated: bool) -> Node:
        return open_group(
            self.target,
            mode=mode,
            path=self.path,
            storage_options=self.storage_options,
            use_consolidated=consolidated,
        )

    def is_file(self) -> bool:
        """Say whether there is a netCDF file, or an empty one, where the dataset is to be.

        Scripts name new datasets by temporary files, and write again what they have written as `.nc`.
        """
        if not isinstance(self.target, str | PathLike):
            return False
        path = Path(self.target)
        return path.is_file() and (not path.stat().st_size or is_netcdf(path))

    def make_room(self) -> None:
        """Remove such a file."""
        if self.is_file():
            Path(self.target).unlink()

    def _made(self, dialect: Dialect, *, replaces: bool) -> Node:
        if replaces:
            self.make_room()
        store, where = locate(self.target, self.path, "a", self.storage_options)
        known = is_replaceable(store, where)
        form, root = format_of(dialect.zarr_format), GroupModel(name="/")
        metadata = dialect.group_metadata(root, PROPERTIES)
        place(store, form, where, metadata, overwrite=replaces and known)
        node = Node(store, form, where, metadata)
        store_sidecars(node, where, dialect.sidecars(root, PROPERTIES))
        return node


def is_replaceable(store: Store, path: str) -> bool:
    """Say whether there is a node at a path, rather than nothing.

    Raises
    ------
    NodeExistsError
        There is something else.
    """
    if any(is_node(store, form, path) for form in FORMATS.values()):
        return True
    listing = store.list_dir(prefix_of(path))
    if listing.keys or listing.prefixes:
        there = (listing.keys or listing.prefixes)[0]
        message = f"there is something that is not Zarr (key {there!r}); it is left alone"
        raise NodeExistsError(message, store=store.name, path=path)
    return False
