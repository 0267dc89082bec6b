"""Datasets: opening, making, synchronising, closing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from omnizarr.hierarchy.consolidate import consolidate_metadata, is_consolidated
from omnizarr.hierarchy.group import Group as Node
from omnizarr.netcdf.cdl.fromcdl import make_dataset
from omnizarr.netcdf.cdl.writing.datasets import name_of, text_of
from omnizarr.netcdf.dialects.base import Dialect
from omnizarr.netcdf.dialects.detect import dialect_for, read_dataset
from omnizarr.netcdf.dialects.modes import asked_of
from omnizarr.netcdf.group import Group
from omnizarr.netcdf.model.names import DefinitionError
from omnizarr.netcdf.model.nodes import DatasetModel, Fault
from omnizarr.netcdf.opened.diskless import Backing, diskless, image
from omnizarr.netcdf.opened.leaving import close_at_exit
from omnizarr.netcdf.opened.opening import Place, mode_of
from omnizarr.netcdf.opened.session import ClosedError, NotWritableError, Session, locked, read_only_dialect
from omnizarr.netcdf.opened.sync import synchronise
from omnizarr.store.base import Store
from omnizarr.store.zips.zip import ZipStore

_FORMATS = (
    *("NETCDF4", "NETCDF4_CLASSIC", "NETCDF3_CLASSIC", "NETCDF3_64BIT", "NETCDF3_64BIT_OFFSET"),
    *("NETCDF3_64BIT_DATA", "NCZARR", "ZARR"),
)


class Dataset(Group):
    """A netCDF-4 dataset in a Zarr hierarchy; also its root group.

    Parameters
    ----------
    filename
        A path, a URL, a store, a dictionary of bytes or a Zarr group. A URL may end in netCDF-C's
        `#mode=nczarr,file`.
    mode
        `"r"` reads; `"a"` and `"r+"` read and write what is there, and make a dataset where there is
        nothing; `"w"` makes one, in place of a dataset, a netCDF file or an empty file; `"x"` makes one,
        never in place of another. An `s` behind these, netCDF4-python's for files without a buffer, changes
        nothing.
    clobber
        False makes of `"w"` an `"x"`.
    format
        netCDF4-python's names for kinds of files. A new dataset can hold what all of them can, and is
        `NETCDF4` always.
    diskless
        Keep the dataset in memory; what is at `filename` is copied there.
    persist
        Write a diskless dataset to `filename` when it is closed, in place of what is there.
    keepweakref
        Let variables and dimensions refer weakly to their group, so that the dataset closes when the last
        name for it goes.
    memory
        With `"w"` any number: the dataset is kept in memory, and `close` returns its image, a zip archive.
        With the other modes such an image; if it was opened to be changed, `close` returns a new one.
    encoding
        Not used: names of files are as Python has them.
    parallel, comm, info
        There is no MPI here: `parallel` is refused, and the others are not used.
    auto_complex
        Store complex numbers as records of a real and an imaginary part, and show them as such.
    dialect
        How a new dataset is kept: `"nczarr"`, which netCDF-C reads too, `"xarray"`, or `"plain"`. A dataset
        that is opened is read as this, and can be changed where it is its own; which one that is, is found
        out where none is given. Goes before what a URL asks for.
    zarr_format
        Zarr's format for a new dataset, 2 or 3; 2 where the dialect exists on it.
    path
        The path of the dataset's root within its store.
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
        With `"x"`, there is something; with `"w"`, there is something else. Also OSError.
    NotWritableError
        The dataset is in a dialect that is only read, and `mode` is not `"r"`; also PermissionError.

    Notes
    -----
    Safe to use from many threads, which may read, write, define and lengthen at once. What was written is
    visible to others after `sync` or `close`.
    """

    _own = Group._own | {"_backing", "_faults", "_given", "_is_consolidated", "_owned"}
    _backing: Backing | None
    _faults: tuple[Fault, ...]
    _given: Any
    _is_consolidated: bool
    _owned: Store | None

    def __new__(cls, *arguments: Any, **keywords: Any) -> Self:
        return object.__new__(cls)

    def __init__(
        self,
        filename: Any,
        mode: str = "r",
        clobber: bool = True,
        format: str = "NETCDF4",
        diskless: bool = False,
        persist: bool = False,
        keepweakref: bool = False,
        memory: Any = None,
        encoding: str | None = None,
        parallel: bool = False,
        comm: Any = None,
        info: Any = None,
        auto_complex: bool = False,
        *,
        dialect: str | None = None,
        zarr_format: int | None = None,
        path: str | None = None,
        consolidated: bool = False,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        mode = mode_of(mode, clobber)
        if format not in _FORMATS:
            raise DefinitionError(f"format: expected one of {', '.join(_FORMATS)}, found {format!r}")
        if parallel:
            message = "parallel: there is no MPI here; processes can write different chunks without it"
            raise DefinitionError(message)
        asked = asked_of(filename)
        place = Place(
            target=asked.place,
            path=path,
            storage_options=storage_options,
            consolidated=consolidated or asked.consolidated,
        )
        self._given = filename
        self._backing = _backing(place, mode, memory, diskless, persist)
        if self._backing is not None:
            place, mode = place.within(self._backing.store), self._backing.mode
        made_in = partial(dialect_for, dialect or asked.dialect or "nczarr", zarr_format or asked.zarr_format)
        node = place.node(mode, made_in)
        self._owned = None if isinstance(filename, Store | Node) else node.store
        try:
            self._open(node, mode, dialect or asked.opened_as(), keepweakref, auto_complex)
        except BaseException:
            if self._owned is not None:
                self._owned.close()
            raise

    def _open(
        self, node: Node, mode: str, read_as: str | None, keepweakref: bool, auto_complex: bool
    ) -> None:
        writable = mode != "r"
        found, dialect, is_forced = read_dataset(node, read_as, adopt=mode == "a")
        if writable and is_forced:
            message = f"it is not of the dialect {dialect.name!r}, so it is only read as that"
            raise NotWritableError(message, store=node.store_path)
        if writable and not isinstance(dialect, Dialect):
            raise NotWritableError(read_only_dialect(dialect.name), store=node.store_path)
        self._is_consolidated = writable and is_consolidated(node)
        self._faults = found.model.faults
        session = Session(
            dialect=dialect,
            writable=writable,
            name=node.store_path,
            properties=found.model.properties,
            keepweakref=keepweakref,
            auto_complex=auto_complex,
            unmapped={entry.path: entry for entry in found.model.unmapped},
        )
        self._fill(session, None, found.model.root, "/", found)
        if writable:
            close_at_exit(self)
        if found.stale and writable:
            try:
                self.sync()
            except BaseException:
                session.is_open = False
                raise

    @locked
    def as_dataset(self) -> DatasetModel:
        """Return the dataset as a plain value."""
        session = self._session
        return DatasetModel(
            root=self.as_model(),
            dialect=session.dialect.name,
            properties=session.properties,
            unmapped=tuple(session.unmapped.values()),
            faults=self._faults,
        )

    def filepath(self, encoding: str | None = None) -> str:
        """Return the path or URL by which the dataset was opened; for a store its name."""
        given = self._given
        return os.fsdecode(given) if isinstance(given, str | bytes | os.PathLike) else self._session.name

    @locked
    def sync(self) -> None:
        """Store everything that has changed, so that others see it; an archive is copied for that."""
        self._session.check_open()
        self._synchronise()
        if self._session.writable and isinstance(self._node.store, ZipStore):
            self._node.store.flush()

    def _synchronise(self) -> None:
        if not self._session.writable:
            return
        self._session.settle()
        if synchronise(self) and self._is_consolidated:
            node = self._node
            consolidate_metadata(node.store, node.path, node.zarr_format)

    @staticmethod
    def fromcdl(
        cdlfilename: str | Path, ncfilename: Any = None, mode: str = "a", format: str = "NETCDF4"
    ) -> Dataset:
        """Make a dataset of a file of CDL, and open it.

        Parameters
        ----------
        ncfilename
            Where it is made, in Zarr whatever its name; unless given, beside the file with the suffix `.nc`.
        mode
            How it is opened.
        format
            As for `Dataset`.

        Raises
        ------
        MetadataError
            The text is no CDL; also a ValueError.
        NodeExistsError
            There is something already; also a FileExistsError.
        """
        if format not in _FORMATS:
            raise ValueError(f"format: expected one of {', '.join(_FORMATS)}, found {format!r}")
        return Dataset(make_dataset(cdlfilename, ncfilename), mode)

    def tocdl(self, coordvars: bool = False, data: bool = False, outfile: Any = None) -> str | None:
        """Return the dataset as CDL with its special attributes, as `ncdump -s` writes it.

        Parameters
        ----------
        coordvars
            Of values, those of coordinate variables only.
        data
            Whether there are values at all.
        outfile
            Where to write the text instead; then None is returned.
        """
        self.sync()
        dialect = self._session.dialect
        with Dataset(self._node, dialect=dialect.name if isinstance(dialect, Dialect) else None) as shown:
            text = text_of(shown, name_of(self.filepath()), coordinates=coordvars, data=data)
        if outfile is None:
            return text
        Path(outfile).write_text(text, encoding="utf-8", errors="surrogateescape")
        return None

    @locked
    def close(self) -> memoryview | None:
        """Store everything that has changed, and release what is held; a second call does nothing.

        Returns
        -------
        The image of a dataset that was made or changed with `memory=`; else None.
        """
        session = self._session
        with suppress(ClosedError):
            session.settle()
        if not session.is_open:
            return None
        try:
            self._synchronise()
        finally:
            session.is_open = False
            if self._owned is not None:
                self._owned.close()
        return None if self._backing is None else self._backing.closed()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        # Only what opened has a session; asking for it would look for an attribute of that name.
        try:
            session = object.__getattribute__(self, "_session")
        except AttributeError:
            return
        if session.is_open:
            # The collector may come while CPython changes the context of this thread, and to set a context
            # variable (numpy's errstate does) would then free what is being changed.
            copy_context().run(self.close)


def _backing(place: Place, mode: str, memory: Any, is_diskless: bool, persists: bool) -> Backing | None:
    """Return where the dataset is while it is open, if that is memory."""
    if memory is not None:
        return image(memory, mode, str(place.target))
    return diskless(place, mode, persists=persists) if is_diskless else None
