"""Where a conversion reads from: a netCDF file, or a Zarr dataset of any dialect."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from omnizarr.errors import ConversionError, MetadataError, OmniZarrError, WorkersError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.copying import journal
from omnizarr.hierarchy.copying.check import place_named
from omnizarr.hierarchy.copying.steps import Arrays, Route
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.open import open_group
from omnizarr.hierarchy.workers.base import Workers
from omnizarr.hierarchy.workers.sent import Sent
from omnizarr.hierarchy.workers.sight import Mark, mark_of_node
from omnizarr.netcdf.attributes import cast_attribute
from omnizarr.netcdf.copying.reading import FromSource, ReadArray, ReadSource, Region, Source
from omnizarr.netcdf.dialects.detect import read_dataset
from omnizarr.netcdf.dialects.modes import asked_of
from omnizarr.netcdf.dialects.writing import new_array
from omnizarr.netcdf.files import hdf5
from omnizarr.netcdf.files.chunks import ChunksOfFile
from omnizarr.netcdf.files.magic import netcdf_file
from omnizarr.netcdf.files.read import NetCDFFile
from omnizarr.netcdf.filters.known import Fletcher32, Shuffle, is_storable
from omnizarr.netcdf.model.items import AnyArray
from omnizarr.netcdf.model.nodes import FILL_VALUE, GroupModel, Loss, VariableModel, join
from omnizarr.netcdf.model.types import AtomicType, Compound, NcType, Vlen
from omnizarr.store.base import Store

_ROWS = 1024


def open_source(source: Any, path: str | None, storage_options: Mapping[str, Any] | None) -> Source:
    """Return the dataset at a path or URL, in a store or group."""
    file = netcdf_file(source)
    if file is not None and not path:
        return FileSource(file)
    return ZarrSource(source, path, storage_options)


class ZarrSource:
    """A dataset in a Zarr hierarchy."""

    kind: str | None = None

    def __init__(self, source: Any, path: str | None, storage_options: Mapping[str, Any] | None) -> None:
        asked = asked_of(source)
        # netCDF-C never brings consolidated metadata up to date, so they are not relied on unless asked for.
        node: Group = open_group(
            asked.place,
            mode="r",
            path=path,
            storage_options=storage_options,
            use_consolidated=asked.consolidated,
        )
        self._node = node
        self._is_owned = not isinstance(source, Store | Node)
        self.name = node.store_path
        self.places: tuple[str, ...] = (place_named(node.store, node.path),)
        with warnings.catch_warnings():
            # What the dialect warns of is told as losses.
            warnings.simplefilter("ignore")
            self._found = read_dataset(node, asked.opened_as()).found
        self.model = self._found.model
        self.losses = tuple(Loss(u.path, f"left out: {u.reason}") for u in self.model.unmapped)
        self._variables = variables_of(self.model.root)

    @property
    def stamp(self) -> str | None:
        """The state of the files, where the store keeps values in files."""
        return journal.stamp(self._node.store, self._node.format, self._node.path)

    def array(self, path: str) -> Array | None:
        """Return the array of a variable."""
        return self._found.arrays[path]

    def read(self, path: str, region: Region) -> AnyArray:
        """Return values as netCDF shows them."""
        return self.reading(path)(region)

    def begin(self, path: str) -> None:
        """Do nothing."""

    def reading(self, path: str) -> Callable[[Region], AnyArray]:
        """Return what reads a variable."""
        return ReadArray(self._found.arrays[path], self._variables[path])

    def route(self, path: str, target: Array) -> Route:
        """Return the way from the array of a variable."""
        return Arrays(self._found.arrays[path], target)

    def require(self, workers: Workers) -> None:
        """Refuse workers that cannot reach the store."""
        workers.require(self._node.store)

    def sight(self) -> Mark | None:
        """Return a document of the root."""
        return mark_of_node(self._node)

    def close(self) -> None:
        """Release the store."""
        if self._is_owned:
            self._node.store.close()


class FileSource:
    """A netCDF file of any kind."""

    def __init__(self, file: Path) -> None:
        self.name = str(file.resolve())
        self.places: tuple[str, ...] = (self.name,)
        self._held = ExitStack()
        self._file = self._held.enter_context(NetCDFFile(file))
        self.kind: str | None = self._file.netcdf.data_model
        found = self._file.model()
        losses = list(found.losses)
        root = self._readable(found.dataset.root, found.dataset.root, "/", losses)
        self.model = replace(found.dataset, root=_storable(root, "/", losses))
        self.losses = tuple(losses)
        self._variables = variables_of(self.model.root)
        self._arrays: dict[str, Array | None] = {}
        self._chunks: ChunksOfFile | None = None
        if self._file.hdf5 is not None:
            self._chunks = ChunksOfFile(self._file.hdf5, self._file.path)
            self._held.callback(self._chunks.close)

    def _readable(self, root: GroupModel, group: GroupModel, path: str, losses: list[Loss]) -> GroupModel:
        """Return a group without the variables that h5py cannot read, which only reading them tells."""
        kept = []
        for variable in group.variables:
            try:
                if _is_nested(variable.type):
                    self._try_all(variable, join(path, variable.name), root.shape(variable))
                kept.append(variable)
            except ConversionError as error:
                losses.append(Loss(join(path, variable.name), f"the variable: {error}"))
        groups = tuple(self._readable(root, g, join(path, g.name), losses) for g in group.groups)
        return replace(group, variables=tuple(kept), groups=groups)

    def _try_all(self, variable: VariableModel, path: str, shape: tuple[int, ...]) -> None:
        for start in range(0, shape[0] if shape else 1, _ROWS):
            self._file.read(variable, path, (slice(start, start + _ROWS), ...) if shape else ...)

    @property
    def stamp(self) -> str | None:
        """The size of the file and its time of change."""
        state = Path(self._file.path).stat()
        return f"{state.st_size} {state.st_mtime_ns}"

    def array(self, path: str) -> Array | None:
        """Return the array of an HDF5 dataset with chunks and filters that Zarr has too."""
        with hdf5.LOCK:
            if path not in self._arrays:
                self._arrays[path] = self._array(path)
            return self._arrays[path]

    def _array(self, path: str) -> Array | None:
        if self._chunks is None:
            return None
        variable, dataset = self._variables[path], hdf5.dataset_of(self._file.hdf5, path)
        if dataset.chunks is None:
            return None
        known = all(map(is_storable, variable.filters))
        if not known or hdf5.filters_of(dataset) != variable.filters:
            return None
        try:
            metadata = new_array(variable, self.model.root.shape(variable), {})
        except (ConversionError, MetadataError):
            return None
        if dataset.dtype != metadata.data_type.dtype:
            return None
        fill = None if variable.no_fill else np.array(dataset.fillvalue, metadata.data_type.dtype)[()]
        return self._chunks.array(path.strip("/"), dataset, replace(metadata, fill_value=fill))

    def read(self, path: str, region: Region) -> AnyArray:
        """Return values as netCDF shows them."""
        with hdf5.LOCK:
            return self._file.read(self._variables[path], path, region or ...)

    def begin(self, path: str) -> None:
        """Let HDF5 cache no chunks of a variable, which may take 64 MB."""
        if isinstance(self._variables[path].type, AtomicType):  # others are read by h5py
            with hdf5.LOCK:
                self._file.read_uncached(path)

    def reading(self, path: str) -> Callable[[Region], AnyArray]:
        """Return what reads a variable."""
        return ReadSource(Sent(self), path)

    def route(self, path: str, target: Array) -> Route:
        """Return the way from the array of a variable."""
        return FromSource(Sent(self), path, target)

    def require(self, workers: Workers) -> None:
        """Accept all: those that do not find the file say so."""

    def sight(self) -> Mark | None:
        """Return nothing: a worker opens the file, and what is in it says whether it is this one."""
        return None

    def __reduce__(self) -> tuple[Any, ...]:
        return _opened_again, (self.name, self.stamp)

    def close(self) -> None:
        """Release the file."""
        self._held.close()


def _opened_again(path: str, stamp: str | None) -> FileSource:
    """Return a file as it is opened elsewhere.

    Raises
    ------
    WorkersError
        It is not there, or another one.
    """
    try:
        with hdf5.LOCK:
            found = FileSource(Path(path))
    except OmniZarrError as error:
        raise WorkersError(f"a worker cannot read {path}: {error}") from error
    if found.stamp != stamp:
        found.close()
        raise WorkersError(f"a worker finds another {path}: expected one of size and time {stamp}")
    return found


def _is_nested(kind: NcType) -> bool:
    """Say whether there are sequences of something else than numbers and texts, which h5py reads at times."""
    match kind:
        case Vlen(base=base):
            return not isinstance(base, AtomicType)
        case Compound(fields=fields):
            return any(_is_nested(field.type) for field in fields)
        case _:
            return False


def variables_of(root: GroupModel) -> dict[str, VariableModel]:
    """Return all variables by absolute path."""
    return {join(path, v.name): v for path, group in root.walk() for v in group.variables}


def _storable(group: GroupModel, path: str, losses: list[Loss]) -> GroupModel:
    """Return a group as netCDF-4 and Zarr can both have it."""
    return replace(
        group,
        variables=tuple(
            _with_fitting_fill(_with_filters_in_order(v), join(path, v.name), losses) for v in group.variables
        ),
        groups=tuple(_storable(inner, join(path, inner.name), losses) for inner in group.groups),
    )


def _with_fitting_fill(variable: VariableModel, path: str, losses: list[Loss]) -> VariableModel:
    """Return a variable whose `_FillValue` has its type, as netCDF-4 has it.

    Classic files may have one that the type cannot hold, NaN for integers, which fills nothing: then it is
    left out, and there is no filling.
    """
    kept = []
    for attribute in variable.attributes:
        try:
            is_fill = attribute.name == FILL_VALUE
            kept.append(cast_attribute(attribute, variable.type) if is_fill else attribute)
        except ConversionError:
            given = f"_FillValue {', '.join(map(str, attribute.values))} ({attribute.type})"
            losses.append(Loss(path, f"{given}, which no {variable.type} can be"))
    no_fill = variable.no_fill or len(kept) < len(variable.attributes)
    return replace(variable, attributes=tuple(kept), no_fill=no_fill)


def _with_filters_in_order(variable: VariableModel) -> VariableModel:
    """Return a variable with its checksum last where those four bytes could not be shuffled among the items.

    HDF5 leaves a remainder as it is when it shuffles, numcodecs refuses it.
    """
    filters = variable.filters
    if not variable.type.is_fixed:
        return replace(variable, filters=tuple(f for f in filters if not isinstance(f, Shuffle)))
    names = [type(entry) for entry in filters]
    if Fletcher32 not in names or Shuffle not in names or 4 % max(1, variable.type.size) == 0:
        return variable
    if names.index(Fletcher32) > names.index(Shuffle):
        return variable
    return replace(variable, filters=(*(f for f in filters if not isinstance(f, Fletcher32)), Fletcher32()))
