"""Handles that came from another process: whether the array is where they say, seen from here.

A pickled handle has the metadata, so that nothing is read to make it again. But a path may name another place
on another machine: then every chunk is absent, and an absent chunk is fill values. So before the first of
them is taken for that, and before anything is written, the array's document is looked for.
"""

from __future__ import annotations

from omnizarr.errors import NodeNotFoundError
from omnizarr.hierarchy.documents import fetch_documents
from omnizarr.metadata.formats.base import Format
from omnizarr.store.base import Store

# Places whose documents this process has seen: of tasks each has a handle of its own.
_seen: set[tuple[str, str]] = set()
_MOST = 4096


def require_here(store: Store, format: Format, path: str) -> None:
    """Check that there is a node, unless this process has seen it before.

    Raises
    ------
    NodeNotFoundError
        There is none.
    """
    place = (store.identity, path)
    if place in _seen:
        return
    if not fetch_documents(store, format, path):
        message = "a handle from another process: nothing is there, seen from this one"
        raise NodeNotFoundError(message, store=store.name, path=path)
    if len(_seen) >= _MOST:
        _seen.clear()
    _seen.add(place)
