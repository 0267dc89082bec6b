"""What the page asks for: the parameters of requests, checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from omnizarr.errors import NodeNameError
from omnizarr.hierarchy.paths import normal_path

T = TypeVar("T")
Key = int | str

MOST = 1024
LARGEST_MOST = 4096
LIMIT = 200
LARGEST_LIMIT = 1000
_LONGEST = 4096


class AskedWrongly(ValueError):
    """A parameter that is not what it should be; `status` is that of the answer."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Cut:
    """What a picture is to show; as `omnizarr.pictures.cut` takes it."""

    axes: tuple[Key, ...] | None = ()
    at: Mapping[Key, int] = field(default_factory=dict)
    window: Mapping[Key, tuple[int, int]] = field(default_factory=dict)
    most: tuple[int, int] = (MOST, MOST)
    field: str | None = None


class Asked:
    """The parameters of one request.

    Raises
    ------
    AskedWrongly
        One is there that has no meaning, is there twice, or is not what it should be.
    """

    def __init__(self, parameters: list[tuple[str, str]], known: tuple[str, ...]) -> None:
        self._given: dict[str, str] = {}
        for name, value in parameters:
            if name not in known:
                raise AskedWrongly(
                    f"expected only {', '.join(known) or 'no parameters'}, found {name[:40]!r}"
                )
            if name in self._given:
                raise AskedWrongly(f"{name}: expected one, found several")
            if len(value) > _LONGEST:
                raise AskedWrongly(f"{name}: expected {_LONGEST} characters at most")
            self._given[name] = value

    def text(self, name: str) -> str | None:
        """Return a parameter; None where it is absent or empty."""
        return self._given.get(name) or None

    def needed(self, name: str) -> str:
        """Return a parameter that has to be there."""
        found = self.text(name)
        if found is None:
            raise AskedWrongly(f"{name}: required, but missing")
        return found

    def path(self) -> str:
        """Return the path of a node."""
        try:
            return normal_path(self._given.get("path", ""))
        except (NodeNameError, ValueError) as error:
            raise AskedWrongly(f"path: {error}") from error

    def limit(self) -> int:
        """Return how many are wanted."""
        text = self.text("limit")
        return LIMIT if text is None else _within("limit", text, 1, LARGEST_LIMIT)

    def cut(self) -> Cut:
        """Return what a picture is to show: `axes=2,3&at=0:5&window=2:0:100&most=512&field=x`."""
        axes = self.text("axes")
        most = self.text("most") or str(MOST)
        return Cut(
            None if axes == "none" else tuple(map(_key, (axes or "").split(",") if axes else ())),
            _pairs("at", self.text("at"), "axis:index", lambda index: index),
            _pairs("window", self.text("window"), "axis:start:stop", lambda start, stop: (start, stop)),
            _most(most),
            self.text("field"),
        )


def _key(text: str) -> Key:
    """Return an axis by number, or by name."""
    if not text:
        raise AskedWrongly("axes: expected numbers or names with commas between them, found an empty one")
    return _index("axes", text) if text.isdecimal() else text


def _pairs(name: str, text: str | None, form: str, make: Callable[..., T]) -> dict[Key, T]:
    found: dict[Key, T] = {}
    for part in (text or "").split(",") if text else ():
        # From the end: names may have colons.
        key, *places = part.rsplit(":", form.count(":"))
        if not key or len(places) != form.count(":"):
            raise AskedWrongly(f"{name}: expected {form}, found {part[:40]!r}")
        axis = _index(name, key) if key.isdecimal() else key
        if axis in found:
            raise AskedWrongly(f"{name}: axis {key[:40]} is there twice")
        found[axis] = make(*(_index(name, place) for place in places))
    return found


def _most(text: str) -> tuple[int, int]:
    parts = [_within("most", part, 1, LARGEST_MOST) for part in text.split(",")]
    if len(parts) > 2:
        raise AskedWrongly(
            f"most: expected one number, or one for rows and one for columns, found {text[:40]!r}"
        )
    return parts[0], parts[-1]


def _index(name: str, text: str) -> int:
    return _within(name, text, 0, 2**63 - 1)


def _within(name: str, text: str, low: int, high: int) -> int:
    if text.isascii() and text.isdecimal() and len(text) < 20 and low <= int(text) <= high:
        return int(text)
    raise AskedWrongly(f"{name}: expected an integer from {low} to {high}, found {text[:40]!r}")
