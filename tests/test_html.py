"""Pieces of HTML: escaped, bounded, and whole."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from omnizarr import html

ODD = ["<script>", "&", '"', "'", "\x00\x1b[0m", "\ud800", "é漢", "\ufffe", "a\nb\tc", "\x85\x0b"]


def parsed(text: str) -> ET.Element:
    """Parse what is well-formed as XML, too."""
    return ET.fromstring(text.replace(" open>", ' open="">'))


@pytest.mark.parametrize("value", ODD)
def test_any_text_is_escaped_and_can_be_encoded(value: str) -> None:
    shown = html.text(value)
    assert "<" not in shown and shown.encode()
    assert parsed(f"<p>{shown}</p>").text is not None


def test_texts_and_names_are_cut() -> None:
    assert html.text("x" * 300) == "x" * 300
    assert html.text("x" * 301) == "x" * 299 + "…"
    assert html.name("&" * 81) == "&amp;" * 79 + "…"


def test_a_page_is_well_formed() -> None:
    room = html.Room()
    table = html.rows([("<a>", "&"), (1, 2)], room)
    body = html.fold(html.name("<s>"), html.items([table, html.small("'")]), is_open=True)
    page = parsed(html.page(html.text("t"), html.beside(body, "", table)))
    assert [cell.text for cell in page.iter("th")] == ["<a>", "1"] * 2
    assert len(list(page.iter("details"))) == 1 and html.items([]) == ""


def test_tables_are_bounded() -> None:
    room = html.Room(1000)
    text = html.rows(((number, "x" * 100) for number in range(10**9)), room, count=10**9)
    assert len(text) < 1500 and "… 999999996 more" in text
    assert html.rows([("a", 1)], html.Room(), count=3).count("… 2 more") == 1
    assert "more" not in html.rows([("a", 1)], html.Room())
    assert "… 1 more" in html.rows(iter([("a", 1)]), html.Room(0))


def test_what_fails_is_told() -> None:
    def fail() -> str:
        raise ValueError("<b> is broken")

    text = html.safely(fail, "<name>")
    parsed(text)
    assert "&lt;name&gt;" in text and "cannot be shown: ValueError: &lt;b&gt; is broken" in text
    assert html.safely(lambda: "as it is", "x") == "as it is"
    with pytest.raises(KeyboardInterrupt):
        html.safely(lambda: (_ for _ in ()).throw(KeyboardInterrupt), "x")  # type: ignore[arg-type]
