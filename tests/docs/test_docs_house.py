"""The drawing of the house is that of its table, which is the one that imports are checked by."""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]


def load(path: Path) -> ModuleType:
    spec = spec_from_file_location(f"loaded_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


house = load(ROOT / "docs" / "hooks" / "house.py")


def test_the_drawing_is_up_to_date() -> None:
    assert house.DRAWING.read_text(encoding="utf-8") == house.drawing(), f"run: {house.COMMAND}"


def test_it_shows_every_room_once_and_on_its_floor() -> None:
    table = re.findall(r"^\| (\d+) \| ([^|]+) \|", house.TABLE.read_text(encoding="utf-8"), re.MULTILINE)
    expected = {int(floor): tuple(re.findall(r"`([^`]+)`", rooms)) for floor, rooms in table}
    assert {floor.number: floor.rooms for floor in house.floors()} == expected
    texts = ElementTree.fromstring(house.drawing()).findall("{*}text")
    drawn = [text.text for text in texts if text.get("class") == "room"]
    assert drawn == [room for number in sorted(expected, reverse=True) for room in expected[number]]


def test_it_changes_with_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "architecture.md"
    table.write_text("| 1 | `a/`, `b.py` | what <is> there |\n| 0 | `c/` | ground |\n")
    monkeypatch.setattr(house, "TABLE", table)
    assert [floor.rooms for floor in house.floors()] == [("a/", "b.py"), ("c/",)]
    assert "what &lt;is&gt; there" in house.drawing()
