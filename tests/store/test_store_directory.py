"""The directory store: files, links, errors, options. What several processes do is in another file."""

from __future__ import annotations

import errno
import os
import pickle
import unicodedata
from pathlib import Path

import pytest

from omnizarr.errors import KeyNameError, ReadOnlyError, StoreError, StoreNotFoundError
from omnizarr.store import DirectoryStore, From, Last, Listing, Span, Store
from omnizarr.store.directories import files as files_module
from omnizarr.store.directories.cases import folds_case
from omnizarr.store.directories.draft import draft_name, open_locked
from omnizarr.testing.store import StoreContract


class TestDirectoryStore(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        return DirectoryStore(tmp_path / "new" / "root")


class TestDirectoryStoreOnAFileSystemThatFoldsCase(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        return DirectoryStore(tmp_path, case_probe=lambda directory: True)


class TestDirectoryStoreWithoutPreadv(StoreContract):
    @pytest.fixture(autouse=True)
    def no_preadv(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delattr(os, "preadv")

    def make_store(self, tmp_path: Path) -> Store:
        return DirectoryStore(tmp_path)


@pytest.fixture
def store(tmp_path: Path) -> DirectoryStore:
    return DirectoryStore(tmp_path / "root")


def all_names(store: DirectoryStore) -> list[str]:
    """Return every path below the root, as the file system has them."""
    return sorted(path.relative_to(store.root).as_posix() for path in Path(store.root).rglob("*"))


# Files


def test_keys_are_paths(store: DirectoryStore) -> None:
    store.set("a/b/c", b"1")
    assert Path(store.root, "a", "b", "c").read_bytes() == b"1"
    assert all_names(store) == ["a", "a/b", "a/b/c"]


def test_empty_directories_are_removed(store: DirectoryStore) -> None:
    store.set("a/b/c", b"1")
    store.set("a/d", b"1")
    store.delete("a/b/c")
    assert all_names(store) == ["a", "a/d"]
    store.update("x/y", lambda old: None)
    store.delete("a/d")
    assert all_names(store) == []
    assert Path(store.root).is_dir()
    store.set("a/b/c", b"2")
    store.delete_prefix("a/b/")
    assert all_names(store) == []


def test_the_root_is_fixed_when_the_store_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = DirectoryStore("here")
    monkeypatch.chdir("/")
    store.set("a", b"1")
    assert (tmp_path / "here" / "a").read_bytes() == b"1"


def test_it_can_be_pickled(store: DirectoryStore) -> None:
    store.set("a", b"1")
    other = pickle.loads(pickle.dumps(store))
    other.set("b", b"2")
    assert (other.get("a"), store.get("b"), other.name) == (b"1", b"2", store.name)


def test_foreign_names_are_not_listed(store: DirectoryStore) -> None:
    store.set("a", b"1")
    for name in (b"\xff\xfe", b"line\nbreak", b".x.partial"):
        Path(store.root, os.fsdecode(name)).write_bytes(b"")
    assert list(store.list_prefix()) == ["a"]
    assert store.list_dir() == Listing(["a"], [])


def test_a_pipe_is_no_value_and_nobody_waits_for_it(store: DirectoryStore) -> None:
    store.set("a", b"1")
    os.mkfifo(Path(store.root, "pipe"))
    with pytest.raises(StoreError, match="pipe"):
        store.get("pipe")
    assert store.size("pipe") is None
    assert list(store.list_prefix()) == ["a"]


def test_a_device_is_not_read_forever(store: DirectoryStore) -> None:
    store.set("a", b"1")
    Path(store.root, "zero").symlink_to("/dev/zero")
    for part in (None, From(5), Last(5)):
        with pytest.raises(StoreError, match="device"):
            store.get("zero", part)


def test_short_writes_are_gone_on_with(store: DirectoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, value: write(fd, memoryview(value)[:1000]))
    store.set("k", bytes(range(256)) * 20)
    store.set("m", memoryview(bytes(range(256)) * 20).cast("i"))
    assert store.get("k") == store.get("m") == bytes(range(256)) * 20


def test_short_reads_are_gone_on_with(store: DirectoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    value = os.urandom(300_000)
    store.set("k", value)
    pread, preadv = os.pread, os.preadv
    monkeypatch.setattr(files_module, "read_at", lambda fd, n, start: pread(fd, min(n, 70_000), start))
    monkeypatch.setattr(os, "preadv", lambda fd, buffers, start: preadv(fd, [buffers[0][:7000]], start))
    assert store.get("k") == value
    assert store.get("k", From(1)) == value[1:]
    out = bytearray(300_000)
    assert store.get_into("k", memoryview(out)) == 300_000
    assert out == value


# Errors


def test_a_root_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StoreNotFoundError, match=r"no such directory.*nowhere"):
        DirectoryStore(tmp_path / "nowhere", read_only=True)
    with pytest.raises(StoreNotFoundError, match=r"no such directory.*nowhere"):
        DirectoryStore(tmp_path / "nowhere", create=False)
    store = DirectoryStore(tmp_path / "nowhere")
    assert store.get("a") is None
    assert not (tmp_path / "nowhere").exists()


def test_a_root_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError, match="expected a directory, found a file") as caught:
        DirectoryStore(tmp_path / "file")
    assert caught.value.errno == errno.ENOTDIR
    with pytest.raises(StoreError, match="Not a directory"):
        DirectoryStore(tmp_path / "file" / "below")


def test_reading_only(store: DirectoryStore) -> None:
    store.set("a", b"1")
    reader = DirectoryStore(store.root, read_only=True)
    assert reader.get("a") == b"1"
    for write in (
        lambda: reader.set("a", b"2"),
        lambda: reader.set_if_absent("b", b"2"),
        lambda: reader.update("a", lambda old: b"2"),
        lambda: reader.delete("a"),
        lambda: reader.delete_prefix(""),
    ):
        with pytest.raises(ReadOnlyError, match="opened for reading"):
            write()
    assert all_names(store) == ["a"]


def test_no_key_lies_below_a_value(store: DirectoryStore) -> None:
    store.set("a", b"1")
    for key in ("a/b", "a/b/c"):
        assert store.get(key) is None
        with pytest.raises(StoreError, match=r"'a'.*no key can lie below|a part of the key is a value"):
            store.set(key, b"2")
        store.delete(key)
    store.delete_prefix("a/")
    store.delete_prefix("a/b/")
    assert all_names(store) == ["a"]


def test_no_value_takes_the_place_of_keys(store: DirectoryStore) -> None:
    store.set("a/b", b"1")
    for write in (store.set, store.set_if_absent, lambda key, value: store.update(key, lambda old: value)):
        with pytest.raises(StoreError, match=r"other keys lie below it.*'a'"):
            write("a", b"2")
    assert all_names(store) == ["a", "a/b"]


def test_a_value_may_take_the_place_of_an_empty_directory(store: DirectoryStore) -> None:
    Path(store.root, "a").mkdir(parents=True)
    store.set("a", b"1")
    assert store.get("a") == b"1"


@pytest.mark.parametrize(
    ("number", "kind"), [(errno.ENOSPC, StoreError), (errno.EROFS, ReadOnlyError), (errno.EIO, StoreError)]
)
def test_a_write_that_fails_leaves_the_old_value(
    store: DirectoryStore, monkeypatch: pytest.MonkeyPatch, number: int, kind: type[StoreError]
) -> None:
    store.set("a/k", b"old")
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", failing(number))
        for write in (store.set, lambda key, value: store.update(key, lambda old: value)):
            with pytest.raises(kind, match=os.strerror(number)) as caught:
                write("a/k", b"new")
            assert (caught.value.errno, caught.value.key) == (number, "a/k")
            assert store.name in str(caught.value)
        with pytest.raises(kind):
            store.set_if_absent("a/n", b"new")
    assert store.get("a/k") == b"old"
    assert all_names(store) == ["a", "a/k"]


def test_what_fills_a_disk_can_be_deleted(store: DirectoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.set("a/k", b"old")
    opened = os.open

    def no_room(path: str, flags: int, *more: int) -> int:
        if flags & os.O_CREAT:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return opened(path, flags, *more)

    monkeypatch.setattr(os, "open", no_room)
    with pytest.raises(StoreError, match="No space"):
        store.set("a/k", b"new")
    store.delete("a/k")
    assert all_names(store) == []


def test_a_value_that_may_not_be_read(store: DirectoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.set("a/k", b"old")
    monkeypatch.setattr(os, "open", failing(errno.EACCES))
    monkeypatch.setattr(os, "scandir", failing(errno.EACCES))
    for read in (
        lambda: store.get("a/k"),
        lambda: store.get_into("a/k", memoryview(bytearray(1))),
        lambda: store.get_ranges("a/k", [(0, 1)]),
        lambda: store.list_dir("a/"),
        lambda: list(store.list_prefix("a/")),
    ):
        with pytest.raises(StoreError, match=r"Permission denied.*'a/") as caught:
            read()
        assert caught.value.errno == errno.EACCES


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_directory_that_may_not_be_written_to(store: DirectoryStore) -> None:
    store.set("a/k", b"old")
    Path(store.root, "a").chmod(0o500)
    try:
        for write in (lambda: store.set("a/n", b""), lambda: store.delete("a/k")):
            with pytest.raises(ReadOnlyError, match="Permission denied"):
                write()
    finally:
        Path(store.root, "a").chmod(0o700)


def failing(number: int):
    def fail(*args: object, **kwargs: object) -> object:
        raise OSError(number, os.strerror(number))

    return fail


# Options


def test_fsync_reaches_the_value_and_every_new_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    fsync = os.fsync

    def watched(fd: int) -> None:
        synced.append(os.path.relpath(Path(f"/proc/self/fd/{fd}").readlink(), tmp_path))
        fsync(fd)

    monkeypatch.setattr(os, "fsync", watched)
    store = DirectoryStore(tmp_path, fsync=True)
    store.set("a/b/k", b"1")
    assert synced == [".", "a", "a/b/.k.partial", "a/b"]
    synced.clear()
    store.update("a/b/k", lambda old: b"2")
    assert synced == ["a/b/.k.partial", "a/b"]
    synced.clear()
    assert store.set_if_absent("a/b/n", b"2")
    assert synced == ["a/b/.n.partial", "a/b"]
    DirectoryStore(tmp_path).set("a/b/k", b"3")
    assert len(synced) == 2


# Links


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    path = tmp_path / "outside"
    (path / "deep").mkdir(parents=True)
    (path / "k").write_bytes(b"precious")
    (path / "deep" / "k").write_bytes(b"precious")
    return path


def contents(path: Path) -> dict[str, bytes]:
    return {str(found.relative_to(path)): found.read_bytes() for found in path.rglob("*") if found.is_file()}


def test_links_are_followed_on_reading(store: DirectoryStore, outside: Path) -> None:
    store.set("a/k", b"1")
    Path(store.root, "link").symlink_to(outside)
    Path(store.root, "value").symlink_to(outside / "k")
    assert store.get("link/deep/k") == store.get("value") == b"precious"
    assert sorted(store.list_prefix()) == ["a/k", "link/deep/k", "link/k", "value"]
    assert store.list_dir() == Listing(["value"], ["a/", "link/"])


def test_links_out_of_the_root_are_not_followed_on_writing(store: DirectoryStore, outside: Path) -> None:
    store.set("a", b"1")
    Path(store.root, "link").symlink_to(outside)
    before = contents(outside)
    for write in (
        lambda: store.set("link/k", b"x"),
        lambda: store.set("link/new/k", b"x"),
        lambda: store.set("link/deep/k", b"x"),
        lambda: store.set_if_absent("link/n", b"x"),
        lambda: store.update("link/k", lambda old: b"x"),
        lambda: store.delete("link/k"),
        lambda: store.delete_prefix("link/deep/"),
    ):
        with pytest.raises(StoreError, match="leads out of the store"):
            write()
        assert contents(outside) == before
        assert sorted(found.name for found in outside.iterdir()) == ["deep", "k"]


def test_a_directory_that_becomes_a_link_is_noticed(store: DirectoryStore, outside: Path) -> None:
    store.set("a/k", b"1")
    Path(store.root, "a").rename(Path(store.root, "b"))
    Path(store.root, "a").symlink_to(outside)
    with pytest.raises(StoreError, match="leads out of the store"):
        store.set("a/k", b"2")
    assert (outside / "k").read_bytes() == b"precious"


def test_a_value_that_is_a_link_is_replaced_itself(store: DirectoryStore, outside: Path) -> None:
    store.set("a", b"1")
    for write in (store.set, lambda key, value: store.update(key, lambda old: value)):
        Path(store.root, "k").unlink(missing_ok=True)
        Path(store.root, "k").symlink_to(outside / "k")
        write("k", b"new")
        assert store.get("k") == b"new"
        assert (outside / "k").read_bytes() == b"precious"
    Path(store.root, "l").symlink_to(outside / "k")
    store.delete("l")
    assert store.get("l") is None
    assert (outside / "k").exists()


def test_a_draft_that_is_a_link_is_not_written_to(store: DirectoryStore, outside: Path) -> None:
    store.set("a", b"1")
    Path(store.root, ".k.partial").symlink_to(outside / "k")
    with pytest.raises(StoreError):
        store.set("k", b"new")
    assert (outside / "k").read_bytes() == b"precious"


def test_deleting_removes_links_and_not_what_they_lead_to(store: DirectoryStore, outside: Path) -> None:
    store.set("a/k", b"1")
    Path(store.root, "a", "link").symlink_to(outside)
    Path(store.root, "link").symlink_to(outside)
    before = contents(outside)
    store.delete_prefix("link/")
    assert store.list_dir() == Listing([], ["a/"])
    store.delete_prefix("a/")
    assert all_names(store) == []
    assert contents(outside) == before


def test_links_within_the_root_may_be_written_through(store: DirectoryStore) -> None:
    store.set("a/k", b"1")
    Path(store.root, "link").symlink_to("a")
    store.set("link/n", b"2")
    assert store.get("a/n") == b"2"


def test_the_root_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "root").symlink_to("real")
    store = DirectoryStore(tmp_path / "root")
    store.set("a/b", b"1")
    assert (tmp_path / "real" / "a" / "b").read_bytes() == b"1"
    store.delete_prefix("")
    assert list((tmp_path / "real").iterdir()) == []


def test_a_link_that_leads_nowhere(store: DirectoryStore, tmp_path: Path) -> None:
    store.set("a", b"1")
    Path(store.root, "link").symlink_to(tmp_path / "nothing")
    assert store.get("link") is None
    assert list(store.list_prefix()) == ["a"]
    with pytest.raises(StoreError, match="leads nowhere"):
        store.set("link/k", b"1")
    assert not (tmp_path / "nothing").exists()


def test_a_link_to_itself(store: DirectoryStore) -> None:
    store.set("a", b"1")
    Path(store.root, "link").symlink_to("link")
    assert store.get("link") is None
    assert store.size("link") is None
    assert list(store.list_prefix()) == ["a"]
    store.set("link", b"2")
    assert store.get("link") == b"2"


def test_links_that_go_in_circles_are_walked_once(store: DirectoryStore) -> None:
    store.set("a/k", b"1")
    store.set("b/k", b"1")
    Path(store.root, "a", "up").symlink_to("..")
    Path(store.root, "a", "self").symlink_to(".")
    Path(store.root, "b", "to_c").symlink_to("../c")
    Path(store.root, "c").mkdir()
    Path(store.root, "c", "to_b").symlink_to("../b")
    assert sorted(store.list_prefix()) == ["a/k", "b/k", "c/to_b/k"]


# Names that a file system takes for one another


@pytest.fixture
def folding(tmp_path: Path) -> DirectoryStore:
    return DirectoryStore(tmp_path / "folding", case_probe=lambda directory: True)


@pytest.mark.parametrize(
    ("first", "second", "other"),
    [
        ("a", "A", "a"),
        ("x/temp", "x/Temp", "temp"),
        ("Group/zarr.json", "group/zarr.json", "Group"),
        ("a/Group/x", "a/GROUP/y/z", "Group"),
        ("straße", "STRASSE", "straße"),
        (unicodedata.normalize("NFC", "é"), unicodedata.normalize("NFD", "é"), "é"),
    ],
)
def test_a_name_that_looks_like_another_is_refused(
    folding: DirectoryStore, first: str, second: str, other: str
) -> None:
    folding.set(first, b"old")
    for write in (
        lambda: folding.set(second, b"new"),
        lambda: folding.set_if_absent(second, b"new"),
        lambda: folding.update(second, lambda old: b"new"),
    ):
        with pytest.raises(StoreError, match=f"takes it for '{other}', which exists"):
            write()
    folding.set(first, b"newer")
    assert list(folding.list_prefix()) == [first]
    assert folding.get(first) == b"newer"
    folding.delete(first)
    folding.set(second, b"now")
    assert folding.get(second) == b"now"


def test_what_looks_like_a_name_is_not_deleted_for_it(folding: DirectoryStore) -> None:
    folding.set("a/b", b"1")
    folding.delete_prefix("A/")
    folding.delete_prefix("a/B/")
    folding.delete("a/B")
    assert list(folding.list_prefix()) == ["a/b"]


def test_where_case_counts_both_are_kept(store: DirectoryStore) -> None:
    if folds_case(str(Path(store.root).parent)):
        pytest.skip("this file system folds case")
    store.set("a", b"1")
    store.set("A", b"2")
    assert (store.get("a"), store.get("A")) == (b"1", b"2")


def test_the_file_system_is_asked_once(tmp_path: Path) -> None:
    asked: list[str] = []

    def probe(directory: str) -> bool:
        asked.append(directory)
        return False

    store = DirectoryStore(tmp_path, case_probe=probe)
    store.get("a")
    assert asked == []
    for n in range(5):
        store.set(f"a{n}/b", b"")
    assert asked == [str(tmp_path)]


def test_asking_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folds_case(str(tmp_path))
    assert list(tmp_path.iterdir()) == []
    lexists = os.path.lexists
    monkeypatch.setattr(os.path, "lexists", lambda path: lexists(str(path).replace("CASE", "case")))
    assert folds_case(str(tmp_path))
    assert list(tmp_path.iterdir()) == []


# Drafts


def test_a_draft_is_closed_once(store: DirectoryStore) -> None:
    store.set("a", b"1")
    first = open_locked(f"{store.root}/k")
    first.close()
    second = open_locked(f"{store.root}/k")
    first.close()
    assert all_names(store) == [".k.partial", "a"]
    second.close()
    assert all_names(store) == ["a"]


def test_a_draft_is_no_key(store: DirectoryStore) -> None:
    store.set("k", b"1")
    Path(store.root, ".k.partial").write_bytes(b"left behind by a killed writer, longer than the value")
    assert list(store.list_prefix()) == ["k"]
    assert store.list_dir() == Listing(["k"], [])
    for operation in (store.get, store.size, store.delete, lambda key: store.set(key, b"")):
        with pytest.raises(KeyNameError, match="being written"):
            operation(".k.partial")


@pytest.mark.parametrize("name", ["k", "n" * 255])
def test_a_draft_is_taken_over(store: DirectoryStore, name: str) -> None:
    store.set("other", b"1")
    draft = Path(store.root, draft_name(name))
    for write in (store.set, store.set_if_absent, lambda key, value: store.update(key, lambda old: value)):
        draft.write_bytes(b"left behind by a killed writer, longer than the value")
        write(name, b"short")
        assert store.get(name) == b"short"
        assert not draft.exists()
        store.delete(name)
        assert store.get(name) is None


def test_a_draft_that_is_a_value_already_is_not_emptied(store: DirectoryStore) -> None:
    """Its writer was killed after it made the link, before it removed the other name."""
    store.set("k", b"whole")
    os.link(Path(store.root, "k"), Path(store.root, ".k.partial"))
    store.update("k", lambda old: (old or b"lost") + b"!")
    assert store.get("k") == b"whole!"
    os.link(Path(store.root, "k"), Path(store.root, ".k.partial"))
    with pytest.raises(ZeroDivisionError):
        store.update("k", lambda old: bytes(1 // 0))
    assert store.get("k") == b"whole!"
    assert all_names(store) == ["k"]


def test_a_draft_of_another_user_is_cleared(store: DirectoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """One may lock and remove what one may not write to."""
    store.set("a", b"1")
    Path(store.root, ".k.partial").write_bytes(b"left")
    opened, refused = os.open, []

    def refuse_once(path: str, flags: int, *more: int) -> int:
        if flags & os.O_RDWR and not refused:
            refused.append(path)
            raise PermissionError(errno.EACCES, "Permission denied")
        return opened(path, flags, *more)

    monkeypatch.setattr(os, "open", refuse_once)
    store.set("k", b"new")
    assert refused == [f"{store.root}/.k.partial"]
    assert all_names(store) == ["a", "k"]


def test_deleting_a_prefix_removes_drafts_that_nobody_holds(store: DirectoryStore) -> None:
    store.set("a/b/k", b"1")
    Path(store.root, "a", "b", ".k.partial").write_bytes(b"left")
    store.delete_prefix("a/")
    assert all_names(store) == []


def test_deleting_a_prefix_leaves_the_draft_of_a_writer(store: DirectoryStore) -> None:
    def change(old: bytes | None) -> bytes:
        DirectoryStore(store.root).delete_prefix("a/")
        return b"new"

    store.set("a/other", b"1")
    store.update("a/k", change)
    assert all_names(store) == ["a", "a/k"]
    assert store.get("a/k") == b"new"


def test_parts_of_a_value_beyond_any_file(store: DirectoryStore) -> None:
    store.set("k", b"12345")
    assert store.get("k", Span(1, 2**40)) == b"2345"
    assert store.get_ranges("k", [(1, 2**40), (2**63, 1)]) == [b"2345", b""]
