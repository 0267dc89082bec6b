"""netCDF files as values of the model: read by netCDF4, and by h5py what that does not tell.

https://docs.unidata.ucar.edu/netcdf-c/current/file_format_specifications.html
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from omnizarr.errors import ConversionError, StoreNotFoundError
from omnizarr.netcdf.defining.chunking import default_chunks
from omnizarr.netcdf.dialects.attributes import is_hidden
from omnizarr.netcdf.extras import optional
from omnizarr.netcdf.files import hdf5
from omnizarr.netcdf.files.attributes import (
    attribute_by_hdf5,
    attribute_by_netcdf,
    attribute_names,
    has_other_bytes,
)
from omnizarr.netcdf.files.classic import check_whole
from omnizarr.netcdf.files.uservariables import UserVariables
from omnizarr.netcdf.model.items import AnyArray
from omnizarr.netcdf.model.nodes import (
    AttributeModel,
    DatasetModel,
    DimensionModel,
    GroupModel,
    Loss,
    VariableModel,
    join,
)
from omnizarr.netcdf.model.types import STRING, AtomicType, Endian, NcType, UserType, type_of_dtype


@dataclass(slots=True)
class FileModel:
    """What a file holds.

    Attributes
    ----------
    datasets
        The HDF5 datasets of variables by absolute path, where the file is HDF5.
    """

    dataset: DatasetModel
    losses: list[Loss] = field(default_factory=list)
    datasets: dict[str, Any] = field(default_factory=dict)


class NetCDFFile:
    """An open netCDF file of any kind, read without masking and scaling."""

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        self._held = ExitStack()
        if not Path(path).exists():
            raise StoreNotFoundError("there is no such file", store=self.path)
        check_whole(path)
        library = optional("netCDF4")
        try:
            with warnings.catch_warnings():
                # It warns of user-defined types, which are reported as losses.
                warnings.simplefilter("ignore")
                self.netcdf = self._held.enter_context(library.Dataset(self.path))
        except (OSError, RuntimeError) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else error
            raise ConversionError(f"{self.path} is no netCDF file that can be read: {why}") from error
        except TypeError as error:
            message = f"{self.path}: netCDF4 cannot open it for the sake of a type"
            raise ConversionError(f"{message}: {error}") from error
        self.netcdf.set_auto_maskandscale(False)
        self.netcdf.set_auto_chartostring(False)
        self.hdf5: Any = None
        if self.netcdf.disk_format == "HDF5":
            self.hdf5 = self._held.enter_context(optional("h5py").File(self.path, "r"))

    def variable(self, path: str) -> Any:
        """Return netCDF4's handle on a variable."""
        return self.netcdf[path.lstrip("/")] if path.count("/") > 1 else self.netcdf.variables[path[1:]]

    def read_uncached(self, path: str) -> None:
        """Let a variable be read without HDF5's cache of decoded chunks, which may take 64 MB.

        240 MB read against the grain within 64 MB took 113 MB with the cache.
        """
        variable = self.variable(path)
        if self.hdf5 is not None and isinstance(variable.chunking(), list):
            variable.set_var_chunk_cache(0, 1, 0)

    def read(self, variable: VariableModel, path: str, key: Any = ...) -> AnyArray:
        """Return values of a variable as `variable.type.dtype` has them; a scalar whatever the key.

        Raises
        ------
        StoreError
            The file is damaged there.
        """
        with hdf5.told_as(f"variable {path} cannot be read", self.path):
            if not isinstance(variable.type, AtomicType):
                return self.user_variables.read(variable, path, key)
            found = self.variable(path)
            return np.asarray(found[key if found.ndim else ...])

    def model(self) -> FileModel:
        """Return what the file holds, and what of it cannot be read.

        All is as the file has it: every filter; and a `_FillValue`, though it be of another type than its
        variable.
        """
        return _Reader(self).run()

    @cached_property
    def user_variables(self) -> UserVariables:
        """What is of the user's types; there is nothing where the file is not HDF5."""
        return UserVariables(self.netcdf, self.hdf5)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._held.close()


