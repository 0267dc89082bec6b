"""netCDF-4 files, written by h5py with netCDF-C's conventions on HDF5.

https://docs.unidata.ucar.edu/netcdf-c/current/file_format_specifications.html#netcdf_4_spec
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from io import BytesIO
from math import prod
from typing import Any

import numpy as np

from omnizarr._version import __version__
from omnizarr.errors import ConversionError
from omnizarr.hierarchy.array import Array
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.netcdf.dialects.arrays import with_fill
from omnizarr.netcdf.dialects.writing import new_array
from omnizarr.netcdf.extras import optional
from omnizarr.netcdf.files.chunks import ChunksToFile
from omnizarr.netcdf.files.hdf5 import LOCK, NO_VARIABLE, RENAMED, told_as
from omnizarr.netcdf.files.hdf5_types import HDF5Types
from omnizarr.netcdf.filters.forms import to_hdf5
from omnizarr.netcdf.filters.known import Blosc, Filter, Fletcher32, Shuffle, Szip, Zlib
from omnizarr.netcdf.model.items import AnyArray, to_numpy
from omnizarr.netcdf.model.nodes import AttributeModel, GroupModel, VariableModel, join
from omnizarr.netcdf.model.types import CHAR, STRING

_OPTIONAL = 1  # H5Z_FLAG_OPTIONAL: the filter need not be there when the dataset is made


def chunked_array(variable: VariableModel, shape: tuple[int, ...]) -> ArrayMetadata | None:
    """Return the array whose chunks those of a variable in a file are, or None where there is none."""
    if variable.chunks is None or not variable.type.is_fixed:
        return None
    try:
        return with_fill(new_array(variable, shape, {}), variable)
    except ConversionError:
        return None


class HDF5Writer:
    """A file that is made from a model, and then gets its values.

    Parameters
    ----------
    chunks, arrays
        Where the chunks of variables come from, and the arrays, by absolute path, that they are those of.
    """

    def __init__(
        self,
        path: str,
        root: GroupModel,
        chunks: ChunksToFile,
        arrays: Mapping[str, Array],
        *,
        is_classic: bool,
    ) -> None:
        self.root = root
        self._h5: Any = optional("h5py")
        self._types = HDF5Types()
        self._datasets: dict[str, Any] = {}
        self._models: dict[str, VariableModel] = {}
        self._scales: dict[str, Any] = {}
        self._ids: dict[str, int] = {}
        # The draft is locked already, which HDF5's own lock would run into.
        version = ("v108", "v108")
        self.file = self._h5.File(path, "w", libver=version, track_order=True, locking=False)
        self._chunks = chunks
        self._arrays = arrays
        self._is_classic = is_classic

    def define(self) -> None:
        """Make everything but the values."""
        variables = (variable for _, group in self.root.walk() for variable in group.variables)
        has_blosc = any(isinstance(entry, Blosc) for v in variables for entry in v.filters)
        with LOCK, _without_plugins(self._h5) if has_blosc else nullcontext():
            self._define()

    def _define(self) -> None:
        self._properties()
        for path, group in self.root.walk():
            node = self.file if path == "/" else self.file.create_group(path, track_order=True)
            for kind in group.types:
                self._types.commit(node, kind)
            for dimension in group.dimensions:
                self._ids[join(path, dimension.name)] = len(self._ids)
        for path, group in self.root.walk():
            self._group(path, group)
        for path, group in self.root.walk():
            for variable in group.variables:
                self._attach(join(path, variable.name), variable)
        if self._is_classic:
            self._types.put_number(self.file, "_nc3_strict", 1)

    def _properties(self) -> None:
        text = f"version=2,omnizarr={__version__},hdf5={self._h5.version.hdf5_version}"
        self._types.put_attribute(self.file, AttributeModel("_NCProperties", CHAR, text))

    def _group(self, path: str, group: GroupModel) -> None:
        node = self.file[path]
        for attribute in group.attributes:
            self._types.put_attribute(node, attribute)
        coordinates = {v.name for v in group.variables if v.dimensions[:1] == (join(path, v.name),)}
        names = {dimension.name for dimension in group.dimensions}
        for dimension in group.dimensions:
            if dimension.name not in coordinates:
                self._bare_dimension(path, dimension.name, dimension.size, dimension.unlimited)
        for variable in group.variables:
            where = join(path, variable.name)
            is_coordinate = variable.name in coordinates and variable.name in names
            hidden = RENAMED if variable.name in names and not is_coordinate else ""
            self._variable(node, where, variable, hidden + variable.name)
            if is_coordinate:
                self._scale(where, self._datasets[where], variable.name)
                if len(variable.dimensions) > 1:
                    ids = [self._ids[name] for name in variable.dimensions]
                    self._types.put_number(self._datasets[where], "_Netcdf4Coordinates", ids)

    # --- dimensions

    def _bare_dimension(self, path: str, name: str, size: int, unlimited: bool) -> None:
        """Make a dimension that no variable has the name of."""
        h5 = self._h5
        properties = self._dataset_properties()
        if unlimited:
            properties.set_chunk((1,))
        most = (h5.h5s.UNLIMITED if unlimited else size,)
        space = h5.h5s.create_simple((size,), most)
        node = self._create(self.file[path], name, h5.h5t.IEEE_F32BE, space, properties)
        self._scale(join(path, name), node, f"{NO_VARIABLE}{size:10d}")

    def _scale(self, path: str, node: Any, name: str) -> None:
        self._h5.h5ds.set_scale(node.id, name.encode("utf-8", "surrogateescape"))
        self._types.put_number(node, "_Netcdf4Dimid", self._ids[path])
        self._scales[path] = node

    def _attach(self, path: str, variable: VariableModel) -> None:
        if path in self._scales and self._scales[path].id == self._datasets[path].id:
            return
        for axis, dimension in enumerate(variable.dimensions):
            self._h5.h5ds.attach_scale(self._datasets[path].id, self._scales[dimension].id, axis)

    # --- variables

    def _variable(self, group: Any, path: str, variable: VariableModel, name: str) -> None:
        h5s = self._h5.h5s
        kind = self._types.of(variable.type, variable.endian)
        fill = self._fill(path, variable)
        is_text = variable.type is CHAR and fill is not None
        properties = self._dataset_properties(_filled_text(self._h5, fill) if is_text else None)
        space = h5s.create(h5s.SCALAR)
        if variable.dimensions:
            dimensions = [self.root.dimension(d) for d in variable.dimensions]
            sizes = tuple(d.size for d in dimensions if d is not None)
            most = tuple(h5s.UNLIMITED if d.unlimited else d.size for d in dimensions if d is not None)
            space = h5s.create_simple(sizes, most)
        if variable.chunks is not None:
            properties.set_chunk(variable.chunks)
            for entry in variable.filters:
                _set_filter(properties, entry, variable)
        if variable.no_fill and variable.type.is_fixed:  # HDF5 has no references that are undefined
            properties.set_fill_time(self._h5.h5d.FILL_TIME_NEVER)
        elif fill is not None and not is_text:
            properties.set_fill_value(np.array(fill, kind.dtype))
        node = self._create(group, name, kind, space, properties)
        self._datasets[path], self._models[path] = node, variable
        for attribute in variable.attributes:
            self._types.put_attribute(node, attribute)
        if path in self._arrays:
            self._chunks.attach(path.strip("/"), node)

    def _create(self, group: Any, name: str, kind: Any, space: Any, properties: Any) -> Any:
        encoded = name.encode("utf-8", "surrogateescape")
        made = self._h5.h5d.create(group.id, encoded, kind, space, properties, self._types.link_names())
        return self._h5.Dataset(made)

    def _dataset_properties(self, begun: Any = None) -> Any:
        h5p = self._h5.h5p
        properties = begun or h5p.create(h5p.DATASET_CREATE)
        properties.set_attr_creation_order(h5p.CRT_ORDER_TRACKED | h5p.CRT_ORDER_INDEXED)
        properties.set_obj_track_times(False)
        return properties

    def _fill(self, path: str, variable: VariableModel) -> Any:
        """Return what HDF5 is told to fill with; None for what it fills with by itself."""
        if variable.no_fill and variable.type.is_fixed:
            return None
        if path in self._arrays:
            return np.asarray(self._arrays[path].fill_value)
        if variable.fill_value is not None and (variable.type.is_fixed or variable.type is STRING):
            # h5py cannot convert a sequence here; empty is what HDF5 fills with by itself.
            return to_numpy(variable.type, (variable.fill_value,))[0]
        return None

    # --- values

    def write(self, path: str, region: tuple[slice, ...], values: AnyArray) -> None:
        """Write values, as the model's type shows them, to a region."""
        dataset = self._datasets[path].id
        memory, data = self._types.in_memory(self._types.of(self._models[path].type), values)
        h5s = self._h5.h5s
        if not region:
            dataset.write(h5s.ALL, h5s.ALL, data, memory)
            return
        count = tuple(cut.stop - cut.start for cut in region)
        space = dataset.get_space()
        space.select_hyperslab(tuple(cut.start for cut in region), count)
        with LOCK:
            dataset.write(h5s.create_simple(count), space, data.reshape(count), memory)

    def close(self) -> None:
        """Finish the file."""
        with told_as("cannot write", str(self.file.filename)):
            self.file.close()


