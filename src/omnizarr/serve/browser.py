"""Opening the page, without a token where other users of the machine could see it: in a command line."""

from __future__ import annotations

import os
import tempfile
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path


@contextmanager
def opened_in_browser(url: str, *, secret: bool) -> Iterator[None]:
    """Have the browser go to an address, as long as the server runs.

    A `secret` one stands in a file that its owner alone can read, which leads on to it.
    """
    if not secret:
        _open(url)
        yield
        return
    number, name = tempfile.mkstemp(suffix=".html", prefix="omnizarr-")
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(leading_to(url))
        _open(Path(name).as_uri())
        yield
    finally:
        Path(name).unlink(missing_ok=True)


def leading_to(url: str) -> str:
    """Return a page that leads on to an address."""
    target = escape(url, quote=True)
    return (
        '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
        f'<meta http-equiv="refresh" content="0; url={target}"><a href="{target}">omnizarr</a>\n'
    )


def _open(url: str) -> None:
    """Open an address; some browsers end the call only when they are closed."""
    threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
