"""The drafts of Zarr v3 of 2020 to 2022 by the ordinary API: read like any other hierarchy, never written."""

from __future__ import annotations

import gzip
import json
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from click.testing import CliRunner

import omnizarr
from omnizarr import Array, Group
from omnizarr.cli import cli
from omnizarr.errors import ConversionError, MetadataError, NodeNotFoundError, UnsupportedError
from omnizarr.store import MemoryStore
from omnizarr.store.layers.wrap import CountingStore

DATA = Path(__file__).parent.parent / "metadata" / "drafts" / "data"
# What zarr-python 2.18 wrote, and what it reads of it.
WRITTEN = DATA / "draft2020.zip"
VALUES: dict[str, Any] = json.loads((DATA / "draft2020.json").read_text())
ARRAYS = [path for path, found in VALUES.items() if "values" in found]

CORE = "https://purl.org/zarr/spec/protocol/core/3.0"
BOOTSTRAPS: dict[str, dict[str, Any]] = {
    "3-2020": {
        "zarr_format": CORE,
        "metadata_encoding": CORE,
        "metadata_key_suffix": ".json",
        "extensions": [],
    },
    "3-2022": {
        "zarr_format": "https://purl.org/zarr/spec/core/3.0",
        "metadata_encoding": {"type": "json", "metadata_key_suffix": ".json"},
        "extensions": [],
    },
}
META = {"3-2020": "meta/root/", "3-2022": "meta/"}
CHUNKS = {"3-2020": "data/root/", "3-2022": "data/"}
DRAFTS = list(BOOTSTRAPS)


def expected(path: str) -> Any:
    """Return what zarr-python reads of an array: an array of numpy, or a list of objects."""
    found = VALUES[path]["values"]
    if "objects" in found:
        return [item if path != "objects/bytes" else bytes.fromhex(item) for item in found["objects"]]
    fields = found["dtype"]
    if fields == [["f0", "|V3"]]:  # zarr-python adds a name
        fields = "V3"
    dtype = np.dtype([tuple(field) for field in fields] if isinstance(fields, list) else fields)
    return np.frombuffer(bytes.fromhex(found["bytes"]), dtype).reshape(found["shape"])


def assert_as_written(array: Array, path: str) -> None:
    """Compare every element, to the bit, with what zarr-python reads."""
    values, wanted = np.asarray(array[...]), expected(path)
    if isinstance(wanted, list):
        assert values.ravel().tolist() == wanted
        return
    assert values.shape == wanted.shape
    assert values.dtype == wanted.dtype.newbyteorder("=")
    assert values.astype(wanted.dtype).tobytes() == wanted.tobytes()


def array_document(**changes: Any) -> dict[str, Any]:
    document = {
        "shape": [3, 4],
        "data_type": "<i4",
        "chunk_grid": {"type": "regular", "chunk_shape": [2, 4], "separator": "/"},
        "chunk_memory_layout": "C",
        "compressor": {"codec": "https://purl.org/zarr/spec/codec/gzip/1.0", "configuration": {"level": 1}},
        "fill_value": -1,
        "extensions": [],
        "attributes": {"units": "m"},
    }
    return {**document, **changes}


def hierarchy(
    draft: str, documents: Mapping[str, Any], chunks: Mapping[str, bytes] | None = None
) -> MemoryStore:
    """Return a store with documents by what stands behind `meta/root/` or `meta/`, and chunks likewise."""
    values = {"zarr.json": json.dumps(BOOTSTRAPS[draft]).encode()}
    values |= {f"{META[draft]}{key}.json": json.dumps(item).encode() for key, item in documents.items()}
    values |= {CHUNKS[draft] + key: value for key, value in (chunks or {}).items()}
    return MemoryStore(values)


ELEMENTS = np.arange(12, dtype="<i4").reshape(3, 4)
PACKED = {"a/b/x/c0/0": gzip.compress(ELEMENTS[:2].tobytes())}  # the second chunk is not stored


@pytest.fixture
def root() -> Group:
    found = omnizarr.open(WRITTEN)
    assert isinstance(found, Group)
    return found


@pytest.fixture(params=DRAFTS)
def made(request: pytest.FixtureRequest) -> Group:
    """A small hierarchy as zarrita and its like wrote it: one array in groups without documents."""
    documents = {"a/b/x.array": array_document(), "g.group": {"extensions": [], "attributes": None}}
    found = omnizarr.open(hierarchy(request.param, documents, PACKED), mode="r+")
    assert isinstance(found, Group)
    return found


# --- what zarr-python wrote