def _filled_text(h5: Any, fill: Any) -> Any:
    """Return properties of a dataset with a character to fill with.

    h5py would set the first byte of the address where that is.
    """
    model = optional("netCDF4").Dataset("fill", "w", memory=0)
    model.createVariable("a", "S1", (), fill_value=np.asarray(fill, "S1").tobytes())
    with h5.File(BytesIO(model.close()), "r") as file:
        return file["a"].id.get_create_plist()


@contextmanager
def _without_plugins(h5: Any) -> Iterator[None]:
    """Keep HDF5 from asking the plugin of Blosc, which fails where it belongs to another copy of HDF5.

    The filter's parameters are complete without it, and chunks are encoded by our own codecs.
    """
    paths = [h5.h5pl.get(i) for i in range(h5.h5pl.size())]
    for _ in paths:
        h5.h5pl.remove(0)
    if h5.h5z.filter_avail(Blosc.hdf5_id):
        with suppress(RuntimeError):  # an open dataset has it, which it then works for
            h5.h5z.unregister_filter(Blosc.hdf5_id)
    try:
        yield
    finally:
        for path in paths:
            h5.h5pl.append(path)


def _set_filter(properties: Any, entry: Filter, variable: VariableModel) -> None:
    itemsize = variable.type.size
    chunk = prod(variable.chunks or ()) * itemsize
    match entry:
        case Zlib(level=level):
            properties.set_deflate(level)
        case Shuffle():
            properties.set_shuffle()
        case Fletcher32():
            properties.set_fletcher32()
        case Szip():
            properties.set_szip(*entry.parameters())
        case _ if (known := to_hdf5(entry, itemsize, chunk)) is not None:
            properties.set_filter(known[0], _OPTIONAL, known[1])
