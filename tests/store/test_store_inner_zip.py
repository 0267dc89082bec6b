"""Zip archives that are values of other stores: what is read, by how many requests, and what is refused."""

from __future__ import annotations

import io
import os
import pickle
import struct
import zipfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from object_servers import Front
from test_store_objects import options, rclone, s3, shared_front  # noqa: F401

import omnizarr
from omnizarr.errors import KeyNameError, ReadOnlyError, StoreError, StoreNotFoundError
from omnizarr.store import (
    ByteRange,
    CachedStore,
    CountingStore,
    DirectoryStore,
    From,
    FsspecStore,
    InnerZipStore,
    Last,
    Listing,
    LMDBStore,
    MemoryStore,
    ObjectStore,
    OverlayStore,
    Reader,
    Span,
    SQLiteStore,
    Store,
    WrappedStore,
)
from omnizarr.store.base import Facts
from omnizarr.store.objects import reads as reads_module
from omnizarr.store.zips import contents as contents_module
from omnizarr.store.zips.format import Entry, central_directory
from omnizarr.testing.store_values import ValueContract

BRIEF = {"max_retries": 1, "backoff": {"init_backoff": timedelta(milliseconds=1)}}
METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
READS = {"get", "get_into", "get_ranges", "reading", "size", "exists", "facts", "list_prefix", "list_dir"}
# Values that lie before the last 64 KiB of an archive which ends with this one.
FILLER = os.urandom(200_000)


def zipped(values: dict[str, bytes], method: int = zipfile.ZIP_STORED, extra: int = 0) -> bytes:
    """Return an archive; with so many bytes of extra fields in each header."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for key, value in values.items():
            info = zipfile.ZipInfo(key)
            info.compress_type = method
            info.extra = struct.pack("<2H", 0xCAFE, extra - 4) + bytes(extra - 4) if extra else b""
            archive.writestr(info, value)
    return file.getvalue()


class Waiting(CountingStore):
    """A store that says that requests wait, and counts them."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner)
        self.requests = 8


def within(data: bytes, key: str = "d/a.zip", *, waiting: bool = True, folder: str | None = None):
    """Return a counting store that holds an archive, and the store of the archive."""
    outer = Waiting(MemoryStore()) if waiting else CountingStore(MemoryStore())
    outer.set(key, data)
    outer.reset()
    return outer, InnerZipStore(outer, key, folder=folder)


# What every store does for reading


