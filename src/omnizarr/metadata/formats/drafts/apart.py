"""Formats whose documents lie apart from the chunks, and whose groups need none: all drafts of v3."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace

from omnizarr.jsontypes import Json, Problems
from omnizarr.metadata.formats.drafts.gathered import read_gathered
from omnizarr.metadata.group import GroupMetadata, NodeMetadata


class DocumentsApart(ABC):
    """What the drafts share of `Format`."""

    __slots__ = ()

    @abstractmethod
    def document_keys(self, path: str) -> tuple[str, ...]:
        """Return the keys of the array's document and of the group's. An array comes first."""

    @abstractmethod
    def consolidated_key(self, path: str) -> str | None:
        """Return the key of the root's consolidated document, or None."""

    @abstractmethod
    def node_path(self, key: str) -> str | None:
        """Return the path of the node whose document lies at `key`."""

    @abstractmethod
    def nodes_below(self, path: str) -> str:
        """Return the prefix of documents, and the path."""

    @abstractmethod
    def _kind_of(self, key: str) -> str:
        """Return how the key of a document ends, which tells what its node is."""

    @abstractmethod
    def _parsed(self, at: str, data: bytes, problems: Problems) -> Json:
        """Return a parsed document; a fault goes to `problems`, and None is returned."""

    @abstractmethod
    def _read_node(self, key: str, document: Json, problems: Problems) -> NodeMetadata:
        """Return the node of a parsed document."""

    def _own_part(self, document: Json) -> Json:
        """Return a consolidated document without what is none of a node."""
        return document

    @property
    def implicit_groups(self) -> bool:
        """True: whatever has nodes below it is a group."""
        return True

    def children(
        self, path: str, found: Sequence[str], prefixes: Sequence[str]
    ) -> dict[str, tuple[str, ...] | None]:
        """Return the children with the keys of their documents, of which implied groups have none."""
        start = len(self.nodes_below(""))
        children: dict[str, tuple[str, ...] | None] = {prefix[start:-1]: () for prefix in prefixes}
        for key in found:
            if child := self.node_path(key):
                children[child] = (*(children.get(child) or ()), key)
        return dict(sorted(children.items()))

    def read(
        self, path: str, documents: Mapping[str, bytes], problems: Problems, *, consolidated: bool = True
    ) -> NodeMetadata | None:
        """Return the node, an array where there are both documents; None where there is none.

        A root's consolidated document, where it is among the documents, is read too, and is enough.
        """
        gathered = self.consolidated_key(path)
        if consolidated and gathered is not None and gathered in documents:
            return self._read_gathered(gathered, documents[gathered], problems)
        key = next((key for key in self.document_keys(path) if key in documents), None)
        if key is None:
            return None
        document = self._parsed(self._kind_of(key), documents[key], problems)
        return None if problems and document is None else self._read_node(key, document, problems)

    def _read_gathered(self, key: str, data: bytes, problems: Problems) -> NodeMetadata:
        inner = Problems()
        document = self._own_part(self._parsed("", data, inner))
        nodes = {} if inner else read_gathered(document, self.node_path, self._read_node, inner)
        problems.include(key, inner)
        root = nodes.pop("", GroupMetadata())
        return replace(root, consolidated=nodes) if isinstance(root, GroupMetadata) else root
