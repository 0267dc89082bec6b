"""The header `Range`: which part of a value is asked for.

https://www.rfc-editor.org/rfc/rfc9110#section-14
"""

from __future__ import annotations

import re

from starlette.exceptions import HTTPException

from omnizarr.store.base import ByteRange, From, Last, Span
from omnizarr.store.ranges import bounds

_ONE = re.compile(r"\s*bytes\s*=[\s,]*(\d*)-(\d*)[\s,]*", re.IGNORECASE | re.ASCII)
# More digits than any size has are as good as these; and Python refuses to read some thousands.
_MOST_DIGITS = 19


def asked_part(header: str | None) -> ByteRange | None:
    """Return the one part that a header asks for.

    None where it asks for all: also where it has several parts, other units or makes no sense, which a server
    may pass over.
    """
    found = _ONE.fullmatch(header) if header is not None else None
    if found is None:
        return None
    first, last = (_number(text) for text in found.groups())
    if first is None:
        return None if last is None else Last(last)
    if last is None:
        return From(first)
    return Span(first, last + 1 - first) if first <= last else None


def satisfied(part: ByteRange | None, size: int) -> tuple[int, int] | None:
    """Return where a part of a value of `size` bytes starts and stops, or None for all of it.

    An empty value has no part that an answer could name, so that all of it is the answer to any.

    Raises
    ------
    HTTPException
        416 where the value has nothing of it.
    """
    if part is None or (size == 0 and not (isinstance(part, Last) and part.length == 0)):
        return None
    start, stop = bounds(part, size)
    if start == stop:
        raise HTTPException(416, "the value has no such part", {"Content-Range": f"bytes */{size}"})
    return start, stop


def _number(text: str) -> int | None:
    if not text:
        return None
    digits = text.lstrip("0") or "0"
    return int(digits) if len(digits) <= _MOST_DIGITS else 10**_MOST_DIGITS
