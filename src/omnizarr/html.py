"""Pieces of HTML for notebooks: escaped, without scripts, of bounded size, and fit for dark and light pages.

Colours are those of the page, fainter or stronger; what opens and closes is `<details>`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape

# How much of a notebook one list of things may take.
MOST_BYTES = 40_000
LONGEST_TEXT = 300
_LONGEST_NAME = 80
# What stands around a piece: an item of a list that opens.
_FRAME = 100
# Of what is not printable, those that XML may hold.
_SPACES = "\u00a0\u2028\u2029\u3000\u202f"
# Inline, since a notebook is one file; with no colour of its own that is not seen on dark and on light.
_STYLE = (
    ".omnizarr{font-family:var(--jp-ui-font-family,var(--vscode-font-family,system-ui,sans-serif));"
    "font-size:13px;line-height:1.45;color:var(--jp-content-font-color1,var(--vscode-editor-foreground,inherit))}"
    ".omnizarr table{border-collapse:collapse;margin:2px 0;font-size:inherit;border:0;color:inherit}"
    ".omnizarr tr,.omnizarr tr:hover,.omnizarr tr:nth-child(even){background:none;color:inherit}"
    ".omnizarr th,.omnizarr td{text-align:left;vertical-align:top;padding:1px 12px 1px 0;border:0;"
    "max-width:60em;overflow-wrap:anywhere;white-space:pre-wrap}"
    ".omnizarr th{font-weight:normal;opacity:.7;white-space:nowrap}"
    ".omnizarr ul{list-style:none;margin:0;padding:0}"
    ".omnizarr details>:not(summary){margin-left:16px}"
    ".omnizarr li{margin:0;padding:0}"
    ".omnizarr summary{cursor:pointer}"
    ".omnizarr small{opacity:.7;font-size:inherit}"
    ".omnizarr code{background:none;color:inherit;font-size:12px}"
    ".omnizarr .oz-side{display:flex;flex-wrap:wrap;gap:24px;align-items:flex-start}"
    ".omnizarr svg{fill:rgba(127,127,160,.25);stroke:currentColor;stroke-width:.6;max-width:100%}"
    ".omnizarr svg text{fill:currentColor;stroke:none;font-size:11px}"
)


@dataclass(slots=True)
class Room:
    """How many bytes may still be shown."""

    left: int = MOST_BYTES

    def takes(self, piece: str) -> bool:
        """Say whether a piece still fits, which is then taken for shown."""
        size = len(piece.encode("utf-8", "replace")) + _FRAME
        if size > self.left:
            return False
        self.left -= size
        return True


def text(value: object, longest: int = LONGEST_TEXT) -> str:
    """Return any text escaped, cut where it is long."""
    plain = str(value)
    cut = plain if len(plain) <= longest else plain[: longest - 1] + "…"
    # Half of a pair of surrogates, and what XML has no place for, would make the page unreadable.
    clean = "".join(c if c in "\n\t" or c.isprintable() or c in _SPACES else "\ufffd" for c in cut)
    return escape(clean.encode("utf-8", "replace").decode())


def name(value: object) -> str:
    """Return a name escaped, cut where it is long."""
    return text(value, _LONGEST_NAME)


def small(value: object, longest: int = LONGEST_TEXT) -> str:
    """Return a text that matters less."""
    return f"<small>{text(value, longest)}</small>"


def rows(facts: Iterable[tuple[object, object]], room: Room, *, count: int = 0) -> str:
    """Return names and values as a table.

    Parameters
    ----------
    count
        How many there are, where `facts` are not all of them.
    """
    found: list[str] = []
    for key, value in facts:
        row = f"<tr><th>{name(key)}</th><td>{text(value)}</td></tr>"
        if not room.takes(row):
            count = max(count, len(found) + 1)
            break
        found.append(row)
    if count > len(found):
        found.append(f"<tr><th>… {count - len(found)} more</th><td></td></tr>")
    return f"<table>{''.join(found)}</table>"


def fold(summary: str, body: str, *, is_open: bool = False) -> str:
    """Return what opens and closes; both parts are HTML."""
    return f"<details{' open' if is_open else ''}><summary>{summary}</summary>{body}</details>"


def items(pieces: Iterable[str]) -> str:
    """Return a list of pieces of HTML; nothing where there are none."""
    found = "".join(f"<li>{piece}</li>" for piece in pieces)
    return f"<ul>{found}</ul>" if found else ""


def beside(*pieces: str) -> str:
    """Return pieces beside one another, as far as the page is wide enough."""
    return f'<div class="oz-side">{"".join(f"<div>{piece}</div>" for piece in pieces if piece)}</div>'


def page(title: str, *pieces: str) -> str:
    """Return pieces of HTML below a title, as a notebook shows them."""
    return f'<div class="omnizarr"><style>{_STYLE}</style><div>{title}</div>{"".join(pieces)}</div>'


def safely(draw: Callable[[], str], instead: object) -> str:
    """Return what is drawn; a note where that fails, since a notebook shows values that are broken too."""
    try:
        return draw()
    except Exception as error:
        return page(name(instead), f"<p>{small(f'cannot be shown: {type(error).__name__}: {error}')}</p>")
