"""The keys of the draft of 2019: documents below `meta/root`, chunks below `data`.

Draft of June 2019, "Storage protocol".
"""

from __future__ import annotations

ROOT = "meta/root"
ARRAY = ".array"
GROUP = ".group"
_DATA = "data/"


def document_key(path: str, kind: str) -> str:
    """Return the key of the document of an array or a group."""
    return f"{ROOT}/{path}{kind}" if path else ROOT + kind


def below(path: str) -> str:
    """Return the prefix under which the documents of all nodes below a group are."""
    return f"{ROOT}/{path}/" if path else f"{ROOT}/"


def data_prefix(path: str) -> str:
    """Return what stands before the chunks of an array, and of all arrays below a group."""
    return f"{_DATA}{path}/" if path else _DATA


def node_path(key: str) -> str | None:
    """Return the path of the node whose document lies at a key, or None for other keys."""
    kind = kind_of(key)
    if not kind or not key.startswith(ROOT):
        return None
    rest = key[len(ROOT) : -len(kind)]
    if not rest:
        return ""
    is_named = rest[0] == "/" and all(name.strip(".") for name in rest[1:].split("/"))
    return rest[1:] if is_named else None


def moved(key: str, old: str, new: str) -> str:
    """Return what a key that belongs to the node at `old` is called where that node is at `new`."""
    for kind in (ARRAY, GROUP):
        if key == document_key(old, kind):
            return document_key(new, kind)
    for place in (below, data_prefix):
        if key.startswith(place(old)):
            return place(new) + key[len(place(old)) :]
    return data_prefix(new) + key if new else key


def kind_of(key: str) -> str:
    """Return `.array` or `.group`, whichever a key ends in, or nothing."""
    return next((kind for kind in (ARRAY, GROUP) if key.endswith(kind)), "")
