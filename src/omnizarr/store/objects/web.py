"""What plain web servers do that object stores do not: pages instead of values, encodings, no HEAD.

A value is what the server says it is: where it answers with a page for people, or with bytes that it has
encoded, that raises, since both would be read as numbers where chunks are not compressed.
"""

from __future__ import annotations

import re
from typing import Any

from omnizarr.errors import StoreError
from omnizarr.store.objects.places import Place

_PAGES = ("text/html", "application/xhtml+xml")
_STATUS = re.compile(r"status code: (\d{3})")


def check_answer(place: Place, key: str, result: Any) -> None:
    """Refuse what is not the value itself.

    Raises
    ------
    StoreError
        The answer is an HTML page and the key does not end in `.html`, or it has a Content-Encoding.
    """
    if place.kind != "http":
        return
    found = {name.lower(): str(value) for name, value in result.attributes.items()}
    kind = found.get("content-type", "").partition(";")[0].strip().lower()
    if kind in _PAGES and not key.lower().endswith((".html", ".htm")):
        message = f"expected a value, found an HTML page (Content-Type {kind})"
        hint = "some servers answer so for keys that are not there, or where one has to log in"
        raise StoreError(f"cannot read: {message}; {hint}", store=place.name, key=key)
    encoding = found.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity"):
        message = f"expected the bytes as they are stored, found Content-Encoding {encoding}"
        raise StoreError(f"cannot read: {message}", store=place.name, key=key)


def status_of(error: Exception) -> int | None:
    """Return the status that a server answered with, where that is what an error of obstore is about."""
    found = _STATUS.search(str(error))
    return None if found is None else int(found[1])


def ignores_ranges(error: Exception) -> bool:
    """Say whether an error of obstore is about a server that answers a range with the whole value."""
    return "non-partial" in str(error) or "Range request not supported" in str(error)


def described(place: Place, key: str) -> Any:
    """Return what a server says of a value, by a GET of its first byte.

    Some servers refuse HEAD, and what obstore tells of its answer leaves out whether it is a page.
    """
    import obstore
    from obstore.exceptions import BaseError

    try:
        result = obstore.get(place.client, place.at(key), options={"range": (0, 1)})
    except BaseError as error:
        if status_of(error) != 416 and not ignores_ranges(error):
            raise
        result = obstore.get(
            place.client, place.at(key)
        )  # it is empty, or as long as it is: the body stays unread
        check_answer(place, key, result)
        return result.meta
    check_answer(place, key, result)
    result.bytes()
    return result.meta
