"""The children of a group, page by page, and nodes by name; only documents that are shown are read."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from typing import Any

from omnizarr.errors import MetadataError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import AnyNode, Group
from omnizarr.hierarchy.paths import joined, prefix_of
from omnizarr.hierarchy.requests import each
from omnizarr.jsontypes import Json, JsonObject
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.netcdf.dialects.xarray import Xarray
from omnizarr.serve.faults import message_of
from omnizarr.serve.spelling import brief, number

# What looking for a name may cost.
_NODES = 5000
_SECONDS = 5.0
_AT_ONCE = 64


def page_of(group: Group, after: str | None, limit: int) -> JsonObject:
    """Return members of a group whose names come after one: `members`, and `next` where there are more."""
    names = names_below(group)
    start = 0 if after is None else bisect_right(names, after)
    found: list[Json] = []
    while start < len(names) and len(found) < limit:
        batch = names[start : start + limit - len(found)]
        found += [
            member for member in each(group.store, lambda name: member_of(group, name), batch) if member
        ]
        start += len(batch)
    return {"members": found, "next": names[start - 1] if start < len(names) else None}


def names_below(group: Group) -> list[str]:
    """Return the names of what may be the children of a group, in order; documents are not asked for."""
    if group._snapshot is not None and group._snapshot.nodes is not None:
        return sorted(group.keys())
    skipped = len(prefix_of(group.path))
    listing = group.store.list_dir(group.format.nodes_below(group.path))
    return sorted(child[skipped:] for child in group.format.children(group.path, *listing))


def member_of(group: Group, name: str) -> JsonObject | None:
    """Return what is told of a child, also where its documents are broken; None where it is no node."""
    try:
        node = group.get(name)
    except MetadataError as error:
        return {"name": name, "kind": "broken", "problem": brief(message_of(error))}
    return None if node is None else {"name": name, **told_of(node)}


def told_of(node: AnyNode) -> JsonObject:
    """Return what a list says of a node."""
    if not isinstance(node, Array):
        return {"kind": "group"}
    metadata = node.metadata
    names = dimension_names(metadata, node.zarr_format)
    said = {name: _text(metadata.attributes.get(name)) for name in ("long_name", "units")}
    return {
        "kind": "array",
        "shape": [number(length) for length in node.shape],
        "dtype": dtype_of(node),
        "dimensions": None if names is None else [None if name is None else brief(name) for name in names],
        **{name: text for name, text in said.items() if text is not None},
    }


def dtype_of(array: Array) -> str:
    """Return the data type in a word."""
    if array.dtype.names is not None:
        return "record"
    return array.metadata.data_type.name if array.dtype.kind in "OV" else str(array.dtype)


def dimension_names(metadata: ArrayMetadata, zarr_format: int | str) -> tuple[str | None, ...] | None:
    """Return the names that an array itself gives its axes; the notes of others are not asked for."""
    names = Xarray(2 if zarr_format == 2 else 3).axis_names(metadata)
    if names is None:
        notes: Any = metadata.attributes.get("_nczarr_array")
        places = notes.get("dimension_references", notes.get("dimrefs")) if isinstance(notes, dict) else None
        if isinstance(places, list) and all(isinstance(place, str) for place in places):
            names = tuple(place.rpartition("/")[2] for place in places)
    return names if names is not None and len(names) == metadata.ndim else None


def _text(value: Json | None) -> str | None:
    return brief(value) if isinstance(value, str) else None


def find(top: AnyNode, text: str, limit: int) -> JsonObject:
    """Return nodes whose name (with a `/` in it, whose path) holds a text, and whether all were looked at."""
    found: list[Json] = []
    wanted = text.casefold()
    search = _Search(top)
    for path, member in search.run():
        if wanted in (path if "/" in wanted else path.rpartition("/")[2]).casefold():
            found.append({**member, "path": path})
        if len(found) == limit:
            return {"found": found, "complete": False}
    return {"found": found, "complete": search.is_complete}


class _Search:
    """Goes through a hierarchy, what is nearer to the root first, until it has cost enough."""

    def __init__(self, top: AnyNode) -> None:
        self._top = top
        self.is_complete = True

    def run(self) -> Iterator[tuple[str, JsonObject]]:
        ends = time.monotonic() + _SECONDS
        left = _NODES
        groups = deque([""] if isinstance(self._top, Group) else [])
        while groups:
            path = groups.popleft()
            group = self._top if not path else self._top[path]
            assert isinstance(group, Group)
            names = names_below(group)
            for start in range(0, len(names), _AT_ONCE):
                if left <= 0 or time.monotonic() > ends:
                    self.is_complete = False
                    return
                batch = names[start : start + _AT_ONCE]
                left -= len(batch)
                for name, member in zip(batch, self._read(group, batch), strict=True):
                    if member is not None:
                        yield joined(path, name), member
                        if member["kind"] == "group":
                            groups.append(joined(path, name))

    def _read(self, group: Group, names: list[str]) -> list[JsonObject | None]:
        return each(group.store, lambda name: member_of(group, name), names)
