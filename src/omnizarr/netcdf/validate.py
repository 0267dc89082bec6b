"""Looking for what is wrong in a dataset as netCDF: what its notes say of each other and of the arrays."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from omnizarr.hierarchy.discover import walk
from omnizarr.hierarchy.group import Group
from omnizarr.jsontypes import JsonObject
from omnizarr.netcdf.dialects.base import Found
from omnizarr.netcdf.dialects.detect import Pure, detect
from omnizarr.netcdf.dialects.sidecars import SIDECARS
from omnizarr.netcdf.model.nodes import FaultName, parent_of


@dataclass(frozen=True, slots=True)
class DatasetFinding:
    """One thing that is wrong.

    Attributes
    ----------
    kind
        What is wrong, as in `model.Fault`.
    path
        The node, relative to the store as in `hierarchy.validate.Finding`.
    """

    kind: FaultName
    path: str
    message: str

    def to_json(self) -> JsonObject:
        """Return the finding as an object, of the same names as those of the hierarchy."""
        return {"kind": self.kind, "path": f"/{self.path}", "at": "", "message": self.message}

    def __str__(self) -> str:
        return f"/{self.path}: {self.message}"


def is_dataset(root: Group) -> bool:
    """Say whether a group says that it is a netCDF dataset: in one of NCZarr's ways, or the proposal's."""
    return not isinstance(detect(root), Pure)


def is_sidecar(key: str) -> bool:
    """Say whether a key is that of a document which a dialect keeps beside those of Zarr."""
    return key.rpartition("/")[2] in SIDECARS


def validate_dataset(root: Group) -> list[DatasetFinding]:
    """Return all that netCDF finds wrong in the dataset at a group.

    Nothing is found in hierarchies that do not say that they are netCDF.
    """
    dialect = detect(root)
    if isinstance(dialect, Pure):
        return []
    with warnings.catch_warnings():
        # What reading warns of is told as findings.
        warnings.simplefilter("ignore")
        found = dialect.read(root)
    faults = [(fault.name, fault.path, fault.message) for fault in found.model.faults]
    faults += [("unlisted-node", path, message) for path, message in _unlisted(root, found)]
    return [
        DatasetFinding(name, f"{root.path}/{path.strip('/')}".strip("/"), message)
        for name, path, message in faults
    ]


def _unlisted(root: Group, found: Found) -> Iterator[tuple[str, str]]:
    """Yield the nodes that the store has in a group of the dataset, and that the group does not list."""
    known = {*found.groups, *found.arrays, *(entry.path for entry in found.model.unmapped)}
    for relative, _ in walk(root.store, root.format, root.path, on_error=lambda *fault: None):
        path = f"/{relative}"
        if path not in known and parent_of(path) in found.groups:
            yield path, "the group does not list it, and netCDF does not show it"
