"""A dataset that CDL describes, written in any dialect of Zarr or as a netCDF file.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np

from omnizarr.hierarchy.array import Array
from omnizarr.netcdf.cdl.reading.parse import ParsedCDL
from omnizarr.netcdf.cdl.reading.values import Data, filled, regions
from omnizarr.netcdf.copying.convert import Aim, open_target, refuse
from omnizarr.netcdf.copying.reading import Region
from omnizarr.netcdf.copying.source import variables_of
from omnizarr.netcdf.copying.target import Target
from omnizarr.netcdf.copying.target_file import FileTarget
from omnizarr.netcdf.defining.chunking import default_chunks
from omnizarr.netcdf.dialects.stored import DEFAULT_STRING_LENGTH
from omnizarr.netcdf.model.items import AnyArray
from omnizarr.netcdf.model.nodes import DatasetModel, DimensionModel, GroupModel, Loss, VariableModel
from omnizarr.netcdf.values.storage import longest_text, to_storage

# Elements that are filled at a time where a fill value has to be written.
_FILLED = 2**20


def generate(
    parsed: ParsedCDL,
    target: Any,
    *,
    dialect: str | None = None,
    zarr_format: int | None = None,
    kind: str | None = None,
    strict: bool = False,
    overwrite: bool = False,
    path: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> tuple[Loss, ...]:
    """Write a dataset that CDL describes; return what of it the target cannot hold.

    Parameters
    ----------
    target, dialect, zarr_format, kind, path, storage_options
        As `omnizarr.netcdf.convert` takes them: a path that ends in `.nc` becomes a netCDF file.
    strict
        Refuse what the target cannot hold whole, rather than leave it out.
    overwrite
        Replace what is at the target.

    Raises
    ------
    NodeExistsError
        There is something at the target.
    ConversionError
        `strict`, and something would be lost.
    """
    with ExitStack() as held:
        goal = open_target(Aim(target, dialect, zarr_format, kind, path), None, storage_options)
        held.callback(goal.close)
        is_file = isinstance(goal, FileTarget)
        source = CDLSource(parsed, is_file=is_file)
        losses = goal.plan(source, source.model.root, lambda where: source.longest(where, is_file))
        if strict:
            refuse(source.name, losses)
        goal.begin(source, overwrite=overwrite)
        for where in variables_of(goal.root):
            if where in parsed.values:
                _write(goal, where, parsed.values[where])
        goal.finish()
    return losses


class CDLSource:
    """What CDL describes, as something that a conversion reads from."""

    kind: str | None = None
    stamp: str | None = None
    losses: tuple[Loss, ...] = ()
    places: tuple[str, ...] = ()

    def __init__(self, parsed: ParsedCDL, *, is_file: bool) -> None:
        self.name = f"CDL {parsed.name!r}"
        self.model = with_chunks(parsed.model, is_file=is_file)
        self._values = parsed.values

    def array(self, path: str) -> Array | None:
        """Return None: there are no chunks."""
        return None

    def read(self, path: str, region: Region) -> AnyArray:
        """Return values."""
        values = self._values[path].array()
        return values[region] if region else values

    def longest(self, path: str, is_file: bool) -> int:
        """Return the bytes that each string of a variable has room for: in Zarr not less than is usual."""
        data = self._values.get(path)
        found = max((longest_text(values) for _, values in data.runs), default=0) if data else 0
        return found if is_file else max(found, DEFAULT_STRING_LENGTH)

    def begin(self, path: str) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


def _write(goal: Target, path: str, data: Data) -> None:
    write = goal.writing(path)
    for start, values in data.merged():
        for region, part in regions(data.shape, start, values):
            write(region, part)
    for start, stop in () if _reads_as_fill(goal.array(path), data) else data.missing():
        for at in range(start, stop, _FILLED):
            values = filled(data.kind, data.fill, min(_FILLED, stop - at))
            for region, part in regions(data.shape, at, values):
                write(region, part)


def _reads_as_fill(array: Array | None, data: Data) -> bool:
    """Say whether an element that is never written reads as the fill value."""
    if array is None or not data.kind.is_fixed:
        return data.is_stored
    wanted = to_storage(data.kind, filled(data.kind, data.fill, 1), array.metadata.data_type)
    fill = array.fill_value
    return fill is not None and np.asarray(fill, wanted.dtype).tobytes() == wanted.tobytes()


def with_chunks(model: DatasetModel, *, is_file: bool = False) -> DatasetModel:
    """Return a dataset whose variables have chunks, where the text says nothing of them.

    A file keeps what cannot grow in one piece, as netCDF-C does.
    """
    root = model.root

    def cut(variable: VariableModel) -> VariableModel:
        dimensions = [found for name in variable.dimensions if (found := root.dimension(name)) is not None]
        if variable.chunks is not None or not dimensions:
            return variable
        if is_file and not variable.filters and not any(d.unlimited for d in dimensions):
            return replace(variable, contiguous=True)
        # netCDF-C chooses before unlimited dimensions have a size.
        empty = [DimensionModel(d.name, 0 if d.unlimited else d.size, d.unlimited) for d in dimensions]
        return replace(variable, chunks=default_chunks(empty, variable.type.size))

    def group(found: GroupModel) -> GroupModel:
        return replace(
            found, variables=tuple(map(cut, found.variables)), groups=tuple(map(group, found.groups))
        )

    return replace(model, root=group(root))
