"""The page of data types: a row for each, and what other libraries read, asked of them."""

import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorstore
import zarr
import zarrista
from zarrista.store import FilesystemStore

from omnizarr import open_array
from omnizarr.metadata.dtype import PLAIN
from omnizarr.metadata.dtype_numpy import from_numpy
from omnizarr.metadata.dtype_v3 import DATA_TYPES
from omnizarr.metadata.fill import default_fill, write_fill

PAGE = Path(__file__).parents[2] / "docs" / "spec" / "data-types.md"
ROW = re.compile(r"\| `([^`]+)` \| (.+) \| (.+) \| (.+) \|")
ROWS = {found[1]: found[4] for found in map(ROW.fullmatch, PAGE.read_text("utf-8").splitlines()) if found}
OLDER = {"datetime64", "timedelta64", "fixed-length-ascii", "fixed-length-bytes", "fixed-length-ucs4"}
SECONDS = {"unit": "s", "scale_factor": 1}
CONFIGURATIONS: dict[str, Any] = {
    "numpy.datetime64": SECONDS,
    "numpy.timedelta64": SECONDS,
    "fixed_length_utf32": {"length_bytes": 8},
    "null_terminated_bytes": {"length_bytes": 3},
    "raw_bytes": {"length_bytes": 3},
    "struct": {"fields": [{"name": "a", "data_type": "int16"}]},
    "structured": {"fields": [["a", "int16"]]},
}
SERIALIZERS = {"string": "vlen-utf8", "bytes": "vlen-bytes", "variable_length_bytes": "vlen-bytes"}


def test_every_type_has_one_row() -> None:
    assert set(ROWS) == {*PLAIN, *DATA_TYPES.known, "r<bits>"} - OLDER
    assert len(ROWS) == PAGE.read_text("utf-8").count("\n| `")


def zarr_python(folder: Path) -> None:
    zarr.open_array(str(folder), mode="r")[...]


def tensorstore_zarr3(folder: Path) -> None:
    tensorstore.open({"driver": "zarr3", "kvstore": f"file://{folder}"}).result().read().result()


def zarrs(folder: Path) -> None:
    array: Any = zarrista.Array.open(FilesystemStore(folder), "/")
    array.retrieve_array_subset(...)


PEERS: dict[str, Callable[[Path], None]] = {
    "zarr-python": zarr_python,
    "tensorstore": tensorstore_zarr3,
    "zarrista": zarrs,
}


def reads(read: Callable[[Path], None], folder: Path) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read(folder)
    except Exception:  # each has errors of its own for what it does not know
        return False
    return True


@pytest.mark.parametrize("row", ROWS)
def test_what_other_libraries_read(row: str, tmp_path: Path) -> None:
    name = "r16" if row == "r<bits>" else row
    configuration = CONFIGURATIONS.get(name)
    data_type = {"name": name, "configuration": configuration} if configuration else name
    kind = from_numpy(data_type)
    serializer = SERIALIZERS.get(name)
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4],
        "data_type": data_type,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": write_fill(default_fill(kind), kind),
        "codecs": [
            {"name": serializer} if serializer else {"name": "bytes", "configuration": {"endian": "little"}}
        ],
        "attributes": {},
    }
    (tmp_path / "zarr.json").write_text(json.dumps(document))
    assert open_array(tmp_path)[...].shape == (4,)
    found = [peer for peer, read in PEERS.items() if reads(read, tmp_path)]
    assert ROWS[row] == (", ".join(found) or "none")
