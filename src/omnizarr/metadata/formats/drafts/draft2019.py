"""The draft of Zarr v3 of June 2019: `zarr.json`, `meta/root/…`, `data/…`.

https://github.com/zarr-developers/zarr-specs/pull/16
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from omnizarr.jsontypes import Json, Problems
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats.base import Owned
from omnizarr.metadata.formats.drafts import keys
from omnizarr.metadata.formats.drafts.array2019 import read_array, read_group, write_array, write_group
from omnizarr.metadata.formats.drafts.bootstrap import KEY, Bootstrap
from omnizarr.metadata.formats.drafts.encodings import encoding_named
from omnizarr.metadata.group import NodeMetadata

NAME = "3-2019"


@dataclass(frozen=True, slots=True)
class Draft2019:
    """The draft of June 2019, as the bootstrap document of a hierarchy has it."""

    bootstrap: Bootstrap = field(default_factory=Bootstrap)

    @property
    def zarr_format(self) -> str:
        """`"3-2019"`."""
        return NAME

    def document_keys(self, path: str) -> tuple[str, ...]:
        """Return the keys of the array's document and of the group's. An array comes first."""
        return (keys.document_key(path, keys.ARRAY), keys.document_key(path, keys.GROUP))

    def attributes_key(self, path: str) -> str:
        """Return the key of the group's document; an array's attributes are in its own."""
        return keys.document_key(path, keys.GROUP)

    def document_place(self, metadata: ArrayMetadata, at: str) -> str:
        """Return the name of the document's field that says it."""
        if at.startswith("codecs["):
            return "chunk_memory_layout" if metadata.codecs[int(at[7])].name == "transpose" else "compressor"
        return at

    @property
    def implicit_groups(self) -> bool:
        """True: whatever has nodes below it is a group."""
        return True

    def nodes_below(self, path: str) -> str:
        """Return `meta/root/`, and the path."""
        return keys.below(path)

    def children(
        self, path: str, found: Sequence[str], prefixes: Sequence[str]
    ) -> dict[str, tuple[str, ...] | None]:
        """Return the children with the keys of their documents, of which implied groups have none."""
        children: dict[str, tuple[str, ...] | None] = {
            prefix[len(keys.below("")) : -1]: () for prefix in prefixes
        }
        for key in found:
            if (child := keys.node_path(key)) is not None:
                children[child] = (*(children.get(child) or ()), key)
        return dict(sorted(children.items()))

    def owned(self, path: str) -> Owned:
        """Return the node's documents, and all below `meta/root` and `data`."""
        return Owned(self.document_keys(path), (keys.below(path), keys.data_prefix(path)))

    def root_documents(self) -> dict[str, bytes]:
        """Return the bootstrap document."""
        return {KEY: self.bootstrap.to_bytes()}

    def data_prefix(self, path: str, metadata: ArrayMetadata) -> str:
        """Return `data/`, and the path."""
        return keys.data_prefix(path)

    def node_path(self, key: str) -> str | None:
        """Return the path of the node whose document lies at `key`."""
        return keys.node_path(key)

    def read(
        self, path: str, documents: Mapping[str, bytes], problems: Problems, *, consolidated: bool = True
    ) -> NodeMetadata | None:
        """Return the node, an array where there are both documents; None where there is none."""
        key = next((key for key in self.document_keys(path) if key in documents), None)
        if key is None:
            return None
        try:
            document = encoding_named(self.bootstrap.metadata_encoding).parse(documents[key])
        except ValueError as error:
            problems.add(keys.kind_of(key), f"expected {self.bootstrap.metadata_encoding}: {error}")
            return None
        is_array = keys.kind_of(key) == keys.ARRAY
        return read_array(document, problems) if is_array else read_group(document, problems)

    def write(self, path: str, metadata: NodeMetadata) -> dict[str, bytes]:
        """Return the node's one document by its key.

        Raises
        ------
        ConversionError
            The draft cannot express this node.
        """
        is_array = isinstance(metadata, ArrayMetadata)
        document: Json = write_array(metadata) if is_array else write_group(metadata)  # type: ignore[arg-type]
        key = keys.document_key(path, keys.ARRAY if is_array else keys.GROUP)
        return {key: encoding_named(self.bootstrap.metadata_encoding).dump(document)}
