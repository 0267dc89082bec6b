"""The SQLite store beyond the contract: its file, others that use it, and what may go wrong."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from omnizarr.errors import ReadOnlyError, StoreError, StoreNotFoundError
from omnizarr.store import Listing, SQLiteStore, Store, open_store
from omnizarr.store.databases import sqlite_file
from omnizarr.store.databases.sqlite_file import is_open
from omnizarr.store.databases.sqlite_opening import Connection, Terms
from omnizarr.testing.store import StoreContract

# The statement of zarr-python 2, which SQLite keeps letter by letter.
TABLE = "CREATE TABLE zarr(k TEXT PRIMARY KEY, v BLOB)"
LARGE = bytes(range(256)) * 1000


class TestSQLiteStore(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        return SQLiteStore(tmp_path / "new" / "a.db")


class TestSQLiteStoreWithoutLog(StoreContract):
    """As on file systems that have no shared memory."""

    @pytest.fixture(autouse=True)
    def no_waiting_for_the_disk(self, monkeypatch: pytest.MonkeyPatch) -> None:
        settle = sqlite_file.settle

        def settle_quickly(connection: Connection, terms: Terms) -> bool:
            wal = settle(connection, terms)
            connection.execute("PRAGMA synchronous = OFF")
            return wal

        monkeypatch.setattr(sqlite_file, "settle", settle_quickly)

    def make_store(self, tmp_path: Path) -> Store:
        return SQLiteStore(tmp_path / "a.db", wal=False)


@contextmanager
def database(path: Path) -> Iterator[sqlite3.Connection]:
    """Use a file past the store."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


def of_zarr_python(path: Path, **values: bytes) -> Path:
    """Make a file as zarr-python 2 does."""
    with database(path) as connection:
        connection.execute(TABLE.replace("TABLE", "TABLE IF NOT EXISTS"))
        connection.executemany("REPLACE INTO zarr VALUES (?, ?)", values.items())
    return path


def journal_mode(path: Path) -> str:
    with database(path) as connection:
        return str(connection.execute("PRAGMA journal_mode").fetchone()[0])


# The file


def test_the_table_is_that_of_zarr_python(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "a.db") as store:
        store.set("a/.zarray", b"{}")
    with database(tmp_path / "a.db") as connection:
        assert connection.execute("SELECT sql FROM sqlite_master WHERE type = 'table'").fetchall() == [
            (TABLE,)
        ]
        assert connection.execute("SELECT k, v FROM zarr").fetchall() == [("a/.zarray", b"{}")]
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert [found.name for found in tmp_path.iterdir()] == ["a.db"]


def test_files_of_zarr_python_are_read_and_written(tmp_path: Path) -> None:
    path = of_zarr_python(tmp_path / "a.db", **{".zgroup": b"{}", "a/.zarray": b"{}", "a/0.0": LARGE})
    with SQLiteStore(path, read_only=True) as store:
        assert store.list_dir() == Listing([".zgroup"], ["a/"])
        assert store.get("a/0.0") == LARGE
        with store.reading("a/0.0") as reader:
            assert reader is not None
            assert reader.get_ranges([(255, 2)]) == [b"\xff\x00"]
    assert journal_mode(path) == "delete"
    with SQLiteStore(path, wal=False) as store:
        store.set("a/0.1", b"1")
    assert journal_mode(path) == "delete"
    with SQLiteStore(path) as store:
        store.set("a/0.2", b"2")
    assert journal_mode(path) == "wal"
    of_zarr_python(path, **{"a/0.0": b"3"})
    with SQLiteStore(path, create=False) as store:
        assert [store.get(f"a/0.{n}") for n in range(3)] == [b"3", b"1", b"2"]


PEER = """
import sys, warnings
warnings.simplefilter("ignore")
import numpy, zarr
store = zarr.{kind}(sys.argv[1])
if sys.argv[2] == "write":
    group = zarr.group(store, overwrite=True)
    group.attrs["by"] = "zarr-python"
    array = group.create_group("g").create_dataset("a", shape=(50, 50), chunks=(20, 20), dtype="f4")
    array[:] = numpy.arange(2500).reshape(50, 50)
    print(zarr.__version__)
else:
    group = zarr.open_group(store, mode="r")
    print(group.attrs["by"], sorted(group.group_keys()), int(group["g/a"][:].sum()))
store.close()
"""


