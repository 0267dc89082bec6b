"""What our docstrings have that Markdown lacks: sessions with `>>>` and literal blocks after `::`."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Any

import griffe

_LITERAL = re.compile(r"(?<=\S)::$", flags=re.MULTILINE)


class Sessions(griffe.Extension):
    """Put sessions into fences, and end the lines above literal blocks with one colon, as Markdown has it."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of what was loaded (an event of griffe)."""
        _change(obj)

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Change that of the package itself, of which griffe has no other event."""
        _change(pkg)


def _change(obj: griffe.Object) -> None:
    if obj.docstring is not None:
        obj.docstring.value = fenced(_LITERAL.sub(":", obj.docstring.value))


def fenced(text: str) -> str:
    """Return text with each session, which ends with an empty line, in a fence of its own."""
    lines, done = text.split("\n"), []
    while lines:
        if lines[0].lstrip().startswith(">>> "):
            session = list(takewhile(str.strip, lines))
            indent = " " * (len(session[0]) - len(session[0].lstrip()))
            done += [f"{indent}```pycon", *session, f"{indent}```"]
            lines = lines[len(session) :]
        else:
            done.append(lines.pop(0))
    return "\n".join(done)
