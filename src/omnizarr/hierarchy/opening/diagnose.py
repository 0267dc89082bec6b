"""Saying why a node was not found; these questions are asked only after a failure."""

from __future__ import annotations

from contextlib import suppress

from omnizarr.errors import MetadataError, NodeNotFoundError, StoreError
from omnizarr.hierarchy.copying.journal import deleted_in_part, unfinished
from omnizarr.hierarchy.creating.place import kind_at
from omnizarr.hierarchy.discover import child_names, deciding_keys, is_node
from omnizarr.hierarchy.opening.within import hierarchies_above
from omnizarr.hierarchy.paths import ancestors_of, prefix_of
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats import FORMATS
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import GroupMetadata
from omnizarr.store.base import Store

_NAMES_SHOWN = 10


def absent(
    store: Store, format: Format | None, path: str, wanted: str = "array or group"
) -> NodeNotFoundError:
    """Return the error for a node that is not there, with what is there instead.

    Parameters
    ----------
    format
        The format that was asked for; None where any would have done.
    """
    asked = f"no {wanted}" if format is None else f"no Zarr {format.zarr_format} {wanted}"
    if format is None:
        store, format, path = _in_draft(store, path)
    return NodeNotFoundError(f"{asked}: {_instead(store, format, path)}", store=store.name, path=path)


def _in_draft(store: Store, path: str) -> tuple[Store, Format | None, str]:
    """Return the same place as one of the draft's hierarchy that it lies in, if it lies in one."""
    with suppress(MetadataError):
        for place in hierarchies_above(store, path):
            return place
    return store, None, path


def _instead(store: Store, format: Format | None, path: str) -> str:
    own = format if format is not None and format.implicit_groups else None
    if unfinished(store, path, own):
        return "a copy to here was begun and never completed; the same copy run again completes it"
    if deleted_in_part(store, path, own):
        return "what was here was deleted in part; the same deletion run again completes it"
    for other in FORMATS.values():
        if other != format and (kind := _kind(store, other, path)):
            return (
                f"there is {kind} of Zarr {other.zarr_format}; open it with zarr_format={other.zarr_format!r}"
            )
    for ancestor in ancestors_of(path):
        for found in FORMATS.values() if format is None else (format,):
            kind = _kind(store, found, ancestor)
            if kind == "an array":
                return f"the path lies inside the array /{ancestor}"
            if kind:
                return f"the group /{ancestor} holds {_listed(child_names(store, found, ancestor))}"
    return f"{_found_at(store, path)} (tried {_tried(format, path)})"


def _tried(format: Format | None, path: str) -> str:
    formats = FORMATS.values() if format is None else (format,)
    return ", ".join(dict.fromkeys(key for found in formats for key in deciding_keys(found, path)))


def _kind(store: Store, format: Format, path: str) -> str | None:
    try:
        kind = kind_at(store, format, path)
    except MetadataError:
        return "a broken node" if is_node(store, format, path) else None
    return {ArrayMetadata: "an array", GroupMetadata: "a group"}.get(kind)  # type: ignore[arg-type]


def _found_at(store: Store, path: str) -> str:
    try:
        listing = store.list_dir(prefix_of(path))
    except StoreError:
        return "there is nothing that the store tells of, which lists no names"
    names = [key.rpartition("/")[2] for key in listing.keys]
    names += [prefix.rstrip("/").rpartition("/")[2] + "/" for prefix in listing.prefixes]
    return f"found {_listed(names)}" if names else "there is nothing"


def _listed(names: list[str]) -> str:
    if not names:
        return "nothing"
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return ", ".join(map(repr, names[:_NAMES_SHOWN])) + more
