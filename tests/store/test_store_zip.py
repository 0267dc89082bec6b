"""The zip store: archives, damage, other readers and writers."""

from __future__ import annotations

import asyncio
import os
import pickle
import random
import stat
import struct
import warnings
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st
from zarr.core.buffer import default_buffer_prototype
from zarr.storage import ZipStore as PeerStore

import omnizarr
from omnizarr.errors import KeyNameError, ReadOnlyError, StoreError, StoreNotFoundError
from omnizarr.store import From, Last, Listing, Span, Store, ZipStore
from omnizarr.store.directories import files as files_module
from omnizarr.store.zips.contents import top_folder
from omnizarr.store.zips.format import Entry, central_directory
from omnizarr.testing.store import StoreContract

METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]


class TestZipStore(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        return ZipStore(tmp_path / "new" / "a.zip", mode="w")


class TestZipStoreThatDeflates(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        return ZipStore(tmp_path / "a.zip", mode="x", compression=zipfile.ZIP_DEFLATED)


class TestZipStoreWithAFolder(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        return ZipStore(tmp_path / "a.zip", mode="a", folder="top")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data.zip"


def fill(path: Path, values: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> None:
    with zipfile.ZipFile(path, "w", method) as archive:
        for key, value in values.items():
            archive.writestr(key, value)


def values_of(store: Store) -> dict[str, bytes]:
    return dict(store.mapping())


def archived(path: Path) -> dict[str, bytes]:
    """Return what Python's zipfile finds, which must be sound and without duplicates."""
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert len(names) == len(set(names))
        return {name: archive.read(name) for name in names}


VALUES = {
    "zarr.json": b"{}",
    "a/c/0": bytes(range(256)) * 300,
    "é/温度": b"1",
    "empty": b"",
    "x/y": os.urandom(999),
}

# What is written


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_zipfile_reads_what_was_written(path: Path, compression: int) -> None:
    with ZipStore(path, mode="w", compression=compression) as store:
        store.mapping().update(VALUES)
    assert archived(path) == VALUES
    with zipfile.ZipFile(path) as archive:
        methods = {info.filename: info.compress_type for info in archive.infolist()}
    assert methods["a/c/0"] == compression
    assert methods["x/y"] == zipfile.ZIP_STORED, "random bytes only grow"


def test_equal_contents_give_equal_archives(tmp_path: Path) -> None:
    for name in ("1.zip", "2.zip"):
        with ZipStore(tmp_path / name, mode="w") as store:
            store.mapping().update(VALUES)
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()


def test_values_are_appended_replaced_and_deleted(path: Path) -> None:
    with ZipStore(path, mode="w") as store:
        store.mapping().update(VALUES)
    with ZipStore(path, mode="a") as store:
        store.set("new", b"new")
        store.set("zarr.json", b"replaced")
        store.set("zarr.json", b"replaced again")
        store.delete("a/c/0")
        expected = {**VALUES, "new": b"new", "zarr.json": b"replaced again"}
        del expected["a/c/0"]
        assert values_of(store) == expected
    assert archived(path) == expected
    with ZipStore(path) as store:
        assert values_of(store) == expected


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["set", "delete", "flush", "reopen"]),
            st.sampled_from(["a", "b", "c/d"]),
            st.binary(max_size=60),
        ),
        max_size=25,
    )
)
def test_any_history_gives_the_archive_of_its_end(tmp_path_factory: pytest.TempPathFactory, history) -> None:
    path = tmp_path_factory.mktemp("zip") / "a.zip"
    expected: dict[str, bytes] = {}
    store = ZipStore(path, mode="w")
    for action, key, value in history:
        if action == "set":
            store.set(key, value * 20)
            expected[key] = value * 20
        elif action == "delete":
            store.delete(key)
            expected.pop(key, None)
        elif action == "flush":
            store.flush()
            assert archived(path) == expected
        else:
            store.close()
            store = ZipStore(path, mode="r+")
        assert values_of(store) == expected
    store.close()
    assert archived(path) == expected
    assert (
        path.stat().st_size
        < 22 + sum(len(key) * 2 + 76 + len(value) for key, value in expected.items()) * 1.06 + 1
    )


