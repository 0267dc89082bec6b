"""The command line on web servers that list nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from object_servers import Front

import omnizarr
from omnizarr.cli.main import cli

pytest.importorskip("obstore", reason="the extra 'cloud' is not installed")


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Front]:
    for name in ("plain", "gathered"):
        group = omnizarr.open_group(tmp_path / name, mode="w", attributes={"title": "t"})
        group.create_array("g/a", data=np.arange(4), chunks=(2,))
    omnizarr.consolidate_metadata(tmp_path / "gathered")
    front = Front("http", tmp_path)
    yield front
    front.close()


def info(web: Front, path: str) -> dict[str, Any]:
    result = CliRunner().invoke(cli, ["info", "--json", f"http://127.0.0.1:{web.port}/{path}"])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.output)
    return found


def test_info_of_consolidated_groups_says_all_but_what_is_stored(web: Front) -> None:
    found = info(web, "gathered")
    assert (found["groups"], found["arrays"], found["consolidated"]) == (1, 1, True)
    assert found["attributes"] == {"title": "t"}
    assert not {"keys", "stored_bytes"} & found.keys()


@pytest.mark.parametrize("path", ["plain/g/a", "gathered/g/a"])
def test_info_of_arrays_says_all_but_what_is_stored(path: str, web: Front) -> None:
    found = info(web, path)
    assert (found["shape"], found["bytes"], found["all_chunks"]) == ([4], 32, 2)
    assert not {"stored_chunks", "stored_bytes"} & found.keys()


def test_info_of_groups_that_nothing_tells_of_is_an_error(web: Front) -> None:
    result = CliRunner().invoke(cli, ["info", f"http://127.0.0.1:{web.port}/plain"])
    assert result.exit_code == 2
    assert "this server tells no names" in result.stderr
