"""Arrays by every chunk key encoding and irregular grid: written, resized, copied, checked, compared."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarrista
from hypothesis import given, settings
from hypothesis import strategies as st
from zarrista.store import FilesystemStore

import omnizarr
from omnizarr import create_array, create_group, open_array
from omnizarr.errors import ConversionError, MetadataError
from omnizarr.hierarchy.validate import validate
from omnizarr.jsontypes import dump_json, parse_json
from omnizarr.store import DirectoryStore, MemoryStore

VALUES = np.arange(1, 71, dtype="i4").reshape(7, 10)
KEYS: dict[str, tuple[Any, str]] = {
    "suffix": ({"name": "suffix", "configuration": {"suffix": ".bin", "base_encoding": "v2"}}, "a/3.2.bin"),
    "prefix": (
        {"name": "prefix", "configuration": {"prefix": "chunks/", "base_encoding": {"name": "default"}}},
        "a/chunks/c/3/2",
    ),
    "fanout": ({"name": "fanout", "configuration": {"max_children": 3}}, "a/d0/1/1/d1/1/0/c"),
    "template": ({"name": "template", "configuration": {"format": "z{1:03}/y{0}.raw"}}, "a/z002/y3.raw"),
    "rest": (
        {"name": "template", "configuration": {"format": "{-1}-{*}", "separator": "/"}},
        "a/2-3",
    ),
}


@pytest.mark.parametrize(("encoding", "last"), KEYS.values(), ids=KEYS)
def test_chunk_key_encodings(encoding: Any, last: str) -> None:
    root = create_group(MemoryStore())
    array = root.create_array("a", shape=(7, 10), chunks=(2, 4), dtype="i4", chunk_key_encoding=encoding)
    array[...] = VALUES
    assert root.store.exists(last)
    assert parse_json(root.store.get("a/zarr.json") or b"")["chunk_key_encoding"]["name"] == encoding["name"]  # type: ignore
    again = omnizarr.open_group(root.store)["a"]
    assert (again[...] == VALUES).all()
    assert again.metadata.chunk_keys == array.metadata.chunk_keys
    assert array.nchunks_initialized == 12
    assert validate(root.store, level="data").findings == ()
    for options in ({}, {"chunks": (3, 3)}):
        target = MemoryStore()
        omnizarr.copy(root, target, **options)  # type: ignore[arg-type]
        assert (omnizarr.open_group(target)["a"][...] == VALUES).all()
    array.resize((4, 4))
    assert array.nchunks_initialized == 2
    assert not root.store.exists(last)
    root.store.set(last, b"x")
    assert [(finding.kind, finding.at) for finding in validate(root.store).findings] == [("outside", last)]


@pytest.mark.parametrize("encoding", [KEYS["suffix"][0], KEYS["prefix"][0], KEYS["fanout"][0]])
def test_arrays_without_dimensions(encoding: Any) -> None:
    array = create_array(MemoryStore(), shape=(), dtype="i4", chunk_key_encoding=encoding)
    array[...] = 5
    assert array[()] == 5
    assert array.nchunks_initialized == 1


def test_what_does_not_fit() -> None:
    with pytest.raises(MetadataError, match="0 dimensions"):
        create_array(MemoryStore(), shape=(), dtype="i4", chunk_key_encoding=KEYS["template"][0])
    with pytest.raises(MetadataError, match="Zarr v2 has the encoding 'v2' alone, found 'fanout'"):
        create_array(MemoryStore(), shape=(2,), dtype="i4", chunk_key_encoding="fanout", zarr_format=2)
    root = create_group(MemoryStore())
    root.create_array("a", shape=(7, 10), chunks=(2, 4), dtype="i4", chunk_key_encoding="fanout")[...] = (
        VALUES
    )
    target = MemoryStore()
    omnizarr.copy(root, target, zarr_format=2)
    assert (omnizarr.open_group(target)["a"][...] == VALUES).all()
    assert target.exists("a/3.2")
    with pytest.raises(ConversionError, match="chunk keys: Zarr v2 has no encoding 'fanout'"):
        omnizarr.metadata.formats.v2.V2().write("a", root["a"].metadata)


def test_zarrista_reads_suffixes(tmp_path: Path) -> None:
    encoding = {"name": "zarrs.default_suffix", "configuration": {"suffix": ".x"}}
    create_array(tmp_path, shape=(7, 10), chunks=(2, 4), dtype="i4", chunk_key_encoding=encoding)[...] = (
        VALUES
    )
    assert (tmp_path / "c/3/2.x").exists()
    document: Any = parse_json((tmp_path / "zarr.json").read_bytes())
    assert document["chunk_key_encoding"]["name"] == "suffix"
    (tmp_path / "zarr.json").write_bytes(dump_json({**document, "chunk_key_encoding": encoding}))
    theirs: Any = zarrista.Array.open(FilesystemStore(tmp_path), "/")
    assert (theirs.retrieve_array_subset(...).to_numpy() == VALUES).all()
    assert (open_array(tmp_path)[...] == VALUES).all()
    theirs.store_array_subset(..., VALUES[::-1].copy())
    assert (open_array(tmp_path)[...] == VALUES[::-1]).all()


@st.composite
def axes(draw: Any) -> tuple[int, Any]:
    """Return a length, and how its axis is cut, which may reach past its end by several chunks."""
    edges = draw(st.lists(st.integers(1, 5), min_size=1, max_size=6))
    length = draw(st.integers(1, sum(edges)))
    if draw(st.booleans()):
        return length, edges[0]
    runs: list[Any] = []
    for edge in edges:
        runs.append(draw(st.sampled_from([edge, [edge, 1]])))
    if draw(st.booleans()):
        runs.append([draw(st.integers(1, 3)), draw(st.integers(1, 4))])
    return length, runs


@settings(max_examples=60, deadline=None)
@given(axes(), axes())
def test_irregular_grids_of_zarrista(
    tmp_path_factory: pytest.TempPathFactory, first: Any, second: Any
) -> None:
    folder = tmp_path_factory.mktemp("grid")
    shape = (first[0], second[0])
    document: Any = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(shape),
        "data_type": "int16",
        "chunk_grid": {
            "name": "rectilinear",
            "configuration": {"kind": "inline", "chunk_shapes": [first[1], second[1]]},
        },
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "attributes": {},
    }
    values = np.arange(1, shape[0] * shape[1] + 1, dtype="i2").reshape(shape)
    theirs: Any = zarrista.Array.from_metadata(document, FilesystemStore(folder), "/")
    theirs.store_metadata()
    theirs.store_array_subset(..., values)
    ours = open_array(folder, mode="r+")
    assert (ours[...] == values).all()
    assert validate(DirectoryStore(folder), level="data").findings == ()
    ours[...] = -values
    ours.attrs["x"] = 1
    theirs = zarrista.Array.open(FilesystemStore(folder), "/")
    assert (theirs.retrieve_array_subset(...).to_numpy() == -values).all()
