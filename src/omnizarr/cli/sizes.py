"""Byte counts as people write them."""

from __future__ import annotations

import re

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_UNITS |= {f"{unit}i": 2 ** (10 * power) for power, unit in enumerate("kmgt", 1)}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?)?b?\s*", re.IGNORECASE)


def parse_size(text: str) -> int:
    """Return the bytes that `512MB`, `1.5 GiB` or `4096` say.

    Raises
    ------
    ValueError
        The text is no size.
    """
    found = _SIZE.fullmatch(text)
    if found is None:
        raise ValueError(f"expected a size such as 512MB or 1.5GiB, found {text!r}")
    return int(float(found[1]) * _UNITS[(found[2] or "").lower()])


def counted(count: int, noun: str) -> str:
    """Return how many there are of something: `1 key`, `2 keys`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def shown_size(count: int) -> str:
    """Return a byte count in the largest unit that leaves a whole part: `1.5 MB`."""
    size = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 999.5:
            return f"{count} B" if unit == "B" else f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"
