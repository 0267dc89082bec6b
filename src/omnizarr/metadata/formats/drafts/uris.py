"""The URIs by which the drafts of Zarr v3 name protocols, extensions and codecs.

https://github.com/zarr-developers/zarr-specs/pull/16
"""

from __future__ import annotations

import re

CORE = "http://purl.org/zarr/spec/protocol/core/3.0"
DATETIMES = "http://purl.org/zarr/spec/protocol/extensions/datetime-dtypes/1.0"
CONSOLIDATED = "urn:omnizarr:extension:consolidated-metadata:1.0"

_CODEC = "http://purl.org/zarr/spec/codec/"
_CORE = re.compile(r"https?://purl\.org/zarr/spec/(?:protocol/)?core/([0-9]+)\.([0-9]+)/?")
_EXTENSION = re.compile(r"https?://(purl\.org/zarr/spec/protocol/extensions/[^/]+/[0-9]+)\.[0-9]+/?")


def core_version(uri: str) -> tuple[int, int] | None:
    """Return major and minor of the core protocol that a URI names, or None where it names another thing."""
    found = _CORE.fullmatch(uri)
    return None if found is None else (int(found[1]), int(found[2]))


def same_extension(one: str, other: str) -> bool:
    """Say whether two URIs name one extension: of any scheme of the web, and any minor version."""
    first, second = _EXTENSION.fullmatch(one), _EXTENSION.fullmatch(other)
    if first is None or second is None:
        return one.rstrip("/") == other.rstrip("/")
    return first[1] == second[1]


def codec_uri(name: str) -> str:
    """Return the URI that the draft of 2019 has for a codec; of what is a URI already, itself."""
    return name if ":" in name else _CODEC + name