def test_the_format_is_found_by_itself(root: Group) -> None:
    assert root.zarr_format == "3-2020"
    assert root.attrs == {"title": "draft", "numbers": [1, 2.5, None]}
    assert omnizarr.open(WRITTEN, zarr_format="3-2020") == root


@pytest.mark.parametrize("consolidated", [True, False])
def test_nodes_are_those_that_zarr_python_finds(consolidated: bool) -> None:
    root = omnizarr.open_group(WRITTEN, mode="r", use_consolidated=consolidated)
    found = dict(root.members(max_depth=None))
    assert sorted(found) == sorted(path for path in VALUES if path)
    for path, node in found.items():
        assert isinstance(node, Array) == ("values" in VALUES[path])
        assert node.attrs == VALUES[path]["attributes"]


@pytest.mark.parametrize("path", ARRAYS)
def test_elements_are_those_that_zarr_python_reads(root: Group, path: str) -> None:
    array = root[path]
    assert isinstance(array, Array)
    assert_as_written(array, path)


def test_parts_of_shards_are_read(root: Group) -> None:
    for path in ("shards/plain", "shards/packed", "shards/partial"):
        array, wanted = root[path], expected(path)
        assert isinstance(array, Array)
        np.testing.assert_array_equal(array[3, 5], wanted[3, 5])
        np.testing.assert_array_equal(array[2:7:2, 1:], wanted[2:7:2, 1:])
        np.testing.assert_array_equal(array.oindex[[8, 0], [1, 7]], wanted[np.ix_([8, 0], [1, 7])])


def test_types_keep_no_byte_order_in_memory(root: Group) -> None:
    packed = root["shards/packed"]
    assert isinstance(packed, Array)
    assert packed.dtype == np.dtype("f4")
    assert packed.shards == (6, 6)
    assert packed.chunks == (2, 3)


def test_what_is_not_there_is_told(root: Group) -> None:
    with pytest.raises(NodeNotFoundError, match="nowhere"):
        omnizarr.open(WRITTEN, path="implied/nowhere")
    with pytest.raises(KeyError):
        root["orders/none"]


def test_handles_can_be_sent_to_other_processes() -> None:
    source = omnizarr.open_group(WRITTEN, mode="r")
    array = pickle.loads(pickle.dumps(source["orders/F"]))
    assert_as_written(array, "orders/F")


# --- both layouts


def test_groups_without_documents_are_implied(made: Group) -> None:
    assert [path for path, _ in made.members(max_depth=None)] == ["a", "a/b", "a/b/x", "g"]
    assert list(made) == ["a", "g"]
    assert isinstance(made["a/b"], Group)
    assert made["g"].attrs == {}


def test_arrays_are_read(made: Group) -> None:
    array = made["a/b/x"]
    assert isinstance(array, Array)
    np.testing.assert_array_equal(array[:2], ELEMENTS[:2])
    assert (array[2:] == -1).all()
    assert array.attrs == {"units": "m"}


@pytest.mark.parametrize("draft", DRAFTS)
def test_the_root_may_be_an_array(draft: str) -> None:
    store = hierarchy(draft, {}, {"c0/0": PACKED["a/b/x/c0/0"]})
    key = {"3-2020": "meta/root.array.json", "3-2022": "meta/array.json"}[draft]
    store.set(key, json.dumps(array_document()).encode())
    array = omnizarr.open_array(store, mode="r")
    assert array.zarr_format == draft
    np.testing.assert_array_equal(array[:2], ELEMENTS[:2])


@pytest.mark.parametrize("draft", DRAFTS)
def test_the_root_may_have_a_document(draft: str) -> None:
    store = hierarchy(draft, {})
    key = {"3-2020": "meta/root.group.json", "3-2022": "meta/group.json"}[draft]
    store.set(key, b'{"attributes": {"x": 1}}')
    found = omnizarr.open(store)
    assert found.attrs == {"x": 1}
    assert isinstance(found, Group)
    assert list(found) == []


@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize("key", ["c", "c0", None])
def test_the_chunk_of_a_scalar_has_two_spellings(draft: str, key: str | None) -> None:
    document = array_document(
        shape=[], compressor=None, chunk_grid={"type": "regular", "chunk_shape": [], "separator": "/"}
    )
    chunks = {} if key is None else {f"x/{key}": np.int32(7).tobytes()}
    array = omnizarr.open_array(hierarchy(draft, {"x.array": document}, chunks), path="x", mode="r")
    assert array[()] == (-1 if key is None else 7)