@pytest.mark.slow
def test_zarr_python_2_reads_what_is_written_here_and_is_read(tmp_path: Path) -> None:
    import omnizarr

    python = Path(__file__).parents[2] / ".venv" / "hdmf-zarr" / "bin" / "python"
    if not python.exists():
        pytest.skip("no Python with zarr-python 2 in .venv/hdmf-zarr")

    def peer(path: Path, action: str) -> str:
        command = [str(python), "-c", PEER.format(kind="SQLiteStore"), str(path), action]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    assert peer(tmp_path / "theirs.db", "write").startswith("2.")
    theirs = omnizarr.open_group(f"sqlite://{tmp_path}/theirs.db", mode="r+")
    assert theirs.attrs["by"] == "zarr-python"
    assert theirs["g/a"][:].sum() == 2500 * 2499 / 2
    theirs["g/a"][3, 3] = 0
    theirs.store.close()
    assert peer(tmp_path / "theirs.db", "read") == f"zarr-python ['g'] {2500 * 2499 // 2 - 153}"

    ours = omnizarr.open_group(f"sqlite://{tmp_path}/ours.db", mode="w", zarr_format=2)
    ours.attrs["by"] = "omnizarr"
    array = ours.create_group("g").create_array("a", shape=(50, 50), chunks=(20, 20), dtype="f4")
    array[:] = 2
    assert peer(tmp_path / "ours.db", "read") == "omnizarr ['g'] 5000"
    ours.store.close()


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        (
            "CREATE TABLE zarr(k TEXT PRIMARY KEY, v BLOB) WITHOUT ROWID",
            r"expected the table zarr\(k TEXT PRIM",
        ),
        ("CREATE TABLE zarr(k TEXT, v BLOB)", r"found CREATE TABLE zarr\(k TEXT, v BLOB\)"),
        ("CREATE TABLE zarr(k TEXT PRIMARY KEY, v BLOB, w BLOB)", "found CREATE TABLE"),
        ("CREATE TABLE Zarr(k INTEGER PRIMARY KEY, v BLOB)", "found CREATE TABLE"),
        ("CREATE TABLE zarr(k TEXT COLLATE NOCASE PRIMARY KEY, v BLOB)", "order BINARY, found NOCASE"),
        ("CREATE VIEW zarr AS SELECT 'a' AS k, x'00' AS v", "expected a table zarr, found a view"),
        (
            f"{TABLE}; CREATE TRIGGER t AFTER INSERT ON zarr BEGIN DELETE FROM zarr; END",
            "no trigger, found t",
        ),
        (f"PRAGMA encoding = 'UTF-16le'; {TABLE}", "encoding UTF-8, found UTF-16le"),
    ],
)
@pytest.mark.parametrize("read_only", [False, True])
def test_other_tables_are_refused(tmp_path: Path, sql: str, message: str, read_only: bool) -> None:
    with database(tmp_path / "a.db") as connection:
        connection.executescript(sql)
    with pytest.raises(StoreError, match=message) as caught:
        SQLiteStore(tmp_path / "a.db", read_only=read_only)
    assert not isinstance(caught.value, StoreNotFoundError)


def test_a_database_without_the_table(tmp_path: Path) -> None:
    with database(tmp_path / "a.db") as connection:
        connection.execute("CREATE TABLE other(x)")
    for terms in ({"read_only": True}, {"create": False}):
        with pytest.raises(StoreNotFoundError, match="no table zarr"):
            SQLiteStore(tmp_path / "a.db", **terms)
    with SQLiteStore(tmp_path / "a.db") as store:
        store.set("k", b"1")
    with database(tmp_path / "a.db") as connection:
        assert connection.execute("SELECT count(*) FROM other").fetchone() == (0,)