class _Reader:
    """One reading of a file's structure."""

    def __init__(self, file: NetCDFFile) -> None:
        self.file = file
        self.found = FileModel(DatasetModel(root=GroupModel(name="/"), dialect="netcdf"))

    def run(self) -> FileModel:
        root = self.group(self.file.netcdf, "/", "/")
        self.found.dataset = DatasetModel(root=root, dialect="netcdf")
        return self.found

    def lose(self, path: str, what: str) -> None:
        self.found.losses.append(Loss(path, what))

    def group(self, group: Any, path: str, name: str) -> GroupModel:
        node = self.file.hdf5[path] if self.file.hdf5 is not None else None
        return GroupModel(
            name=name,
            types=tuple(self.types(path)),
            dimensions=tuple(
                DimensionModel(d.name, len(d), d.isunlimited()) for d in group.dimensions.values()
            ),
            attributes=tuple(self.attributes(group, node, path)),
            variables=tuple(
                found
                for variable in self.names(group, path)
                if (found := self.variable(group.variables.get(variable), join(path, variable))) is not None
            ),
            groups=tuple(self.group(inner, join(path, key), key) for key, inner in group.groups.items()),
        )

    def types(self, path: str) -> Iterator[UserType]:
        if self.file.hdf5 is None:
            return
        for name, kind in self.file.user_variables.types.in_group(path):
            if kind is None:
                self.lose(join(path, name), "a type that netCDF has not")
            else:
                yield kind

    def names(self, group: Any, path: str) -> list[str]:
        """Return the names of a group's variables, with those that netCDF4 leaves out where they are read."""
        names = list(group.variables)
        if self.file.hdf5 is None:
            return names
        found = self.file.user_variables.names(path)
        return found if set(names) < set(found) else names

    # --- attributes

    def attributes(self, owner: Any, node: Any, path: str) -> Iterator[AttributeModel]:
        for name in attribute_names(node) if owner is None else owner.ncattrs():
            if is_hidden(name):
                continue
            attribute = self.attribute(owner, node, name)
            if attribute is None:
                self.lose(path, f"attribute {name!r} of a user-defined type")
                continue
            if has_other_bytes(attribute):
                self.lose(path, f"the encoding of attribute {name!r}, which is not UTF-8: taken as Latin-1")
            yield attribute

    def attribute(self, owner: Any, node: Any, name: str) -> AttributeModel | None:
        if node is not None:
            types = self.file.user_variables.types
            kind_of = types.type_of(node.attrs.get_id(name).get_type())
            if owner is None or not isinstance(kind_of, AtomicType):
                return attribute_by_hdf5(node, name, types)
        kind = "number" if node is None else hdf5.attribute_kind(node, name)
        return None if kind == "other" else attribute_by_netcdf(owner, name, kind)

    # --- variables

    def user_variable(self, variable: Any, path: str) -> VariableModel | None:
        """Return a variable of a type of the user; netCDF4 may have none of it."""
        node = self.file.user_variables.dataset(path)
        attributes = tuple(self.attributes(variable, node, path))
        dimensions = self.dimensions(variable, path)
        paths = None if dimensions is None else _paths(dimensions)
        found = self.file.user_variables.model(path, attributes, paths)
        if found is None:
            self.lose(path, "a variable of a type, or of dimensions, that netCDF has not")
        return found

    def dimensions(self, variable: Any, path: str) -> Sequence[Any] | None:
        if self.file.hdf5 is not None:
            found = self.file.user_variables.dimensions_of(path)
            if found is not None:
                return [self.file.user_variables.dimension(name) for name in found]
        return None if variable is None else tuple(variable.get_dims())

    def variable(self, variable: Any, path: str) -> VariableModel | None:
        kind = None if variable is None or variable._isenum else _type(variable)
        if kind is None:
            return self.user_variable(variable, path)
        node = None if self.file.hdf5 is None else hdf5.dataset_of(self.file.hdf5, path)
        if node is not None:
            self.found.datasets[path] = node
        dimensions = self.dimensions(variable, path) or ()
        models = [DimensionModel(d.name, len(d), d.isunlimited()) for d in dimensions]
        filters = hdf5.filters_of(node) if node is not None and models else ()
        chunks = _chunks(variable, kind, models)
        return VariableModel(
            name=variable.name,
            type=kind,
            dimensions=_paths(dimensions),
            attributes=tuple(self.attributes(variable, node, path)),
            no_fill=kind is not STRING and variable.get_fill_value() is None,
            chunks=chunks,
            filters=filters,
            endian=_endian(variable, kind),
            contiguous=bool(models) and not isinstance(variable.chunking(), list),
        )


def _type(variable: Any) -> NcType | None:
    if variable.dtype is str:
        return STRING
    if variable._isvlen or variable._iscompound or not isinstance(variable.dtype, np.dtype):
        return None
    return type_of_dtype(variable.dtype)


def _chunks(variable: Any, kind: NcType, dimensions: list[DimensionModel]) -> tuple[int, ...] | None:
    if not dimensions:
        return None
    sizes = variable.chunking()
    # What is in one piece could be of any size; cut as netCDF-C cuts what it chooses itself.
    return tuple(sizes) if isinstance(sizes, list) else default_chunks(dimensions, kind.size)


def _endian(variable: Any, kind: NcType) -> Endian:
    order = variable.endian() if kind.is_numeric else "little"
    return "big" if order == "big" else "little"


def _paths(dimensions: Sequence[Any]) -> tuple[str, ...]:
    return tuple(join(dimension.group().path, dimension.name) for dimension in dimensions)
