"""What zarr-python 2.18 writes of the draft of 2020 is read as it reads it, from every store that it has."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from old_zarr import interpreter

import omnizarr
from omnizarr import Array
from omnizarr.store import MemoryStore

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parent / "peer" / "write_2020.py"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that zarr-python wrote."""
    folder = tmp_path_factory.mktemp("draft2020")
    switches = {"ZARR_V3_EXPERIMENTAL_API": "1", "ZARR_V3_SHARDING": "1", "PYTHONPATH": ""}
    command = [interpreter(), "-W", "ignore", SCRIPT, folder]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | switches, timeout=120)
    assert done.returncode == 0, done.stderr
    return folder


def plain(values: Any) -> dict[str, Any]:
    """Return what was read as the script writes it, but for the byte order."""
    found = np.asarray(values)
    if found.dtype.kind == "O":
        objects = [item if isinstance(item, str) else item.hex() for item in found.flat]
        return {"shape": list(found.shape), "objects": objects}
    return {"shape": list(found.shape), "bytes": found.tobytes().hex()}


def native(values: dict[str, Any]) -> dict[str, Any]:
    """Return values of the script in native byte order."""
    if "objects" in values:
        return {"shape": values["shape"], "objects": values["objects"]}
    fields = values["dtype"]
    dtype = np.dtype([tuple(field) for field in fields] if isinstance(fields, list) else fields)
    stored = np.frombuffer(bytes.fromhex(values["bytes"]), dtype).reshape(values["shape"])
    return plain(stored.astype(dtype.newbyteorder("=")))


def stores(folder: Path) -> dict[str, Any]:
    keys = json.loads((folder / "keys.json").read_text())
    memory = MemoryStore({key: bytes.fromhex(value) for key, value in keys.items()})
    return {"directory": folder / "directory", "archive": folder / "archive.zip", "dictionary": memory}


@pytest.mark.parametrize("consolidated", [True, False])
@pytest.mark.parametrize("kind", ["directory", "archive", "dictionary"])
def test_every_value_is_read(written: Path, kind: str, consolidated: bool) -> None:
    expected = json.loads((written / "values.json").read_text())
    root = omnizarr.open_group(stores(written)[kind], mode="r", use_consolidated=consolidated)
    assert root.zarr_format == "3-2020"
    assert dict(root.attrs) == expected.pop("")["attributes"]
    found = dict(root.members(max_depth=None))
    assert sorted(found) == sorted(expected)
    for path, node in found.items():
        assert dict(node.attrs) == expected[path]["attributes"], path
        if isinstance(node, Array):
            assert plain(node[...]) == native(expected[path]["values"]), path
        else:
            assert "values" not in expected[path]


def test_an_array_at_the_root_is_read(written: Path) -> None:
    array = omnizarr.open_array(written / "root", mode="r")
    assert array.attrs == {"at": "root"}
    np.testing.assert_array_equal(array[...], np.arange(12).reshape(3, 4) * 3)