class Rezipped(WrappedStore):
    """A store whose values are read from an archive, made anew after each change."""

    def __init__(self, place: Callable[[bytes], InnerZipStore], method: int) -> None:
        super().__init__(MemoryStore())
        self._made = place
        self._method = method
        self._archive: InnerZipStore | None = None

    def before(self, operation: str, key: str) -> None:
        if operation not in READS:
            self._archive = None

    @property
    def archive(self) -> InnerZipStore:
        if self._archive is None:
            values = {key: self.inner.get(key) or b"" for key in self.inner.list_prefix()}
            self._archive = self._made(zipped(values, self._method))
        return self._archive

    def get(self, key: str, part: ByteRange | None = None) -> bytes | None:
        return self.archive.get(key, part)

    def get_into(self, key: str, out: memoryview, start: int = 0) -> int | None:
        return self.archive.get_into(key, out, start)

    def get_ranges(self, key: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        return self.archive.get_ranges(key, spans)

    def reading(self, key: str) -> AbstractContextManager[Reader | None]:
        return self.archive.reading(key)

    def size(self, key: str) -> int | None:
        return self.archive.size(key)

    def facts(self, key: str) -> Facts | None:
        return self.archive.facts(key)

    def list_prefix(self, prefix: str = "") -> Iterator[str]:
        return self.archive.list_prefix(prefix)

    def list_dir(self, prefix: str = "") -> Listing:
        return self.archive.list_dir(prefix)


class InnerZipContract(ValueContract):
    """The part of the contract about reading; archives are made by Python's zipfile."""

    method = zipfile.ZIP_STORED

    def place(self, data: bytes, tmp_path: Path) -> InnerZipStore:
        return within(data, waiting=False, folder="")[1]

    @pytest.fixture
    def store(self, tmp_path: Path) -> Store:
        return Rezipped(lambda data: self.place(data, tmp_path), self.method)

    def test_a_large_value(self, store: Store) -> None:
        """Of less than elsewhere, since it is zipped by Python."""
        value = bytes(range(256)) * 2**15
        store.set("large", value)
        assert store.get("large") == value
        assert store.get("large", Last(3)) == b"\xfd\xfe\xff"
        assert store.get("large", Span(256 * 10**4 + 5, 3)) == b"\5\6\7"


class TestZipInMemory(InnerZipContract):
    pass


class TestZipThatWaits(InnerZipContract):
    def place(self, data: bytes, tmp_path: Path) -> InnerZipStore:
        return within(data, folder="")[1]


class TestDeflatedZipThatWaits(InnerZipContract):
    method = zipfile.ZIP_DEFLATED

    def place(self, data: bytes, tmp_path: Path) -> InnerZipStore:
        return within(data, folder="")[1]


class TestZipInADirectory(InnerZipContract):
    def place(self, data: bytes, tmp_path: Path) -> InnerZipStore:
        outer = DirectoryStore(tmp_path)
        outer.set("d/a.zip", data)
        return InnerZipStore(outer, "d/a.zip", folder="")


class TestZipInAZip(InnerZipContract):
    def place(self, data: bytes, tmp_path: Path) -> InnerZipStore:
        outer = within(zipped({"b/inner.zip": data, "other": b""}), folder="")[1]
        return InnerZipStore(outer, "b/inner.zip", folder="")


class TestZipInADeflatedZip(InnerZipContract):
    def place(self, data: bytes, tmp_path: Path) -> InnerZipStore:
        outer = within(zipped({"inner.zip": data}, zipfile.ZIP_DEFLATED), folder="")[1]
        return InnerZipStore(outer, "inner.zip", folder="")


# What is asked of the store that holds the archive, where requests wait


def far(values: dict[str, bytes]) -> dict[str, bytes]:
    """Return values with one behind them that is larger than what is read of the end."""
    return {**values, "zz": FILLER}


@pytest.mark.parametrize("method", METHODS)
def test_a_value_is_one_request(method: int) -> None:
    values = {"zarr.json": b"{}", "c/0": bytes(range(256)) * 300, "é/温度": b"1", "empty": b""}
    outer, store = within(zipped(far(values), method))
    assert outer.counts == {"reading": 1, "get": 1}, "the end"
    for key in ("zarr.json", "c/0", "é/温度"):
        outer.reset()
        assert store.get(key) == values[key]
        assert sum(outer.counts.values()) == 1
    outer.reset()
    assert store.get("empty") == b""
    assert store.get("missing") is None
    assert (store.size("c/0"), store.exists("missing")) == (76_800, False)
    assert len(list(store.list_prefix())) == 5
    assert store.list_dir("c/") == Listing(["c/0"], [])
    assert outer.counts == {}


def test_only_the_value_is_read() -> None:
    values = {f"c/{n}": os.urandom(10_000) for n in range(30)}
    outer, store = within(zipped(far(values)))
    outer.reset()
    assert store.get("c/7") == values["c/7"]
    assert 10_000 < outer.bytes_read < 10_600
    outer.reset()
    assert store.get("c/7") == values["c/7"]
    assert outer.bytes_read == 10_000, "its place is known by now"
    out = bytearray(10_000)
    for _ in range(2):
        outer.reset()
        assert store.get_into("c/8", memoryview(out)) == 10_000
        assert out == values["c/8"]
        assert sum(outer.counts.values()) == 1
        out[:] = bytes(10_000)


@pytest.mark.parametrize("extra", [0, 28, 511, 512, 513, 60_000])
def test_headers_with_extra_fields(extra: int) -> None:
    """More than expected costs one request more, and only once."""
    values = {"a": os.urandom(3000), "b": os.urandom(3000)}
    outer, store = within(zipped(far(values), extra=extra))
    outer.reset()
    assert store.get("a") == values["a"]
    assert sum(outer.counts.values()) == (1 if extra <= 512 else 2)
    outer.reset()
    assert store.get_ranges("b", [(5, 3), (2990, 90)]) == [values["b"][5:8], values["b"][2990:]]
    assert sum(outer.counts.values()) == (1 if extra <= 512 else 2)
    outer.reset()
    assert store.get("b", Span(100, 7)) == values["b"][100:107]
    assert sum(outer.counts.values()) == 1


def test_parts_are_read_along_with_the_header() -> None:
    value = os.urandom(500_000)
    outer, store = within(zipped(far({"shard": value})))
    outer.reset()
    with store.reading("shard") as reader:
        assert reader is not None
        assert reader.get(Last(100)) == value[-100:]
        assert outer.counts == {"get_ranges": 1}
        assert outer.bytes_read < 1000
        assert reader.get_ranges([(7, 5), (400_000, 9)]) == [value[7:12], value[400_000:400_009]]
        assert outer.counts == {"get_ranges": 2}
        assert reader.get(From(499_999)) == value[-1:]


@pytest.mark.parametrize("method", METHODS[1:])
def test_a_compressed_value_is_inflated_once_for_a_reader(method: int) -> None:
    value = bytes(range(250)) * 4000
    outer, store = within(zipped(far({"shard": value}), method))
    outer.reset()
    with store.reading("shard") as reader:
        assert reader is not None
        assert reader.get(Last(100)) == value[-100:]
        assert reader.get_ranges([(7, 5), (400_000, 9)]) == [value[7:12], value[400_000:400_009]]
    assert sum(outer.counts.values()) == 1


@pytest.mark.parametrize("comment", [b"", b"x", bytes(65_535)])
def test_many_entries_cost_one_request_more(comment: bytes) -> None:
    file = io.BytesIO(zipped({f"c/{n}": b"" for n in range(3000)}))
    with zipfile.ZipFile(file, "a") as archive:
        archive.comment = comment
    outer, store = within(file.getvalue())
    assert outer.counts["get"] == 2
    assert len(list(store.list_prefix())) == 3000


def test_an_archive_behind_something_else() -> None:
    values = {"a": b"123", "b": b"4" * 1000}
    _, store = within(b"#!/bin/sh\n" * 10_000 + zipped(values))
    assert dict(store.mapping()) == values


def test_sizes_beyond_32_bits(tmp_path: Path) -> None:
    """A file with holes, since only the records matter."""
    size = 2**32 + 5
    first = Entry("first", 0, size, size, 0)
    second = Entry("second", first.stop, 3, 3, 0x884863D2)
    with (tmp_path / "a.zip").open("wb") as file:
        file.write(first.local_header())
        file.seek(second.start)
        file.write(second.local_header() + b"123")
        file.write(central_directory([first, second], second.stop))
    outer = Waiting(DirectoryStore(tmp_path))
    with InnerZipStore(outer, "a.zip") as store:
        assert store.get("second") == b"123"
        assert store.get("first", Span(2**32 + 3, 9)) == b"\0\0"
        assert store.get("first", Span(1, 2)) == b"\0\0"


def test_more_entries_than_the_old_format_counts() -> None:
    entries = [Entry(f"c/{n}", 0, 0, 0, 0) for n in range(65_540)]
    outer, store = within(central_directory(entries, 0))
    assert sum(1 for _ in store.list_prefix()) == 65_540
    assert outer.counts["get"] == 2


# The store itself


def test_the_folder_of_the_dataset_is_taken_off() -> None:
    values = {"a/.zgroup": b"{}", "a/x/.zarray": b"[]", "__MACOSX/a/._x": b"junk"}
    _, store = within(zipped(values))
    assert (store.folder, dict(store.mapping())) == ("a/", {".zgroup": b"{}", "x/.zarray": b"[]"})
    _, whole = within(zipped(values), folder="")
    assert whole.get("a/.zgroup") == b"{}"
    _, part = within(zipped(values), folder="a/x")
    assert list(part.list_prefix()) == [".zarray"]


def test_what_it_says_of_itself() -> None:
    outer, store = within(zipped({"a": b"1"}))
    assert store.name == f"{outer.name}/d/a.zip|zip:"
    assert (store.requests, store.lists_cheaply, store.read_only) == (8, True, True)


def test_it_is_for_reading() -> None:
    _, store = within(zipped({"a": b"1"}))
    writes: tuple[Callable[[str], object], ...] = (
        lambda key: store.set(key, b""),
        lambda key: store.set_if_absent(key, b""),
        lambda key: store.update(key, lambda old: b""),
        store.delete,
    )
    for write in writes:
        with pytest.raises(ReadOnlyError, match="opened for reading"):
            write("a")
        with pytest.raises(KeyNameError):
            write("../a")
    with pytest.raises(ReadOnlyError):
        store.delete_prefix("")
    assert store.get("a") == b"1"


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({"a": b"1"}))
    open_files = Path("/proc/self/fd")
    before = sum(1 for _ in open_files.iterdir()) if open_files.is_dir() else 0
    store = InnerZipStore(DirectoryStore(tmp_path), "a.zip")
    store.close()
    store.close()
    if before:
        assert sum(1 for _ in open_files.iterdir()) == before
    for use in (lambda: store.get("a"), store.list_dir, lambda: store.size("a")):
        with pytest.raises(StoreError, match="it is closed"):
            use()


