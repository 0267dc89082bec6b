"""Exporting: what one file holds, as it was read or changed since, into a new one.

https://hdmf.readthedocs.io/en/stable/export.html
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from hdmf.backends.io import HDMFIO

from omnizarr.hdmf.backend.refusal import RefusedError


def export(
    io: Any,
    src_io: HDMFIO,
    container: Any = None,
    write_args: Mapping[str, Any] | None = None,
    *,
    clear_cache: bool = False,
) -> None:
    """Write the builders of one file into another by its `write_builder`.

    Links and references to what is in the source point to its copies in the new file; those to other files
    still point there, as seen from the new file. Nothing on Zarr can point into HDF5 files: what is linked to
    in such a one is copied.

    Parameters
    ----------
    io
        The new file, open in mode `"w"`.
    src_io
        The file to export, of any backend.
    container
        The root container that was read from it, with what was changed since; None for the file as it is.
    write_args
        Arguments for `write_builder`. With `link_data=False` all is built anew.
    clear_cache
        Whether all is built anew in any case.

    Raises
    ------
    RefusedError
        `io` is open in another mode, or is the source.
    ValueError
        The container is not the root of what was read by `src_io`.
    """
    if io.mode not in ("w", "w-", "x"):
        raise RefusedError(f"{io.source} is open in mode {io.mode!r}: expected 'w' for an export")
    arguments = {**(write_args or {}), "export_source": source_of(src_io)}
    HDMFIO.export(
        io,
        src_io=src_io,
        container=container,
        write_args=arguments,
        clear_cache=clear_cache or (not arguments.get("link_data", True) and src_io.manager is not None),
    )


def source_of(io: HDMFIO) -> str | None:
    """Return a file's name as its builders have it."""
    source = io.source
    if source is None or not isinstance(source, str | os.PathLike):
        return None
    name = os.fspath(source)
    return name if "://" in name else os.path.abspath(name)  # noqa: PTH100 (HDMF does not follow links)


def add_namespaces(io: HDMFIO, src_io: HDMFIO) -> None:
    """Let the catalog of a file know the namespaces of another one, for its specifications to be cached."""
    if src_io.manager is None:
        return
    known, found = io.manager.namespace_catalog, src_io.manager.namespace_catalog
    for name in found.namespaces:
        if name not in known.namespaces:
            known.add_namespace(name, found.get_namespace(name))
