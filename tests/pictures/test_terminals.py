"""What terminals are sent: images by three protocols, or characters; and how it is found out which."""

from __future__ import annotations

import base64
import os
import pty
import re
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

from omnizarr.pictures import Axis, Picture
from omnizarr.pictures.drawing import Room, Style, as_text
from omnizarr.pictures.terminals import ability
from omnizarr.pictures.terminals.ability import Ability, ability_of
from omnizarr.pictures.terminals.blocks import heat_map, line, shaded
from omnizarr.pictures.terminals.pixels import iterm2, kitty, sixel


def test_kitty_is_sent_the_image_in_pieces() -> None:
    png = bytes(range(256)) * 40
    data = kitty(png)
    pieces = re.findall(rb"\x1b_G([^;]*);([^\x1b]*)\x1b\\", data)
    assert b"".join(piece for _, piece in pieces) == base64.b64encode(png)
    assert [control for control, _ in pieces] == [b"a=T,f=100,q=2,m=1", b"m=1", b"m=1", b"m=0"]
    assert max(len(piece) for _, piece in pieces) == 4096
    assert kitty(b"x") == b"\x1b_Ga=T,f=100,q=2,m=0;eA==\x1b\\\n"


def test_iterm2_is_sent_the_image_at_once() -> None:
    assert iterm2(b"abc") == b"\x1b]1337;File=inline=1;size=3;preserveAspectRatio=1:YWJj\x07\n"


def decoded(data: bytes) -> np.ndarray[Any, Any]:
    """Read sixels as a terminal does."""
    head = re.match(rb'\x1bP0;1;0q"1;1;(\d+);(\d+)', data)
    assert head is not None and data.endswith(b"\x1b\\\n")
    width, height = int(head[1]), int(head[2])
    image = np.zeros((height + 6, width, 3), int)
    colours: dict[int, list[int]] = {}
    x = y = colour = 0
    for token in re.finditer(
        rb"#(\d+)(;2;(\d+);(\d+);(\d+))?|!(\d+)([?-~])|([?-~])|([$-])", data[head.end() : -3]
    ):
        if token[1] is not None:
            colour = int(token[1])
            if token[2] is not None:
                colours[colour] = [int(token[part]) for part in (3, 4, 5)]
        elif token[9] is not None:
            x, y = 0, y + 6 * (token[9] == b"-")
        else:
            count, bits = int(token[6] or 1), ord(token[7] or token[8]) - 63
            for row in range(6):
                if bits >> row & 1:
                    image[y + row, x : x + count] = colours[colour]
            x += count
    return image[:height]


def test_sixels() -> None:
    image = np.zeros((14, 20, 3), np.uint8)
    image[3:9, 5:] = (255, 0, 0)
    image[10:, :4] = (0, 255, 255)
    np.testing.assert_array_equal(decoded(sixel(image)), image.astype(int) * 100 // 255)


def test_sixels_of_many_colours_are_near() -> None:
    ramp = np.arange(256, dtype=np.uint8)
    image = np.stack(np.broadcast_arrays(ramp[:, None], ramp[None, ::-1], 100), 2).astype(np.uint8)[::4, ::4]
    assert np.abs(decoded(sixel(image)) * 2.55 - image).max() < 40


def test_blocks_have_two_points_each() -> None:
    red, blue = [255, 0, 0], [0, 0, 255]
    colours = np.array([[red, red, red, red], [blue, blue, blue, blue], [red, red, red, red]], np.uint8)
    known = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 1]], bool)
    first, second = heat_map(colours, known, "true")
    assert first == (
        "\x1b[38;2;255;0;0;48;2;0;0;255m▀\x1b[0m\x1b[38;2;255;0;0m▀\x1b[0m\x1b[38;2;0;0;255m▄\x1b[0m \x1b[0m"
    )
    assert second.count("▀") == 4
    [line_, _] = heat_map(colours, known, "256")
    assert line_.startswith("\x1b[38;5;196;48;5;21m▀")


def test_shades() -> None:
    shares = np.array([[0.0, 0.3, 0.5, 0.7, 1.0], [1, 1, 1, 1, 1]])
    known = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 1, 1]], bool)
    assert list(shaded(shares, known)) == [" ░▒▓█"]
    known[0, 4] = False
    assert list(shaded(shares, known)) == [" ░▒▓·"]


def test_lines_of_dots() -> None:
    flat = list(line(np.full(8, 0.0), 4, 2))
    assert flat == ["    ", "⣀⣀⣀⣀"]
    gap = list(line(np.array([1.0, 1.0, np.nan, np.nan, 1.0, 1.0, 1.0, 1.0]), 4, 1))
    assert gap == ["⠉ ⠉⠉"]
    rising = list(line(np.linspace(0, 1, 8), 4, 2))
    assert rising == ["  ⣠⠎", "⡠⠎⠁ "]


