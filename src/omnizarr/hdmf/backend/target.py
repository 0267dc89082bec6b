"""Opening a file for HDMF: which store, which mode, what may be replaced."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from hdmf.backends.errors import UnsupportedOperation

from omnizarr.errors import NodeExistsError, NodeNotFoundError, OmniZarrError, StoreNotFoundError
from omnizarr.hdmf.backend.unfinished import MARK, UnfinishedStore
from omnizarr.hierarchy.discover import deciding_keys
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.open import open_group
from omnizarr.hierarchy.opening.formats import format_of
from omnizarr.hierarchy.opening.locate import locate
from omnizarr.hierarchy.paths import prefix_of
from omnizarr.store.base import Store
from omnizarr.store.urls.open import Mode, scheme_of

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

    given: Any
    storage_options: Mapping[str, Any] | None = None

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
        scheme = scheme_of(name)
        if scheme not in (None, "file"):
            return name.rstrip("/")
        path = name if scheme is None else unquote(urlsplit(name).path)
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
        UnsupportedOperation
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
            message = (
                "the file is not complete: it is being written, or its writer died; mode 'w' starts anew"
            )
            raise UnsupportedOperation(f"{self.source}: {message}") from error

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
        root = open_group(unfinished, mode=mode, path=path, zarr_format=zarr_format)
        unfinished.begin()
        return root

    def _clear(self, force: bool) -> None:
        """Remove what is no Zarr hierarchy and would be written over."""
        given = self.given
        if not isinstance(given, str | os.PathLike) or scheme_of(os.fspath(given)) not in (None, "file"):
            return
        path = Path(self.source)
        if not path.exists() or path.suffix == ".zip" or (path.is_dir() and not any(path.iterdir())):
            return
        if path.is_dir() and ((path / MARK).exists() or is_file(given)):
            return
        if not force:
            raise UnsupportedOperation(f"{path} is no Zarr hierarchy; force_overwrite=True removes it")
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


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
