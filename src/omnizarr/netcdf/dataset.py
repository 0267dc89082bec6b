"""Datasets: opening, making, synchronising, closing."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from omnizarr._version import __version__
from omnizarr.errors import NodeExistsError, NodeNotFoundError, ReadOnlyError, StoreNotFoundError
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
from omnizarr.netcdf.dialects.detect import dialect_for, read_dataset
from omnizarr.netcdf.dialects.modes import asked_of
from omnizarr.netcdf.dialects.sidecars import store_sidecars
from omnizarr.netcdf.group import Group
from omnizarr.netcdf.model import DatasetModel, Fault, GroupModel, Unmapped
from omnizarr.netcdf.session import Session, read_only_dialect
from omnizarr.netcdf.sync import synchronise
from omnizarr.store.base import Store
from omnizarr.store.url import Mode

PROPERTIES = f"version=2,omnizarr={__version__},nczarr=2.0.0"
_MODES = ("r", "r+", "a", "w", "x")
# netCDF4-python's spellings.
_ALIASES = {"rs": "r", "r+s": "r+", "as": "a", "ws": "w"}


class Dataset(Group):
    """A netCDF-4 dataset in a Zarr hierarchy; also its root group.

    Parameters
    ----------
    filename
        A path, a URL, a store, a dictionary of bytes or a Zarr group. A URL may end in netCDF-C's
        `#mode=nczarr,file`.
    mode
        `"r"` reads; `"r+"` reads and writes what is there; `"a"` the same, and makes a dataset where there
        is nothing; `"w"` makes one, in place of what is there; `"x"` makes one, never in place of another.
    clobber
        False makes of `"w"` an `"x"`.
    dialect
        How a new dataset is kept: `"nczarr"`, which netCDF-C reads too, `"xarray"`, or `"plain"`. A dataset
        that is opened is read as this, and can be changed where it is its own; which one that is, is found
        out where none is given. Goes before what a URL asks for.
    zarr_format
        Zarr's format for a new dataset, 2 or 3; 2 where the dialect exists on it.
    consolidated
        Whether to read from consolidated metadata, and to make them for a new dataset. Those that are there
        are kept up to date in any case.
    storage_options
        Options of the store, for URLs.

    Raises
    ------
    NodeNotFoundError, StoreNotFoundError
        There is nothing to open; also FileNotFoundError.
    NodeExistsError
        With `"x"`, there is something; with `"w"`, there is something that is not Zarr.

    Notes
    -----
    Safe to read from many threads. What was written is visible to others after `sync` or `close`.
    """

    _own = Group._own | {"_is_consolidated", "_owned", "_unmapped", "_faults"}
    _is_consolidated: bool
    _owned: Store | None
    _unmapped: tuple[Unmapped, ...]
    _faults: tuple[Fault, ...]

    def __init__(
        self,
        filename: Any,
        mode: str = "r",
        clobber: bool = True,
        format: str = "NETCDF4",
        *,
        dialect: str | None = None,
        zarr_format: int | None = None,
        path: str | None = None,
        consolidated: bool = False,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        mode = _ALIASES.get(mode, mode)
        if mode not in _MODES:
            raise ValueError(f"mode: expected one of {', '.join(map(repr, _MODES))}, found {mode!r}")
        if format not in ("NETCDF4", "NCZARR", "ZARR"):
            raise ValueError(f"format: expected 'NETCDF4', found {format!r}; Zarr holds no classic files")
        mode = "x" if mode == "w" and not clobber else mode
        asked = asked_of(filename)
        made_in = dialect_for(dialect or asked.dialect or "nczarr", zarr_format or asked.zarr_format)
        consolidated = consolidated or asked.consolidated
        node = _node(asked.place, mode, path, storage_options, made_in, consolidated)
        self._owned = None if isinstance(filename, Store | Node) else node.store
        self._open(node, mode, dialect or asked.opened_as())

    def _open(self, node: Node, mode: str, read_as: str | None) -> None:
        writable = mode != "r"
        found, dialect, is_forced = read_dataset(node, read_as, adopt=mode == "a")
        if writable and is_forced:
            message = f"it is not of the dialect {dialect.name!r}, so it is only read as that"
            raise ReadOnlyError(message, store=node.store_path)
        if writable and not isinstance(dialect, Dialect):
            raise ReadOnlyError(read_only_dialect(dialect.name), store=node.store_path)
        self._unmapped, self._faults = found.model.unmapped, found.model.faults
        key = node.format.consolidated_key(node.path)
        stored = key is not None and writable and node.store.exists(key)
        self._is_consolidated = stored or node.metadata.consolidated is not None
        session = Session(dialect, writable, node.store_path, found.model.properties)
        self._fill(session, None, found.model.root, "/", found)
        if found.stale and writable:
            try:
                self.sync()
            except BaseException:
                session.is_open = False
                raise

    @property
    def dataset(self) -> DatasetModel:
        """The dataset as a plain value."""
        session = self._session
        return DatasetModel(
            root=self.model,
            dialect=session.dialect.name,
            properties=session.properties,
            unmapped=self._unmapped,
            faults=self._faults,
        )

    def isopen(self) -> bool:
        """Say whether the dataset was not closed yet."""
        return self._session.is_open

    def filepath(self, encoding: str | None = None) -> str:
        """Return the store and the path as one URL-like name."""
        return self._session.name

    def sync(self) -> None:
        """Store everything that has changed, so that others see it."""
        self._session.check_open()
        if self._session.writable and synchronise(self) and self._is_consolidated:
            node = self._node
            consolidate_metadata(node.store, node.path, node.zarr_format)

    def close(self) -> None:
        """Store everything that has changed, and release what is held; a second call does nothing."""
        if not self._session.is_open:
            return
        try:
            self.sync()
        finally:
            self._session.is_open = False
            if self._owned is not None:
                self._owned.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        # Only what opened has a session; `__getattr__` would ask for an attribute of that name.
        session = self.__dict__.get("_session")
        if session is not None and session.is_open:
            self.close()


def _node(
    target: Any,
    mode: str,
    path: str | None,
    options: Mapping[str, Any] | None,
    dialect: Dialect,
    consolidated: bool,
) -> Node:
    """Return the root of a dataset, opened or made."""
    if mode == "r":
        return _existing(target, "r", path, options, consolidated)
    if mode in ("r+", "a"):
        try:
            return _existing(target, "r+", path, options, False)
        except (NodeNotFoundError, StoreNotFoundError):
            if mode == "r+":
                raise
            mode = "x"
    node = _made(target, mode, path, options, dialect)
    return consolidate_metadata(node.store, node.path, node.zarr_format) if consolidated else node


def _existing(
    target: Any, mode: Mode, path: str | None, options: Mapping[str, Any] | None, consolidated: bool
) -> Node:
    # netCDF-C never brings consolidated metadata up to date, so they are not relied on unless asked for.
    return open_group(target, mode=mode, path=path, storage_options=options, use_consolidated=consolidated)


def _made(
    target: Any, mode: str, path: str | None, options: Mapping[str, Any] | None, dialect: Dialect
) -> Node:
    store, where = locate(target, path, "a", options)
    known = any(is_node(store, form, where) for form in FORMATS.values())
    listing = store.list_dir(prefix_of(where))
    if not known and (listing.keys or listing.prefixes):
        there = (listing.keys or listing.prefixes)[0]
        message = f"there is something that is not Zarr (key {there!r}); it is left alone"
        raise NodeExistsError(message, store=store.name, path=where)
    form, root = format_of(dialect.zarr_format), GroupModel(name="/")
    metadata = dialect.group_metadata(root, PROPERTIES)
    place(store, form, where, metadata, overwrite=mode == "w" and known)
    node = Node(store, form, where, metadata)
    store_sidecars(node, where, dialect.sidecars(root, PROPERTIES))
    return node