def test_an_empty_file_is_an_empty_database(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.touch()
    with pytest.raises(StoreNotFoundError):
        SQLiteStore(path, read_only=True)
    assert path.stat().st_size == 0
    with SQLiteStore(path) as store:
        assert store.list_dir() == Listing([], [])


@pytest.mark.parametrize(
    ("sql", "kind"), [("'text'", "text"), ("NULL", "null"), ("7", "integer"), ("0.5", "real")]
)
def test_values_that_are_no_bytes_are_refused(tmp_path: Path, sql: str, kind: str) -> None:
    path = of_zarr_python(tmp_path / "a.db")
    with database(path) as connection:
        connection.execute(f"INSERT INTO zarr VALUES ('k', {sql}), ('long', hex(zeroblob(50000)))")
    with SQLiteStore(path) as store:
        reads: tuple[Callable[[str], object], ...] = (
            store.get,
            store.size,
            lambda key: store.get_ranges(key, [(0, 1)]),
            lambda key: store.get_into(key, memoryview(bytearray(1))),
            lambda key: store.reading(key).__enter__(),
            lambda key: store.update(key, lambda old: b""),
        )
        for read in reads:
            with pytest.raises(StoreError, match="expected a value of type blob, found"):
                read("k")
            with pytest.raises(StoreError, match="found text"):
                read("long")
        with pytest.raises(StoreError, match=f"found {kind}"):
            store.size("k")
        store.set("k", b"1")
        assert store.get("k") == b"1"


def test_names_that_are_no_keys_are_passed_over(tmp_path: Path) -> None:
    path = of_zarr_python(tmp_path / "a.db", **{"a": b"1", "b//c": b"", "/d": b"", "e/": b"", "f/g": b"2"})
    with database(path) as connection:
        connection.execute("INSERT INTO zarr VALUES (CAST(x'ff2f61' AS TEXT), x''), (x'61', x'')")
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO zarr VALUES (?, x'')", [(f"x//{n}",) for n in range(1500)])
        connection.execute("COMMIT")
    with SQLiteStore(path) as store:
        assert sorted(store.list_prefix()) == ["a", "f/g"]
        assert dict(store.list_sizes()) == {"a": 1, "f/g": 1}
        assert store.list_dir().keys == ["a"]
        assert "f/" in store.list_dir().prefixes


# Reading


def test_a_listing_is_a_seek_for_each_name(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "a.db") as store:
        for name in ("a", "b", "c"):
            for n in range(100):
                store.set(f"g/{name}/c/{n}", b"")
        statements: list[str] = []
        with store._file.connection("read") as connection:
            connection.set_trace_callback(statements.append)
        assert store.list_dir("g/") == Listing([], ["g/a/", "g/b/", "g/c/"])
        assert [text.split()[0] for text in statements] == ["BEGIN", *["SELECT"] * 4, "ROLLBACK"]
        plan = "EXPLAIN QUERY PLAN " + statements[1]
        with database(tmp_path / "a.db") as other:
            assert "USING COVERING INDEX" in str(other.execute(plan).fetchall())


def test_a_part_of_a_large_value_is_read_alone(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "a.db") as store:
        store.set("k", LARGE)
        statements: list[str] = []
        with store._file.connection("read") as connection:
            connection.set_trace_callback(statements.append)
        with store.reading("k") as reader:
            assert reader is not None
            assert reader.get_ranges([(0, 2), (len(LARGE) - 1, 9)]) == [b"\x00\x01", b"\xff"]
        assert not [text for text in statements if text.startswith("SELECT v")]
        assert [text for text in statements if text.startswith("BEGIN")] == ["BEGIN"]


def test_readers_go_on_beside_a_writer(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "a.db", timeout=0.05) as store:
        store.set("k", LARGE)
        with database(tmp_path / "a.db") as writer:
            writer.execute("BEGIN IMMEDIATE")
            writer.execute("UPDATE zarr SET v = x'00'")
            assert store.get("k") == LARGE
            assert store.list_dir() == Listing(["k"], [])
            with store.reading("k") as reader:
                writer.execute("COMMIT")
                assert reader is not None
                assert reader.get() == LARGE
            assert store.get("k") == b"\x00"


@pytest.mark.parametrize(("terms", "mode"), [({}, 1), ({"fsync": True}, 2), ({"wal": False}, 2)])
def test_what_a_write_waits_for(tmp_path: Path, terms: dict[str, bool], mode: int) -> None:
    """1 is NORMAL, 2 is FULL."""
    with SQLiteStore(tmp_path / "a.db", **terms) as store, store._file.connection("read") as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (mode,)


# What goes wrong


def test_locked_databases(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "a.db", timeout=0.05) as store:
        store.set("k", b"1")
        with database(tmp_path / "a.db") as other:
            other.execute("BEGIN IMMEDIATE")
            writes: tuple[Callable[[], object], ...] = (
                lambda: store.set("k", b"2"),
                lambda: store.set_if_absent("n", b"2"),
                lambda: store.update("k", lambda old: b"2"),
                lambda: store.delete("k"),
                lambda: store.delete_many(["k"]),
                lambda: store.delete_prefix(""),
            )
            for write in writes:
                with pytest.raises(StoreError, match=r"locked \(waited 0.05 s\).*key '(k|n|)'"):
                    write()
        assert store.get("k") == b"1"
        store.set("k", b"3")


def test_a_locked_database_without_log_is_not_read_as_empty(tmp_path: Path) -> None:
    path = of_zarr_python(tmp_path / "a.db", k=b"1")
    with SQLiteStore(path, wal=False, timeout=0.05) as store:
        with database(path) as other:
            other.execute("BEGIN EXCLUSIVE")
            for read in (lambda: store.get("k"), lambda: store.list_dir(), lambda: list(store.list_prefix())):
                with pytest.raises(StoreError, match="another process keeps the database locked"):
                    read()
            with pytest.raises(StoreError, match="cannot open: another process keeps"):
                SQLiteStore(path, timeout=0.05)
        assert store.get("k") == b"1"


@pytest.mark.parametrize("read_only", [False, True])
def test_what_is_no_database(tmp_path: Path, read_only: bool) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"not a database, whatever its name says" * 100)
    with pytest.raises(StoreError, match="this is no SQLite database"):
        SQLiteStore(path, read_only=read_only)
    assert path.read_bytes().startswith(b"not a database")
    assert len(list(tmp_path.iterdir())) == 1
    with pytest.raises(StoreError, match="found a directory"):
        SQLiteStore(tmp_path, read_only=read_only)
    with pytest.raises(StoreError, match=r"Not a directory|File exists|no such file"):
        SQLiteStore(path / "b.db", read_only=read_only)


