"""Hierarchies of the draft of Zarr v3 of June 2019, and what extends its protocol, each by its URI.

Arrays and groups are opened and made like those of any format, with `zarr_format="3-2019"`. What a hierarchy
declares of itself is here, and so is what makes extensions known:

- extensions of the protocol: `register_extension`; docs/spec/extension-consolidated-metadata.md is one
- encodings of documents: `register_encoding`; docs/spec/encoding-msgpack.md is one
- data types: `register_type_extension`; docs/spec/extension-datetimes.md is one
- codecs: `omnizarr.codecs.registry.register_codec`, by the last part of the URI

>>> from omnizarr import drafts
>>> group = drafts.create_hierarchy("memory://draft", metadata_encoding="application/json")
>>> group.create_array("a/b", shape=3, dtype="<i4").zarr_format
'3-2019'
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from omnizarr.errors import ConversionError, NodeExistsError
from omnizarr.hierarchy.attributes import checked_attributes
from omnizarr.hierarchy.creating.place import ensure_hierarchy, place
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.opening.locate import locate
from omnizarr.hierarchy.opening.within import places_at
from omnizarr.jsontypes import Problems, parse_json
from omnizarr.metadata.formats.drafts.bootstrap import Bootstrap, read_bootstrap
from omnizarr.metadata.formats.drafts.data_types import StoredType, TypeExtension, register_type_extension
from omnizarr.metadata.formats.drafts.declared import Declared, register_extension
from omnizarr.metadata.formats.drafts.draft2019 import Draft2019
from omnizarr.metadata.formats.drafts.encodings import JSON, MSGPACK, Encoding, register_encoding
from omnizarr.metadata.formats.drafts.uris import CONSOLIDATED, CORE, DATETIMES
from omnizarr.metadata.group import GroupMetadata
from omnizarr.store.layers.below import BelowStore

__all__ = [
    "CONSOLIDATED",
    "CORE",
    "DATETIMES",
    "JSON",
    "MSGPACK",
    "Bootstrap",
    "Declared",
    "Encoding",
    "StoredType",
    "TypeExtension",
    "bootstrap_of",
    "create_hierarchy",
    "register_encoding",
    "register_extension",
    "register_type_extension",
]


def create_hierarchy(
    store: Any = None,
    *,
    metadata_encoding: str = JSON,
    extensions: Iterable[Declared] = (),
    attributes: Mapping[str, Any] | None = None,
    path: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> Group:
    """Make a hierarchy and return its root: one write, and one more where the root has attributes.

    Parameters
    ----------
    store
        A path, a URL, a store, a dictionary, or None for memory.
    metadata_encoding
        How documents are encoded.
    extensions
        What the hierarchy declares; those that must be understood have to be known here.
    attributes
        Those of the root.
    path
        The root's path within the store; the hierarchy is in the store as shown from there on.
    storage_options
        Options of the store, for URLs.

    Raises
    ------
    NodeExistsError
        There is a hierarchy already.
    UnsupportedError
        The encoding, or an extension that must be understood, is not known here.
    """
    bootstrap = Bootstrap(metadata_encoding=metadata_encoding, extensions=tuple(extensions))
    found = locate(store, path, "a", storage_options)
    problems = Problems()
    format = Draft2019(read_bootstrap(parse_json(bootstrap.to_bytes()), problems))
    problems.check(store=found.store.name, path=found.path)
    root = BelowStore(found.store, found.path) if found.path else found.store
    metadata = GroupMetadata(attributes=checked_attributes(attributes or {}))
    for there in places_at(root, ""):
        message = f"a hierarchy of Zarr {there.format.zarr_format} is there already"
        raise NodeExistsError(message, store=root.name, path="")
    ensure_hierarchy(root, format)
    if metadata.attributes:
        place(root, format, "", metadata, parent="")
    return Group(root, format, "", metadata)


def bootstrap_of(node: Node) -> Bootstrap:
    """Return what the hierarchy that a node is in declares of itself.

    Raises
    ------
    ConversionError
        It is not of the draft of 2019.
    """
    if not isinstance(node.format, Draft2019):
        raise ConversionError(f"expected Zarr 3-2019, found Zarr {node.zarr_format}: {node.store_path}")
    return node.format.bootstrap
