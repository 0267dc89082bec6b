"""The pages of dialects show the documents that are written, and what is read of those of others."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from dialect_pages import COMMAND, PAGES, as_stored, pretty

from omnizarr.netcdf.dialects.detect import DIALECTS
from omnizarr.zom.conventions import CONVENTIONS

OVERVIEW = (PAGES[0].parent / "index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_documents_are_those_that_are_stored(page: Path) -> None:
    assert as_stored(page) == page.read_text(encoding="utf-8"), f"run: {COMMAND}"


def test_there_is_a_page_for_each_dialect_and_convention() -> None:
    linked = set(re.findall(r"\]\(([\w-]+\.md)", OVERVIEW))
    assert {page.name for page in PAGES} - {"index.md"} <= linked
    named = set(re.findall(r"`([\w]+)`", OVERVIEW))
    assert {dialect.name for dialect in DIALECTS} <= named
    assert set(CONVENTIONS) <= named


def test_a_page_that_shows_something_else_is_told(tmp_path: Path) -> None:
    text = (
        "```python\nfrom omnizarr.store import MemoryStore\nstore = MemoryStore()\n"
        "store.set('a', b'{\"b\": {\"c\": 1}}')\n```\n\n"
        '```json title="a: b"\n{"c": 2}\n```\n\n```text title="keys"\nnone\n```\n'
    )
    page = tmp_path / "page.md"
    page.write_text(text)
    assert as_stored(page) == text.replace('{"c": 2}', '{"c": 1}').replace("none", "a")


def test_documents_that_are_given_are_in_the_store(tmp_path: Path) -> None:
    text = '```json title="a"\n{"b": 1}\n```\n\n```python\nbytes(store.get("a"))\n#> b\'{"b": 1}\'\n```\n'
    page = tmp_path / "page.md"
    page.write_text(text)
    assert as_stored(page) == text
    page.write_text(text.replace("#> b'", "#> c'"))
    with pytest.raises(AssertionError, match="printed"):
        as_stored(page)


def test_json_in_few_lines_is_the_same_json() -> None:
    value = {"a": list(range(50)), "b": {"c": [[1, 2], ["x" * 90, None]]}, "d": {}}
    assert json.loads(pretty(value)) == value
    assert all(len(line) <= 104 for line in pretty(value).splitlines())