def test_replaced_values_do_not_stay_in_the_file(path: Path) -> None:
    secret = b"a value that was deleted"
    with ZipStore(path, mode="w") as store:
        store.set("a", bytes(100_000))
        store.set("b", secret)
        store.set("c", bytes(100_000))
        store.delete("b")
    assert secret not in path.read_bytes()
    with ZipStore(path, mode="a") as store:
        store.set("a", secret * 10_000)
        store.set("a", b"short")
    assert secret not in path.read_bytes()
    assert path.stat().st_size < 101_000
    assert archived(path) == {"a": b"short", "c": bytes(100_000)}


def test_nothing_changes_before_the_store_is_closed(path: Path) -> None:
    fill(path, {"a": b"old"})
    store = ZipStore(path, mode="w")
    store.set("a", b"new")
    with ZipStore(path) as reader:
        assert reader.get("a") == b"old"
        store.close()
        assert reader.get("a") == b"old"
    assert archived(path) == {"a": b"new"}


def test_flushing(path: Path) -> None:
    with ZipStore(path, mode="w") as store:
        store.set("a", b"1")
        store.flush()
        assert archived(path) == {"a": b"1"}
        with pytest.raises(StoreError, match="another writer"):
            ZipStore(path, mode="a")
        store.set("b", b"2")
        store.delete("a")
        assert archived(path) == {"a": b"1"}
        assert values_of(store) == {"b": b"2"}
    assert archived(path) == {"b": b"2"}


def test_closing_without_a_change_leaves_the_file_alone(path: Path) -> None:
    fill(path, VALUES)
    before = path.stat()
    with ZipStore(path, mode="a") as store:
        store.delete("never/there")
    assert path.stat() == before
    assert [found.name for found in path.parent.iterdir()] == ["data.zip"]


@pytest.mark.parametrize("mode", ["w", "a", "x", "w-"])
def test_an_empty_archive_is_an_archive(path: Path, mode) -> None:
    ZipStore(path, mode=mode).close()
    assert archived(path) == {}
    with ZipStore(path) as store:
        assert store.list_dir() == Listing([], [])


def test_comment_and_permissions_are_kept(path: Path) -> None:
    fill(path, {"a": b"1"})
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b"a comment"
    path.chmod(0o640)
    with ZipStore(path, mode="a") as store:
        store.set("b", b"2")
    with zipfile.ZipFile(path) as archive:
        assert archive.comment == b"a comment"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_to_an_archive_stays_a_link(path: Path) -> None:
    fill(path, {"a": b"1"})
    link = path.parent / "link.zip"
    link.symlink_to(path)
    with ZipStore(link, mode="a") as store:
        store.set("b", b"2")
    assert link.is_symlink()
    assert archived(path) == {"a": b"1", "b": b"2"}


def test_more_entries_than_the_old_format_counts(path: Path) -> None:
    with ZipStore(path, mode="w") as store:
        for n in range(65_540):
            store.set(f"c/{n}", b"")
    with zipfile.ZipFile(path) as archive:
        assert len(archive.namelist()) == 65_540
    with ZipStore(path) as store:
        assert sum(1 for _ in store.list_prefix()) == 65_540


def test_sizes_and_places_beyond_32_bits(path: Path) -> None:
    """A file with holes, since only the records matter."""
    size = 2**32 + 5
    first = Entry("first", 0, size, size, 0)
    second = Entry("second", first.stop, 3, 3, 0x884863D2)
    with path.open("wb") as file:
        file.write(first.local_header())
        file.seek(second.start)
        file.write(second.local_header() + b"123")
        file.write(central_directory([first, second], second.stop))
    with zipfile.ZipFile(path) as archive:
        sizes = [(info.filename, info.file_size, info.header_offset) for info in archive.infolist()]
        assert archive.read("second") == b"123"
    assert sizes == [("first", size, 0), ("second", 3, first.stop)]
    with ZipStore(path) as store:
        assert store.get("second") == b"123"
        assert store.get("first", Span(2**32 + 3, 9)) == b"\0\0"


