"""Conversion to a netCDF file. It is written under another name, and gets its own when it is complete."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np

from omnizarr.errors import ConversionError, NodeExistsError, StoreError, WorkersError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.workers.base import Workers
from omnizarr.hierarchy.workers.sight import Mark
from omnizarr.netcdf.copying.reading import Described
from omnizarr.netcdf.copying.source import variables_of
from omnizarr.netcdf.copying.target import put, with_fill_of
from omnizarr.netcdf.files.chunks import ChunksToFile
from omnizarr.netcdf.files.classic_write import ClassicWriter
from omnizarr.netcdf.files.fitting import Longest, fitted
from omnizarr.netcdf.files.hdf5 import told_as
from omnizarr.netcdf.files.hdf5_write import HDF5Writer, chunked_array
from omnizarr.netcdf.files.kinds import Kind, is_classic_model, is_hdf5
from omnizarr.netcdf.model.items import AnyArray
from omnizarr.netcdf.model.nodes import GroupModel, Loss, VariableModel
from omnizarr.netcdf.model.types import CHAR, STRING
from omnizarr.netcdf.values.text import text_to_chars
from omnizarr.store.directories.draft import Draft, open_exclusive

# Every integer up to here is a double.
_EXACT = 2**53


class FileTarget:
    """A netCDF file."""

    def __init__(self, path: Path, kind: Kind) -> None:
        self.root = GroupModel(name="/")
        self._path = path.absolute()
        self._kind = kind
        self._chunks = ChunksToFile(str(path))
        self._arrays: dict[str, Array] = {}
        self._given: dict[str, VariableModel] = {}
        self._variables: dict[str, VariableModel] = {}
        self._draft: Draft | None = None
        self._writer: HDF5Writer | ClassicWriter | None = None
        self._overwrite = False

    def plan(self, source: Described, root: GroupModel, longest: Longest) -> tuple[Loss, ...]:
        """Find what the kind of file can hold."""
        found = fitted(root, self._kind, longest)
        self.root = found.root
        self._given, self._variables = variables_of(root), variables_of(self.root)
        if is_hdf5(self._kind):
            for path, variable in self._variables.items():
                metadata = chunked_array(variable, self.root.shape(variable))
                if metadata is not None:
                    metadata = with_fill_of(source.array(path), variable, metadata)
                    self._arrays[path] = self._chunks.array(path.strip("/"), metadata)
        return found.losses

    def array(self, path: str) -> Array | None:
        """Return the array that HDF5's chunks are those of."""
        return self._arrays.get(path)

    def begin(self, source: Described, *, overwrite: bool) -> frozenset[str]:
        """Make the file under another name; what a killed writer left there is replaced.

        Raises
        ------
        NodeExistsError
            There is a file, and `overwrite` is false; or another one is writing it.
        """
        self._overwrite = overwrite
        if self._path.exists() and not overwrite:
            raise NodeExistsError(
                "there is something already; overwrite=True replaces it", store=str(self._path)
            )
        self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._draft = open_exclusive(str(self._path))
        except BlockingIOError as error:
            raise NodeExistsError("another writer is making this file", store=str(self._path)) from error
        self._writer = self._made(self._draft.temporary)
        self._writer.define()
        return frozenset()

    def _made(self, path: str) -> HDF5Writer | ClassicWriter:
        if is_hdf5(self._kind):
            is_classic = is_classic_model(self._kind)
            return HDF5Writer(path, self.root, self._chunks, self._arrays, is_classic=is_classic)
        return ClassicWriter(path, self.root, self._kind)

    def writing(self, path: str) -> Callable[[tuple[slice, ...], AnyArray], None]:
        """Return what writes values of a variable."""
        return partial(self._write, path)

    def require(self, workers: Workers) -> None:
        """Refuse workers in other processes: a netCDF file has one writer.

        Raises
        ------
        WorkersError
            They are.
        """
        if workers.share(1).apart:
            message = f"{self._path} is a netCDF file, which one process writes"
            raise WorkersError(f"{message}: threads can do that, and {workers.told} cannot")

    def sight(self) -> Mark | None:
        """Return nothing: no other process writes here."""
        return None

    def _write(self, path: str, region: tuple[slice, ...], values: AnyArray) -> None:
        """Write values, in the type that the file has for them."""
        given, variable = self._given[path], self._variables[path]
        if given.type is STRING and variable.type is CHAR:
            width = self.root.shape(variable)[-1]
            region, values = (*region, slice(0, width)), text_to_chars(np.asarray(values, object), width)
        elif given.type is not variable.type:
            values = _recast(values, given, variable, path)
        if (array := self._arrays.get(path)) is not None:
            put(array, variable, region, values)
        elif self._writer is not None:
            with told_as(f"cannot write variable {path}", str(self._path)):
                self._writer.write(path, region, values)

    def finish(self) -> None:
        """Give the file its name, on disk and whole."""
        assert self._writer is not None and self._draft is not None
        writer, self._writer = self._writer, None
        writer.close()
        if self._overwrite:
            self._draft.publish()
        elif not self._draft.publish_if_absent():
            raise NodeExistsError("it was made by another one in the meantime", store=str(self._path))

    def close(self) -> None:
        """Remove what was not finished."""
        if self._writer is not None:
            with suppress(StoreError):  # what went wrong first is told
                self._writer.close()
        if self._draft is not None:
            self._draft.close()


def _recast(values: AnyArray, given: VariableModel, variable: VariableModel, path: str) -> AnyArray:
    """Return numbers in a wider type; what fills the one variable becomes what fills the other.

    Raises
    ------
    ConversionError
        The type does not hold a number.
    """
    values = np.asarray(values)
    found = values.astype(variable.type.dtype)
    same = np.ones(values.shape, bool)
    if found.dtype.kind == "f" and values.dtype.kind in "iu":
        same = (values <= _EXACT) & (values >= -_EXACT if values.dtype.kind == "i" else True)
    if given.fill_value is not None and variable.fill_value is not None:
        filled = values == given.fill_value
        found = np.where(filled, np.array(variable.fill_value, found.dtype), found)
        same |= filled
    if not same.all():
        number = values[~same].ravel()[0]
        raise ConversionError(f"variable {path}: {number} ({given.type}) is no {variable.type}")
    return found
