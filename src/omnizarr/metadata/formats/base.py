"""What a format does: turn the documents of a node into the model, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from omnizarr.jsontypes import Problems
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.group import GroupMetadata, NodeMetadata


class Owned(NamedTuple):
    """All that belongs to a node and to what is below it: some keys, and what lies below some prefixes."""

    keys: tuple[str, ...]
    prefixes: tuple[str, ...]


class Format(Protocol):
    """One format's documents and keys. Paths are relative to the store, without a `/` at either end."""

    @property
    def zarr_format(self) -> int | str:
        """The number or name that users give: 2, 3, "3-2019"."""

    def document_keys(self, path: str) -> tuple[str, ...]:
        """Return the keys that may hold the documents of the node at `path`; deciding ones first.

        v2: `.zarray`, `.zgroup`, `.zattrs`. v3: `zarr.json`.
        """

    def read(
        self, path: str, documents: Mapping[str, bytes], problems: Problems, *, consolidated: bool = True
    ) -> NodeMetadata | None:
        """Return the node whose documents these are (by key), or None where they make no node.

        Faults go to `problems`; where there are any, the result may not be used. Locations start with
        the key's last part where a node has several documents (`.zarray.chunks[0]`), else with the field.
        Without `consolidated`, a group's consolidated metadata are not looked at, and are written back.
        """

    def write(self, path: str, metadata: NodeMetadata) -> dict[str, bytes]:
        """Return the node's documents by key, in the order in which to store them; deciding one last.

        Raises
        ------
        ConversionError
            The format cannot express this node.
        """

    def document_place(self, metadata: ArrayMetadata, at: str) -> str:
        """Return where in the node's documents a place of the model is (`codecs[1].configuration.level`).

        v2: `.zarray.compressor.level`. v3: the same.
        """

    def attributes_key(self, path: str, kind: type[NodeMetadata] = GroupMetadata) -> str:
        """Return the key of the document that holds the attributes (v2 `.zattrs`, v3 `zarr.json`).

        Drafts have them in the document of the array or the group, whichever `kind` is.
        """

    def data_prefix(self, path: str, metadata: ArrayMetadata) -> str:
        """Return what stands before a chunk's key: `""` or a path that ends in `/`."""

    def consolidated_key(self, path: str) -> str | None:
        """Return the key of the document that repeats the metadata of every node below a group.

        None where it is a part of the group's own document, which `read` and `write` care for, or where
        the format has it for other groups alone.
        """

    def consolidating(self, path: str) -> Format | None:
        """Return the format of a hierarchy that has consolidated metadata at `path`; None where none has."""

    def node_path(self, key: str) -> str | None:
        """Return the path of the node whose deciding document lies at `key`, or None for other keys."""

    @property
    def implicit_groups(self) -> bool:
        """Whether a path is a group that has no document, but nodes below it."""

    def nodes_below(self, path: str) -> str:
        """Return the prefix under which the documents of all nodes below a group lie."""

    def children(
        self, path: str, found: Sequence[str], prefixes: Sequence[str]
    ) -> dict[str, tuple[str, ...] | None]:
        """Return the paths of what may be a group's children, as the listing of `nodes_below(path)` has it.

        Parameters
        ----------
        found, prefixes
            The keys and the prefixes of that listing.

        Returns
        -------
        dict
            For each path the keys of its documents; None where the listing does not tell, so that they
            have to be asked for.
        """

    def owned(self, path: str) -> Owned:
        """Return where all that belongs to a node lies, what is below it included."""

    def moved_key(self, key: str, old: str, new: str) -> str:
        """Return what a key that belongs to the node at `old` is called where that node is at `new`."""

    def root_documents(self) -> dict[str, bytes]:
        """Return what a hierarchy has beside its nodes, by key; to be stored before the first of them."""