def test_a_disk_that_is_full(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(path, {"a": b"old"})
    before = path.read_bytes()

    def full(fd: int, value: object, start: int) -> int:
        raise OSError(28, "No space left on device")

    store = ZipStore(path, mode="a")
    store.set("b", b"fits")
    with monkeypatch.context() as patch:
        patch.setattr(files_module, "write_at", full)
        with pytest.raises(StoreError, match=r"cannot write: No space left.*'a'") as caught:
            store.set("a", b"new")
        assert caught.value.errno == 28
        assert store.get("a") == b"old"
        with pytest.raises(StoreError, match="No space left"):
            store.close()
    assert path.read_bytes() == before
    assert [found.name for found in path.parent.iterdir()] == ["data.zip"]


# Modes, and the ends of a store


def test_modes(path: Path) -> None:
    for mode in ("r", "r+"):
        with pytest.raises(StoreNotFoundError, match=r"no such archive.*data.zip"):
            ZipStore(path, mode=mode)
    fill(path, {"a": b"1"})
    for mode in ("x", "w-"):
        with pytest.raises(StoreError, match="something already") as caught:
            ZipStore(path, mode=mode)
        assert caught.value.errno == 17
    with ZipStore(path) as store:
        assert store.read_only
        for write in (
            lambda: store.set("a", b""),
            lambda: store.delete("a"),
            lambda: store.delete_prefix(""),
        ):
            with pytest.raises(ReadOnlyError):
                write()
    with pytest.raises(ValueError, match="mode: expected"):
        ZipStore(path, mode="rw")
    with pytest.raises(ValueError, match="compression: expected"):
        ZipStore(path, mode="a", compression=99)
    assert archived(path) == {"a": b"1"}


def test_a_second_writer_is_refused(path: Path) -> None:
    with ZipStore(path, mode="w"):
        for mode in ("w", "a"):
            with pytest.raises(StoreError, match="another writer has it open"):
                ZipStore(path, mode=mode)
    with ZipStore(path, mode="a") as store:
        store.set("a", b"1")


def test_a_closed_store_says_so(path: Path) -> None:
    store = ZipStore(path, mode="w")
    store.set("a", b"1")
    store.close()
    store.close()
    for use in (
        lambda: store.get("a"),
        lambda: store.set("a", b"2"),
        store.list_dir,
        lambda: store.size("a"),
    ):
        with pytest.raises(StoreError, match="it is closed"):
            use()


def test_what_is_never_closed_is_warned_about(path: Path) -> None:
    store = ZipStore(path, mode="w")
    store.set("a", b"1")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        del store
    assert "was never closed: what was written is lost" in str(caught[0].message)
    assert list(path.parent.iterdir()) == []


def test_a_forked_process_neither_writes_nor_removes(path: Path) -> None:
    store = ZipStore(path, mode="w")
    store.set("a", b"1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
        child = os.fork()
    if child == 0:
        status = 1
        try:
            same = store.get("a") == b"1"
            try:
                store.set("a", b"2")
            except StoreError:
                status = 0 if same else 2
            store.close()
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    store.set("b", b"2")
    store.close()
    assert archived(path) == {"a": b"1", "b": b"2"}


def test_a_reader_can_be_pickled_and_a_writer_cannot(path: Path) -> None:
    fill(path, {"top/a": b"1"})
    with ZipStore(path, folder="") as store, pickle.loads(pickle.dumps(store)) as other:
        assert other.get("top/a") == b"1"
    with ZipStore(path, mode="a") as store, pytest.raises(TypeError, match="only one process"):
        pickle.dumps(store)


# What others wrote


@pytest.mark.parametrize("method", METHODS)
def test_every_method_of_zipfile_is_read(path: Path, method: int) -> None:
    fill(path, VALUES, method)
    big = VALUES["a/c/0"]
    with ZipStore(path) as store:
        assert values_of(store) == VALUES
        assert store.get("a/c/0", Span(60_000, 7)) == big[60_000:60_007]
        assert store.get("a/c/0", From(76_790)) == big[76_790:]
        assert store.get("a/c/0", Last(3)) == big[-3:]
        assert store.get_ranges("a/c/0", [(5, 2), (70_000, 100_000)]) == [big[5:7], big[70_000:]]
        out = bytearray(100)
        assert store.get_into("a/c/0", memoryview(out), 76_750) == 50
        assert out[:50] == big[-50:]
    with ZipStore(path, mode="a") as store:
        store.set("b", b"2")
    assert archived(path) == {**VALUES, "b": b"2"}


def test_large_deflated_values(path: Path) -> None:
    value = np.random.default_rng(1).integers(0, 9, 3_000_000).astype("u1").tobytes() + bytes(3_000_000)
    fill(path, {"a": value}, zipfile.ZIP_DEFLATED)
    with ZipStore(path) as store:
        assert store.get("a") == value
        for start in (0, 1_048_576, 2_999_999, 5_999_990):
            assert store.get("a", Span(start, 1000)) == value[start : start + 1000]


def test_a_part_of_a_stored_value_is_read_alone(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(path, {"a": bytes(range(250)) * 4000})
    with ZipStore(path) as store:
        store.get("a", Span(0, 1))
        read: list[int] = []
        pread = os.pread
        monkeypatch.setattr(files_module, "read_at", lambda fd, n, at: read.append(n) or pread(fd, n, at))
        assert store.get("a", Span(500_000, 3)) == b"\0\1\2"
        assert store.get_ranges("a", [(250, 2), (999_999, 5)]) == [b"\0\1", b"\xf9"]
    assert read == [3, 2, 1]


def test_the_last_of_several_entries_counts(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for value in (b"1", b"2", b"3"):
            archive.writestr("a", value)
        archive.writestr("d/", b"")
    with ZipStore(path, mode="a") as store:
        assert values_of(store) == {"a": b"3"}
        store.set("b", b"4")
    assert archived(path) == {"a": b"3", "b": b"4"}


def test_streamed_archives(path: Path) -> None:
    """Their sizes stand behind the values, and in the central directory."""

    class Pipe:
        def __init__(self) -> None:
            self.written = b""

        def write(self, data: bytes) -> int:
            self.written += data
            return len(data)

        def flush(self) -> None:
            pass

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        for key, value in VALUES.items():
            archive.writestr(key, value)
    path.write_bytes(b"#!/bin/sh\n" + pipe.written)
    with ZipStore(path, mode="a") as store:
        assert values_of(store) == VALUES
        store.set("b", b"2")
    assert archived(path) == {**VALUES, "b": b"2"}


def test_zarr_python_reads_what_was_written(path: Path) -> None:
    with ZipStore(path, mode="w") as store:
        group = omnizarr.create_group(store)
        group.create_array("x", shape=(6, 4), chunks=(3, 4), dtype="i4")[...] = np.arange(24).reshape(6, 4)
    peer = zarr.open_group(PeerStore(path, mode="r"), mode="r")
    np.testing.assert_array_equal(peer["x"][...], np.arange(24).reshape(6, 4))


def test_what_zarr_python_wrote_is_read(path: Path) -> None:
    peer = PeerStore(path, mode="w")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it writes duplicates, and says so
        group = zarr.create_group(peer)
        array = group.create_array("x", shape=(6, 4), chunks=(3, 4), dtype="i4")
        array[...] = np.arange(24).reshape(6, 4)
        array[0] = 7
        group.attrs["a"] = 1
    peer.close()
    with ZipStore(path) as store:
        assert "zarr.json" in store.mapping()
        array = omnizarr.open_array(store, path="x", mode="r")
        expected = np.arange(24).reshape(6, 4)
        expected[0] = 7
        np.testing.assert_array_equal(array[...], expected)


def test_zarr_pythons_store_lists_the_same(path: Path) -> None:
    with ZipStore(path, mode="w") as store:
        store.mapping().update(VALUES)

    async def everything() -> dict[str, bytes]:
        peer = await PeerStore.open(path, mode="r")
        keys = [key async for key in peer.list()]
        found = {key: (await peer.get(key, default_buffer_prototype())).to_bytes() for key in keys}
        peer.close()
        return found

    assert asyncio.run(everything()) == VALUES


# The folder that is the dataset's name


@pytest.mark.parametrize(
    ("names", "archive", "expected"),
    [
        (["data/.zgroup", "data/x/.zarray"], "data.zip", "data/"),
        (["data/.zgroup", "data/x/.zarray"], "renamed.zip", "data/"),
        (["data.zarr/x"], "data.zarr.zip", "data.zarr/"),
        (["data/x"], "data.zarr.zip", "data/"),
        (["x/zarr.json", "x/c/0"], "data.zip", "x/"),
        (["x/c/0", "x/d"], "data.zip", ""),
        ([".zgroup", "data/.zgroup"], "data.zip", ""),
        (["data/.zgroup", "more/.zgroup"], "data.zip", ""),
        (["data"], "data.zip", ""),
        ([], "data.zip", ""),
    ],
)
def test_which_folder_is_the_dataset(names: list[str], archive: str, expected: str) -> None:
    assert top_folder(names, archive) == expected


def test_one_top_folder_is_taken_off_and_kept(path: Path) -> None:
    fill(path, {"data/": b"", "data/.zgroup": b"{}", "data/x/.zarray": b"[]", "__MACOSX/data/._x": b"junk"})
    with ZipStore(path) as store:
        assert store.folder == "data/"
        assert values_of(store) == {".zgroup": b"{}", "x/.zarray": b"[]"}
        assert store.list_dir() == Listing([".zgroup"], ["x/"])
    with ZipStore(path, folder="") as store:
        assert store.get("data/.zgroup") == b"{}"
    with ZipStore(path, mode="a") as store:
        store.set("x/0", b"1")
        store.delete("x/.zarray")
    assert archived(path) == {"data/.zgroup": b"{}", "data/x/0": b"1"}


def test_a_folder_for_a_new_archive(path: Path) -> None:
    with ZipStore(path, mode="w", folder="data") as store:
        store.set("x/0", b"1")
        assert store.list_dir() == Listing([], ["x/"])
    assert archived(path) == {"data/x/0": b"1"}
    with ZipStore(path) as store:
        assert values_of(store) == {"x/0": b"1"}


def test_a_folder_that_does_not_hold_everything_is_not_written_to(path: Path) -> None:
    fill(path, {"a/x": b"1", "b/x": b"2"})
    with ZipStore(path, folder="a") as store:
        assert values_of(store) == {"x": b"1"}
    with pytest.raises(StoreError, match="not all entries are in 'a/'"):
        ZipStore(path, mode="a", folder="a")


# Damage, and malice


@pytest.mark.parametrize("content", [b"", b"PK", b"no archive at all" * 100, b"PK\5\6" + bytes(17)])
def test_what_is_no_archive(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    for mode in ("r", "a"):
        with pytest.raises(StoreError, match=r"cannot open: no zip archive.*data\.zip"):
            ZipStore(path, mode=mode)
    assert path.read_bytes() == content
    assert [found.name for found in path.parent.iterdir()] == ["data.zip"]


def test_a_directory_is_no_archive(path: Path) -> None:
    path.mkdir()
    for mode in ("r", "w", "a"):
        with pytest.raises(StoreError, match="found a directory"):
            ZipStore(path, mode=mode)


@pytest.mark.parametrize("name", ["../a", "/etc/a", "a/../../b", "a//b", "./a", "a/.b.partial", "a\x07"])
def test_names_that_lead_out_are_refused(path: Path, name: str) -> None:
    fill(path, {"fine": b"1", name: b"2"})
    with pytest.raises(StoreError, match="cannot open: entry"):
        ZipStore(path)


def test_keys_are_checked_with_the_folder(path: Path) -> None:
    with ZipStore(path, mode="w", folder="f" * 100) as store, pytest.raises(KeyNameError, match="at most"):
        store.set("x" * 16_300, b"")


@pytest.mark.parametrize("method", METHODS)
def test_flipped_bits_are_noticed(path: Path, method: int) -> None:
    value = np.random.default_rng(2).integers(0, 50, 5000).astype("u1").tobytes()
    fill(path, {"a": value}, method)
    sound = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo("a").compress_size
    chance = random.Random(3)
    for _ in range(25):
        damaged = bytearray(sound)
        damaged[31 + chance.randrange(size)] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        with ZipStore(path) as store:
            try:
                assert store.get("a") == value, "a changed value went unnoticed"
            except StoreError as error:
                assert "'a'" in str(error)
            out = bytearray(5000)
            try:
                store.get_into("a", memoryview(out))
                assert out == value, "a changed value went unnoticed"
            except StoreError:
                pass


def test_truncated_archives(path: Path) -> None:
    fill(path, VALUES)
    whole = path.read_bytes()
    for size in range(0, len(whole), 4001):
        path.write_bytes(whole[:size])
        with pytest.raises(StoreError):
            ZipStore(path)


def changed_record(path: Path, *, size: int | None = None, start: int | None = None, flags: int = 0) -> None:
    """Change what the central directory says of the only entry."""
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\1\2")
    struct.pack_into("<H", data, at + 8, flags)
    if size is not None:
        struct.pack_into("<L", data, at + 24, size)
    if start is not None:
        struct.pack_into("<L", data, at + 42, start)
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("method", "size", "message"),
    [
        (zipfile.ZIP_DEFLATED, 2**31, "cannot inflate"),
        (zipfile.ZIP_DEFLATED, 20_000, "ends after 10000 bytes"),
        (zipfile.ZIP_DEFLATED, 9_000, "CRC-32"),
        (zipfile.ZIP_STORED, 2**31, "10000 bytes for a value of"),
        (zipfile.ZIP_BZIP2, 2**31, "ends after|end"),
    ],
)
def test_sizes_that_are_lies(path: Path, method: int, size: int, message: str) -> None:
    fill(path, {"a": bytes(10_000)}, method)
    changed_record(path, size=size)
    with ZipStore(path) as store, pytest.raises(StoreError, match=message):
        store.get("a")


def test_places_that_are_lies(path: Path) -> None:
    fill(path, {"a": bytes(10_000)})
    for start in (5, 10_010, 2**32 - 2):
        changed_record(path, start=start)
        with ZipStore(path) as store, pytest.raises(StoreError, match=r"local header|ends"):
            store.get("a")


def test_bombs_are_bounded(path: Path) -> None:
    fill(path, {"a": bytes(50_000_000)}, zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 60_000
    with ZipStore(path) as store, omnizarr.config.using(max_chunk_bytes=1_000_000):
        with pytest.raises(StoreError, match="50000000 bytes are more than max_chunk_bytes, 1000000"):
            store.get("a")
        assert store.size("a") == 50_000_000


def test_encrypted_entries(path: Path) -> None:
    fill(path, {"a": b"1"})
    changed_record(path, flags=1)
    with ZipStore(path) as store, pytest.raises(StoreError, match="encrypted"):
        store.get("a")
    with pytest.raises(StoreError, match="encrypted"):
        ZipStore(path, mode="a")


# Threads


@pytest.mark.parametrize("method", METHODS[:3])
def test_many_readers(path: Path, method: int) -> None:
    values = {f"c/{n}": os.urandom(100) * (n + 1) * 5 for n in range(60)}
    fill(path, values, method)
    with ZipStore(path) as store, ThreadPoolExecutor(8) as pool:
        found = list(pool.map(store.get, list(values) * 5))
    assert found == list(values.values()) * 5


def test_readers_while_the_archive_is_replaced(path: Path) -> None:
    values = {f"c/{n}": os.urandom(5000) for n in range(40)}
    with ZipStore(path, mode="w") as store:
        store.mapping().update(values)
        with ThreadPoolExecutor(3) as pool:
            reading = [pool.submit(lambda: [store.get(key) for key in values]) for _ in range(20)]
            for n in range(10):
                store.set(f"d/{n}", b"")
                store.flush()
            assert all(task.result(30) == list(values.values()) for task in reading)
