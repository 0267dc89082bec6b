"""Texts as the rows of an array of characters.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

# The number of the first character, and the characters from there.
Row: TypeAlias = tuple[int, bytes]

# How many times as long as what is given a piece may be.
_MOST_FILL = 64


def rows_of(texts: Sequence[bytes], width: int | None, expected: int | None) -> tuple[Row, ...]:
    """Return where texts lie in an array of characters.

    Each text starts a row of its own and may go on over several. A dump breaks a text behind each newline:
    where taking each text for a row does not fit the array, a text is the rest of one that ends in a newline.

    Parameters
    ----------
    width
        The characters of a row; None where texts simply follow each other.
    expected
        How many characters there are; None where that is not known.
    """
    if width is None:
        return ((0, b"".join(texts)),)
    found = _laid(texts, width)
    if expected is not None and _rows(found, width) * width != expected:
        continued = _laid(_continued(texts), width)
        if _rows(found, width) * width > expected >= _rows(continued, width) * width:
            return continued
    return found


def packed(rows: Sequence[Row], fill: bytes) -> tuple[Row, ...]:
    """Return rows in one piece, with the fill value between them, unless that would be most of it."""
    end = end_of(rows)
    if len(rows) < 2 or end > _MOST_FILL * (sum(len(text) for _, text in rows) + _MOST_FILL):
        return tuple(rows)
    data = bytearray(fill) * end
    for at, text in rows:
        data[at : at + len(text)] = text
    return ((0, bytes(data)),)


def end_of(rows: Sequence[Row]) -> int:
    """Return the number behind the last character."""
    return rows[-1][0] + len(rows[-1][1]) if rows else 0


def _laid(texts: Sequence[bytes], width: int) -> tuple[Row, ...]:
    found: list[Row] = []
    at = 0
    for text in texts:
        found.append((at, text))
        at += max(1, -(-len(text) // width)) * width
    return tuple(found)


def _rows(rows: Sequence[Row], width: int) -> int:
    if not rows:
        return 0
    at, text = rows[-1]
    return at // width + max(1, -(-len(text) // width))


def _continued(texts: Sequence[bytes]) -> list[bytes]:
    """Return texts with those that are broken behind newlines in one piece."""
    found: list[bytes] = []
    goes_on = False
    for text in texts:
        if goes_on:
            found[-1] += text
        else:
            found.append(text)
        goes_on = text.endswith(b"\n")
    return found