def test_it_can_be_pickled(tmp_path: Path) -> None:
    outer = DirectoryStore(tmp_path)
    outer.set("d/a.zip", zipped({"top/zarr.json": b"1"}))
    with InnerZipStore(outer, "d/a.zip") as store, pickle.loads(pickle.dumps(store)) as other:
        assert (other.get("zarr.json"), other.folder, other.name) == (b"1", "top/", store.name)


def test_there_is_no_archive() -> None:
    with pytest.raises(StoreNotFoundError, match=r"no such archive.*d/a\.zip"):
        InnerZipStore(MemoryStore(), "d/a.zip")


@pytest.mark.parametrize("method", METHODS[:2])
def test_many_readers(method: int) -> None:
    values = {f"c/{n}": os.urandom(100) * (n + 1) * 5 for n in range(60)}
    _, store = within(zipped(values, method))
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(store.get, list(values) * 5)) == list(values.values()) * 5


def outer_stores(tmp_path: Path) -> dict[str, Callable[[], Store]]:
    """Return what makes stores of other kinds, which hold on to values each in its way."""
    return {
        "sqlite": lambda: SQLiteStore(tmp_path / "a.sqlite"),
        "lmdb": lambda: LMDBStore(tmp_path / "a.lmdb"),
        "fsspec": lambda: FsspecStore(pytest.importorskip("fsspec").filesystem("file"), str(tmp_path)),
        "cached": lambda: CachedStore(Waiting(MemoryStore())),
        "overlay": lambda: OverlayStore(MemoryStore(), MemoryStore()),
    }


