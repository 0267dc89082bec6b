"""docs/correctness.md holds: the table of odd documents is what the libraries do, and named tests exist."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorstore
import zarr

import omnizarr
from omnizarr.errors import OmniZarrError
from omnizarr.store import MemoryStore

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "correctness.md").read_text(encoding="utf-8")
OPENS, REFUSES, SOME = "✓", "✗", "some"

BYTES = {"name": "bytes", "configuration": {"endian": "little"}}
ZSTD = {"name": "zstd", "configuration": {"level": 1, "checksum": False}}
FIELDS = [{"name": "a", "data_type": "int32"}, {"name": "b", "data_type": "float64"}]


def document(**changes: Any) -> dict[str, Any]:
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4],
        "data_type": "int32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 7,
        "codecs": [BYTES],
        "attributes": {},
    } | changes


def sharded(inner: int, index_codecs: list[Any]) -> dict[str, Any]:
    configuration = {
        "chunk_shape": [inner],
        "codecs": [BYTES],
        "index_codecs": index_codecs,
        "index_location": "end",
    }
    grid = {"name": "regular", "configuration": {"chunk_shape": [4]}}
    return document(chunk_grid=grid, codecs=[{"name": "sharding_indexed", "configuration": configuration}])


def named(name: str, **configuration: Any) -> dict[str, Any]:
    return {"name": name, "configuration": configuration}


CRC = {"name": "crc32c"}
CASES: dict[str, list[dict[str, Any]]] = {
    "a codec or chunk key encoding as a bare string": [
        document(codecs=[BYTES, "crc32c"]),
        document(chunk_key_encoding="default"),
    ],
    '`data_type` as an object, `{"name": "int32"}`': [document(data_type={"name": "int32"})],
    "an unknown codec with `must_understand: false`": [
        document(codecs=[BYTES, {"name": "example.unknown", "must_understand": False}])
    ],
    "an unknown top-level field without `must_understand`": [document(surprise={"answer": 42})],
    "`dimension_names: null`": [document(dimension_names=None)],
    "the fill value `7.0` of an integer type": [document(fill_value=7.0)],
    "`string`, `numpy.datetime64`": [
        document(data_type="string", fill_value="x", codecs=[{"name": "vlen-utf8"}]),
        document(data_type=named("numpy.datetime64", unit="s", scale_factor=1), fill_value=7),
    ],
    "`fixed_length_utf32`, `bytes`, `struct`, `structured`, `r16`": [
        document(data_type=named("fixed_length_utf32", length_bytes=8), fill_value="ab"),
        document(data_type="bytes", fill_value="YWI=", codecs=[{"name": "vlen-bytes"}]),
        document(data_type=named("struct", fields=FIELDS), fill_value={"a": 1, "b": 2.5}),
        document(
            data_type=named("structured", fields=[["a", "int32"], ["b", "float64"]]),
            fill_value="AAAAAAAAAAAAAAAA",
        ),
        document(data_type="r16", fill_value=[1, 2], codecs=["bytes"]),
    ],
    "`bfloat16`, `int4`, `float8_e4m3`, `float8_e5m2`, `complex_float32`": [
        document(data_type="bfloat16", fill_value=1.5),
        document(data_type="int4", fill_value=-3, codecs=["bytes"]),
        document(data_type="float8_e4m3", fill_value=1.5, codecs=["bytes"]),
        document(data_type="float8_e5m2", fill_value="NaN", codecs=["bytes"]),
        document(data_type="complex_float32", fill_value=[1, "NaN"]),
    ],
    "a rectilinear chunk grid": [
        document(chunk_grid=named("rectilinear", kind="inline", chunk_shapes=[[1, 3]]))
    ],
    "`packbits`, `reshape`, `bitround`, `cast_value`, `scale_offset`, `zfp`": [
        document(
            data_type="bool", fill_value=True, codecs=[named("packbits", padding_encoding="first_byte")]
        ),
        document(codecs=[named("reshape", shape=[[0], 1]), BYTES]),
        document(data_type="float32", fill_value=1.5, codecs=[named("bitround", keepbits=5), BYTES]),
        document(data_type="float64", codecs=[named("cast_value", data_type="uint8"), {"name": "bytes"}]),
        document(data_type="float64", codecs=[named("scale_offset", offset=5, scale=2), BYTES]),
        document(data_type="float64", codecs=[named("zfp", mode="reversible")]),
    ],
    "codecs named `numcodecs.*`": [document(codecs=[BYTES, named("numcodecs.zlib", level=1)])],
    "gzip among the index codecs of a shard (illegal)": [sharded(2, [BYTES, named("gzip", level=1)])],
    "inner chunks that do not divide the shard (illegal)": [sharded(3, [BYTES, CRC])],
    "a chunk length of zero (illegal)": [document(chunk_grid=named("regular", chunk_shape=[0]))],
}


def by_omnizarr(path: Path) -> None:
    """Open and read as a file, and as a value in memory."""
    stored = {"zarr.json": (path / "zarr.json").read_bytes()}
    for place in (path, MemoryStore(stored)):
        array = omnizarr.open(place, mode="r")
        assert isinstance(array, omnizarr.Array)
        fill = array.metadata.fill_value
        found = array[...]
        assert found.shape == (4,)
        assert all(repr(item) == repr(found[0]) for item in found), found
        if found.dtype.kind in "biuf":
            assert np.array_equal(found, np.full(4, fill), equal_nan=found.dtype.kind == "f")


def by_zarr_python(path: Path) -> None:
    zarr.open_array(str(path), mode="r")[...]


def by_tensorstore(path: Path) -> None:
    where = {"driver": "zarr3", "kvstore": {"driver": "file", "path": f"{path}/"}}
    tensorstore.open(where, open=True).result().read().result()


def table() -> dict[str, dict[str, str]]:
    """Return the cells by row and column."""
    lines = re.findall(r"^\| (.*) \|$", PAGE.partition("## Odd documents")[2], flags=re.MULTILINE)
    head, *rows = [[cell.strip() for cell in line.split("|")] for line in lines]
    return {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in rows}


TABLE = table()


def outcomes(row: str, read: Callable[[Path], None], tmp_path: Path) -> list[Exception | None]:
    """Open and read the documents of a row; None for each that could be read."""
    found: list[Exception | None] = []
    for number, each in enumerate(CASES[row]):
        path = tmp_path / f"{number}"
        path.mkdir()
        (path / "zarr.json").write_text(json.dumps(each))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                read(path)
        except Exception as error:
            found.append(error)
        else:
            found.append(None)
    return found


def summed(found: list[Exception | None]) -> str:
    opened = [error is None for error in found]
    return OPENS if all(opened) else SOME if any(opened) else REFUSES


def test_the_table_has_the_cases() -> None:
    assert list(TABLE) == list(CASES)


@pytest.mark.parametrize("row", CASES)
def test_omnizarr_answers_as_the_table_says(row: str, tmp_path: Path) -> None:
    found = outcomes(row, by_omnizarr, tmp_path)
    assert summed(found) == TABLE[row]["omnizarr"].partition(",")[0], found
    assert all(isinstance(error, OmniZarrError) for error in found if error is not None), found


@pytest.mark.parametrize("row", CASES)
@pytest.mark.parametrize(
    ("peer", "read"), [("zarr-python", by_zarr_python), ("tensorstore", by_tensorstore)], ids=["zarr", "ts"]
)
def test_peers_answer_as_the_table_says(
    row: str, peer: str, read: Callable[[Path], None], tmp_path: Path
) -> None:
    if peer == "zarr-python" and not zarr.__version__.startswith("3.1."):
        pytest.skip(f"the table is about zarr-python 3.1, here is {zarr.__version__}")
    said = TABLE[row][peer]
    found = outcomes(row, read, tmp_path)
    if said.endswith("Error"):
        assert [type(error).__name__ for error in found] == [said]
    else:
        assert summed(found) == said, found


@pytest.mark.skipif(find_spec("zarrista") is None, reason="zarrista is not installed (extra bench)")
@pytest.mark.parametrize("row", CASES)
def test_zarrista_answers_as_the_table_says(row: str, tmp_path: Path) -> None:
    import zarrista
    from zarrista.store import FilesystemStore

    def read(path: Path) -> None:
        zarrista.Array.open(FilesystemStore(path), "/").retrieve_array_subset(...)

    assert summed(outcomes(row, read, tmp_path)) == TABLE[row]["zarrista"]


def test_a_codec_that_is_skipped_is_warned_of(tmp_path: Path) -> None:
    [skipped] = CASES["an unknown codec with `must_understand: false`"]
    (tmp_path / "zarr.json").write_text(json.dumps(skipped))
    with pytest.warns(UserWarning, match=r"example\.unknown"):
        array = omnizarr.open_array(tmp_path, mode="r")
        assert np.array_equal(array[...], [7, 7, 7, 7])


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ("an unknown top-level field without `must_understand`", "surprise"),
        (
            "gzip among the index codecs of a shard (illegal)",
            "index_codecs: expected codecs of a fixed size, found gzip",
        ),
        (
            "inner chunks that do not divide the shard (illegal)",
            "chunk_shape[0]: expected a divisor of the shard's 4",
        ),
        ("a chunk length of zero (illegal)", "chunk_shape[0]"),
    ],
)
def test_a_refusal_names_what_is_wrong(row: str, named: str, tmp_path: Path) -> None:
    [error] = outcomes(row, by_omnizarr, tmp_path)
    assert named in str(error)


def test_named_tests_exist() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", PAGE)
    assert named
    missing = [
        f"{path}::{name}"
        for path, name in named
        if not (ROOT / path).exists() or f"def {name}" not in (ROOT / path).read_text(encoding="utf-8")
    ]
    assert missing == []
