"""Names that a file system takes for one another: upper and lower case, composed and decomposed letters."""

from __future__ import annotations

import os
import secrets
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

CaseProbe: TypeAlias = Callable[[str], bool]


def folds_case(directory: str) -> bool:
    """Say whether a file system takes `A` for `a`, by making a file and looking for it by another name."""
    token = secrets.token_hex(8)
    lower, upper = (f"{directory}/.{name}{token}.partial" for name in ("case", "CASE"))
    try:
        os.close(os.open(lower, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        return os.path.lexists(upper)
    finally:
        with suppress(OSError):
            os.unlink(lower)


def taken_for(directory: str, name: str) -> str | None:
    """Return the name in a directory that differs from `name` but would be taken for it, if there is one."""
    names = os.listdir(directory)
    if name in names:
        return None
    wanted = folded(name)
    return next((found for found in names if folded(found) == wanted), None)


def has_cases(name: str) -> bool:
    """Say whether another name could be taken for this one; false for chunks such as `0.12`."""
    return not (name.isascii() and name.lower() == name.upper())


def folded(name: str) -> str:
    """Return what all names that may be taken for one another have in common."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", name).casefold())