@pytest.mark.parametrize("kind", ["sqlite", "lmdb", "fsspec", "cached", "overlay"])
def test_archives_within_stores_of_other_kinds(tmp_path: Path, kind: str) -> None:
    if kind == "lmdb":
        pytest.importorskip("lmdb")
    values = {f"c/{n}": os.urandom(5000) for n in range(50)}
    with outer_stores(tmp_path)[kind]() as outer:
        outer.set("d/a.zip", zipped(far(values)))
        store = InnerZipStore(outer, "d/a.zip")
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(store.get, values)) == list(values.values())
        assert store.get_ranges("c/3", [(1, 4), (4000, 5)]) == [values["c/3"][1:5], values["c/3"][4000:4005]]
        outer.set("d/a.zip", zipped({"c/3": b"another archive"}))
        try:
            assert store.get("c/3") == values["c/3"]
        except StoreError as error:
            assert "a.zip" in str(error)
        store.close()


def test_writing_over_an_archive() -> None:
    _, archive = within(zipped({"a": b"1", "b": b"2"}))
    store = OverlayStore(MemoryStore(), archive)
    store.set("a", b"new")
    store.delete("b")
    assert dict(store.mapping()) == {"a": b"new"}
    assert dict(archive.mapping()) == {"a": b"1", "b": b"2"}


# Damage, and malice


@pytest.mark.parametrize("waiting", [True, False])
@pytest.mark.parametrize("content", [b"", b"PK", b"no archive at all" * 9000, b"PK\5\6" + bytes(17)])
def test_what_is_no_archive(content: bytes, waiting: bool) -> None:
    with pytest.raises(StoreError, match=r"cannot open: no zip archive.*d/a\.zip\|zip:"):
        within(content, waiting=waiting)


def test_names_that_lead_out_are_refused() -> None:
    with pytest.raises(StoreError, match="cannot open: entry"):
        within(zipped({"../a": b"1"}))


def test_a_central_directory_that_is_far_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents_module, "_LARGEST_DIRECTORY", 100_000)
    with pytest.raises(StoreError, match="central directory of more than 100000 bytes"):
        within(zipped({f"c/{n}": b"" for n in range(3000)}))


