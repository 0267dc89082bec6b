"""HDMF's data in Zarr hierarchies: the backend.

https://hdmf.readthedocs.io/en/stable/hdmf.backends.io.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from hdmf.backends.io import HDMFIO
from hdmf.build import DatasetBuilder, GroupBuilder

from omnizarr.hdmf.backend.exporting import add_namespaces, export
from omnizarr.hdmf.backend.hdmf_extending import teach_hdmf
from omnizarr.hdmf.backend.iterating import Workers
from omnizarr.hdmf.backend.namespaces import cache_specs
from omnizarr.hdmf.backend.open_file import ZarrFile
from omnizarr.hdmf.backend.reading import BuilderReader, Session
from omnizarr.hdmf.backend.refusal import RefusedError
from omnizarr.hdmf.backend.target import NEW
from omnizarr.hdmf.backend.writing import BuilderWriter, WriteOptions
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.linking.files import File, Files
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.paths import prefix_of

teach_hdmf()


class ZarrIO(ZarrFile):
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
    RefusedError
        Mode `"w"`, and something else is there.
    NodeNotFoundError, StoreNotFoundError, NodeExistsError
        There is no file, or one, where the mode asks for the opposite.
    """

    # --- reading

    def read(self) -> Any:
        """Return the container of the whole file.

        Raises
        ------
        RefusedError
            The file is new, or empty.
        """
        if self._mode in NEW:
            message = f"mode {self._mode!r}: cannot read from {self.source}; expected 'r', 'r-', 'r+' or 'a'"
            raise RefusedError(message)
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
            BuilderReader(file, self.source, self._session, root.metadata)
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
        RefusedError
            The file was opened for reading.
        ConversionError
            Something has no form in the file; nothing that was written can be seen.
        """
        with self._changing(consolidate_metadata):
            super().write(container=container, herd=herd, **options)
            if cache_spec:
                self._add_nodes(cache_specs(self.manager.namespace_catalog, self.file))

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
        RefusedError
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
            self._nodes = BuilderWriter(self, options).write(builder)
            if self._session is not None:
                self.reader.know(builder)
                self._session.growth.refer()

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
        RefusedError
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
                source = getattr(src_io, "_file", None)
                self._add_nodes(cache_specs(self.manager.namespace_catalog, self.file, source))
