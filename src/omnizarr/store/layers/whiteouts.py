"""How the upper store of an overlay says what of the lower one is hidden.

By empty values below `.overlay/`, where each directory of a key is `d.` and its name:
`.overlay/d.a/k.b` hides the key `a/b`, `.overlay/d.a/p.b` hides all below `a/b/`, and `.overlay/all`
everything. So no mark is where a value or another mark could have to be, in a file system either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

from omnizarr.errors import KeyNameError
from omnizarr.store.keys import check_key, check_prefix

MARKS = ".overlay/"
_ALL = MARKS + "all"


def check_user_key(key: str) -> None:
    """Refuse what is not a key, and what would be a mark.

    Raises
    ------
    KeyNameError
        With the key.
    """
    check_key(key)
    if is_mark(key):
        message = f"not a key: below {MARKS!r} an overlay stores what it hides"
        raise KeyNameError(message, key=key)


def check_user_prefix(prefix: str) -> None:
    """Refuse what is not a prefix of keys, as `check_user_key` does."""
    check_prefix(prefix)
    if is_mark(prefix):
        check_user_key(prefix[:-1])


def is_mark(key: str) -> bool:
    """Say whether a key, or a prefix, is that of marks."""
    return key.startswith(MARKS) or key == MARKS[:-1]


def mark_of(key: str) -> str:
    """Return the mark that hides a key."""
    directory, _, name = key.rpartition("/")
    return f"{marks_below(directory + '/' if directory else '')}k.{name}"


def mark_of_prefix(prefix: str) -> str:
    """Return the mark that hides all below a prefix."""
    if not prefix:
        return _ALL
    directory, _, name = prefix[:-1].rpartition("/")
    return f"{marks_below(directory + '/' if directory else '')}p.{name}"


def marks_below(prefix: str) -> str:
    """Return the prefix of the marks of what lies below a prefix; that of itself is not among them."""
    return MARKS + "".join(f"d.{name}/" for name in prefix.split("/")[:-1])


def prefixes_over(key: str) -> Iterator[str]:
    """Yield the prefixes that a key, or a prefix, lies below, the longest first."""
    key = key.removesuffix("/")
    while "/" in key:
        key = key.rpartition("/")[0]
        yield f"{key}/"
    yield ""


@dataclass(frozen=True, slots=True)
class Marks:
    """The keys that are hidden, and the prefixes that are."""

    keys: frozenset[str]
    prefixes: frozenset[str]

    @classmethod
    def of(cls, marks: Iterable[str]) -> Self:
        """Return what marks hide; foreign names among them mean nothing."""
        keys, prefixes = set(), set()
        for mark in marks:
            *above, last = mark[len(MARKS) :].split("/")
            directory = "".join(f"{name[2:]}/" for name in above)
            if mark == _ALL:
                prefixes.add("")
            elif last.startswith("k."):
                keys.add(directory + last[2:])
            elif last.startswith("p."):
                prefixes.add(f"{directory}{last[2:]}/")
        return cls(frozenset(keys), frozenset(prefixes))

    def hide(self, key: str) -> bool:
        """Say whether a key of the lower store is hidden."""
        return key in self.keys or is_mark(key) or self.hide_all(key)

    def hide_all(self, key: str) -> bool:
        """Say whether all below one of the prefixes is hidden that a key, or a prefix, lies below."""
        return bool(self.prefixes) and any(prefix in self.prefixes for prefix in prefixes_over(key))
