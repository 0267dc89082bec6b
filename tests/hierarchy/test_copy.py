"""Copies: equal values and attributes, moved or decoded, within memory, whole or not at all."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

import omnizarr
from omnizarr.codecs.bound import Chain
from omnizarr.errors import CodecError, ConversionError, NodeExistsError, NodeNotFoundError, StoreError
from omnizarr.geometry.grid import RegularGrid
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.consolidate import consolidate_metadata
from omnizarr.hierarchy.copy import copy
from omnizarr.hierarchy.copying.check import plan_copy
from omnizarr.hierarchy.copying.journal import JOURNAL
from omnizarr.hierarchy.copying.recut import Cuts
from omnizarr.hierarchy.creating.place import place
from omnizarr.hierarchy.documents import fetch_metadata
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.opening.formats import FORMATS
from omnizarr.hierarchy.validate import validate
from omnizarr.metadata.group import GroupMetadata
from omnizarr.store.base import Store
from omnizarr.store.directories.directory import DirectoryStore
from omnizarr.store.layers.wrap import CountingStore, FaultStore
from omnizarr.store.memory import MemoryStore

GZIP = {"name": "gzip", "configuration": {"level": 1}}
ZSTD = {"name": "zstd", "configuration": {"level": 3, "checksum": True}}


def new_group(store: Store, zarr_format: int, **attributes: Any) -> Group:
    metadata = GroupMetadata(attributes=attributes)
    place(store, FORMATS[zarr_format], "", metadata)
    return Group(store, FORMATS[zarr_format], "", metadata)


def open_at(store: Store, zarr_format: int, path: str = "") -> Any:
    metadata = fetch_metadata(store, FORMATS[zarr_format], path)
    assert metadata is not None
    kind = Group if isinstance(metadata, GroupMetadata) else Array
    return kind(store, FORMATS[zarr_format], path, metadata)  # type: ignore[arg-type]


def sample(store: Store, zarr_format: int) -> Group:
    root = new_group(store, zarr_format, title="sample", n=[1, {"a": None}])
    rng = np.random.default_rng(0)
    table = root.create_array("g/table", shape=(25, 31), chunks=(10, 8), dtype="f4", compressors=GZIP)
    table[...] = rng.normal(size=(25, 31)).astype("f4")
    table.attrs["units"] = "m"
    plain = root.create_array("plain", shape=(100,), chunks=(30,), dtype="i2", compressors=None, fill_value=7)
    plain[:50] = np.arange(50)
    root.create_array("scalar", shape=(), dtype="i8", compressors=None)[...] = 5
    root.create_array("empty", shape=(0, 3), chunks=(1, 3), dtype="u1", compressors=None)
    words = root.create_array("words", shape=(7,), chunks=(3,), dtype="string", compressors=ZSTD)
    words[...] = np.array(["a", "", "ü", "long " * 20, "e", "f", "g"], object)
    return root


def contents(group: Group) -> dict[str, Any]:
    found: dict[str, Any] = {"": dict(group.attrs)}
    for path, node in group.members(max_depth=None):
        values = np.asarray(node[...]).tolist() if isinstance(node, Array) else None
        found[path] = (dict(node.attrs), values)
    return found


def chunk_values(store: Store, node: Group) -> dict[tuple[str, tuple[int, ...]], bytes | None]:
    return {
        (path, coords): store.get(array.layout.key(coords))
        for path, array in node.members(max_depth=None)
        if isinstance(array, Array)
        for coords in np.ndindex(array.cdata_shape)
    }


@pytest.mark.parametrize("ours", [2, 3])
@pytest.mark.parametrize("theirs", [2, 3])
def test_equal_chunks_are_moved_without_a_codec(
    ours: int, theirs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = MemoryStore(), MemoryStore()
    root = sample(source, ours)
    expected = contents(root)

    def refuse(*_: Any) -> Any:
        raise AssertionError("a chunk was decoded or encoded")

    with monkeypatch.context() as patched:
        patched.setattr(Chain, "decode", refuse)
        patched.setattr(Chain, "encode", refuse)
        report = plan_copy(root, target, FORMATS[theirs]).run()
    copied = open_at(target, theirs)
    assert contents(copied) == expected
    assert chunk_values(target, copied) == chunk_values(source, root)
    assert (report.arrays, report.groups, report.losses) == (5, 2, ())
    assert report.moved.recoded_bytes == 0
    assert report.moved.chunks == 12 + 2 + 1 + 3
    assert not target.exists(JOURNAL)


def test_same_format_repeats_the_documents() -> None:
    source, target = MemoryStore(), MemoryStore()
    plan_copy(sample(source, 2), target, FORMATS[2], "a/b").run()
    for key in source.list_prefix(""):
        if key != ".zgroup":
            assert target.get(f"a/b/{key}") == source.get(key), key
    assert target.exists(".zgroup") and target.exists("a/.zgroup")


@pytest.mark.parametrize("ours", [2, 3])
@pytest.mark.parametrize("theirs", [2, 3])
def test_big_endian_and_fortran_order(ours: int, theirs: int, tmp_path: Path) -> None:
    source = DirectoryStore(tmp_path / "a")
    values = np.arange(35, dtype=">i4").reshape(5, 7)
    made = zarr.create_array(
        tmp_path / "a",
        data=values.astype("<i4") if ours == 3 else values,
        chunks=(2, 3),
        zarr_format=ours,  # type: ignore[arg-type]
        **(
            {"order": "F", "compressors": None}
            if ours == 2
            else {"serializer": zarr.codecs.BytesCodec(endian="big")}
        ),
    )
    target = DirectoryStore(tmp_path / "b")
    report = plan_copy(open_at(source, ours), target, FORMATS[theirs]).run()
    assert report.moved.recoded_bytes == 0
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "b")[...], np.asarray(made[...]))


@pytest.mark.parametrize("theirs", [2, 3])
def test_zarr_python_reads_the_copy(theirs: int, tmp_path: Path) -> None:
    root = sample(MemoryStore(), 2)
    cuts = Cuts(chunks={"g/table": (7, 31), "/plain": 11}, compressors=ZSTD)
    plan_copy(root, DirectoryStore(tmp_path / "b"), FORMATS[theirs], cuts=cuts).run()
    found = zarr.open_group(tmp_path / "b", mode="r")
    table = found["g/table"]
    assert isinstance(table, zarr.Array) and table.chunks == (7, 31)
    np.testing.assert_array_equal(table[...], np.asarray(root["g/table"]))
    np.testing.assert_array_equal(found["plain"][...], np.asarray(root["plain"]))  # type: ignore[index]
    assert dict(table.attrs) == {"units": "m"}


def test_other_level_means_recoding() -> None:
    root = sample(MemoryStore(), 3)
    gzip9 = {"name": "gzip", "configuration": {"level": 9}}
    target = MemoryStore()
    report = plan_copy(root, target, FORMATS[3], cuts=Cuts(compressors={"g/table": gzip9})).run()
    assert report.moved.recoded_bytes == root["g/table"].nbytes
    assert contents(open_at(target, 3)) == contents(root)


def test_shards_are_made_and_undone() -> None:
    root = sample(MemoryStore(), 3)
    sharded, flat = MemoryStore(), MemoryStore()
    plan_copy(root, sharded, FORMATS[3], cuts=Cuts(shards={"g/table": (20, 16)})).run()
    made = open_at(sharded, 3, "g/table")
    assert (made.shards, made.chunks) == ((20, 16), (10, 8))
    assert contents(open_at(sharded, 3)) == contents(root)
    plan = plan_copy(open_at(sharded, 3), flat, FORMATS[2])
    assert [loss.path for loss in plan.losses] == ["g/table"]
    plan.run()
    assert contents(open_at(flat, 2)) == contents(root)


@st.composite
def _shapes(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    shape = tuple(draw(st.lists(st.integers(0, 12), min_size=1, max_size=3)))
    ours = tuple(draw(st.integers(1, length + 2)) for length in shape)
    theirs = tuple(draw(st.integers(1, length + 2)) for length in shape)
    return shape, ours, theirs


@settings(max_examples=40, deadline=None)
@given(case=_shapes(), memory=st.integers(1000, 20000), formats=st.sampled_from([(2, 3), (3, 2), (3, 3)]))
def test_any_rechunking_keeps_the_values(case: Any, memory: int, formats: tuple[int, int]) -> None:
    shape, ours, theirs = case
    source, target = MemoryStore(), MemoryStore()
    root = new_group(source, formats[0])
    array = root.create_array("a", shape=shape, chunks=ours, dtype="u2", compressors=None)
    values = np.arange(array.size, dtype="u2").reshape(shape)
    array[...] = values
    cuts = Cuts(chunks=theirs, compressors=ZSTD if formats[1] == 3 else None)
    try:
        plan_copy(root, target, FORMATS[formats[1]], cuts=cuts, memory=memory).run()
    except ConversionError as error:
        assert "memory" in str(error)
        return
    copied = open_at(target, formats[1], "a")
    assert copied.metadata.grid == RegularGrid(theirs)
    np.testing.assert_array_equal(np.asarray(copied), values)


@pytest.mark.parametrize("codec", ["None", '{"name": "zstd", "configuration": {"level": 1}}'])
def test_memory_stays_bounded_against_the_grain(codec: str, tmp_path: Path) -> None:
    """128 MB from rows to columns within 16 MB: the peak of the process, not the planner's word."""
    script = f"""
        import resource, numpy as np
        from omnizarr.config import config
        from omnizarr.hierarchy.array import Array
        from omnizarr.hierarchy.copying.check import plan_copy
        from omnizarr.hierarchy.opening.formats import FORMATS
        from omnizarr.hierarchy.creating.plan_array import plan_array
        from omnizarr.hierarchy.copying.recut import Cuts
        from omnizarr.store.directories.directory import DirectoryStore

        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

        store = DirectoryStore({str(tmp_path / "a")!r})
        rows, columns = 1024, 16384
        made = plan_array(3, shape=(rows, columns), chunks=(1, columns), dtype="f8", compressors={codec})
        array = Array(store, FORMATS[3], "", made)
        for row in range(rows):
            array[row] = np.arange(columns) + row
        for key, document in FORMATS[3].write("", made).items():
            store.set(key, document)
        small = Array(store, FORMATS[3], "", made)
        small[:2, :2]
        plan = plan_copy(
            array, DirectoryStore({str(tmp_path / "b")!r}), FORMATS[3], memory=16 * 2**20,
            cuts=Cuts(chunks=(rows, 64), compressors={{"name": "zstd", "configuration": {{"level": 1}}}}),
        )
        assert (plan.tasks[0].recoding.stage is None) == ({codec} is None)
        before = peak()
        plan.run()
        print(peak() - before)
        copied = Array(plan.store, FORMATS[3], "", plan.nodes[""])
        for row in (0, 1, 777, rows - 1):
            assert (copied[row] == np.arange(columns) + row).all()
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 16 * 2**20


def _against_the_grain(store: Store) -> Array:
    root = new_group(store, 3)
    array = root.create_array("a", shape=(1024, 1024), chunks=(1, 1024), dtype="f4", compressors=GZIP)
    array[...] = np.random.default_rng(0).integers(1, 100, (1024, 1024))
    return array


def test_far_too_little_memory_means_two_passes_not_many(tmp_path: Path) -> None:
    array = _against_the_grain(MemoryStore())
    counted = CountingStore(array.store)
    source = open_at(counted, 3)
    target = DirectoryStore(tmp_path / "b")
    plan = plan_copy(source, target, FORMATS[3], cuts=Cuts(chunks=(1024, 1)), memory=2**18)
    recoding = plan.tasks[0].recoding
    assert recoding is not None and recoding.stage is not None and recoding.blocks.decodes > 16
    counted.reset()
    plan.run()
    assert counted.bytes_read < 1.1 * array.nbytes_stored()
    np.testing.assert_array_equal(np.asarray(open_at(target, 3, "a")), np.asarray(array))
    assert not any(".omnizarr" in key for key in target.list_prefix(""))


def test_two_passes_continue(tmp_path: Path) -> None:
    array = _against_the_grain(DirectoryStore(tmp_path / "a"))
    root = open_at(array.store, 3)
    options: dict[str, Any] = {"cuts": Cuts(chunks=(1024, 1)), "memory": 2**18}
    inner = DirectoryStore(tmp_path / "b")
    _interrupted(root, inner, 900, **options)
    report = plan_copy(root, inner, FORMATS[3], **options).run()
    assert report.resumed and 0 < report.moved.recoded_bytes < array.nbytes
    np.testing.assert_array_equal(np.asarray(open_at(inner, 3, "a")), np.asarray(array))
    assert not any(".omnizarr" in key for key in inner.list_prefix(""))


@pytest.mark.parametrize("memory", [2**17, 2**19, 2**30])
@pytest.mark.parametrize("after", [300, 900])
def test_two_passes_continue_within_other_memory(after: int, memory: int, tmp_path: Path) -> None:
    array = _against_the_grain(DirectoryStore(tmp_path / "a"))
    root = open_at(array.store, 3)
    inner = DirectoryStore(tmp_path / "b")
    _interrupted(root, inner, after, cuts=Cuts(chunks=(1024, 1)), memory=2**18)
    report = plan_copy(root, inner, FORMATS[3], cuts=Cuts(chunks=(1024, 1)), memory=memory).run()
    assert report.resumed
    np.testing.assert_array_equal(np.asarray(open_at(inner, 3, "a")), np.asarray(array))
    assert not any(".omnizarr" in key for key in inner.list_prefix(""))


def test_too_little_memory_is_told_before_anything_is_written() -> None:
    root = new_group(MemoryStore(), 3)
    root.create_array("a", shape=(1000, 1000), chunks=(10, 1000), dtype="f8", compressors=None)
    target = MemoryStore()
    with pytest.raises(ConversionError, match=r"array /a: 1000000 bytes of memory are too little .* 8000000"):
        plan_copy(root, target, FORMATS[3], cuts=Cuts(chunks=(1000, 1000)), memory=10**6)
    assert list(target.list_prefix("")) == []


def test_strict_refuses_with_every_loss() -> None:
    root = new_group(MemoryStore(), 3)
    root.create_array("a", shape=(4,), chunks=(2,), shards=(4,), dtype="i4")
    root.create_array("b", shape=(4,), dtype="i4", dimension_names=["x"])
    root.create_array("c", shape=(2, 2), dtype="i4", dimension_names=["x", None])
    target = MemoryStore()
    with pytest.raises(ConversionError) as caught:
        plan_copy(root, target, FORMATS[2], strict=True)
    assert "/a: codec sharding_indexed" in str(caught.value)
    assert "/c: dimension names" in str(caught.value) and "/b" not in str(caught.value)
    report = plan_copy(root, target, FORMATS[2]).run()
    assert [loss.path for loss in report.losses] == ["a", "c"]
    assert open_at(target, 2, "b").attrs["_ARRAY_DIMENSIONS"] == ["x"]


def test_what_cannot_be_held_at_all_is_refused() -> None:
    root = new_group(MemoryStore(), 3)
    root.create_array("a", shape=(10,), chunks=[[3, 7]], dtype="i4")
    with pytest.raises(ConversionError, match="/a: "):
        plan_copy(root, MemoryStore(), FORMATS[2])
    plan = plan_copy(root, MemoryStore(), FORMATS[2], cuts=Cuts(chunks=5))
    assert plan.losses == ()


def test_unknown_array_is_named() -> None:
    with pytest.raises(ConversionError, match="chunks: there is no array 'tabel'; arrays: empty, g/table"):
        plan_copy(sample(MemoryStore(), 3), MemoryStore(), FORMATS[3], cuts=Cuts(chunks={"tabel": 3}))


def test_existing_target_is_left_alone() -> None:
    root = sample(MemoryStore(), 3)
    target = MemoryStore({"other": b"1"})
    with pytest.raises(NodeExistsError, match="'other'"):
        plan_copy(root, target, FORMATS[3]).run()
    assert dict(target._values) == {"other": b"1"}
    plan_copy(root, target, FORMATS[3]).run(overwrite=True)
    assert not target.exists("other")
    with pytest.raises(NodeExistsError):
        plan_copy(root, target, FORMATS[2]).run()


def test_overwriting_removes_the_root_first(tmp_path: Path) -> None:
    root = sample(MemoryStore(), 3)
    inner = DirectoryStore(tmp_path)
    sample(inner, 2)
    deleted: list[str] = []

    def fault(operation: str, key: str) -> Exception | None:
        if operation != "delete":
            return None
        deleted.append(key)
        return StoreError("stopped", key=key) if len(deleted) == 8 else None

    with pytest.raises(StoreError, match="stopped"):
        plan_copy(root, FaultStore(inner, fault), FORMATS[3]).run(overwrite=True)
    assert fetch_metadata(inner, FORMATS[2], "") is None and len(list(inner.list_prefix(""))) > 10
    plan_copy(root, inner, FORMATS[3]).run(overwrite=True)
    assert contents(open_at(inner, 3)) == contents(root)
    assert not any(key.endswith(".zarray") for key in inner.list_prefix(""))


def test_copy_into_itself_is_refused(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path / "a")
    root = sample(store, 3)
    for target, path in [
        (store, ""),
        (DirectoryStore(tmp_path / "a"), "g/deep"),
        (DirectoryStore(tmp_path / "a" / "g"), ""),
        (DirectoryStore(tmp_path), ""),
    ]:
        with pytest.raises(NodeExistsError, match="source"):
            plan_copy(root, target, FORMATS[3], path)
    plan_copy(root["g"], store, FORMATS[3], "g2").run()
    assert contents(open_at(store, 3, "g2"))["table"] == contents(root)["g/table"]


def test_what_lies_beside_is_kept_or_told() -> None:
    source = MemoryStore()
    root = sample(source, 2)
    besides = {"readme.txt": b"hello", ".nczgroup": b"{}", "g/table/.nczvar": b"{}", "g/notes/a": b"1"}
    for key, value in besides.items():
        source.set(key, value)
    source.set("plain/77", b"a chunk beyond the shape")
    target = MemoryStore()
    assert plan_copy(root, target, FORMATS[2]).run().losses == ()
    assert {key: target.get(key) for key in besides} == besides
    assert not target.exists("plain/77")
    losses = plan_copy(root, MemoryStore(), FORMATS[3]).losses
    assert [str(loss) for loss in losses] == [
        "/: 4 keys that belong to no node: .nczgroup, g/notes/a, g/table/.nczvar, …"
    ]
    source.set("large", bytes(10**6))
    plan = plan_copy(root, MemoryStore(), FORMATS[2], memory=10**5)
    assert [str(loss) for loss in plan.losses] == ["/: a key that belongs to no node: large"]


def test_place_inside_another_format_is_refused() -> None:
    store = MemoryStore()
    new_group(store, 3)
    with pytest.raises(ConversionError, match="/ is Zarr 3, which holds nothing of Zarr 2"):
        plan_copy(sample(MemoryStore(), 3), store, FORMATS[2], "a/b")
    plan_copy(sample(MemoryStore(), 2), store, FORMATS[3], "a/b").run()
    assert len(open_at(store, 3).members(max_depth=None)) == 8


def test_wrong_size_of_a_moved_chunk_is_found() -> None:
    store = MemoryStore()
    root = sample(store, 3)
    key = root["plain"].layout.key((0,))
    store.set(key, b"123")
    with pytest.raises(CodecError, match=r"expected a chunk of 60 bytes, found 3 .*plain/c/0"):
        plan_copy(root, MemoryStore(), FORMATS[2]).run()


def _interrupted(root: Group, inner: Store, after: int, **options: Any) -> None:
    """Run a copy whose target fails at a given write."""
    left = [after]

    def fault(operation: str, key: str) -> Exception | None:
        if operation in ("set", "delete"):
            left[0] -= 1
        return StoreError("no space left", key=key) if left[0] == 0 else None

    with pytest.raises(StoreError, match="no space left"):
        plan_copy(root, FaultStore(inner, fault), FORMATS[3], **options).run()


@pytest.mark.parametrize("after", [2, 5, 15, 22, 25, 26])
def test_interrupted_copy_continues(after: int, tmp_path: Path) -> None:
    root = sample(DirectoryStore(tmp_path / "a"), 2)
    inner = DirectoryStore(tmp_path / "b")
    _interrupted(root, inner, after)
    written = sum(1 for key in inner.list_prefix("") if "/c" in key)
    assert inner.exists(JOURNAL)
    target = CountingStore(inner)
    report = plan_copy(root, target, FORMATS[3]).run()
    assert report.moved.chunks == 18 - written
    assert report.resumed == (after > 2)
    assert contents(open_at(inner, 3)) == contents(root)
    assert not inner.exists(JOURNAL)


def test_interrupted_copy_is_no_dataset(tmp_path: Path) -> None:
    root = sample(DirectoryStore(tmp_path / "a"), 2)
    _interrupted(root, DirectoryStore(tmp_path / "b"), 24)
    assert fetch_metadata(DirectoryStore(tmp_path / "b"), FORMATS[3], "") is None
    before = {path for path in (tmp_path / "b").rglob("*") if path.is_file()}
    for mode in (None, "a", "r+"):  # nothing is made where it lies, either
        with pytest.raises(NodeNotFoundError, match="begun and never completed"):
            omnizarr.open(tmp_path / "b", mode=mode)
        with pytest.raises(NodeNotFoundError, match="begun and never completed"):
            omnizarr.open_array(tmp_path / "b", mode=mode, shape=3, dtype="i1")
    assert {path for path in (tmp_path / "b").rglob("*") if path.is_file()} == before


def test_changed_source_starts_clean(tmp_path: Path) -> None:
    root = sample(DirectoryStore(tmp_path / "a"), 2)
    inner = DirectoryStore(tmp_path / "b")
    _interrupted(root, inner, 12)
    root["g/table"][...] = 0
    report = plan_copy(root, inner, FORMATS[3]).run()
    assert not report.resumed
    assert contents(open_at(inner, 3)) == contents(root)


def test_other_parameters_start_clean(tmp_path: Path) -> None:
    root = sample(DirectoryStore(tmp_path / "a"), 2)
    inner = DirectoryStore(tmp_path / "b")
    _interrupted(root, inner, 12)
    report = plan_copy(root, inner, FORMATS[3], cuts=Cuts(chunks={"g/table": (5, 5)})).run()
    assert not report.resumed
    copied = open_at(inner, 3, "g/table")
    assert copied.nchunks_initialized == 5 * 7
    assert contents(open_at(inner, 3)) == contents(root)


def test_source_that_cannot_tell_its_state_starts_clean(tmp_path: Path) -> None:
    root = sample(MemoryStore(), 2)
    inner = DirectoryStore(tmp_path / "b")
    _interrupted(root, inner, 12)
    assert not plan_copy(root, inner, FORMATS[3]).run().resumed
    assert contents(open_at(inner, 3)) == contents(root)


def test_recoding_continues_block_by_block(tmp_path: Path) -> None:
    root = new_group(DirectoryStore(tmp_path / "a"), 3)
    array = root.create_array("a", shape=(64, 64), chunks=(1, 64), dtype="f8", compressors=None)
    array[...] = np.arange(1, 4097).reshape(64, 64)
    options: dict[str, Any] = {"cuts": Cuts(chunks=(64, 1)), "memory": 8192}
    inner = DirectoryStore(tmp_path / "b")
    _interrupted(root, inner, 40, **options)
    report = plan_copy(root, inner, FORMATS[3], **options).run()
    assert report.resumed
    assert 0 < report.moved.recoded_bytes < array.nbytes
    np.testing.assert_array_equal(np.asarray(open_at(inner, 3, "a")), np.asarray(array))


@pytest.mark.parametrize("formats", [(2, 2), (2, 3), (3, 2), (3, 3)])
def test_consolidated_stays_consolidated(formats: tuple[int, int], tmp_path: Path) -> None:
    ours, theirs = formats
    source = DirectoryStore(tmp_path / "a")
    sample(source, ours)
    consolidate_metadata(source)
    copy(tmp_path / "a", tmp_path / "b", zarr_format=theirs)
    found = zarr.open_consolidated(tmp_path / "b")
    assert sorted(path for path, _ in found.members(max_depth=None)) == [
        "empty",
        "g",
        "g/table",
        "plain",
        "scalar",
        "words",
    ]
    assert validate(tmp_path / "b", zarr_format=theirs).findings == ()


def test_copy_by_paths_and_into_a_zip(tmp_path: Path) -> None:
    root = sample(DirectoryStore(tmp_path / "a"), 2)
    report = copy(tmp_path / "a", tmp_path / "b.zip", zarr_format=3)
    assert report.moved.recoded_bytes == 0
    again = copy(tmp_path / "b.zip", tmp_path / "c", path="deep/er")
    assert again.arrays == 5
    assert contents(open_at(DirectoryStore(tmp_path / "c"), 3, "deep/er")) == contents(root)
    with pytest.raises(NodeExistsError, match="already"):
        copy(tmp_path / "a", tmp_path / "b.zip")
    copy(root["plain"], tmp_path / "one", chunks=7)
    assert zarr.open_array(tmp_path / "one").chunks == (7,)


def test_progress_reaches_the_total() -> None:
    root = sample(MemoryStore(), 3)
    seen: list[tuple[int, int]] = []
    plan = plan_copy(root, MemoryStore(), FORMATS[3])
    plan.run(progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (plan.total_bytes, plan.total_bytes)
    assert all(a[0] <= b[0] for a, b in pairwise(seen))
