"""Data that are stored already: whether they are linked to, and where."""

from __future__ import annotations

from typing import Any

from hdmf.query import HDMFDataset

from omnizarr.hdmf.backend.builder_paths import BuilderPaths
from omnizarr.hdmf.backend.contents import stored_of
from omnizarr.hdmf.backend.datasets import StoredDataset
from omnizarr.hdmf.backend.pointing import Pointing, relative_source, same_place
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.linking.reference import Reference


def link_for(
    data: Any, path: str, pointing: Pointing, paths: BuilderPaths, *, exported_from: str | None
) -> Reference | None:
    """Return the reference for a link that stands for a dataset; None where its values are to be copied.

    Parameters
    ----------
    data
        The data of a builder.
    path
        Where the dataset would be.
    exported_from
        The file that is exported: what it holds will be in this file too, at the same path or not at all.
    """
    if not isinstance(stored_of(data), Array):
        return None
    source, there = _place_of(data)
    if exported_from is not None and same_place(source, (exported_from,)):
        # A link to what is not exported would lead nowhere.
        return Reference("/" + there) if there != path and paths.has_dataset(there) else None
    if same_place(source, pointing.inside):
        return Reference("/" + there) if there != path else None
    return Reference("/" + there, relative_source(source, pointing.place))


def _place_of(data: Any) -> tuple[str, str]:
    """Return the file that holds a dataset, and the dataset's path in that."""
    while isinstance(data, HDMFDataset) and not isinstance(data, StoredDataset):
        data = data.dataset
    return data.file_place if isinstance(data, StoredDataset) else (data.store.name, data.path)
