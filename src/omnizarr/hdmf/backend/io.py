"""HDMF's data in Zarr hierarchies: the backend.

https://hdmf.readthedocs.io/en/stable/hdmf.backends.io.html
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

from hdmf.backends.errors import UnsupportedOperation
from hdmf.backends.io import HDMFIO
from hdmf.build import BuildManager, DatasetBuilder, GroupBuilder, TypeMap
from hdmf.spec import NamespaceCatalog

from omnizarr.hdmf.backend.exporting import add_namespaces, export
from omnizarr.hdmf.backend.iterating import Workers
from omnizarr.hdmf.backend.namespaces import cache_specs, load_stored, stored_versions
from omnizarr.hdmf.backend.reading import BuilderReader, Session
from omnizarr.hdmf.backend.target import NEW, Target, is_file, release
from omnizarr.hdmf.backend.writing import BuilderWriter, WriteOptions
from omnizarr.hdmf.layout import Layout, layout_of
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.consolidate import consolidate_metadata as consolidate
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.linking.files import File, Files
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.opening.locate import was_opened_for
from omnizarr.hierarchy.paths import prefix_of


class ZarrIO(HDMFIO):  # type: ignore[misc]
    """Reads and writes HDMF containers in Zarr hierarchies.

    Parameters
    ----------
    path
        A path, also one of a zip archive; a URL; a store; a group; or a mapping of bytes.
    mode
        `"r"` for reading; `"r-"` the same, passing over consolidated metadata; `"r+"` for reading and writing
        what is there; `"a"` the same, or a new file if there is none; `"w"` for a new file in place of what
        is there; `"w-"` or `"x"` for a new file where there is none.
    manager
        Makes builders of containers and containers of builders; or a TypeMap, for a manager of its own.
    synchronizer
        Of no effect: writers in threads and processes never need one here.
    object_codec_class
        Of no effect but for `numcodecs.Pickle`, which stands for `pickled_references`.
    storage_options
        For stores on a network.
    force_overwrite
        Whether mode `"w"` may remove what is no Zarr hierarchy.
    herd_path
        Where HDMF keeps external resources.
    zarr_format
        The format of a new file: 2, as hdmf-zarr reads it, or 3.
    pickled_references
        Whether references in datasets are written as pickles, as hdmf-zarr 0.13.0 needs them in records; they
        are JSON otherwise. (Zarr v2)

    Raises
    ------
    ValueError
        There is no such mode.
    UnsupportedOperation
        Mode `"w"`, and something else is there.
    NodeNotFoundError, StoreNotFoundError, NodeExistsError
        There is no file, or one, where the mode asks for the opposite.
    """

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
        UnsupportedOperation
            The file is closed.
        """
        if self._root is None:
            raise UnsupportedOperation(f"{self._target.source} is closed")
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
            self._session = None
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

    # --- reading

    def read(self) -> Any:
        """Return the container of the whole file.

        Raises
        ------
        UnsupportedOperation
            The file is new, or empty.
        """
        if self._mode in NEW:
            message = f"mode {self._mode!r}: cannot read from {self.source}; expected 'r', 'r-', 'r+' or 'a'"
            raise UnsupportedOperation(message)
        return super().read()

    def read_builder(self) -> GroupBuilder:
        """Return the builder of the whole file; data are read when they are asked for."""
        return cast("GroupBuilder", self.reader.read())

    @property
    def reader(self) -> BuilderReader:
        """The builders of this file, as they are read."""
        root = self.file
        file = File(root.store, root.format, root.path, root._snapshot)
        if self._session is None:
            self._session = Session(self.manager, Files(self._target.storage_options))
            BuilderReader(file, self.source, self._session)
        return self._session.reader(file)

    @property
    def _built(self) -> dict[str, Any]:
        return self.reader.built

    def get_builder(self, zarr_obj: Node | str) -> GroupBuilder | DatasetBuilder:
        """Return the builder of a node.

        Parameters
        ----------
        zarr_obj
            An array or group of this file, or its path.

        Raises
        ------
        NodeNotFoundError
            There is no such node.
        """
        path = zarr_obj
        if not isinstance(zarr_obj, str):
            path = cast("Array | Group", zarr_obj).path[len(prefix_of(self.file.path)) :]
        return self.reader.builder_at(cast("str", path))

    def get_container(self, zarr_obj: Node | str) -> Any:
        """Return the container of a node; parameters and errors as those of `get_builder`."""
        return self.manager.construct(self.get_builder(zarr_obj))

    # --- writing

    def write(
        self,
        container: Any,
        herd: Any = None,
        *,
        cache_spec: bool = True,
        consolidate_metadata: bool = True,
        **options: Any,
    ) -> None:
        """Write a container, or what is new in it.

        Parameters
        ----------
        container
            The container of the whole file.
        herd
            HDMF's external resources.
        cache_spec
            Whether the specifications are written too.
        consolidate_metadata
            Whether the metadata of all nodes are written once more into one document.
        **options
            As those of `write_builder`.

        Raises
        ------
        UnsupportedOperation
            The file was opened for reading.
        ConversionError
            Something has no form in the file; nothing that was written can be seen.
        """
        with self._changing(consolidate_metadata):
            super().write(container=container, herd=herd, **options)
            if cache_spec:
                cache_specs(self.manager.namespace_catalog, self.file)

    def write_builder(
        self,
        builder: GroupBuilder,
        *,
        link_data: bool = True,
        exhaust_dci: bool = True,
        export_source: str | None = None,
        consolidate_metadata: bool = True,
        number_of_jobs: int = 1,
        max_threads_per_process: int | None = None,
        multiprocessing_context: str | None = None,
    ) -> None:
        """Write a builder, or what is new in it.

        Parameters
        ----------
        builder
            The builder of the whole file.
        link_data
            Whether datasets that are stored in other files are linked to, or copied.
        exhaust_dci
            Whether iterators of chunks are written one after another, or in turn.
        export_source
            The file whose builders are written, where they are of another one.
        consolidate_metadata
            Whether the metadata of all nodes are written once more into one document.
        number_of_jobs, max_threads_per_process, multiprocessing_context
            How many processes or threads write the chunks of iterators at once, how many threads each of
            them has, and how processes are started.

        Raises
        ------
        UnsupportedOperation
            The file was opened for reading.
        ConversionError
            Something has no form in the file; nothing that was written can be seen.
        """
        options = WriteOptions(
            link_data=link_data,
            exhaust_dci=exhaust_dci,
            export_source=export_source,
            workers=Workers(number_of_jobs, max_threads_per_process, multiprocessing_context),
            pickled_references=self.pickled_references,
        )
        with self._changing(consolidate_metadata):
            BuilderWriter(self, options).write(builder)
            if self._session is not None:
                self.reader.know(builder)

    def export(
        self,
        src_io: HDMFIO,
        container: Any = None,
        write_args: Mapping[str, Any] | None = None,
        clear_cache: bool = False,
        cache_spec: bool = True,
        consolidate_metadata: bool = True,
        **options: Any,
    ) -> None:
        """Write what another file holds, of any backend, into this new one.

        Parameters
        ----------
        src_io
            The file to export.
        container
            The container that was read from it, with what was changed since; by default the file as it is.
        write_args
            Arguments for `write_builder`. With `link_data=False` everything is built anew, and data that the
            source links to are copied.
        clear_cache
            Whether everything is built anew in any case.
        cache_spec, consolidate_metadata
            As those of `write`.
        **options
            Arguments for `write_builder` too.

        Raises
        ------
        UnsupportedOperation
            This file was not opened in mode `"w"`.
        ValueError
            The container is not the root of what was read from the source.
        ConversionError
            Something has no form in this file.
        """
        arguments = {**options, **(write_args or {})}
        with self._changing(consolidate_metadata):
            export(self, src_io, container, arguments, clear_cache=clear_cache)
            if cache_spec:
                add_namespaces(self, src_io)
                cache_specs(self.manager.namespace_catalog, self.file)

    @contextmanager
    def _changing(self, consolidated: bool) -> Iterator[None]:
        """Change the file; it is complete when the outermost change is. A new file that fails is none."""
        if self._mode in ("r", "r-"):
            raise UnsupportedOperation(f"mode {self._mode!r}: cannot write to {self.source}")
        root = self.file
        self._changes += 1
        try:
            yield
            if self._changes == 1:
                if consolidated:
                    consolidate(root)
                release(root)
                self._broken = False
        except BaseException:
            self._broken = True
            raise
        finally:
            self._changes -= 1


def _codec_id(codec: Any) -> str | None:
    return cast("str | None", getattr(codec, "codec_id", None))