@pytest.mark.parametrize("how", ["cut", "overwritten"])
def test_damaged_files_raise(tmp_path: Path, how: str) -> None:
    path = tmp_path / "a.db"
    with SQLiteStore(path) as store:
        for n in range(100):
            store.set(f"a/{n}", bytes([n]) * 20_000)
    data = path.read_bytes()
    middle = len(data) // 2
    damaged = data[:middle] if how == "cut" else data[:16384] + b"\x5a" * (len(data) - 16384)
    path.write_bytes(damaged)
    found = 0
    try:
        with SQLiteStore(path, read_only=True) as store:
            for n in range(100):
                try:
                    assert store.get(f"a/{n}") == bytes([n]) * 20_000
                except StoreError as error:
                    assert "damaged" in str(error)
                    found += 1
    except StoreError as error:
        assert "damaged" in str(error)
        found += 1
    assert found


def test_a_full_database(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "a.db") as store:
        store.set("k", b"old")
        with store._file.connection("read") as connection:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        for write in (
            lambda: store.set("k", bytes(10**6)),
            lambda: store.update("k", lambda old: bytes(10**6)),
            lambda: store.set_if_absent("n", bytes(10**6)),
        ):
            with pytest.raises(StoreError, match="the disk or the database is full") as caught:
                write()
            assert caught.value.errno == 28
        assert store.get("k") == b"old"
        assert list(store.list_prefix()) == ["k"]
        store.set("k", b"new")
        assert store.get("k") == b"new"


FULL_DISK = """
import resource, signal, sys
from omnizarr.errors import StoreError
from omnizarr.store import SQLiteStore
store = SQLiteStore(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    store.set("k", bytes(200_000))
except StoreError as error:
    print(error, store.get("k"))
"""


def test_a_full_disk(tmp_path: Path) -> None:
    """The limit on the size of files of a process stands in for the end of a disk."""
    with SQLiteStore(tmp_path / "a.db") as store:
        store.set("k", b"old")
    said = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path / "a.db")], capture_output=True, text=True, check=True
    ).stdout
    assert said.startswith("cannot write: the ")
    assert said.endswith("b'old'\n")
    with SQLiteStore(tmp_path / "a.db") as store:
        assert store.get("k") == b"old"


def test_a_value_that_is_too_long(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "a.db") as store:
        with store._file.connection("read") as connection:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1000)
        with pytest.raises(StoreError, match=r"cannot write: string or blob too big .*key 'k'"):
            store.set("k", bytes(1001))
        assert store.get("k") is None


def test_a_file_that_is_replaced_or_removed_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with SQLiteStore(path) as store:
        store.set("k", b"1")
        store._file.close_files()
        path.rename(tmp_path / "b.db")
        with pytest.raises(StoreError, match="it was removed since the store was made"):
            store.get("k")
        assert not path.exists()
        of_zarr_python(path)
        with pytest.raises(StoreError, match="another file took its place"):
            store.get("k")


# Where nothing may be written

NOBODY = """
import os, sys
from omnizarr.errors import StoreError
from omnizarr.store import SQLiteStore
path = sys.argv[1]
warm = SQLiteStore(sys.argv[2]); warm.set("k", b"1"); warm.get("k"); list(warm.list_prefix()); warm.close()
if os.getuid() == 0:
    os.setuid(65534)
try:
    with SQLiteStore(path, read_only=True) as store:
        print(store.get("k"), list(store.list_prefix()))
        if len(sys.argv) > 3:
            sys.stdout.flush()
            sys.stdin.readline()
            print(store.get("k"))
except StoreError as error:
    print(error)
try:
    SQLiteStore(path)
except StoreError as error:
    print(type(error).__name__, error)
"""


