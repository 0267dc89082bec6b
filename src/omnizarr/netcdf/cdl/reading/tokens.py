"""The tokens of CDL: names, numbers, texts and punctuation, and where they stand.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

import re
from collections import deque
from typing import Literal, NamedTuple, TypeAlias

TokenKind: TypeAlias = Literal[
    "section", "name", "path", "number", "signed", "text", "character", "punctuation", "end"
]

_LETTER = r"(?:[A-Za-z_\u0080-\U0010ffff]|\\[^A-Za-z/\s]|\\ )"
_NAME = rf"{_LETTER}(?:[A-Za-z0-9_.@+\-\u0080-\U0010ffff]|\\[^A-Za-z/\s]|\\ )*+"
_BLANKS = r"(?:\s++|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)*+"
_BLANK = re.compile(_BLANKS, re.ASCII)
# With the blanks in front, a token takes one match instead of two: a third of the time.
_TOKEN = re.compile(
    _BLANKS + r"(?:(?P<section>(?:types|dimensions|variables|data|group):)"
    rf"|(?P<name>{_NAME})"
    rf"|(?P<path>(?:/{_NAME})++)"
    r"|(?P<number>[+-]?\.?[0-9](?:[eE][+-](?=[0-9])|[0-9A-Za-z_.])*+)"
    r"|(?P<signed>[+-][A-Za-z]++)"
    r'|(?P<text>"(?:[^"\\]++|\\.)*+")'
    r"|(?P<character>'(?:[^\\\n]|\\(?:[0-7]{1,3}|[xX][0-9A-Fa-f]{1,2}|.))')"
    r"|(?P<punctuation>[{}();:=,*]))",
    re.DOTALL | re.ASCII,
)
_HEADING = re.compile(r"(?:netcdf|NETCDF|netCDF)(?![A-Za-z0-9_])((?:[^{\\]++|\\.)*+)", re.DOTALL)


class Unexpected(Exception):
    """Something at a place of the text that cannot stand there; the parser makes a problem of it."""

    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at
        self.message = message


class Token(NamedTuple):
    """A token: what it is, how it is spelled, and the index of its first character.

    A tuple, which is made in half the time of a dataclass: lists of records are read token by token.
    """

    kind: TokenKind
    text: str
    at: int

    def __str__(self) -> str:
        if self.kind == "end":
            return "the end of the text"
        return repr(self.text) if len(self.text) <= 40 else f"{self.text[:40]!r}…"


class Tokens:
    """The tokens of a text, made when they are asked for."""

    __slots__ = ("_ahead", "_position", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._position = 0
        self._ahead: deque[Token] = deque()

    @property
    def position(self) -> int:
        """Where the next token starts, or the blank before it."""
        return self._ahead[0].at if self._ahead else self._position

    def seek(self, position: int) -> None:
        """Go on at a place."""
        self._ahead.clear()
        self._position = position

    def peek(self, ahead: int = 0) -> Token:
        """Return the next token, or one behind it, without taking it."""
        while len(self._ahead) <= ahead:
            self._ahead.append(self._scan())
        return self._ahead[ahead]

    def take(self) -> Token:
        """Return the next token, and go on behind it."""
        return self._ahead.popleft() if self._ahead else self._scan()

    def is_next(self, text: str, ahead: int = 0) -> bool:
        """Say whether the next token is this punctuation."""
        token = self.peek(ahead)
        return token.text == text and token.kind == "punctuation"

    def skip(self, text: str) -> bool:
        """Take the next token if it is this punctuation; say whether it was."""
        found = self.is_next(text)
        if found:
            self.take()
        return found

    def expect(self, text: str, why: str = "") -> Token:
        """Take this punctuation; anything else is unexpected."""
        token = self.take()
        if token.text != text or token.kind != "punctuation":
            raise Unexpected(token.at, f"expected {text!r}{why}, found {token}")
        return token

    def heading(self) -> str:
        """Take `netcdf` and the name behind it, as it is spelled."""
        at = self._unblank()
        found = _HEADING.match(self.text, at)
        if found is None:
            self.seek(at)
            raise Unexpected(at, f"expected 'netcdf NAME {{', found {self._shown(at)}")
        self.seek(found.end())
        return found[1].strip()

    def _unblank(self) -> int:
        found = _BLANK.match(self.text, self._position)
        at = found.end() if found else self._position
        if self.text.startswith("/*", at):
            self._position = len(self.text)
            raise Unexpected(at, "a comment starts here that does not end: expected '*/'")
        return at

    def _scan(self) -> Token:
        found = _TOKEN.match(self.text, self._position)
        if found is None:
            at = self._unblank()
            if at < len(self.text):
                self._position = at + 1
                raise Unexpected(at, self._puzzle(at))
            self._position = at
            return Token("end", "", at)
        self._position = found.end()
        kind: TokenKind = found.lastgroup  # type: ignore[assignment]
        return Token(kind, found[kind], found.start(kind))

    def _puzzle(self, at: int) -> str:
        if self.text[at] == '"':
            self._position = len(self.text)
            return "a text starts here that does not end: expected '\"'"
        if self.text[at] == "'":
            return f"expected one character between single quotes, found {self._shown(at)}"
        return f"expected a name, a value or punctuation, found {self.text[at]!r}"

    def _shown(self, at: int) -> str:
        return (
            str(Token("name", self.text[at : at + 12], at)) if at < len(self.text) else "the end of the text"
        )


def place(text: str, at: int) -> str:
    """Return the line and the column of a character, both from 1."""
    return f"line {text.count(chr(10), 0, at) + 1}, column {at - text.rfind(chr(10), 0, at)}"