def test_arrays_with_axes_pay_nothing_for_the_two_spellings() -> None:
    store = CountingStore(hierarchy("3-2020", {"x.array": array_document()}, PACKED))
    array = omnizarr.open_array(store, path="x", mode="r")
    store.reset()
    array[...]
    assert store.counts == {"get": 2}


@pytest.mark.parametrize("separator", [".", "/"])
def test_separators(separator: str) -> None:
    grid = {"type": "regular", "chunk_shape": [2, 4], "separator": separator}
    store = hierarchy(
        "3-2022",
        {"x.array": array_document(chunk_grid=grid)},
        {f"x/c0{separator}0": PACKED["a/b/x/c0/0"]},
    )
    np.testing.assert_array_equal(omnizarr.open_array(store, path="x", mode="r")[:2], ELEMENTS[:2])


def test_codecs_of_the_last_draft() -> None:
    codecs = [
        {"type": "https://purl.org/zarr/spec/codecs/transpose/1.0", "configuration": {"order": "F"}},
        {"type": "https://purl.org/zarr/spec/codecs/endian/1.0", "configuration": {"endian": "big"}},
        {"type": "https://purl.org/zarr/spec/codecs/gzip/1.0", "configuration": {"level": 1}},
    ]
    document = array_document(data_type="int32", codecs=codecs, dimension_names=["y", None])
    del document["compressor"], document["chunk_memory_layout"]
    chunk = gzip.compress(ELEMENTS[:2].astype(">i4").tobytes("F"))
    store = hierarchy("3-2022", {"x.array": document}, {"x/c0/0": chunk})
    array = omnizarr.open_array(store, path="x", mode="r")
    np.testing.assert_array_equal(array[:2], ELEMENTS[:2])
    assert array.metadata.dimension_names == ("y", None)


def test_a_fallback_is_read_and_told_of() -> None:
    data_type = {"extension": "http://example.org/t/1.0", "type": "odd", "fallback": ["odder", "r32"]}
    document = array_document(data_type=data_type, fill_value="0x01020304", compressor=None)
    store = hierarchy("3-2022", {"x.array": document}, {"x/c0/0": ELEMENTS[:2].tobytes()})
    with pytest.warns(UserWarning, match="http://example.org/t/1.0 is not known here"):
        array = omnizarr.open_array(store, path="x", mode="r")
    assert array[...].tobytes() == ELEMENTS[:2].tobytes() + bytes([1, 2, 3, 4] * 4)


def test_shards_that_are_broken_are_errors() -> None:
    transformer = {
        "extension": "https://purl.org/zarr/spec/storage_transformers/sharding/1.0",
        "type": "indexed",
        "configuration": {"chunks_per_shard": [2, 1]},
    }
    document = array_document(compressor=None, storage_transformers=[transformer])
    part = ELEMENTS[:2].tobytes()
    beyond = np.array([0, 32, 16, 10**6], "<u8").tobytes()
    for value in (part, part + beyond, b""):
        store = hierarchy("3-2020", {"x.array": document}, {"x/c0/0": value})
        array = omnizarr.open_array(store, path="x", mode="r")
        with pytest.raises(omnizarr.errors.CodecError):
            array[...]
    missing = np.array([0, 32, 2**64 - 1, 2**64 - 1], "<u8").tobytes()
    store = hierarchy("3-2020", {"x.array": document}, {"x/c0/0": part + missing})
    array = omnizarr.open_array(store, path="x", mode="r")
    np.testing.assert_array_equal(array[...], [*ELEMENTS[:2], [-1] * 4])