@pytest.fixture
def public() -> Iterator[Path]:
    """A directory that every user may enter."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        yield Path(made)
        for found in Path(made).iterdir():
            found.chmod(0o755)


def as_nobody(path: Path, *more: str) -> subprocess.Popen[str]:
    warm = str(path.parent.parent / "warm.db")
    return subprocess.Popen(
        [sys.executable, "-c", NOBODY, str(path), warm, *more],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


posix = pytest.mark.skipif(not hasattr(os, "setuid"), reason="permissions are those of POSIX")


@posix
@pytest.mark.parametrize("wal", [True, False])
def test_a_directory_that_cannot_be_written_to(public: Path, wal: bool) -> None:
    path = public / "d" / "a.db"
    with SQLiteStore(path, wal=wal) as store:
        store.set("k", b"1")
    path.chmod(0o444)
    path.parent.chmod(0o555)
    with as_nobody(path) as reader:
        said, _ = reader.communicate(timeout=30)
    read, refused = said.splitlines()
    assert read == "b'1' ['k']"
    assert refused.startswith("ReadOnlyError cannot write: permission denied")


@posix
def test_what_a_log_beside_the_file_holds_is_not_passed_over(public: Path) -> None:
    """A copy of file and log whose directory may not be written to cannot be read as if there were no log."""
    path = public / "d" / "a.db"
    with SQLiteStore(public / "b.db") as store:
        store.set("k", b"1")
        path.parent.mkdir()
        shutil.copy(public / "b.db", path)
        shutil.copy(public / "b.db-wal", f"{path}-wal")
    path.chmod(0o444)
    path.parent.chmod(0o555)
    with as_nobody(path) as reader:
        said, _ = reader.communicate(timeout=30)
    assert said.startswith("cannot open: the file cannot be opened: unable to open database file")


@posix
def test_a_change_of_what_was_taken_as_unchanging_is_seen(public: Path) -> None:
    path = public / "d" / "a.db"
    with SQLiteStore(path) as store:
        store.set("k", b"1")
    path.parent.chmod(0o555)
    with as_nobody(path, "again") as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "b'1' ['k']\n"
        with SQLiteStore(path) as store:  # by one who may
            store.set("k", b"2")
        said, _ = reader.communicate("\n", timeout=30)
    assert said.splitlines()[0] == "b'2'"


def test_a_read_only_error_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SQLiteStore(tmp_path / "a.db").close()
    monkeypatch.setattr("os.access", lambda path, how: how == os.R_OK)
    with pytest.raises(ReadOnlyError, match=r"permission denied \(store sqlite:///.*a\.db\)"):
        SQLiteStore(tmp_path / "a.db")


# A file that is opened past SQLite

WRITE_ONCE = """
import sys
from omnizarr.store import SQLiteStore
with SQLiteStore(sys.argv[1], create=False) as store:
    print(store.get("k"))
    store.set("other", b"1")
"""


def other_writes(path: Path) -> str:
    command = [sys.executable, "-c", WRITE_ONCE, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@posix
def test_writes_go_to_the_log_that_others_read(tmp_path: Path) -> None:
    """A process that opens and closes the file loses SQLite's locks, and others then remove the log."""
    path = tmp_path / "a.db"
    with SQLiteStore(path) as store:
        store.set("k", b"1")
        path.read_bytes()
        assert other_writes(path) == "b'1'"
        assert not (tmp_path / "a.db-wal").exists()
        store.set("k", b"2")
        assert store.get("other") == b"1"
        assert other_writes(path) == "b'2'"


@posix
def test_a_write_to_a_log_that_was_removed_raises(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "a.db") as store:
        store.set("k", b"1")
        with (
            pytest.raises(StoreError, match="what was written may be lost"),
            store._file.writing("write") as lent,
        ):
            lent.execute("UPDATE zarr SET v = x'00'")
            (tmp_path / "a.db-wal").unlink()


def test_a_look_at_a_path_leaves_the_locks(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    (tmp_path / "link").symlink_to(path)
    assert not is_open(str(path))
    with SQLiteStore(path) as store:
        store.set("k", b"1")
        assert is_open(str(path))
        assert is_open(str(tmp_path / "link"))
        assert not is_open(str(tmp_path / "b.db"))
        with open_store(tmp_path / "link", mode="r") as other:
            assert other.get("k") == b"1"
        assert other_writes(path) == "b'1'"
        assert (tmp_path / "a.db-wal").exists()
    assert not is_open(str(path))
