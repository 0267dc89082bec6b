"""A file that is open for HDMF: its modes, its specifications, how its changes become seen.

https://hdmf.readthedocs.io/en/stable/hdmf.backends.io.html
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

from hdmf.backends.io import HDMFIO
from hdmf.build import BuildManager, TypeMap
from hdmf.spec import NamespaceCatalog

from omnizarr.hdmf.backend.growth import Growth
from omnizarr.hdmf.backend.namespaces import load_stored, stored_versions
from omnizarr.hdmf.backend.reading import Session
from omnizarr.hdmf.backend.refusal import RefusedError
from omnizarr.hdmf.backend.target import NEW, Target, is_file, release
from omnizarr.hdmf.layout import Layout, layout_of
from omnizarr.hierarchy.consolidate import consolidate_metadata, consolidate_nodes
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.opening.locate import was_opened_for
from omnizarr.metadata.group import NodeMetadata


class ZarrFile(HDMFIO):  # type: ignore[misc]
    """A Zarr hierarchy that is open for HDMF; parameters and errors are those of `ZarrIO`."""

    def __init__(
        self,
        path: Any,
        mode: str = "r",
        manager: BuildManager | TypeMap | None = None,
        synchronizer: Any = None,
        object_codec_class: Any = None,
        storage_options: Mapping[str, Any] | None = None,
        force_overwrite: bool = False,
        *,
        herd_path: str | None = None,
        zarr_format: int = 2,
        pickled_references: bool = False,
    ) -> None:
        if synchronizer is not None and synchronizer is not False:
            warnings.warn("synchronizer: of no effect, none is needed", stacklevel=2)
        self._target = Target(path, storage_options)
        self._mode = mode
        self._new_format = zarr_format
        self._force = force_overwrite
        self.pickled_references = pickled_references or _codec_id(object_codec_class) == "pickle"
        self._root: Group | None = None
        self._session: Session | None = None
        self._changes = 0
        # All nodes of a file that is being written anew; None where others may be there, or have changed.
        self._nodes: dict[str, NodeMetadata] | None = None
        self._broken = False
        source = self._target.source
        self.open()
        try:
            super().__init__(manager=self._manager_for(manager), source=source, herd_path=herd_path)
        except BaseException:
            self.close()
            raise
        # HDMF makes a path of what it does not know as a URL.
        self._HDMFIO__source = source

    def _manager_for(self, given: BuildManager | TypeMap | None) -> BuildManager:
        """Return the manager to use; the file is open."""
        if given is None:
            return BuildManager(TypeMap(NamespaceCatalog()))
        return BuildManager(given) if isinstance(given, TypeMap) else given

    # --- the file

    @property
    def path(self) -> Any:
        """What the file was opened by."""
        return self._target.given

    @property
    def mode(self) -> str:
        """The mode that the file was opened in."""
        return self._mode

    @property
    def storage_options(self) -> Mapping[str, Any] | None:
        """Options of the store."""
        return self._target.storage_options

    @property
    def file(self) -> Group:
        """The root group.

        Raises
        ------
        RefusedError
            The file is closed.
        """
        if self._root is None:
            raise RefusedError(f"{self._target.source} is closed")
        return self._root

    @property
    def _file(self) -> Group:
        return self.file

    @property
    def layout(self) -> Layout:
        """How HDMF's primitives are stored in this file."""
        return layout_of(self.file.zarr_format)

    def open(self) -> None:
        """Open the file, if it is closed. A new one that was closed is opened for reading and writing."""
        if self._root is None:
            self._root = self._target.open(self._mode, self._new_format, force=self._force)

    def close(self) -> None:
        """Close the file; data of it that were not read cannot be read any more where it is an archive."""
        root, self._root = getattr(self, "_root", None), None
        if root is not None:
            session, self._session = self._session, None
            if session is not None:
                self._settle(session.growth, root)
            if not self._broken:
                release(root)
            if self._mode in NEW:
                self._mode = "r+"
            if was_opened_for(self._target.given):
                root.store.close()

    def is_open(self) -> bool:
        """Say whether the file is open."""
        return self._root is not None

    @staticmethod
    def can_read(path: Any) -> bool:
        """Say whether there is a Zarr hierarchy at a place."""
        return is_file(path)

    # --- specifications

    @classmethod
    def load_namespaces(
        cls,
        namespace_catalog: NamespaceCatalog | TypeMap,
        path: Any = None,
        namespaces: Sequence[str] | None = None,
        io: Any = None,
        *,
        file: Group | None = None,
        storage_options: Mapping[str, Any] | None = None,
        **others: Any,
    ) -> dict[str, Any]:
        """Load namespaces that are cached in a file into a catalog.

        Parameters
        ----------
        namespace_catalog
            HDMF's NamespaceCatalog or TypeMap.
        path, io, file
            The file: by its place, by an open ZarrIO, or by its root group.
        namespaces
            Their names; by default all. Of each, the latest version is loaded.
        storage_options
            For stores on a network.

        Returns
        -------
        dict
            For each namespace, what it takes from which others; empty where nothing is cached.
        """
        if file is None and io is not None:
            file = io.file
        if file is not None:
            return load_stored(namespace_catalog, file, namespaces)
        root = Target(path, storage_options).open("r")
        try:
            return load_stored(namespace_catalog, root, namespaces)
        finally:
            if was_opened_for(path):
                root.store.close()

    def load_namespaces_io(
        self, namespace_catalog: NamespaceCatalog | TypeMap, namespaces: Sequence[str] | None = None
    ) -> dict[str, Any]:
        """Load namespaces that are cached in this file into a catalog, as `load_namespaces` does."""
        return load_stored(namespace_catalog, self.file, namespaces)

    @classmethod
    def get_namespaces(
        cls, path: Any = None, file: Group | None = None, storage_options: Mapping[str, Any] | None = None
    ) -> dict[str, str]:
        """Return the latest version of each namespace that is cached in a file."""
        return stored_versions(file if file is not None else Target(path, storage_options).open("r"))

    # --- changes

    @contextmanager
    def _changing(self, consolidated: bool) -> Iterator[None]:
        """Change the file; it is complete when the outermost change is. A new file that fails is none."""
        if self._mode in ("r", "r-"):
            raise RefusedError(f"mode {self._mode!r}: cannot write to {self.source}")
        root = self.file
        self._changes += 1
        try:
            yield
            if self._changes == 1:
                if consolidated:
                    self._consolidate(root)
                    if self._session is not None:
                        self._session.growth.done()
                release(root)
                self._broken = False
        except BaseException:
            self._broken = True
            raise
        finally:
            self._changes -= 1
            if not self._changes:
                self._nodes = None

    def _consolidate(self, root: Group) -> None:
        """Consolidate the metadata of all nodes: of those that were written, where they are all."""
        if self._nodes is None or self._session is not None:  # what was read may have grown since
            consolidate_metadata(root)
        else:
            consolidate_nodes(root, self._nodes)

    def _add_nodes(self, nodes: Mapping[str, NodeMetadata]) -> None:
        """Take nodes for written, beside those of a new file."""
        if self._nodes is not None:
            self._nodes = {**self._nodes, **nodes}

    def _settle(self, growth: Growth, root: Group) -> None:
        if growth.grown:
            growth.settle(root)
        if growth.waiting:
            message = f"{len(growth.waiting)} rows refer to containers that were not written"
            warnings.warn(f"{self._target.source}: {message}", stacklevel=3)


def _codec_id(codec: Any) -> str | None:
    return cast("str | None", getattr(codec, "codec_id", None))