def picture(values: Any, *axes: Axis, **said: Any) -> Picture:
    return Picture(axes, np.ma.masked_array(values), **said)


def test_text_of_a_heat_map() -> None:
    rows = Axis("lat", 0, 0, 1, 2, np.array([0.0, 1.0]), "degrees")
    found = picture([[0.0, 1.0], [2.0, 4.0]], rows, Axis("x", 1, 3, 2, 2), units="K", note="so")
    lines = list(as_text(found, Style(title="above"), Room(4, 2, "none")))
    # The north is on top, and of two rows of points one is shown.
    assert lines[0] == "above" and lines[1:3] == ["▒▒██", "  ░░"]
    assert lines[3] == "lat 0 to 1 degrees; x 3 to 5"
    assert lines[4].startswith("0 ") and lines[4].endswith("█ 4 K") and lines[5] == "so"
    coloured = list(as_text(found, Style(), Room(4, 2, "true")))
    assert coloured[0].count("▀") == 4 and "38;2;253;231;36" in coloured[0]


def test_images_keep_their_shape() -> None:
    found = picture(np.zeros((10, 5)), Axis("axis 0", 0, 0, 1, 10), Axis("axis 1", 1, 0, 1, 5))
    lines = list(as_text(found, Style(), Room(80, 20, "none")))
    assert [len(text) for text in lines[:20]] == [20] * 20


def test_text_of_a_line() -> None:
    found = picture([0.0, 5.0, 10.0], Axis("t", 0, 0, 1, 3, np.array(["a", "b", "c"])), units="m")
    lines = list(as_text(found, Style(), Room(10, 4, "none")))
    assert len(lines) == 5 and lines[-1] == "t a to c; values 0 to 10 m"
    assert [len(text) for text in lines[:4]] == [10] * 4


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"TERM": "xterm-kitty", "COLORTERM": "truecolor"}, Ability("kitty", "true")),
        ({"TERM": "xterm", "KITTY_WINDOW_ID": "1"}, Ability("kitty", "256")),
        ({"TERM": "xterm", "TERM_PROGRAM": "ghostty"}, Ability("kitty", "256")),
        ({"TERM": "xterm", "TERM_PROGRAM": "iTerm.app"}, Ability("iterm2", "256")),
        ({"TERM": "xterm", "TERM_PROGRAM": "WezTerm", "NO_COLOR": "1"}, Ability("iterm2", "none")),
        ({"TERM": "xterm", "LC_TERMINAL": "iTerm2"}, Ability("iterm2", "256")),
        ({"TERM": "screen", "KITTY_WINDOW_ID": "1"}, Ability("blocks", "256")),
        ({"TERM": "xterm-kitty", "TMUX": "x"}, Ability("blocks", "256")),
        ({"TERM": "xterm", "NO_COLOR": "1"}, Ability("blocks", "none")),
        ({"TERM": "xterm", "NO_COLOR": ""}, Ability("blocks", "256")),
        ({"TERM": "dumb", "KITTY_WINDOW_ID": "1"}, Ability("blocks", "none")),
        ({}, Ability("blocks", "none")),
    ],
)
def test_what_the_environment_says(
    environment: dict[str, str], expected: Ability, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ability, "shows_sixels", lambda: False)
    assert ability_of(environment) == expected
    monkeypatch.setattr(ability, "shows_sixels", lambda: True)
    sixels = expected.protocol == "blocks" and environment.get("TERM", "dumb") != "dumb"
    assert ability_of(environment).protocol == ("sixel" if sixels else expected.protocol)


ASK = "from omnizarr.pictures.terminals.ability import shows_sixels; print(shows_sixels())"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [(b"\x1b[?62;4;22c", b"True"), (b"\x1b[?62;22c", b"False"), (b"x\x1b[?4c", b"True"), (None, b"False")],
)
def test_terminals_are_asked_and_waited_for_no_longer_than_a_moment(
    answer: bytes | None, expected: bytes
) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", ASK],
        stdin=theirs,
        stdout=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: _take(theirs),
    )
    os.close(theirs)
    asked = threading.Event()

    def terminal() -> None:
        seen = b""
        while b"\x1b[c" not in seen:
            seen += os.read(ours, 64)
        asked.set()
        if answer is not None:
            os.write(ours, answer)

    thread = threading.Thread(target=terminal, daemon=True)
    thread.start()
    found, _ = process.communicate(timeout=20)
    assert asked.is_set() and found.strip() == expected
    os.close(ours)


def _take(terminal: int) -> None:
    """Make a terminal that of this process."""
    import fcntl
    import termios

    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)


def test_without_a_terminal_nobody_is_asked() -> None:
    options: dict[str, Any] = {"stdin": subprocess.DEVNULL, "start_new_session": True, "check": True}
    found = subprocess.run([sys.executable, "-c", ASK], capture_output=True, **options)
    assert found.stdout.strip() == b"False"
