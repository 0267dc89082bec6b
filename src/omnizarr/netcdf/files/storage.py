"""How a netCDF file is stored, as far as the model does not tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from omnizarr.netcdf.cdl.writing.special import Kind, Storage
from omnizarr.netcdf.extras import optional
from omnizarr.netcdf.files import hdf5
from omnizarr.netcdf.files.read import FileModel, NetCDFFile
from omnizarr.netcdf.model.nodes import join

_KINDS: dict[str, Kind] = {
    "NETCDF3_CLASSIC": "classic",
    "NETCDF3_64BIT_OFFSET": "64-bit offset",
    "NETCDF3_64BIT_DATA": "cdf5",
    "NETCDF4_CLASSIC": "netCDF-4 classic model",
}
_STRICT = "_nc3_strict"


def storage_of(file: NetCDFFile, found: FileModel) -> Storage:
    """Return how a file is stored, of which this is the model."""
    kind = _KINDS.get(file.netcdf.data_model, "netCDF-4")
    if file.hdf5 is None:
        return Storage(kind=kind, superblock=None, is_netcdf4=None, is_zarr=False)
    properties = file.hdf5.attrs.get("_NCProperties")
    return Storage(
        kind=kind,
        properties=properties.decode("utf-8", "surrogateescape")
        if isinstance(properties, bytes)
        else properties,
        superblock=file.hdf5.id.get_create_plist().get_version()[0],
        is_netcdf4=_is_netcdf4(file.hdf5),
        is_zarr=False,
        compact=frozenset(_compact(file.hdf5, found)),
    )


def _is_netcdf4(file: Any) -> bool:
    """Say whether the netCDF library made a file, for the full model: it leaves marks that others do not."""
    if _STRICT in file.attrs:
        return False
    marks = ("_Netcdf4Dimid", "_Netcdf4Coordinates", "_NCProperties")
    return any(mark in file.attrs for mark in marks) or _has_dimension_ids(file)


def _has_dimension_ids(group: Any) -> bool:
    return any("_Netcdf4Dimid" in node.attrs for node in group.values())


def _compact(file: Any, found: FileModel) -> Iterator[str]:
    layout = optional("h5py").h5d.COMPACT
    for path, group in found.dataset.root.walk():
        for variable in group.variables:
            where = join(path, variable.name)
            if hdf5.dataset_of(file, where).id.get_create_plist().get_layout() == layout:
                yield where
