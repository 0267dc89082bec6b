"""The keys of the drafts after 2019: documents end in a suffix, and chunks may lie below a `root` too.

Drafts of October 2020 and of late 2022, "Storage keys".
https://github.com/zarr-developers/zarr-specs/blob/main/docs/v3/core/v3.0.rst (its history)
"""

from __future__ import annotations

from dataclasses import dataclass

ARRAY = "array"
GROUP = "group"
_KINDS = (ARRAY, GROUP)


@dataclass(frozen=True, slots=True)
class LaterKeys:
    """Where documents and chunks lie.

    Attributes
    ----------
    root
        What stands before the documents of the root, up to their kind.
    meta, data
        What stands before the documents and the chunks of all other nodes.
    suffix
        What all documents end in.
    """

    root: str
    meta: str
    data: str
    suffix: str = ".json"

    def document_key(self, path: str, kind: str) -> str:
        """Return the key of the document of an array or a group."""
        return f"{self.meta}{path}.{kind}{self.suffix}" if path else f"{self.root}{kind}{self.suffix}"

    def below(self, path: str) -> str:
        """Return the prefix under which the documents of all nodes below a group are."""
        return f"{self.meta}{path}/" if path else self.meta

    def data_prefix(self, path: str) -> str:
        """Return what stands before the chunks of an array, and of all arrays below a group."""
        return f"{self.data}{path}/" if path else self.data

    def node_path(self, key: str) -> str | None:
        """Return the path of the node whose document lies at a key, or None for other keys."""
        kind = self.kind_of(key)
        if not kind:
            return None
        if key == self.document_key("", kind):
            return ""
        end = f".{kind}{self.suffix}"
        if not (key.startswith(self.meta) and key.endswith(end)):
            return None
        path = key[len(self.meta) : -len(end)]
        return path if all(name.strip(".") for name in path.split("/")) else None

    def kind_of(self, key: str) -> str:
        """Return `array` or `group`, whichever a key says, or nothing."""
        return next((kind for kind in _KINDS if key.endswith(kind + self.suffix)), "")

    def moved(self, key: str, old: str, new: str) -> str:
        """Return what a key that belongs to the node at `old` is called where that node is at `new`."""
        for kind in _KINDS:
            if key == self.document_key(old, kind):
                return self.document_key(new, kind)
        for place in (self.below, self.data_prefix):
            if key.startswith(place(old)):
                return place(new) + key[len(place(old)) :]
        return key


def keys_of_2020(suffix: str) -> LaterKeys:
    """Return `meta/root/foo.array.json`, `meta/root.group.json`, `data/root/foo/c0/0`."""
    return LaterKeys("meta/root.", "meta/root/", "data/root/", suffix)


def keys_of_2022(suffix: str) -> LaterKeys:
    """Return `meta/foo.array.json`, `meta/group.json`, `data/foo/c0/0`."""
    return LaterKeys("meta/", "meta/", "data/", suffix)
