"""Registries: names of the library, and those of entry points."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from omnizarr.geometry.grid import RegularGrid
from omnizarr.jsontypes import Problems
from omnizarr.metadata.grids import CHUNK_GRIDS, read_grid, register_chunk_grid
from omnizarr.plugins import Registry


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install a distribution with entry points: one that works, one that raises, one that is not there."""
    (tmp_path / "plugin_of_tests.py").write_text("class Reader:\n    found = (1, 2)\n")
    (tmp_path / "broken_of_tests.py").write_text("raise RuntimeError('no luck')\n")
    info = tmp_path / "plugin_of_tests-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin-of-tests\nVersion: 1.0\n")
    entries = "good = plugin_of_tests:Reader.found\nbad = broken_of_tests:x\ntaken = plugin_of_tests:Reader\n"
    (info / "entry_points.txt").write_text(f"[omnizarr.of_tests]\n{entries}")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in ("plugin_of_tests", "broken_of_tests"):
        sys.modules.pop(name, None)


def test_entry_points(plugin: None) -> None:
    registry: Registry[Any] = Registry("omnizarr.of_tests", {"taken": "own", "place": "os.path:join"})
    assert registry.find("good") == registry.find("good") == (1, 2)
    with pytest.warns(UserWarning, match="bad, which is broken_of_tests:x, failed to load: no luck"):
        assert registry.find("bad") is None
    assert registry.find("bad") is None  # told once
    assert registry.find("unknown") is None
    assert registry.find("place") is __import__("os").path.join
    registry.register("taken", 5)
    assert registry.find("taken") == 5


def test_chunk_grids_can_be_registered() -> None:
    def reader(
        configuration: Any, shape: tuple[int, ...], at: str, problems: Problems, ndim: int | None
    ) -> RegularGrid:
        return RegularGrid(tuple(max(1, length // configuration["parts"]) for length in shape))

    register_chunk_grid("test.parts", reader)
    try:
        document: Any = {"name": "test.parts", "configuration": {"parts": 2}}
        problems = Problems()
        assert read_grid(document, (4, 6), "chunk_grid", problems, 2) == RegularGrid((2, 3))
        assert not problems
    finally:
        del CHUNK_GRIDS.known["test.parts"]
    read_grid(document, (4, 6), "chunk_grid", problems, 2)
    assert [(p.at, p.unsupported) for p in problems.found] == [("chunk_grid", True)]
