"""Datasets that are kept in memory: images of them, and places that are written on closing only."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any, Protocol
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from omnizarr.errors import NodeExistsError, NodeNotFoundError, StoreError, StoreNotFoundError
from omnizarr.hierarchy.discover import deciding_keys
from omnizarr.hierarchy.opening.locate import locate, was_opened_for
from omnizarr.hierarchy.paths import joined, prefix_of
from omnizarr.metadata.formats import FORMATS
from omnizarr.netcdf.model.names import DefinitionError
from omnizarr.netcdf.opened.opening import Place, is_replaceable
from omnizarr.store.base import Store
from omnizarr.store.memory import MemoryStore
from omnizarr.store.zips.contents import top_folder


class Backing(Protocol):
    """Where a dataset is while it is open, when that is not where it comes from.

    Attributes
    ----------
    mode
        How the store is to be opened.
    """

    @property
    def store(self) -> Store: ...

    @property
    def mode(self) -> str: ...

    def closed(self) -> memoryview | None:
        """Do what is to be done when the dataset was closed, and return its image where it has one."""


@dataclass(frozen=True, slots=True)
class Image:
    """A dataset that comes from the image of a zip archive, or becomes one."""

    store: MemoryStore
    mode: str

    def closed(self) -> memoryview | None:
        """Return the image; None where it was read only."""
        return None if self.mode == "r" else _image_of(self.store)


@dataclass(frozen=True, slots=True)
class Diskless:
    """A dataset that was copied to memory, and is written back on closing where it `persists`."""

    store: MemoryStore
    mode: str
    place: Place
    persists: bool

    def closed(self) -> None:
        """Write the dataset to its place: what makes it one comes last, what is not of it goes after that."""
        if self.mode == "r" or not self.persists:
            return
        self.place.make_room()
        store, where = _located(self.place, "a")
        try:
            _replace(store, where, self.store)
        finally:
            if was_opened_for(self.place.target):
                store.close()


def image(memory: Any, mode: str, name: str) -> Image:
    """Return the dataset in an image; a new one where `memory` is a number.

    Raises
    ------
    DefinitionError
        A number goes with `"w"` and `"x"`, an image with the other modes.
    StoreError
        It is no zip archive.
    """
    makes = mode in ("w", "x")
    if isinstance(memory, int | float):
        if not makes:
            raise DefinitionError(f"memory: expected an image to open in mode {mode!r}, found {memory!r}")
        return Image(MemoryStore(), "w")
    if makes:
        message = f"memory: expected a number (of bytes; any) in mode {mode!r}, found an image"
        raise DefinitionError(f"{message}; mode 'a' changes one")
    return Image(_loaded_image(memory, name), mode)


def diskless(place: Place, mode: str, *, persists: bool) -> Diskless:
    """Return what is at a place, copied to memory.

    Raises
    ------
    StoreNotFoundError, NodeNotFoundError, NodeExistsError
        As for a dataset that is opened where it is.
    """
    memory, found = MemoryStore(), False
    if mode == "w" and place.is_file():
        return Diskless(memory, mode, place, persists)
    try:
        store, where = _located(place, "r")
    except StoreNotFoundError:
        if mode == "r":
            raise
    else:
        try:
            found = is_replaceable(store, where)
            if mode not in ("w", "x"):
                _copy(store, where, memory)
        finally:
            if was_opened_for(place.target):
                store.close()
    if mode == "x" and found:
        raise NodeExistsError("there is a dataset already", path=place.path)
    if mode == "r" and not found:
        raise NodeNotFoundError("there is no dataset", path=place.path)
    return Diskless(memory, mode, place, persists)


def _located(place: Place, mode: Any) -> tuple[Store, str]:
    return locate(place.target, place.path, mode, place.storage_options)


def _copy(store: Store, where: str, memory: MemoryStore) -> None:
    prefix = prefix_of(where)
    for key in store.list_prefix(prefix):
        value = store.get(key)
        if value is not None:
            memory.set(key[len(prefix) :], value)


def _replace(store: Store, where: str, memory: MemoryStore) -> None:
    keys = list(memory.list_prefix(""))
    last = {key for form in FORMATS.values() for key in deciding_keys(form, "")}
    for key in sorted(keys, key=last.__contains__):
        value = memory.get(key)
        if value is not None:
            store.set(joined(where, key), value)
    kept = {joined(where, key) for key in keys}
    for key in list(store.list_prefix(prefix_of(where))):
        if key not in kept:
            store.delete(key)


def _image_of(store: MemoryStore) -> memoryview:
    data = io.BytesIO()
    with ZipFile(data, "w", ZIP_STORED) as archive:
        for key in sorted(store.list_prefix("")):
            value = store.get(key)
            if value is not None:
                archive.writestr(ZipInfo(key), value)
    return data.getbuffer()


def _loaded_image(memory: Any, name: str) -> MemoryStore:
    store = MemoryStore()
    try:
        with ZipFile(io.BytesIO(memory)) as archive:
            names = [entry for entry in archive.namelist() if not entry.endswith("/")]
            folder = top_folder(names, name)
            for entry in names:
                store.set(entry[len(folder) :], archive.read(entry))
    except (BadZipFile, RuntimeError, NotImplementedError) as error:
        raise StoreError(f"memory: expected the image of a zip archive: {error}", store=name) from error
    return store
