"""What comes of looking: that something works, or what is wrong and what to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from omnizarr.jsontypes import Json, JsonObject

Level: TypeAlias = Literal["ok", "note", "warning", "broken"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes
    ----------
    about
        The subject: `"codecs"`.
    name
        What of it: a codec's name.
    level
        `"note"`: worth knowing; `"warning"`: something to do; `"broken"`: installed, and does not work.
    text
        What was found, or measured.
    advice
        What to do.
    values
        The same as numbers, for programs.
    """

    about: str
    name: str
    level: Level
    text: str
    advice: str = ""
    values: Mapping[str, Json] | None = None

    def to_json(self) -> JsonObject:
        """Return the finding as JSON."""
        found: JsonObject = {"about": self.about, "name": self.name, "level": self.level, "text": self.text}
        if self.advice:
            found["advice"] = self.advice
        if self.values is not None:
            found["values"] = dict(self.values)
        return found


def tried(about: str, name: str, work: Callable[[], Any], advice: str = "") -> Finding:
    """Return whether something works: what it returns is told, and what it raises makes it broken."""
    try:
        told = work()
    except Exception as error:  # whatever it is, it is what was to be found out
        return Finding(about, name, "broken", f"{type(error).__name__}: {one_line(error)}", advice)
    return Finding(about, name, "ok", told if isinstance(told, str) else "works")


def one_line(error: Exception) -> str:
    """Return the message of an error as one line."""
    return " ".join(str(error).split())[:500]