@pytest.mark.parametrize("method", METHODS)
def test_flipped_bits_are_noticed(method: int) -> None:
    value = np.random.default_rng(2).integers(0, 50, 5000).astype("u1").tobytes()
    sound = zipped(far({"a": value}), method)
    size = zipfile.ZipFile(io.BytesIO(sound)).getinfo("a").compress_size
    chance = np.random.default_rng(3)
    for _ in range(25):
        damaged = bytearray(sound)
        damaged[int(chance.integers(31 + size))] ^= 1 << int(chance.integers(8))
        _, store = within(bytes(damaged))
        out = bytearray(5000)
        for read in (
            lambda s=store: s.get("a"),
            lambda s=store, o=out: bytes(o[: s.get_into("a", memoryview(o))]),
        ):
            try:
                assert read() == value, "a changed value went unnoticed"
            except StoreError as error:
                assert "'a'" in str(error)


def moved(data: bytes, start: int) -> bytes:
    """Return an archive whose central directory names another place for its first entry."""
    changed = bytearray(data)
    struct.pack_into("<L", changed, changed.index(b"PK\1\2") + 42, start)
    return bytes(changed)


def test_places_that_are_lies() -> None:
    data = zipped({"a": bytes(100), "b": b"other" * 20})
    second = data.index(b"PK\3\4", 1)
    for start, message in (
        (5, "no local header"),
        (second, "that of another value"),
        (2**32 - 2, "local header"),
    ):
        for waiting in (True, False):
            _, store = within(moved(data, start), waiting=waiting)
            for read in (lambda s=store: s.get("a"), lambda s=store: s.get("a", Span(1, 2))):
                with pytest.raises(StoreError, match=message):
                    read()


def test_values_that_end_behind_the_archive() -> None:
    data = bytearray(zipped({"a": bytes(100)}))
    at = data.index(b"PK\1\2")
    struct.pack_into("<2L", data, at + 20, 10_000, 10_000)
    for waiting in (True, False):
        _, store = within(bytes(data), waiting=waiting)
        for read in (
            lambda s=store: s.get("a"),
            lambda s=store: s.get("a", Last(5)),
            lambda s=store: s.get_into("a", memoryview(bytearray(10_000))),
            lambda s=store: s.get_ranges("a", [(0, 5), (9000, 5)]),
        ):
            with pytest.raises(StoreError, match="ends before"):
                read()


def test_bombs_are_bounded() -> None:
    _, store = within(zipped({"a": bytes(20_000_000)}, zipfile.ZIP_DEFLATED))
    with omnizarr.config.using(max_chunk_bytes=1_000_000), pytest.raises(StoreError, match="max_chunk_bytes"):
        store.get("a")


# Over S3 and HTTP


@pytest.fixture(params=["http", "http-without-ranges"])
def http(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Front, Path]]:
    front = Front(request.param, tmp_path)
    yield front, tmp_path
    front.close()


def hierarchy(zarr_format: int, chunk: int = 100) -> bytes:
    """Return an archive with a consolidated hierarchy, whose documents come last, after large chunks."""
    values = MemoryStore()
    root = omnizarr.open_group(values, mode="w", zarr_format=zarr_format)
    for n in range(4):
        array = root.create_array(
            f"g{n}/x", shape=(8 * chunk,), chunks=(chunk,), dtype="i4", compressors=None
        )
        array[:] = np.arange(8 * chunk) + n
    omnizarr.consolidate_metadata(values)
    documents = (".zmetadata", "zarr.json")
    return zipped(
        {
            key: values.get(key) or b""
            for key in sorted(values.list_prefix(), key=lambda k: (k in documents, k))
        }
    )


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_a_consolidated_hierarchy_in_s3_opens_in_one_request(s3: Front, zarr_format: int) -> None:  # noqa: F811
    outer = ObjectStore("s3://bucket/zips", storage_options=options(s3.port))
    outer.set(f"{zarr_format}.zip", hierarchy(zarr_format, chunk=10_000))
    s3.reset()
    root = omnizarr.open(InnerZipStore(outer, f"{zarr_format}.zip"), mode="r")
    assert len(dict(root.members(max_depth=None))) == 8
    assert len(s3.asked) == 1
    assert root["g2/x"][[70_001]].tolist() == [70_003]
    assert len(s3.asked) == 2
    s3.reset()
    assert root["g1/x"][:].tolist() == list(range(1, 80_001))
    assert len(s3.asked) == 8
    assert all(line.startswith("GET") for line in s3.asked)


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_a_document_that_is_not_at_the_end(s3: Front, zarr_format: int) -> None:  # noqa: F811
    archive = io.BytesIO(hierarchy(zarr_format))
    with zipfile.ZipFile(archive, "a") as added:
        added.writestr("zz", FILLER)
    outer = ObjectStore("s3://bucket/zips", storage_options=options(s3.port))
    outer.set("front.zip", archive.getvalue())
    s3.reset()
    root = omnizarr.open(InnerZipStore(outer, "front.zip"), mode="r")
    assert len(dict(root.members(max_depth=None))) == 8
    assert len(s3.asked) == 2


