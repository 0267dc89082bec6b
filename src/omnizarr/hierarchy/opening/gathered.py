"""The documents of one node where each request waits for a network: few requests, in few rounds.

Zarr v2 keeps a group in up to three documents. What is consolidated repeats the one that only says that
there is a group, so two requests at the same time are enough: for `.zmetadata`, and for the attributes, which
may have changed since. Where nothing is consolidated one more round asks for `.zarray` and `.zgroup`.
"""

from __future__ import annotations

from omnizarr.hierarchy.documents import fetch_documents
from omnizarr.hierarchy.opening.formats import Fetch
from omnizarr.hierarchy.paths import prefix_of
from omnizarr.hierarchy.requests import each
from omnizarr.jsontypes import dump_json, parse_json
from omnizarr.metadata.formats.base import Format
from omnizarr.store.base import Store


def documents_gathered(name: bool | str | None) -> Fetch:
    """Return what fetches the documents of a node, consolidated metadata among them.

    Parameters
    ----------
    name
        The name of the consolidated document where it is not the usual one.
    """

    def fetch(store: Store, format: Format, path: str) -> dict[str, bytes]:
        key = format.consolidated_key(path)
        if key is None:
            return fetch_documents(store, format, path)
        stored = prefix_of(path) + name if isinstance(name, str) else key
        attributes = format.attributes_key(path)
        gathered, beside = each(store, store.get, [stored, attributes])
        documents = _groups_own(format, path, gathered)
        if not documents:
            wanted = [known for known in format.document_keys(path) if known != attributes]
            values = each(store, store.get, wanted)
            documents = {
                known: value for known, value in zip(wanted, values, strict=True) if value is not None
            }
        if not documents:
            return {}
        if beside is not None:
            documents[attributes] = beside
        return documents if gathered is None else {**documents, key: gathered}

    return fetch


def _groups_own(format: Format, path: str, gathered: bytes | None) -> dict[str, bytes]:
    """Return the document of the group itself, where its consolidated metadata have it; else nothing."""
    try:
        found = None if gathered is None else parse_json(gathered)
    except ValueError:
        return {}  # told of when the group is read
    metadata = found.get("metadata") if isinstance(found, dict) else None
    if not isinstance(metadata, dict):
        return {}
    start = len(prefix_of(path))
    own = {key: metadata.get(key[start:]) for key in format.document_keys(path)}
    deciding = {key: value for key, value in own.items() if format.node_path(key) is not None and value}
    return {key: dump_json(value) for key, value in deciding.items()} if len(deciding) == 1 else {}