def test_that_of_march_2020_is_read_as_that_of_2019() -> None:
    document = array_document(chunk_grid={"type": "regular", "chunk_shape": [2, 4]})
    values: dict[str, Any] = {
        "zarr.json": {"zarr_format": CORE, "metadata_encoding": "application/json", "extensions": []},
        "meta/root/x.array": document,
    }
    store = MemoryStore({key: json.dumps(value).encode() for key, value in values.items()})
    store.set("data/x/0.0", PACKED["a/b/x/c0/0"])
    array = omnizarr.open_array(store, path="x", mode="r")
    assert array.zarr_format == "3-2019"
    np.testing.assert_array_equal(array[:2], ELEMENTS[:2])


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"zarr_format": "https://purl.org/zarr/spec/protocol/core/4.0"}, UnsupportedError, "core/4.0"),
        ({"metadata_encoding": {"type": "x", "metadata_key_suffix": ".x"}}, MetadataError, 'encoding "x"'),
        (
            {"extensions": [{"extension": "http://example.org/e", "must_understand": True}]},
            UnsupportedError,
            "http://example.org/e must be understood",
        ),
    ],
)
def test_hierarchies_that_cannot_be_read_say_why(
    changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    store = hierarchy("3-2020", {"x.array": array_document()})
    store.set("zarr.json", json.dumps({**BOOTSTRAPS["3-2020"], **changes}).encode())
    with pytest.raises(error, match=message):
        omnizarr.open(store)
    with pytest.raises(error, match=message):
        omnizarr.open(store, path="x")


# --- nothing is written

CHANGES: dict[str, Callable[[Group], object]] = {
    "elements": lambda root: root["a/b/x"].__setitem__(..., 1),  # type: ignore[union-attr]
    "shape": lambda root: root["a/b/x"].resize((9, 9)),  # type: ignore[union-attr]
    "more": lambda root: root["a/b/x"].append(np.zeros((1, 4))),  # type: ignore[union-attr]
    "an array's attributes": lambda root: root["a/b/x"].attrs.update(x=1),
    "a group's attributes": lambda root: root["g"].attrs.update(x=1),
    "an implied group's attributes": lambda root: root["a"].attrs.update(x=1),
    "a new group": lambda root: root.create_group("n"),
    "a new array": lambda root: root.create_array("n", shape=(2,), dtype="i4"),
    "a new array below": lambda root: root["a"].create_array("n", data=np.zeros(3)),  # type: ignore[union-attr]
    "a group that is required": lambda root: root.require_group("a/n"),
    "less": lambda root: root.__delitem__("a/b/x"),
    "another place": lambda root: root.move("a", "c"),
    "consolidated metadata": lambda root: omnizarr.consolidate_metadata(root.store.inner),  # type: ignore[attr-defined]
}


@pytest.mark.parametrize("change", CHANGES)
def test_nothing_is_changed(made: Group, change: str) -> None:
    before = {key: made.store.get(key) for key in made.store.list_prefix("")}
    with pytest.raises(ConversionError, match=r"is read only: omnizarr copy brings it to Zarr v3\.1"):
        CHANGES[change](made)
    assert {key: made.store.get(key) for key in made.store.list_prefix("")} == before


@pytest.mark.parametrize("draft", DRAFTS)
def test_nothing_is_made(draft: str) -> None:
    store = MemoryStore()
    with pytest.raises(ConversionError, match=f"{draft}.*read only"):
        omnizarr.create_group(store, zarr_format=draft)
    with pytest.raises(ConversionError, match="read only"):
        omnizarr.create_array(store, path="x", shape=(2,), dtype="i4", zarr_format=draft)
    assert list(store.list_prefix("")) == []


# --- copies


@pytest.mark.parametrize("consolidated", [True, False])
def test_all_comes_to_zarr_v3(consolidated: bool) -> None:
    target = MemoryStore()
    source = omnizarr.open_group(WRITTEN, mode="r", use_consolidated=consolidated)
    omnizarr.copy(source, target, zarr_format=3)
    found = omnizarr.open_group(target, mode="r")
    assert found.zarr_format == 3
    nodes = dict(found.members(max_depth=None))
    assert sorted(nodes) == sorted(path for path in VALUES if path)
    for path in ARRAYS:
        array = nodes[path]
        assert isinstance(array, Array)
        assert_as_written(array, path)
        assert array.attrs == VALUES[path]["attributes"]
    assert "filters" not in nodes["filters/delta"].attrs


def test_shards_stay_shards_byte_for_byte(root: Group) -> None:
    target = MemoryStore()
    omnizarr.copy(root["shards"], target, zarr_format=3)
    for name, chunk in (("plain", "0/1"), ("partial", "0/0"), ("packed", "1/1"), ("dots", "1")):
        array = omnizarr.open_array(target, path=name, mode="r")
        assert array.shards is not None
        separator = "." if name == "dots" else "/"
        stored = root.store.get(f"data/root/shards/{name}/c{chunk.replace('/', separator)}")
        assert stored is not None
        assert target.get(f"{name}/c/{chunk}") == stored
    assert target.get("scalar/c") == root.store.get("data/root/shards/scalar/c0")


def test_chunks_are_moved_as_they_are(root: Group) -> None:
    target = MemoryStore()
    omnizarr.copy(root["compressors"], target, zarr_format=3)
    for name in ("gzip", "zlib", "blosc", "blosc_auto", "zstd", "lz4", "bz2", "lzma", "none"):
        stored = root.store.get(f"data/root/compressors/{name}/c2/1")
        assert stored is not None
        assert target.get(f"{name}/c/2/1") == stored


def test_all_but_shards_comes_to_zarr_v2(root: Group) -> None:
    target = MemoryStore()
    report = omnizarr.copy(root, target, zarr_format=2)
    assert len(report.losses) == sum(path.startswith("shards/") for path in ARRAYS)
    assert all("sharding_indexed: Zarr v2 has no shards" in loss.what for loss in report.losses)
    found = omnizarr.open_group(target, mode="r", zarr_format=2)
    for path in ARRAYS:
        array = found[path]
        assert isinstance(array, Array)
        assert array.shards is None
        values, wanted = np.asarray(array[...]), expected(path)
        if isinstance(wanted, list):
            assert values.ravel().tolist() == wanted
        else:
            assert values.astype(wanted.dtype).tobytes() == wanted.tobytes()


def test_both_layouts_come_to_every_format(made: Group) -> None:
    for zarr_format in (2, 3, "3-2019"):
        target = MemoryStore()
        omnizarr.copy(made, target, zarr_format=zarr_format)
        found = omnizarr.open_group(target, mode="r")
        assert found.zarr_format == zarr_format
        array = found["a/b/x"]
        assert isinstance(array, Array)
        np.testing.assert_array_equal(array[...], made["a/b/x"][...])  # type: ignore[index]
        assert array.attrs == {"units": "m"}


def test_a_copy_in_the_same_draft_is_refused(made: Group) -> None:
    target = MemoryStore()
    with pytest.raises(ConversionError, match="read only"):
        omnizarr.copy(made, target, zarr_format=made.zarr_format)
    assert list(target.list_prefix("")) == []


# --- the command line


def unpack(archive: Path, folder: Path) -> None:
    with ZipFile(archive) as file:
        file.extractall(folder)


def run(*arguments: object) -> Any:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def test_info_and_tree() -> None:
    found = run("info", WRITTEN)
    assert found.exit_code == 0, found.output
    assert "3-2020" in found.output
    found = run("info", f"{WRITTEN}/shards/plain")
    assert found.exit_code == 0, found.output
    assert "sharding" in found.output.lower() or "shard" in found.output.lower()
    found = run("tree", WRITTEN)
    assert found.exit_code == 0, found.output
    for name in ("implied", "deep", "blosc_auto", "minus_inf"):
        assert name in found.output


def test_keys_of_all_and_of_one_node() -> None:
    found = run("keys", WRITTEN)
    assert found.exit_code == 0, found.output
    assert "meta/root/orders/C.array.json" in found.stdout
    found = run("keys", WRITTEN / "separators" / "dot")
    assert [line.split()[1] for line in found.stdout.splitlines()] == [
        *(f"data/root/separators/dot/c{i}.{j}" for i in range(3) for j in range(2)),
        "meta/root/separators/dot.array.json",
    ]


def test_validate_finds_nothing_wrong_and_repairs_nothing(tmp_path: Path) -> None:
    found = run("validate", WRITTEN)
    assert found.exit_code == 0, found.output
    unpack(WRITTEN, tmp_path / "old")
    stray = tmp_path / "old" / "data" / "root" / "orders" / "C" / "c9"
    stray.write_bytes(b"")
    found = run("validate", tmp_path / "old", "--json")
    assert found.exit_code == 1
    [finding] = json.loads(found.stdout)
    assert (finding["kind"], finding["path"]) == ("orphan", "/orders/C")
    found = run("validate", tmp_path / "old", "--repair", "--yes")
    assert found.exit_code == 2
    assert "read only" in found.stderr
    assert stray.exists()


def test_paths_lead_to_nodes_that_have_no_directory(tmp_path: Path) -> None:
    unpack(WRITTEN, tmp_path / "old")
    array = omnizarr.open(tmp_path / "old" / "shards" / "packed")
    assert isinstance(array, Array)
    assert_as_written(array, "shards/packed")
    assert not (tmp_path / "old" / "shards").exists()
    found = run("info", tmp_path / "old" / "orders" / "none")
    assert found.exit_code == 2
    assert "the group /orders holds 'C', 'F'" in found.stderr
    with pytest.raises(ConversionError, match="read only"):
        omnizarr.create_group(tmp_path / "old" / "new")


def test_copy(tmp_path: Path) -> None:
    target = tmp_path / "new.zarr"
    found = run("copy", WRITTEN, target)
    assert found.exit_code == 0, found.output
    copied = omnizarr.open_group(target, mode="r")
    assert copied.zarr_format == 3
    array = copied["shards/packed"]
    assert isinstance(array, Array)
    assert_as_written(array, "shards/packed")
