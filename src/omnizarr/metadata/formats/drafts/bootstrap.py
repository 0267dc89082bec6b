"""The bootstrap document: which draft a hierarchy is of, how its documents are encoded, what it extends.

It lies at `zarr.json`, the root of the hierarchy, and is always JSON.
Draft of June 2019, "Bootstrap metadata".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from omnizarr.jsontypes import Json, JsonObject, Problems, dump_json, parse_json, read_object, shown
from omnizarr.metadata.formats.drafts.declared import Declared, read_declared
from omnizarr.metadata.formats.drafts.encodings import JSON, is_known
from omnizarr.metadata.formats.drafts.uris import CORE, core_version

KEY = "zarr.json"
_REQUIRED = ("zarr_format", "metadata_encoding", "extensions")


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """What a hierarchy of the draft of 2019 says of itself."""

    zarr_format: str = CORE
    metadata_encoding: str = JSON
    extensions: tuple[Declared, ...] = ()

    def to_bytes(self) -> bytes:
        """Return the document."""
        document: JsonObject = {
            "zarr_format": self.zarr_format,
            "metadata_encoding": self.metadata_encoding,
            "extensions": [extension.to_json() for extension in self.extensions],
        }
        return dump_json(document)

    def with_extension(self, extension: Declared) -> Self:
        """Return this document with an extension declared, in place of what it said of it before."""
        others = tuple(one for one in self.extensions if one.uri != extension.uri)
        return replace(self, extensions=(*others, extension))


def read_bootstrap(document: Json, problems: Problems) -> Bootstrap:
    """Read a parsed document of the draft of 2019."""
    fields = read_object(document, KEY, problems, required=_REQUIRED)
    uri, encoding = fields.get("zarr_format", CORE), fields.get("metadata_encoding", JSON)
    if not isinstance(uri, str) or (version := core_version(uri)) is None:
        problems.add("zarr_format", f"expected the URI of a core protocol such as {CORE}, found {shown(uri)}")
        uri = CORE
    elif version[0] != 3:
        problems.add(
            "zarr_format", f"version {version[0]} of the protocol is not known here", unsupported=True
        )
    if not isinstance(encoding, str):
        problems.add("metadata_encoding", f"expected a string, found {shown(encoding)}")
        encoding = JSON
    elif not is_known(encoding):
        message = f"the encoding {shown(encoding)} is not known here"
        problems.add("metadata_encoding", message, unsupported=True)
    extensions = read_declared(fields.get("extensions", []), "extensions", problems)
    return Bootstrap(uri, encoding, extensions)


def bootstrap_document(data: bytes) -> JsonObject | None:
    """Return the parsed document at `zarr.json` where it is a draft's, or None where it is not.

    What tells them apart is `zarr_format`, which drafts have as a URI.
    """
    try:
        document = parse_json(data)
    except ValueError:
        return None
    is_draft = isinstance(document, dict) and isinstance(document.get("zarr_format"), str)
    return document if is_draft and isinstance(document, dict) else None
