"""What a terminal can show, by its environment and, for sixels, by asking it."""

from __future__ import annotations

import os
import re
import select
import struct
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, TypeAlias

# POSIX alone has terminals that can be asked.
try:
    import fcntl
    import termios
    import tty
except ImportError:  # pragma: no cover
    fcntl = termios = tty = None  # type: ignore[assignment]

Protocol: TypeAlias = Literal["kitty", "iterm2", "sixel", "blocks"]
Colours: TypeAlias = Literal["none", "256", "true"]

_KITTY = frozenset({"ghostty", "kitty"})
_ITERM2 = frozenset({"iTerm.app", "WezTerm", "mintty"})
_ASK = b"\x1b[c"
_ANSWER = re.compile(rb"\x1b\[\?([0-9;]*)c")
_SIXEL = b"4"
# Terminals answer within milliseconds, some over a slow line within tenths of a second.
_PATIENCE = 0.3
# Pixels of a character, where a terminal does not say.
_COLUMN = 10


@dataclass(frozen=True, slots=True)
class Ability:
    """How pictures are shown, and which colours characters have."""

    protocol: Protocol
    colours: Colours


def ability_of(environment: Mapping[str, str]) -> Ability:
    """Return what the terminal on standard output can show; it is asked where the environment says nothing.

    Inside tmux and screen only sixels come through.
    """
    colours = _colours(environment)
    if environment.get("TERM", "dumb") == "dumb":
        return Ability("blocks", "none")
    if not _is_inside(environment):
        program = environment.get("TERM_PROGRAM", "")
        if environment.get("TERM") in ("xterm-kitty", "xterm-ghostty") or program in _KITTY:
            return Ability("kitty", colours)
        if "KITTY_WINDOW_ID" in environment:
            return Ability("kitty", colours)
        if program in _ITERM2 or environment.get("LC_TERMINAL") == "iTerm2":
            return Ability("iterm2", colours)
    return Ability("sixel" if shows_sixels() else "blocks", colours)


def _is_inside(environment: Mapping[str, str]) -> bool:
    return "TMUX" in environment or environment.get("TERM", "").startswith(("screen", "tmux"))


def _colours(environment: Mapping[str, str]) -> Colours:
    """Return the colours of characters; none where NO_COLOR is set, https://no-color.org."""
    if environment.get("NO_COLOR") or environment.get("TERM", "dumb") == "dumb":
        return "none"
    return "true" if environment.get("COLORTERM") in ("truecolor", "24bit") else "256"


def shows_sixels() -> bool:
    """Ask the terminal for its primary device attributes, of which 4 means sixels; a second is enough for it.

    https://vt100.net/docs/vt510-rm/DA1.html
    """
    if termios is None:
        return False
    with suppress(OSError, termios.error):
        stream = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
        try:
            if os.tcgetpgrp(stream) != os.getpgrp():
                return False  # in the background, asking would stop the process
            return _SIXEL in _asked(stream).split(b";")
        finally:
            os.close(stream)
    return False


def _asked(stream: int) -> bytes:
    """Return the attributes that a terminal answers with; nothing where it does not answer in time."""
    before = termios.tcgetattr(stream)
    try:
        tty.setcbreak(stream, termios.TCSANOW)
        os.write(stream, _ASK)
        found, end = b"", time.monotonic() + _PATIENCE
        while (left := end - time.monotonic()) > 0:
            if not select.select([stream], [], [], left)[0]:
                break
            found += os.read(stream, 256)
            if answer := _ANSWER.search(found):
                return answer[1]
        return b""
    finally:
        termios.tcsetattr(stream, termios.TCSAFLUSH, before)


def pixels_of(columns: int) -> int:
    """Return how many pixels a terminal's width has; ten a column where it does not say."""
    if fcntl is None:
        return _COLUMN * columns
    try:
        answer = fcntl.ioctl(sys.stdout.fileno(), termios.TIOCGWINSZ, bytes(8))
    except OSError:
        return _COLUMN * columns
    width: int = struct.unpack("HHHH", answer)[2]
    return width or _COLUMN * columns
