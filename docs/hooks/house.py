"""The floors of the house as a drawing, from the table in docs/architecture.md that the tests enforce.

python docs/hooks/house.py    # writes docs/images/house.svg
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

DOCS = Path(__file__).parents[1]
TABLE = DOCS / "architecture.md"
DRAWING = DOCS / "images" / "house.svg"
COMMAND = "python docs/hooks/house.py"

_WIDTH, _LEFT, _ROOF, _EDGE = 900, 70, 96, 24
_LETTER = 8.4  # the width of a monospaced letter of 14 pixels
_LINE = 104  # letters of 13 pixels that fit between the walls
_STYLE = """
text { font-family: system-ui, sans-serif; fill: #1f2933; }
.room { font: 600 14px ui-monospace, monospace; }
.what { font-size: 13px; fill: #52606d; }
.number { font-size: 20px; font-weight: 600; fill: #00796b; text-anchor: middle; }
.wall { fill: #f4f7f6; stroke: #00796b; }
.box { fill: #ffffff; stroke: #80b5ae; }
.roof { fill: #00796b; }
.face { font: 600 17px ui-monospace, monospace; fill: #ffffff; text-anchor: middle; }
"""


class Floor(NamedTuple):
    """A row of the table."""

    number: int
    rooms: tuple[str, ...]
    what: str


def floors() -> list[Floor]:
    """Return the floors, the highest first."""
    rows = re.findall(
        r"^\| (\d+) \| ([^|]+) \| ([^|]+) \|$", TABLE.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    return sorted(
        (
            Floor(int(number), tuple(re.findall(r"`([^`]+)`", rooms)), _plain(what))
            for number, rooms, what in rows
        ),
        reverse=True,
    )


def _plain(text: str) -> str:
    return text.replace("`", "").strip()


def drawing() -> str:
    """Return the drawing as SVG."""
    body: list[str] = []
    y = _ROOF
    for floor in floors():
        lines = textwrap.wrap(floor.what, _LINE)
        height = 46 + 18 * len(lines)
        body += _floor(floor, lines, y, height)
        y += height
    size = f'width="{_WIDTH}" height="{y + _EDGE}" viewBox="0 0 {_WIDTH} {y + _EDGE}"'
    title = "The floors of omnizarr: each imports only floors below it"
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{title}">',
        f"<title>{title}</title>",
        f"<style>{_STYLE}</style>",
        f'<rect width="{_WIDTH}" height="{y + _EDGE}" rx="12" fill="#ffffff"/>',
        f'<path class="roof" d="M {_EDGE / 2} {_ROOF} L {_WIDTH / 2} 14 L {_WIDTH - _EDGE / 2} {_ROOF} Z"/>',
        f'<text class="face" x="{_WIDTH / 2}" y="{_ROOF - 24}">import omnizarr</text>',
    ]
    return "\n".join([*head, *body, "</svg>"]) + "\n"


def _floor(floor: Floor, lines: list[str], y: int, height: int) -> Iterator[str]:
    yield f'<rect class="wall" x="{_EDGE}" y="{y}" width="{_WIDTH - 2 * _EDGE}" height="{height}"/>'
    yield f'<text class="number" x="{(_EDGE + _LEFT) // 2}" y="{y + height // 2 + 7}">{floor.number}</text>'
    x = float(_LEFT)
    for room in floor.rooms:
        width = len(room) * _LETTER + 18
        yield f'<rect class="box" x="{x:.0f}" y="{y + 7}" width="{width:.0f}" height="25" rx="4"/>'
        yield f'<text class="room" x="{x + 9:.0f}" y="{y + 24}">{escape(room)}</text>'
        x += width + 10
    for number, line in enumerate(lines):
        yield f'<text class="what" x="{_LEFT}" y="{y + 50 + 18 * number}">{escape(line)}</text>'


def main() -> None:
    """Write the drawing."""
    DRAWING.parent.mkdir(exist_ok=True)
    DRAWING.write_text(drawing(), encoding="utf-8")


if __name__ == "__main__":
    main()
