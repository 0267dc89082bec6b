"""The drafts of Zarr v3 of 2020 to 2022, which are read and never written.

`"3-2020"`: what zarrita and zarr-python 2 (`ZARR_V3_EXPERIMENTAL_API`) wrote: `meta/root/foo.array.json`,
`data/root/foo/c0/0`. `"3-2022"`: the last draft with a bootstrap document: `meta/foo.array.json`,
`data/foo/c0/0`.

https://github.com/zarr-developers/zarr-specs/commits/main/docs/core/v3.0.rst
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from omnizarr.errors import ConversionError
from omnizarr.jsontypes import (
    Json,
    JsonObject,
    Problems,
    dump_json,
    inside,
    parse_json,
    read_object,
    read_string,
    shown,
)
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats.base import Format, Owned
from omnizarr.metadata.formats.drafts.apart import DocumentsApart
from omnizarr.metadata.formats.drafts.array2020 import read_array, read_group
from omnizarr.metadata.formats.drafts.bootstrap import KEY
from omnizarr.metadata.formats.drafts.declared import read_declared
from omnizarr.metadata.formats.drafts.later_keys import (
    ARRAY,
    GROUP,
    LaterKeys,
    keys_of_2020,
    keys_of_2022,
)
from omnizarr.metadata.formats.drafts.uris import CORE, core_version
from omnizarr.metadata.group import GroupMetadata, NodeMetadata

_REQUIRED = ("zarr_format", "metadata_encoding", "extensions")
_OPTIONAL = ("metadata_key_suffix",)
_CONSOLIDATED = "consolidated/.zmetadata"
_CORE_2022 = re.compile(r"https?://purl\.org/zarr/spec/core/.*")  # without `protocol/`

# What holds chunks and is no compressor, by the codec that says it here.
_PLACES = {
    "transpose": "chunk_memory_layout",
    "bytes": "data_type",
    "sharding_indexed": "storage_transformers",
}


@dataclass(frozen=True, slots=True)
class LaterDraft(DocumentsApart):
    """One of the drafts of 2020 to 2022.

    Attributes
    ----------
    zarr_format
        `"3-2020"` or `"3-2022"`.
    gathered
        The key of the consolidated document, which zarr-python wrote; None where there is none.
    bootstrap
        The document that declares the hierarchy.
    """

    zarr_format: str
    keys: LaterKeys
    gathered: str | None = None
    bootstrap: JsonObject = field(default_factory=dict, compare=False, repr=False)

    def document_keys(self, path: str) -> tuple[str, ...]:
        """Return the keys of the array's document and of the group's. An array comes first."""
        return (self.keys.document_key(path, ARRAY), self.keys.document_key(path, GROUP))

    def attributes_key(self, path: str, kind: type[NodeMetadata] = GroupMetadata) -> str:
        """Return the key of the array's document, or of the group's."""
        return self.keys.document_key(path, GROUP if kind is GroupMetadata else ARRAY)

    def consolidated_key(self, path: str) -> str | None:
        """Return the key of zarr-python's `.zmetadata`; None below the root."""
        return None if path else self.gathered

    def document_place(self, metadata: ArrayMetadata, at: str) -> str:
        """Return the name of the document's field that says it."""
        if at.startswith("codecs["):
            return _PLACES.get(metadata.codecs[int(at[7])].name, "compressor")
        return at

    def nodes_below(self, path: str) -> str:
        """Return the prefix of documents, and the path."""
        return self.keys.below(path)

    def owned(self, path: str) -> Owned:
        """Return the node's documents, and all below its documents and chunks; of the root, everything."""
        if not path:
            return Owned((), ("",))
        return Owned(self.document_keys(path), (self.keys.below(path), self.keys.data_prefix(path)))

    def moved_key(self, key: str, old: str, new: str) -> str:
        """Return the key of the document, or below the prefix of documents or chunks."""
        return self.keys.moved(key, old, new)

    def root_documents(self) -> dict[str, bytes]:
        """Return the bootstrap document."""
        return {KEY: dump_json(self.bootstrap)}

    def data_prefix(self, path: str, metadata: ArrayMetadata) -> str:
        """Return the prefix of chunks, and the path."""
        return self.keys.data_prefix(path)

    def consolidating(self, path: str) -> Format | None:
        """Return None: these drafts are not written."""
        return None

    def node_path(self, key: str) -> str | None:
        """Return the path of the node whose document lies at `key`."""
        return self.keys.node_path(key)

    def write(self, path: str, metadata: NodeMetadata) -> dict[str, bytes]:
        """Raise ConversionError."""
        raise self.refusal()

    def refusal(self) -> ConversionError:
        """Return the error that says why nothing is written."""
        return ConversionError(
            f"the draft {self.zarr_format!r} of Zarr v3 is read only: omnizarr copy brings it to Zarr v3.1"
        )

    def _read_node(self, key: str, document: Json, problems: Problems) -> NodeMetadata:
        is_array = self.keys.kind_of(key) == ARRAY
        return read_array(document, problems) if is_array else read_group(document, problems)

    def _kind_of(self, key: str) -> str:
        return self.keys.kind_of(key)

    def _parsed(self, at: str, data: bytes, problems: Problems) -> Json:
        try:
            return parse_json(data)
        except ValueError as error:
            problems.add(at, f"expected JSON: {error}")
            return None

    def _own_part(self, document: Json) -> Json:
        if isinstance(document, dict) and isinstance(found := document.get("metadata"), dict):
            # zarr-python repeats the bootstrap document too.
            return {"metadata": {name: found[name] for name in found if name != "zarr.json"}}
        return document


