"""The properties of a group's metadata that are called as its model calls the nodes below.

`members` of a model are nodes. Where a group's metadata have properties of that name, or of that name after
underscores, they are renamed so that each keeps a name of its own, and so that nothing else can be meant.

ZEP 6, "Specification of the base Zarr Object Model". It names two cases: `members` alone becomes `_members`;
beside `_members` it becomes `__members`. If it were always the first name that is free, groups that differ
could have one model (`members` beside `_members` and beside `__members`), so `members` gets one underscore
more than any other; and where there is no `members`, the name with the most underscores gets one more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from omnizarr.jsontypes import Json, JsonObject

MEMBERS = "members"
_NAME = re.compile(r"(_*)members")


def to_model(properties: Mapping[str, Json]) -> JsonObject:
    """Return the properties of a group's metadata by the names that its model has for them."""
    counts = _underscores(properties)
    if not counts:
        return dict(properties)
    last = max(counts)
    renamed = {_name(last): _name(last + 1)}
    if 0 in counts:
        renamed = {MEMBERS: _name(last + 1)}
    return {renamed.get(name, name): value for name, value in properties.items()}


def from_model(properties: Mapping[str, Json]) -> JsonObject:
    """Return the properties of a model, without its nodes, by the names of the group's metadata."""
    counts = _underscores(properties)
    if not counts:
        return dict(properties)
    last = max(counts)
    original = MEMBERS if last == 1 or last - 1 in counts else _name(last - 1)
    return {original if name == _name(last) else name: value for name, value in properties.items()}


def _underscores(properties: Mapping[str, Json]) -> set[int]:
    return {len(found[1]) for name in properties if (found := _NAME.fullmatch(name))}


def _name(underscores: int) -> str:
    return "_" * underscores + MEMBERS