def test_shards_are_read_by_three_requests(s3: Front) -> None:  # noqa: F811
    values = MemoryStore()
    array = omnizarr.create_array(
        values, shape=(1_000_000,), shards=(1_000_000,), chunks=(10_000,), dtype="i4"
    )
    array[:] = data = np.random.default_rng(1).integers(0, 2**31, 1_000_000, "i4")
    outer = ObjectStore("s3://bucket/zips", storage_options=options(s3.port))
    outer.set("shards.zip", zipped(far(dict(values.mapping()))))
    inner = omnizarr.open_array(InnerZipStore(outer, "shards.zip"), mode="r")
    s3.reset()
    np.testing.assert_array_equal(inner[499_990:500_000], data[499_990:500_000])
    assert len(s3.asked) == 3, "its header and its index, which do not wait for one another, and a chunk"
    np.testing.assert_array_equal(inner[500_000:500_010], data[500_000:500_010])
    assert len(s3.asked) == 5, "where it begins is known"


@pytest.mark.parametrize("fault", ["reset", "truncated", 500, 503])
def test_a_fault_that_stays_raises_and_never_fills(s3: Front, fault: str | int) -> None:  # noqa: F811
    outer = ObjectStore(
        "s3://bucket/zips", storage_options=options(s3.port, timeout="1s", retry_config=BRIEF)
    )
    outer.set("faults.zip", hierarchy(3, chunk=10_000))
    root = omnizarr.open(InnerZipStore(outer, "faults.zip"), mode="r")
    s3.reset(always=fault)
    with pytest.raises(StoreError, match=r"faults\.zip"):
        root["g0/x"][:]
    with pytest.raises(StoreError, match=r"faults\.zip"):
        InnerZipStore(outer, "faults.zip")
    s3.reset()
    assert root["g0/x"][-1:].tolist() == [79_999]


def test_an_archive_that_is_replaced_is_never_mixed(s3: Front) -> None:  # noqa: F811
    outer = ObjectStore("s3://bucket/zips", storage_options=options(s3.port))
    outer.set("old.zip", zipped(far({"a": b"1" * 1000})))
    store = InnerZipStore(outer, "old.zip")
    assert store.get("a") == b"1" * 1000
    outer.set("old.zip", zipped(far({"a": b"2" * 1000})))
    for read in (
        lambda: store.get("a"),
        lambda: store.get("a", Span(1, 2)),
        lambda: store.get_ranges("a", [(1, 2)]),
    ):
        with pytest.raises(StoreError, match=r"was replaced while.*old\.zip"):
            read()
    assert InnerZipStore(outer, "old.zip").get("a") == b"2" * 1000
    outer.delete("old.zip")
    with pytest.raises(StoreError, match="was replaced"):
        store.get("a")


def test_over_http(http: tuple[Front, Path]) -> None:
    front, folder = http
    (folder / "a b é.zip").write_bytes(hierarchy(3, chunk=10_000))
    outer = ObjectStore(f"http://127.0.0.1:{front.port}", storage_options={"retry_config": BRIEF})
    root = omnizarr.open(InnerZipStore(outer, "a b é.zip"), mode="r")
    assert len(dict(root.members(max_depth=None))) == 8
    whole = len(front.asked) == 3  # without ranges: asked for the end, for another part, then for all
    assert whole or len(front.asked) == 1
    assert root["g1/x"][:].tolist() == list(range(1, 80_001))
    assert len(front.asked) == (3 if whole else 9)


def test_a_server_without_ranges_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reads_module, "_LARGEST_WHOLE", 100_000)
    front = Front("http-without-ranges", tmp_path)
    try:
        (tmp_path / "a.zip").write_bytes(zipped(far({})))
        outer = ObjectStore(f"http://127.0.0.1:{front.port}")
        with pytest.raises(StoreError, match=r"gives no parts.*more than 100000.*a\.zip"):
            InnerZipStore(outer, "a.zip")
    finally:
        front.close()
