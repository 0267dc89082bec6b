"""What each key below a node is: a document, a chunk, or something that belongs to no node."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.belongings import keys_at
from omnizarr.hierarchy.copying.journal import DELETION, JOURNAL, is_journal
from omnizarr.hierarchy.paths import ancestors_of, joined, prefix_of
from omnizarr.metadata.formats.base import Format
from omnizarr.store.base import Store

KeyKind: TypeAlias = Literal[
    "document", "chunk", "outside", "broken", "sidecar", "journal", "deletion", "lost", "stray"
]

# What lies beside Zarr's own documents by a convention: netCDF-C's of before it used attributes.
_SIDECARS = frozenset({".nczarr", ".nczgroup", ".nczvar", ".nczattr"})
_CONSOLIDATED = ".zmetadata"


class SortedKey(NamedTuple):
    """A key and what it is.

    Attributes
    ----------
    kind
        `document`: of a node; `chunk`: of an array; `outside`: a chunk beyond an array's shape; `broken`:
        below a node that cannot be read; `sidecar`: another convention's document; `journal`: of a copy
        that was never completed; `deletion`: the mark of one that was not; `lost`: a node's document that
        cannot be reached, since a group above it has none; `stray`: anything else.
    array, coords
        The array that the key lies in, and the chunk's place.
    """

    key: str
    kind: KeyKind
    array: Array | None = None
    coords: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class KeySorter:
    """Says of each key below `path` what it is.

    Attributes
    ----------
    nodes, broken
        Paths, relative to `path`, of the nodes that are there, and of those that cannot be read.
    arrays
        The arrays among the nodes.
    """

    store: Store
    format: Format
    path: str
    nodes: Collection[str]
    arrays: Mapping[str, Array]
    broken: Collection[str] = ()

    def sorted_keys(self, keys: Collection[str] | None = None) -> Iterator[SortedKey]:
        """Yield every key below the path, in order; `keys` are they, where they were listed already."""
        documents = {
            key
            for relative in (*self.nodes, *self.broken)
            for key in self.format.document_keys(joined(self.path, relative))
        }
        if not self.path:
            documents |= {*self.format.root_documents(), self.format.consolidated_key("") or _CONSOLIDATED}
        arrays = {array.layout.prefix: array for array in self.arrays.values()}
        broken = {
            prefix for name in self.broken for prefix in self.format.owned(joined(self.path, name)).prefixes
        }
        for key in sorted(keys_at(self.store, self.format, self.path) if keys is None else keys):
            name = key.rpartition("/")[2]
            if key in documents or name == _CONSOLIDATED:
                yield SortedKey(key, "document")
            elif name in _SIDECARS:
                yield SortedKey(key, "sidecar")
            elif name == DELETION:
                yield SortedKey(key, "deletion")
            elif name == JOURNAL and is_journal(self.store.get(key) or b""):
                yield SortedKey(key, "journal")
            else:
                yield self._other(key, arrays, broken)

    def _other(self, key: str, arrays: Mapping[str, Array], broken: Collection[str]) -> SortedKey:
        for prefix in map(prefix_of, ancestors_of(key)):
            if prefix in broken:
                return SortedKey(key, "broken")
            if (array := arrays.get(prefix)) is not None:
                return _in_array(key, array)
        return SortedKey(key, "stray" if self.format.node_path(key) is None else "lost")


def _in_array(key: str, array: Array) -> SortedKey:
    layout = array.layout
    rest = key[len(layout.prefix) :] if key.startswith(layout.prefix) else ""
    coords = layout.keys.coords(rest, len(layout.axes))
    if coords is None:
        return SortedKey(key, "stray", array)
    beyond = any(at >= axis.count for at, axis in zip(coords, layout.axes, strict=True))
    return SortedKey(key, "outside" if beyond else "chunk", array, coords)
