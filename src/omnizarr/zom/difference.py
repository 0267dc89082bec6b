"""One difference between two models, and the values that differ in two documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Literal, TypeAlias

from omnizarr.jsontypes import Json, JsonObject, same_json, shown
from omnizarr.zom.plain import within
from omnizarr.zom.version import kind_of

MEMBERS = "members"

_ARTICLES = {"array": "an array", "group": "a group"}


class Missing(Enum):
    """What stands for a value that is on one side only."""

    MISSING = "missing"


MISSING = Missing.MISSING
Change: TypeAlias = Literal["added", "removed", "changed"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing in which two models differ.

    Attributes
    ----------
    path
        The node, relative to the roots; empty for those.
    at
        The place in its document: `shape[0]`, `attributes.units`; empty where the node itself is on one
        side only.
    kind
        `added`: the second model has it; `removed`: the first has it; `changed`: both have, but not the same.
    before, after
        The values, of nodes their documents; `MISSING` where there is none.
    """

    path: str
    at: str
    kind: Change
    before: Json | Missing
    after: Json | Missing

    def to_json(self) -> JsonObject:
        """Return the difference as an object, with `before` and `after` where there is such a value."""
        values = {"before": self.before, "after": self.after}
        there = {name: value for name, value in values.items() if not isinstance(value, Missing)}
        return {"path": f"/{self.path}", "at": self.at, "kind": self.kind, **there}

    def __str__(self) -> str:
        at = f"{self.at}: " if self.at else ""
        return f"/{self.path}: {at}{self._told()}"

    def _told(self) -> str:
        if self.kind == "changed":
            return f"{self._shown(self.before)} became {self._shown(self.after)}"
        return f"{self._shown(self.before if self.kind == 'removed' else self.after)} was {self.kind}"

    def _shown(self, value: Json | Missing) -> str:
        if not self.at and isinstance(value, dict):
            return _ARTICLES[kind_of(value)]
        return "not read" if self.at == MEMBERS and value is None else shown(value)


def differing(
    at: str, one: Json | Missing, other: Json | Missing
) -> Iterator[tuple[str, Json | Missing, Json | Missing]]:
    """Yield the places in which two values differ, with what is there, however deep it lies."""
    waiting = [(at, one, other)]
    while waiting:
        place, before, after = waiting.pop()
        if isinstance(before, dict) and isinstance(after, dict):
            names = dict.fromkeys((*before, *after))
            waiting += reversed(
                [(within(place, n), before.get(n, MISSING), after.get(n, MISSING)) for n in names]
            )
        elif isinstance(before, list) and isinstance(after, list):
            waiting += reversed(list(_of_items(place, before, after)))
        elif isinstance(before, Missing) or isinstance(after, Missing) or not same_json(before, after):
            yield place, before, after


def _of_items(
    at: str, one: list[Json], other: list[Json]
) -> Iterator[tuple[str, Json | Missing, Json | Missing]]:
    """Yield the items of two lists in pairs; those that are new or gone are looked for in the middle."""
    shorter = min(len(one), len(other))
    end = 0
    if len(one) != len(other):
        end = next((n for n in range(shorter) if not same_json(one[-1 - n], other[-1 - n])), shorter)
        start = next((n for n in range(shorter) if not same_json(one[n], other[n])), shorter)
        end = min(end, shorter - start)
    first, second = one[: len(one) - end], other[: len(other) - end]
    for number in range(max(len(first), len(second))):
        items = [items[number] if number < len(items) else MISSING for items in (first, second)]
        yield f"{at}[{number}]", items[0], items[1]
