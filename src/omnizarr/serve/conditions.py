"""ETags, and the conditions that requests make of them.

https://www.rfc-editor.org/rfc/rfc9110#section-13
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException

from omnizarr.store.base import Facts

_TAGS = re.compile(r'\s*(?:(W/)?("[\x21\x23-\x7e\x80-\xff]*"))?\s*(?:,|\Z)')
ANY = "*"


def etag_of(facts: Facts) -> str:
    """Return the strong ETag of a value.

    It is a digest of what the store tells of the value without reading it: of the file (its number, size and
    time of change), of the object (its version or ETag), of the entry in an archive; else of the bytes.
    """
    text = f"{facts.size} {facts.state}".encode("utf-8", "surrogateescape")
    return f'"{hashlib.blake2b(text, digest_size=16).hexdigest()}"'


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a request asks of the value that is there; None where it does not.

    Attributes
    ----------
    match, none_match
        `If-Match` and `If-None-Match`: tags with their quotes, weak ones with `W/`; or `*`.
    range_tag
        `If-Range`, as it is.
    """

    match: tuple[str, ...] | None = None
    none_match: tuple[str, ...] | None = None
    range_tag: str | None = None

    @classmethod
    def of(cls, headers: Headers) -> Conditions:
        """Read the conditions of a request.

        Raises
        ------
        HTTPException
            400 where one is no list of ETags.
        """
        return cls(_tags(headers, "If-Match"), _tags(headers, "If-None-Match"), headers.get("If-Range"))

    @property
    def ask_for_none(self) -> bool:
        """Whether all that is asked is that there is no value."""
        return self.none_match == (ANY,) and self.match is None

    @property
    def ask_anything(self) -> bool:
        """Whether anything is asked of the value that is there."""
        return self.match is not None or self.none_match is not None

    def require(self, etag: str | None, *, there: bool = True) -> None:
        """Check `If-Match` against the value that is there, and its tag where that is known.

        Raises
        ------
        HTTPException
            412 where it is another.
        """
        if self.match is None or (there and ANY in self.match) or (etag is not None and etag in self.match):
            return
        raise HTTPException(412, "the value is not the one that If-Match asks for")

    def know(self, etag: str | None, *, there: bool = True) -> bool:
        """Say whether the value is one that `If-None-Match` names."""
        if self.none_match is None or not there:
            return False
        return ANY in self.none_match or etag in [tag.removeprefix("W/") for tag in self.none_match]

    def allow_range(self, etag: str | None) -> bool:
        """Say whether a part of the value may be the answer; a date is never exact enough."""
        return self.range_tag is None or self.range_tag.strip() == etag


def _tags(headers: Headers, name: str) -> tuple[str, ...] | None:
    found = headers.getlist(name)
    return tuple(tag for line in found for tag in _listed(line, name)) if found else None


def _listed(line: str, name: str) -> Iterator[str]:
    if line.strip() == ANY:
        yield ANY
        return
    at = 0
    while at < len(line):
        found = _TAGS.match(line, at)
        if found is None:
            raise HTTPException(400, f'{name}: expected * or ETags such as "abc", "def"')
        if found[2]:
            yield (found[1] or "") + found[2]
        at = found.end()
