"""JSON for a browser: what JavaScript would read wrongly is spelled as text, what is long is cut."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from omnizarr.jsontypes import Json

# The largest integer up to which JavaScript's numbers hold each.
EXACT = 2**53
LONGEST_NAME = 500
_NAMES = {math.inf: "Infinity", -math.inf: "-Infinity"}


def json_bytes(value: Json) -> bytes:
    """Write JSON that any parser reads: in ASCII, so that lone surrogates get through."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")


def number(value: int) -> int | str:
    """Return an integer; as text where JavaScript would round it."""
    return value if -EXACT <= value <= EXACT else str(value)


def brief(text: str) -> str:
    """Return a text that should be short: a name, units, a message; cut where it is not."""
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"


def real(value: float) -> float | str:
    """Return a float; as text where JSON has no name for it."""
    return value if math.isfinite(value) else _NAMES.get(value, "NaN")


@dataclass(slots=True)
class Spelling:
    """Spells values until `room` characters are used; `is_cut` says whether something was left out."""

    room: int
    is_cut: bool = False

    def of(self, value: Any) -> Json:
        """Return a JSON value in the spelling of this module."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Mapping):
            return self._object(value)
        if isinstance(value, list | tuple):
            return self._list(value)
        self.room -= 6
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            return number(value)
        return real(value) if isinstance(value, float) else self._text(str(value))

    def _text(self, text: str) -> str:
        found = text[: max(0, self.room)]
        self.is_cut = self.is_cut or len(found) < len(text)
        self.room -= len(found) + 2
        return found if len(found) == len(text) else f"{found}…"

    def _list(self, items: list[Any] | tuple[Any, ...]) -> Json:
        found = []
        for item in items:
            if self._is_full():
                break
            found.append(self.of(item))
        return found

    def _object(self, items: Mapping[str, Any]) -> Json:
        found = {}
        for name, item in items.items():
            if self._is_full():
                break
            found[self._text(str(name))] = self.of(item)
        return found

    def _is_full(self) -> bool:
        self.is_cut = self.is_cut or self.room <= 0
        return self.room <= 0
