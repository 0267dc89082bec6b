"""Hierarchies of the draft of 2019 copied, moved and deleted, by the library and on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import omnizarr
from omnizarr import Array, drafts, netcdf, zom
from omnizarr.cli.main import cli
from omnizarr.errors import ConversionError, NodeExistsError, NodeNotFoundError, StoreError
from omnizarr.store import DirectoryStore, FaultStore, MemoryStore, Store
from omnizarr.store.layers.below import BelowStore

NAME = "3-2019"
VALUES = np.arange(24, dtype="<i4").reshape(4, 6)


def example(store: Store | Path) -> omnizarr.Group:
    root = omnizarr.create_group(store, zarr_format=NAME, attributes={"title": "t"})
    root.create_array("in/plain", data=VALUES, chunks=(2, 3), attributes={"units": "m"})
    root.create_array("in/fortran", data=VALUES, chunks=(3, 4), order="F", chunk_key_encoding="/")
    root.create_array("times", data=np.array([1, 2, 3], "M8[s]"), chunks=(2,), compressors=None)
    big = np.array([1.5, np.nan], ">f8")
    root.create_array("big", data=big, fill_value=np.nan, compressors={"name": "zstd"})
    return root


def same(one: omnizarr.Group, other: omnizarr.Group) -> None:
    ours, theirs = (dict(root.members(max_depth=None)) for root in (one, other))
    assert list(ours) == list(theirs)
    assert dict(one.attrs) == dict(other.attrs)
    for path, node in ours.items():
        found = theirs[path]
        assert dict(node.attrs) == dict(found.attrs)
        if isinstance(node, Array):
            assert isinstance(found, Array)
            assert found.dtype.newbyteorder("=") == node.dtype
            np.testing.assert_array_equal(found[...], node[...])


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_to_other_formats_and_back_the_same_bytes_are_moved(zarr_format: int) -> None:
    source = example(MemoryStore())
    middle, back = MemoryStore(), MemoryStore()
    report = omnizarr.copy(source, middle, zarr_format=zarr_format)
    assert (report.losses, report.moved.recoded_bytes, report.moved.chunks) == ((), 0, 11)
    assert omnizarr.open_group(middle, mode="r").zarr_format == zarr_format
    same(source, omnizarr.open_group(middle, mode="r"))
    report = omnizarr.copy(middle, back, zarr_format=NAME)
    assert (report.losses, report.moved.recoded_bytes, report.moved.chunks) == ((), 0, 11)
    same(source, omnizarr.open_group(back, mode="r"))
    document = json.loads(back.get("meta/root/big.array") or b"")
    assert document["data_type"] == ">f8"


def test_a_copy_of_the_same_format_has_the_same_keys() -> None:
    source = example(MemoryStore())
    target = MemoryStore()
    omnizarr.copy(source, target)
    assert dict(target.mapping()) == dict(source.store.mapping())


def test_what_declares_the_hierarchy_comes_last() -> None:
    """A copy that was interrupted at any write does not open, and is completed by the same call."""
    source = example(MemoryStore())
    total = 0
    while True:
        inner = MemoryStore()
        count = 0

        def fault(operation: str, key: str) -> BaseException | None:
            nonlocal count
            count += operation in ("set", "set_if_absent", "update")
            stopped = operation in ("set", "set_if_absent", "update") and count > total  # noqa: B023
            return OSError("stopped") if stopped else None

        try:
            omnizarr.copy(source, FaultStore(inner, fault))
            break
        except OSError:
            with pytest.raises(NodeNotFoundError):
                omnizarr.open(inner, mode="r")
        omnizarr.copy(source, inner)
        same(source, omnizarr.open_group(inner, mode="r"))
        total += 4
    assert total > 16


def test_a_part_into_another_hierarchy(tmp_path: Path) -> None:
    example(tmp_path / "one")
    other = omnizarr.create_group(tmp_path / "two", zarr_format=NAME, metadata_encoding=drafts.MSGPACK)
    source = omnizarr.open_group(tmp_path / "one", mode="r", path="in")
    omnizarr.copy(source, tmp_path / "two", path="deep/er")
    same(source, omnizarr.open_group(tmp_path / "two", mode="r", path="deep/er"))
    assert (DirectoryStore(tmp_path / "two").get("meta/root/deep/er/plain.array") or b"")[0] != ord("{")
    assert [path for path, _ in other.members(max_depth=None)] == [
        *("deep", "deep/er", "deep/er/fortran", "deep/er/plain")
    ]
    with pytest.raises(NodeExistsError):
        omnizarr.copy(source, tmp_path / "two", path="deep/er")


def test_a_copy_keeps_what_the_hierarchy_declares() -> None:
    extension = drafts.Declared("http://example.org/foo", False, {"a": 1})
    root = drafts.create_hierarchy(metadata_encoding=drafts.MSGPACK, extensions=[extension])
    root.create_array("x", shape=1)
    omnizarr.consolidate_metadata(root)
    target = MemoryStore()
    omnizarr.copy(omnizarr.open_group(root.store, mode="r"), target)
    copied = omnizarr.open_consolidated(target)
    bootstrap = drafts.bootstrap_of(copied)
    assert bootstrap.metadata_encoding == drafts.MSGPACK
    assert [found.uri for found in bootstrap.extensions] == [extension.uri, drafts.CONSOLIDATED]
    unread = omnizarr.open_group(root.store, mode="r", use_consolidated=False)
    omnizarr.copy(unread, target, overwrite=True)
    found = drafts.bootstrap_of(omnizarr.open_group(target, mode="r"))
    assert [one.uri for one in found.extensions] == [extension.uri]
    assert target.get("meta/consolidated") is None


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_what_declares_more_than_others_hold_is_listed(zarr_format: int) -> None:
    extension = drafts.Declared("http://example.org/foo", False)
    root = drafts.create_hierarchy(extensions=[extension])
    root.create_array("x", shape=1)
    report = omnizarr.copy(root, MemoryStore(), zarr_format=zarr_format)
    assert [loss.path for loss in report.losses] == [""]
    assert "http://example.org/foo" in str(report.losses[0])
    with pytest.raises(ConversionError, match=r"http://example\.org/foo"):
        omnizarr.copy(root, MemoryStore(), zarr_format=zarr_format, strict=True)


def test_what_the_draft_cannot_hold_is_listed() -> None:
    root = omnizarr.create_group(zarr_format=3)
    gzip, crc = {"name": "gzip", "configuration": {"level": 2}}, {"name": "crc32c"}
    root.create_array("sharded", data=VALUES, chunks=(2, 3), shards=(4, 6))
    root.create_array("checked", data=VALUES, chunks=(2, 3), compressors=[gzip, crc])
    root.create_array("named", data=VALUES, chunks=(2, 3), dimension_names=["y", "x"], compressors=gzip)
    root.create_array("half", data=VALUES, chunks=(2, 3), dimension_names=["y", None])
    target = MemoryStore()
    report = omnizarr.copy(root, target, zarr_format=NAME)
    lost = {loss.path: loss.what for loss in report.losses}
    assert sorted(lost) == ["checked", "half", "sharded"]
    assert "no shards" in lost["sharded"]
    assert "crc32c" in lost["checked"]
    assert "dimension names" in lost["half"]
    copied = omnizarr.open_group(target, mode="r")
    for name in root:
        assert np.array_equal(copied[name][...], VALUES)  # type: ignore[index]
    assert copied["named"].attrs["_ARRAY_DIMENSIONS"] == ["y", "x"]
    again = MemoryStore()
    omnizarr.copy(copied, again, zarr_format=3)
    named = omnizarr.open_array(again, mode="r", path="named")
    assert named.dimension_names == ("y", "x")


@pytest.mark.parametrize("dtype", ["c8", str])
def test_what_it_cannot_hold_at_all_is_refused_before_anything_is_written(dtype: Any) -> None:
    root = omnizarr.create_group(zarr_format=3)
    root.create_array("x", shape=2, dtype=dtype)
    target = MemoryStore()
    with pytest.raises(ConversionError, match="/x"):
        omnizarr.copy(root, target, zarr_format=NAME)
    assert list(target.list_prefix()) == []


def test_names_that_it_has_not_are_refused() -> None:
    root = omnizarr.create_group(zarr_format=3)
    root.create_array("not ascii: ä", shape=2)
    with pytest.raises(ConversionError, match="letters, digits"):
        omnizarr.copy(root, MemoryStore(), zarr_format=NAME)


def test_hierarchies_are_not_mixed() -> None:
    store = MemoryStore()
    example(store)
    source = omnizarr.create_array(shape=2, zarr_format=3)
    with pytest.raises(ConversionError, match="is Zarr 3-2019, which holds nothing of Zarr 3"):
        omnizarr.copy(source, store, path="x")
    with pytest.raises(NodeExistsError, match="a node of Zarr 3 is there"):
        omnizarr.copy(example(MemoryStore()), omnizarr.create_group(zarr_format=3), path="x")


def test_two_hierarchies_of_one_store() -> None:
    store = MemoryStore()
    source = example(BelowStore(store, "one"))
    omnizarr.copy(source, BelowStore(store, "two"))
    same(source, omnizarr.open_group(store, mode="r", path="two"))
    with pytest.raises(NodeExistsError, match="cannot copy to the source itself"):
        omnizarr.copy(source, BelowStore(store, "one"))


# --- moving and deleting


def test_moving_between_stores(tmp_path: Path) -> None:
    example(tmp_path / "one")
    wanted = MemoryStore()
    example(wanted)
    omnizarr.move(omnizarr.open_group(tmp_path / "one", mode="r+", path="in"), tmp_path / "two", path="new")
    same(
        omnizarr.open_group(wanted, mode="r", path="in"),
        omnizarr.open_group(tmp_path / "two", mode="r", path="new"),
    )
    left = omnizarr.open_group(tmp_path / "one", mode="r")
    assert sorted(left.keys()) == ["big", "times"]
    omnizarr.move(tmp_path / "one", tmp_path / "three")
    assert not (tmp_path / "one").exists()
    assert dict(omnizarr.open_group(tmp_path / "three", mode="r").attrs) == {"title": "t"}


def test_deleting() -> None:
    store = MemoryStore()
    example(store)
    keys = set(store.list_prefix())
    inside = {key for key in keys if key.startswith(("meta/root/in/", "data/in/"))}
    assert omnizarr.delete(store, path="in") == len(inside)
    assert set(store.list_prefix()) == keys - inside
    assert omnizarr.delete(omnizarr.open_array(store, mode="r+", path="times")) == 3
    with pytest.raises(NodeNotFoundError):
        omnizarr.delete(store, path="in")
    omnizarr.delete(store)
    assert list(store.list_prefix()) == []


def test_a_deletion_that_was_interrupted_is_completed() -> None:
    inner = MemoryStore()
    example(inner)

    def fault(operation: str, key: str) -> BaseException | None:
        is_chunk = operation in ("delete", "delete_many", "delete_prefix") and key.startswith("data/in/")
        return OSError("stopped") if is_chunk else None

    with pytest.raises((StoreError, OSError), match="stopped"):
        omnizarr.delete(FaultStore(inner, fault), path="in")
    root = omnizarr.open_group(inner, mode="r")
    assert "in" not in root
    assert any(finding.kind == "deletion" for finding in omnizarr.validate(inner).findings)
    assert omnizarr.delete(inner, path="in") > 0
    assert list(inner.list_prefix("data/in/")) == []
    assert omnizarr.validate(inner).findings == ()


# --- the command line


def test_the_command_line(tmp_path: Path) -> None:
    place = tmp_path / "draft.zarr"
    example(place)
    assert "zarr format   3-2019" in run("info", place).output
    assert json.loads(run("info", place, "--json").output)["arrays"] == 4
    assert "fortran (4, 6) int32" in run("tree", place).output
    assert "meta/root/in/plain.array" in run("keys", place).output
    assert run("validate", place, "--data").exit_code == 0
    assert run("consolidate", place).exit_code == 0
    assert omnizarr.open_group(place, mode="r").metadata.consolidated is not None
    assert run("validate", place).exit_code == 0
    for zarr_format in (2, 3, NAME):
        target = tmp_path / f"to{zarr_format}"
        done = run("copy", place, target, "--zarr-format", zarr_format)
        assert (done.exit_code, "11 chunks" in done.output) == (0, True), done.output
        copied = omnizarr.open_group(target, mode="r")
        assert copied.zarr_format == zarr_format
        same(omnizarr.open_group(place, mode="r"), copied)
        assert run("validate", target).exit_code == 0
        again = run("copy", target, tmp_path / f"from{zarr_format}", "--zarr-format", NAME)
        assert again.exit_code == 0, again.output
    part = tmp_path / "part"
    assert run("copy", f"{place}/in", part).exit_code == 0
    assert "deleted" in run("delete", place, "--yes").output
    assert not place.exists()


def test_the_command_line_tells_what_is_lost(tmp_path: Path) -> None:
    root = omnizarr.create_group(tmp_path / "v3", zarr_format=3)
    root.create_array("s", data=VALUES, chunks=(2, 3), shards=(4, 6))
    done = run("copy", tmp_path / "v3", tmp_path / "draft", "--zarr-format", NAME)
    assert done.exit_code == 0
    assert "not kept: /s: codec sharding_indexed" in done.output
    refused = CliRunner().invoke(
        cli, ["copy", f"{tmp_path}/v3", f"{tmp_path}/x", "--zarr-format", NAME, "--strict"]
    )
    assert refused.exit_code != 0


# --- other faces


def test_models_say_clearly_that_they_are_of_other_formats() -> None:
    root = example(MemoryStore())
    for node in (root, root["times"]):
        with pytest.raises(ConversionError, match=r"a draft, Zarr 3-2019.*omnizarr\.copy"):
            zom.from_node(node)


def test_netcdf_reads_it() -> None:
    store = MemoryStore()
    example(store)
    with netcdf.Dataset(store, "r") as dataset:
        assert dataset.getncattr("title") == "t"
        assert dataset["in/plain"][:].tolist() == VALUES.tolist()
        assert dataset["in/plain"].units == "m"