def _draft_2020(suffix: str, bootstrap: JsonObject) -> LaterDraft:
    keys = keys_of_2020(suffix)
    return LaterDraft("3-2020", keys, keys.meta + _CONSOLIDATED, bootstrap)


def _draft_2022(suffix: str, bootstrap: JsonObject) -> LaterDraft:
    return LaterDraft("3-2022", keys_of_2022(suffix), None, bootstrap)


DRAFT_2020: Final = _draft_2020(".json", {})
DRAFT_2022: Final = _draft_2022(".json", {})


def is_later(document: JsonObject) -> bool:
    """Say whether a bootstrap document is of a draft after 2019, by what it says of documents."""
    zarr_format, encoding = document.get("zarr_format"), document.get("metadata_encoding")
    if "metadata_key_suffix" in document or isinstance(encoding, dict):
        return True
    named = (zarr_format, encoding)
    return any(isinstance(one, str) and _CORE_2022.fullmatch(one) for one in named) or _is_core(encoding)


def later_draft(document: JsonObject, problems: Problems) -> LaterDraft:
    """Return the draft that a parsed bootstrap document declares; faults go to `problems`."""
    fields = read_object(document, "", problems, required=_REQUIRED, optional=_OPTIONAL)
    read_declared(fields.get("extensions", []), "extensions", problems)
    zarr_format, encoding = fields.get("zarr_format", CORE), fields.get("metadata_encoding", CORE)
    if not _is_core(zarr_format):
        message = (
            f"expected the URI of a core protocol of version 3 such as {CORE}, found {shown(zarr_format)}"
        )
        problems.add("zarr_format", message, unsupported=True)
    of_2022 = isinstance(encoding, dict) or bool(_CORE_2022.fullmatch(str(zarr_format)))
    if isinstance(encoding, dict):
        fields = _read_encoding(encoding, problems)
    elif not _is_core(encoding):
        message = f"the encoding {shown(encoding)} is not known here"
        problems.add("metadata_encoding", message, unsupported=True)
    suffix = read_string(fields.get("metadata_key_suffix", ".json"), "metadata_key_suffix", problems)
    if "/" in suffix:
        problems.add("metadata_key_suffix", f"expected a suffix without a slash, found {shown(suffix)}")
        suffix = ".json"
    return _draft_2022(suffix, document) if of_2022 else _draft_2020(suffix, document)


def _is_core(value: Json) -> bool:
    version = core_version(value) if isinstance(value, str) else None
    return version is not None and version[0] == 3


def _read_encoding(value: JsonObject, problems: Problems) -> JsonObject:
    at = "metadata_encoding"
    fields = read_object(value, at, problems, required=("type", "metadata_key_suffix"), optional=None)
    if "extension" in fields or fields.get("type", "json") != "json":
        message = f"the encoding {shown(fields.get('extension', fields.get('type')))} is not known here"
        problems.add(inside(at, "type"), message, unsupported=True)
    return fields
