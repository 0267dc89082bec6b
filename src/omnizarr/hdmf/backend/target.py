"""Opening a file for HDMF: which store, which mode, what may be replaced."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

from omnizarr.errors import NodeExistsError, NodeNotFoundError, OmniZarrError, StoreNotFoundError
from omnizarr.hdmf.backend.refusal import RefusedError
from omnizarr.hdmf.backend.unfinished import MARK, UnfinishedStore
from omnizarr.hierarchy.discover import deciding_keys
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.open import open_group
from omnizarr.hierarchy.opening.formats import format_of
from omnizarr.hierarchy.opening.locate import locate, was_opened_for
from omnizarr.hierarchy.paths import prefix_of
from omnizarr.store.base import Store
from omnizarr.store.urls.grammar import parse_url, scheme_of
from omnizarr.store.urls.local import path_of_url
from omnizarr.store.urls.open import Mode

# The mode of the group, and whether its nodes come from its consolidated metadata; those of a file that is
# changed may be stale, and become so.
_MODES: dict[str, tuple[Mode, bool | None]] = {
    "r": ("r", None),
    "r-": ("r", False),
    "r+": ("r+", False),
    "a": ("a", False),
    "w": ("w", False),
    "w-": ("w-", False),
    "x": ("w-", False),
}
NEW = ("w", "w-", "x")
"""The modes of new files."""
_INCOMPLETE = "the file is not complete: it is being written, or its writer died; mode 'w' starts anew"


@dataclass(frozen=True, slots=True)
class Target:
    """What a user names as the place of a file.

    Attributes
    ----------
    given
        A path, a URL, a store, a group, a mapping.
    storage_options
        For stores on a network.
    """

    given: Any = field(repr=False)  # a URL may have credentials too
    storage_options: Mapping[str, Any] | None = field(default=None, repr=False)  # perhaps with credentials

    @property
    def source(self) -> str:
        """The file's name as HDMF compares it: an absolute path, or a URL."""
        given = self.given
        if isinstance(given, Node):
            name = given.store_path
        elif isinstance(given, Store):
            name = given.name
        elif isinstance(given, str | os.PathLike):
            name = os.fspath(given)
        else:
            name = f"memory://{id(given):x}"
        url = parse_url(name)
        if url.scheme not in ("", "file") or url.steps:
            return url.shown.rstrip("/")
        path = url.place if not url.scheme else path_of_url(url.place, url.shown)
        return os.path.abspath(path)  # noqa: PTH100 (HDMF does not follow links)

    def open(self, mode: str, zarr_format: int = 2, *, force: bool = False) -> Group:
        """Return the file's root group.

        Parameters
        ----------
        zarr_format
            That of a new file.
        force
            Whether mode `"w"` may remove what is no Zarr hierarchy.

        Raises
        ------
        ValueError
            There is no such mode.
        RefusedError
            Something else is there that would be replaced, and not `force`.
        NodeNotFoundError, StoreNotFoundError, NodeExistsError
            There is no file, or one that may not be replaced.
        """
        if mode not in _MODES:
            raise ValueError(f"mode: expected one of {', '.join(map(repr, _MODES))}, found {mode!r}")
        store_mode, use_consolidated = _MODES[mode]
        if mode in NEW:
            if mode == "w":
                self._clear(force)
            return self._new(store_mode, zarr_format)
        if mode != "a":
            return self._existing(store_mode, use_consolidated)
        try:
            return self._existing("r+", False)
        except (NodeNotFoundError, StoreNotFoundError):
            return self._new("w-", zarr_format)

    def _existing(self, mode: Mode, use_consolidated: bool | None) -> Group:
        options = self.storage_options
        try:
            return open_group(
                self.given, mode=mode, storage_options=options, use_consolidated=use_consolidated
            )
        except NodeNotFoundError as error:
            if not self._is_unfinished():
                raise
            raise RefusedError(f"{self.source}: {_INCOMPLETE}") from error

    def _is_unfinished(self) -> bool:
        store, path = locate(self.given, None, "r", self.storage_options)
        return store.exists(prefix_of(path) + MARK)

    def _new(self, mode: Mode, zarr_format: int) -> Group:
        """Return the root of a new file, which is none for others until its store is told to release it."""
        store, path = locate(self.given, None, mode, self.storage_options)
        if mode != "w" and store.exists(prefix_of(path) + MARK):
            raise NodeExistsError(_INCOMPLETE, store=store.name, path=path)
        format = format_of(zarr_format)
        consolidated = format.consolidated_key(path)
        keys = [] if consolidated is None else [consolidated]
        deciding = deciding_keys(format, path)
        keys += sorted(format.document_keys(path), key=lambda key: key in deciding)
        unfinished = UnfinishedStore(store, prefix_of(path), keys)
        if mode == "w":  # what a writer leaves that dies while it removes the old file is known for ours
            unfinished.begin()
        root = open_group(unfinished, mode=mode, path=path, zarr_format=zarr_format)
        if mode != "w":
            unfinished.begin()
        return root

    def _clear(self, force: bool) -> None:
        """Remove what is no Zarr hierarchy and would be written over; refuse unless `force`."""
        place = self._foreign_place()
        if place is None:
            return
        if not force:
            raise RefusedError(f"{place} is no Zarr hierarchy; force_overwrite=True removes it")
        path = Path(self.source)
        if not self.is_local or not path.exists():
            return
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()

    @property
    def is_local(self) -> bool:
        """Whether it is a path of the file system, or a URL of one."""
        given = self.given
        return isinstance(given, str | os.PathLike) and scheme_of(os.fspath(given)) in (None, "file")

    def _foreign_place(self) -> str | None:
        """Return what is at the place, unless that is nothing, a Zarr hierarchy, or what is left of ours."""
        if self.is_local and Path(self.source).is_file() and not is_zipfile(self.source):
            return self.source
        try:
            store, path = locate(self.given, None, "r", self.storage_options)
        except StoreNotFoundError:
            return None
        try:
            is_empty = next(iter(store.list_prefix(prefix_of(path))), None) is None
            is_ours = is_empty or store.exists(prefix_of(path) + MARK)
        finally:
            if was_opened_for(self.given):
                store.close()
        return None if is_ours or is_file(self.given, self.storage_options) else self.source


def is_file(target: Any, storage_options: Mapping[str, Any] | None = None) -> bool:
    """Say whether there is a Zarr group at a place."""
    try:
        open_group(target, mode="r", storage_options=storage_options, use_consolidated=False)
    except (OmniZarrError, OSError):
        return False
    return True


def release(root: Group) -> None:
    """Let a new file be found by others, now that it is complete."""
    if isinstance(root.store, UnfinishedStore):
        root.store.release()
