"""Lists of plain numbers, many at once.

Anything else in a list, a comment or a suffix say, leaves it to those who read token by token, and who
know the place of what is wrong.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from omnizarr.netcdf.cdl.reading.values import AnyArray
from omnizarr.netcdf.cdl.words import FILL
from omnizarr.netcdf.model.items import Item
from omnizarr.netcdf.model.types import (
    BYTE,
    DOUBLE,
    FLOAT,
    INT,
    INT64,
    SHORT,
    UBYTE,
    UINT,
    UINT64,
    USHORT,
    AtomicType,
)

_PLAIN = re.compile(r"[\s0-9+\-.,eE_NaInfitybBsSuUlLFdD]*+(?=[;}])", re.ASCII)
_OCTAL = re.compile(r"(?:^|[\s,])[+-]?0[0-9]")
_LETTER = re.compile(r"[bBsSuUlLfFdD]")
_WORD = re.compile(r"[A-Za-z]+")
_NAMED = re.compile(r"\b(NaN|nan|Infinity)f\b")
_WORDS = frozenset(("e", "E", "NaN", "nan", "Infinity"))
# The suffixes of a type's own; what another one means is for those who read token by token.
_SUFFIX = {
    kind: re.compile(rf"(?<=[0-9.])(?:{suffix})(?=\s*(?:,|$))", re.IGNORECASE)
    for kind, suffix in (
        (BYTE, "b"),
        (UBYTE, "ub"),
        (SHORT, "s"),
        (USHORT, "us"),
        (INT, "l"),
        (UINT, "ul?"),
        (INT64, "ll"),
        (UINT64, "ull"),
        (FLOAT, "f"),
        (DOUBLE, "[dl]"),
    )
}
# Characters that are split at a time, so that there are never more pieces than a megabyte makes.
_PIECE = 2**20


class Numbers(NamedTuple):
    """Numbers, and where the list ends."""

    values: AnyArray
    stop: int


def plain_numbers(kind: AtomicType, text: str, start: int, fill: Item | None) -> Numbers | None:
    """Return the numbers from a place up to `;` or `}`; None where there is anything else, or nothing."""
    found = _PLAIN.match(text, start)
    if found is None or not found[0].strip():
        return None
    pieces: list[AnyArray] = []
    end = found.end()
    while start < end:
        stop = text.find(",", start + _PIECE, end)
        stop = end if stop < 0 else stop
        piece = _numbers(kind, text[start:stop], fill)
        if piece is None:
            return None
        pieces.append(piece)
        start = stop + 1
    # A comma that ends the list is not seen by the pieces where it ends the last one.
    return None if start == end else Numbers(np.concatenate(pieces) if pieces[1:] else pieces[0], end)


def _numbers(kind: AtomicType, text: str, fill: Item | None) -> AnyArray | None:
    if _OCTAL.search(text):
        return None
    if _LETTER.search(text):
        text = _SUFFIX[kind].sub("", text)
    parts = text.split(",")
    missing = [at for at, part in enumerate(parts) if FILL in part] if FILL in text else []
    if missing and (fill is None or any(parts[at].strip() != FILL for at in missing)):
        return None
    for at in missing:
        parts[at] = "0"
    try:
        values = _floats(kind, text, parts) if kind.dtype.kind == "f" else _integers(kind, parts)
    except (ValueError, OverflowError):
        return None
    if values is not None and missing:
        values[missing] = fill
    return values


def _integers(kind: AtomicType, parts: list[str]) -> AnyArray:
    return np.array(list(map(int, parts)), kind.dtype)


def _floats(kind: AtomicType, text: str, parts: list[str]) -> AnyArray | None:
    infinities = 0
    if "n" in text or "I" in text or "N" in text:
        parts = [_NAMED.sub(r"\1", part) for part in parts]
        if not set(_WORD.findall(_NAMED.sub(r"\1", text))) <= _WORDS:
            return None
        infinities = text.count("Infinity")
    with np.errstate(over="ignore"):
        values = np.array(list(map(float, parts))).astype(kind.dtype)
    # A number that is too large is an error for those who know its place.
    return values if np.count_nonzero(np.isinf(values)) == infinities else None
