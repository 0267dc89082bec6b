"""The page of codecs names each of them, and each that is not there."""

from __future__ import annotations

import re
from pathlib import Path

from omnizarr.codecs.registry import ALIASES, CODECS, codec_class

PAGE = (Path(__file__).parent.parent.parent / "docs" / "spec" / "codecs.md").read_text()
KNOWN, UNKNOWN = PAGE.split("## Not known here")


def named(text: str) -> set[str]:
    """Return the names in backticks; those that start with a dot are numcodecs'."""
    found = re.findall(r"`([^`]+)`", text)
    return {f"numcodecs{name}" if name.startswith(".") else name for name in found}


def test_every_codec_is_on_the_page() -> None:
    assert set(CODECS) - named(KNOWN) == set()
    assert "endian" in ALIASES.keys() & named(KNOWN)


def test_what_is_said_not_to_be_known_is_not() -> None:
    text = UNKNOWN.replace('`"must_understand": false`', "").replace("`conditional`", "")
    names = named(text)
    assert len(names) == 12
    assert {name for name in names if codec_class(name) is not None} == set()
