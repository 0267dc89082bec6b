"""The draft of Zarr v3 of June 2019: `zarr.json`, `meta/root/…`, `data/…`.

https://github.com/zarr-developers/zarr-specs/pull/16
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from omnizarr.jsontypes import Json, Problems
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats.base import Format, Owned
from omnizarr.metadata.formats.drafts import keys
from omnizarr.metadata.formats.drafts.apart import DocumentsApart
from omnizarr.metadata.formats.drafts.array2019 import read_array, read_group, write_array, write_group
from omnizarr.metadata.formats.drafts.bootstrap import KEY, Bootstrap
from omnizarr.metadata.formats.drafts.encodings import encoding_named
from omnizarr.metadata.formats.drafts.gathered import (
    declared_key,
    declaring,
    write_gathered,
)
from omnizarr.metadata.group import GroupMetadata, NodeMetadata

NAME = "3-2019"


@dataclass(frozen=True, slots=True)
class Draft2019(DocumentsApart):
    """The draft of June 2019, as the bootstrap document of a hierarchy has it."""

    bootstrap: Bootstrap = field(default_factory=Bootstrap)

    @property
    def zarr_format(self) -> str:
        """`"3-2019"`."""
        return NAME

    def document_keys(self, path: str) -> tuple[str, ...]:
        """Return the keys of the array's document and of the group's. An array comes first."""
        return (keys.document_key(path, keys.ARRAY), keys.document_key(path, keys.GROUP))

    def attributes_key(self, path: str, kind: type[NodeMetadata] = GroupMetadata) -> str:
        """Return the key of the array's document, or of the group's."""
        return keys.document_key(path, keys.GROUP if kind is GroupMetadata else keys.ARRAY)

    def consolidated_key(self, path: str) -> str | None:
        """Return the key that the bootstrap document declares for the root, or None."""
        return None if path else declared_key(self.bootstrap)

    def consolidating(self, path: str) -> Format | None:
        """Return this format with the extension declared; None below the root."""
        return None if path else replace(self, bootstrap=declaring(self.bootstrap))

    def document_place(self, metadata: ArrayMetadata, at: str) -> str:
        """Return the name of the document's field that says it."""
        if at.startswith("codecs["):
            return "chunk_memory_layout" if metadata.codecs[int(at[7])].name == "transpose" else "compressor"
        return at

    def nodes_below(self, path: str) -> str:
        """Return `meta/root/`, and the path."""
        return keys.below(path)

    def owned(self, path: str) -> Owned:
        """Return the node's documents, and all below `meta/root` and `data`; of the root, everything."""
        if not path:
            return Owned((), ("",))
        return Owned(self.document_keys(path), (keys.below(path), keys.data_prefix(path)))

    def moved_key(self, key: str, old: str, new: str) -> str:
        """Return the key of the document, or below `meta/root` or `data`, where other keys come to lie."""
        return keys.moved(key, old, new)

    def root_documents(self) -> dict[str, bytes]:
        """Return the bootstrap document."""
        return {KEY: self.bootstrap.to_bytes()}

    def data_prefix(self, path: str, metadata: ArrayMetadata) -> str:
        """Return `data/`, and the path."""
        return keys.data_prefix(path)

    def node_path(self, key: str) -> str | None:
        """Return the path of the node whose document lies at `key`."""
        return keys.node_path(key)

    def write(self, path: str, metadata: NodeMetadata) -> dict[str, bytes]:
        """Return the node's one document by its key; before it a root's consolidated one, where it has some.

        Raises
        ------
        ConversionError
            The draft cannot express this node.
        """
        dump = encoding_named(self.bootstrap.metadata_encoding).dump
        [(key, document)] = self._write_node(path, metadata).items()
        gathered = self.consolidated_key(path)
        nodes = metadata.consolidated if isinstance(metadata, GroupMetadata) else None
        if gathered is None or nodes is None:
            return {key: dump(document)}
        documents = {key: document}
        for name, node in nodes.items():
            documents |= self._write_node(name, node)
        return {gathered: dump(write_gathered(documents)), key: dump(document)}

    def _kind_of(self, key: str) -> str:
        return keys.kind_of(key)

    def _parsed(self, at: str, data: bytes, problems: Problems) -> Json:
        encoding = self.bootstrap.metadata_encoding
        try:
            return encoding_named(encoding).parse(data)
        except ValueError as error:
            problems.add(at, f"expected {encoding}: {error}")
            return None

    def _read_node(self, key: str, document: Json, problems: Problems) -> NodeMetadata:
        is_array = keys.kind_of(key) == keys.ARRAY
        return read_array(document, problems) if is_array else read_group(document, problems)

    def _write_node(self, path: str, metadata: NodeMetadata) -> dict[str, Json]:
        if isinstance(metadata, ArrayMetadata):
            return {keys.document_key(path, keys.ARRAY): write_array(metadata)}
        return {keys.document_key(path, keys.GROUP): write_group(metadata)}
