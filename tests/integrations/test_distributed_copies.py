"""Copies and checks by the workers of a dask cluster: two processes, to a directory and to an S3 server."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dask
import gates
import numpy as np
import pytest
import worked_samples as sample
from click.testing import CliRunner
from clusters import local_cluster
from distributed import Client
from object_servers import KEY, SECRET, s3_front

import omnizarr
from omnizarr import netcdf
from omnizarr.cli.main import cli
from omnizarr.errors import CodecError, WorkersError
from omnizarr.hierarchy.copying.journal import JOURNAL
from omnizarr.hierarchy.workers.base import Task
from omnizarr.hierarchy.workers.sent import Sent
from omnizarr.integrations.distributed import Cluster
from omnizarr.store.base import Store
from omnizarr.store.directories.directory import DirectoryStore
from omnizarr.store.memory import MemoryStore
from omnizarr.store.objects.objects import ObjectStore

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of workers that were killed


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with local_cluster(2) as found:
        yield found


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> DirectoryStore:
    store = DirectoryStore(tmp_path_factory.mktemp("source"))
    sample.make(store)
    return store


@pytest.fixture(scope="module")
def expected(source: DirectoryStore, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes | None]:
    target = DirectoryStore(tmp_path_factory.mktemp("expected"))
    sample.copy(source, target)
    return sample.contents(target)


@pytest.fixture(scope="module")
def bucket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], ObjectStore]]:
    with s3_front(tmp_path_factory.mktemp("s3")) as front:
        options = {
            "endpoint": f"http://127.0.0.1:{front.port}",
            "allow_http": True,
            "region": "us-east-1",
            "access_key_id": KEY,
            "secret_access_key": SECRET,
        }
        yield lambda name: ObjectStore(f"s3://bucket/{name}", storage_options=options)


def killing(folder: Path, killed: list[int]) -> threading.Thread:
    """Kill the first worker that waits at a gate, and let the others go."""
    folder.mkdir()

    def kill() -> None:
        gates.wait_for(lambda: gates.waiting(folder))
        killed.extend(gates.waiting(folder)[:1])
        os.kill(killed[0], signal.SIGKILL)
        (folder / gates.GO).touch()

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


def interrupt(done: int, total: int) -> None:
    if done > total // 3:
        raise KeyboardInterrupt


def test_a_copy_by_a_cluster_is_the_one_by_threads(
    client: Client, source: DirectoryStore, expected: dict[str, bytes | None], tmp_path: Path
) -> None:
    target = DirectoryStore(tmp_path / "b")
    report = sample.copy(source, target, workers=Cluster(client))
    assert sample.contents(target) == expected
    assert report.arrays == 27 and report.moved.chunks > 50 and report.moved.recoded_bytes > 500_000
    assert client.status == "running"


def test_a_worker_is_killed_while_it_writes_to_s3(
    client: Client,
    source: DirectoryStore,
    expected: dict[str, bytes | None],
    bucket: Callable[[str], ObjectStore],
    tmp_path: Path,
) -> None:
    target = bucket("killed")
    killed: list[int] = []
    thread = killing(tmp_path / "gate", killed)
    sample.copy(source, gates.GateStore(target, tmp_path / "gate"), workers=Cluster(client, 2))
    thread.join()
    assert killed and killed[0] != os.getpid()
    assert sample.contents(target) == expected


def test_a_copy_from_s3_that_was_interrupted_goes_on(
    client: Client, source: DirectoryStore, expected: dict[str, bytes | None], bucket: Any, tmp_path: Path
) -> None:
    far, target = bucket("source"), DirectoryStore(tmp_path / "b")
    omnizarr.copy(source, far)
    with Cluster(client) as cluster:
        with pytest.raises(KeyboardInterrupt):
            sample.copy(far, target, workers=cluster, progress=interrupt)
        assert target.exists(JOURNAL)
        report = sample.copy(far, target, workers=cluster)
    assert report.resumed
    assert sample.contents(target) == expected
    # One value of the source is another by now: nothing is kept.
    other = DirectoryStore(tmp_path / "c")
    with pytest.raises(KeyboardInterrupt):
        sample.copy(far, other, progress=interrupt)
    omnizarr.open(far)["moved"][:4] = 3
    assert not sample.copy(far, other).resumed
    assert set(np.ravel(omnizarr.open(other, mode="r")["moved"][:4])) == {3}


def test_a_failure_stops_the_rest_and_is_our_own_error(client: Client, tmp_path: Path) -> None:
    array = omnizarr.create_array(tmp_path / "a", data=np.arange(1000), chunks=(10,))
    array.store.set("c/3", b"no chunk")
    said = []
    for workers in (None, Cluster(client)):
        with pytest.raises(CodecError) as caught:
            omnizarr.copy(array, tmp_path / f"b{len(said)}", chunks=20, workers=workers)
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_what_only_one_process_reaches_is_refused(client: Client, tmp_path: Path) -> None:
    store: Store = MemoryStore(name="memory://only")
    omnizarr.create_array(store, data=np.arange(3))
    with Cluster(client) as cluster:
        with pytest.raises(WorkersError, match="2 workers of a cluster cannot reach memory://only"):
            omnizarr.copy(store, tmp_path / "b", workers=cluster)
        with pytest.raises(WorkersError, match=r"cannot reach .*b\.zip"):
            omnizarr.copy(
                omnizarr.create_array(tmp_path / "a", data=[1]), tmp_path / "b.zip", workers=cluster
            )
    assert not (tmp_path / "b").exists()


def test_a_check_by_a_cluster_finds_the_same(client: Client, tmp_path: Path) -> None:
    root = omnizarr.create_group(tmp_path / "a")
    plain = root.create_array("c", data=np.arange(100.0), chunks=(5,))
    root.create_array("s", shape=(40, 10), chunks=(1, 10), shards=(10, 10), dtype="i4")[...] = 1
    for number in (1, 4, 7):
        plain.store.set(f"c/c/{number}", b"damaged")
    plain.store.set("s/c/1/0", b"no shard")
    reports = [
        omnizarr.validate(tmp_path / "a", level="data", workers=workers) for workers in (1, Cluster(client))
    ]
    assert reports[0] == reports[1]
    assert reports[0].counts == {"chunk": 3, "shard": 1} and reports[0].chunks == 24


def test_a_netcdf_file_becomes_zarr_by_a_cluster(client: Client, tmp_path: Path) -> None:
    with netcdf.Dataset(tmp_path / "a.nc", "w") as file:
        file.createDimension("x", 1000)
        file.createVariable("v", "f4", ("x",), zlib=True, chunksizes=(50,))[:] = np.arange(1000)
    for name, workers in (("threads", None), ("cluster", Cluster(client))):
        netcdf.convert(tmp_path / "a.nc", tmp_path / name, workers=workers)
    ours, theirs = (sample.contents(DirectoryStore(tmp_path / name)) for name in ("threads", "cluster"))
    assert ours == theirs


def test_the_command_line(client: Client, source: DirectoryStore, tmp_path: Path) -> None:
    address = client.scheduler.address
    assert address.startswith("tcp://127.0.0.1:")
    target = str(tmp_path / "b")
    ran = CliRunner().invoke(
        cli, ["copy", "--scheduler", address, "--workers", "2", source.root, target, "--chunks", "moved=8,64"]
    )
    assert ran.exit_code == 0, ran.output
    assert "copied 3 groups, 27 arrays" in ran.stdout and "moved without decoding" in ran.stdout
    file = tmp_path / "scheduler.json"
    file.write_text(json.dumps({"address": address}))
    for scheduler in (address, str(file), "processes", "threads"):
        checked = CliRunner().invoke(cli, ["validate", "--data", "--scheduler", scheduler, target])
        # The note beside the hierarchy belongs to no node.
        assert (checked.exit_code, checked.stdout) == (1, "orphan: /: notes.txt: belongs to no node\n")


def test_nobody_there_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, client: Client) -> None:
    omnizarr.create_array(tmp_path / "a", data=[1])
    for scheduler, said in (
        ("nonsense", "expected the address of a scheduler"),
        ("tcp://127.0.0.1:1", "no dask"),
    ):
        with pytest.raises(WorkersError, match=said), Cluster(scheduler, timeout=0.5):
            pass
    file = tmp_path / "scheduler.json"
    for text in ("{", "[]", '{"type": "Scheduler"}'):
        file.write_text(text)
        with pytest.raises(WorkersError, match="names the address"), Cluster(file, timeout=0.5):
            pass
    gone = Client(client.scheduler.address, set_as_default=False)
    gone.close()
    with (
        pytest.raises(WorkersError, match="a client that is connected, found one that is closed"),
        Cluster(gone),
    ):
        pass
    with (
        pytest.raises(WorkersError, match=r"expected 3 workers within 0\.1 s, found 2"),
        Cluster(client, 3, timeout=0.1),
    ):
        pass
    monkeypatch.setattr("omnizarr.integrations.distributed.__version__", "0.0.1")
    with pytest.raises(WorkersError, match=r"has omnizarr \d.*, expected 0\.0\.1 as here"), Cluster(client):
        pass


@pytest.mark.slow
def test_a_task_that_ends_every_worker_is_given_up() -> None:
    settings = {"distributed.scheduler.allowed-failures": 0}
    with dask.config.set(settings), local_cluster(1) as alone, Cluster(alone) as cluster:
        tasks = [Task(Sent(gates.die), 0)]
        with pytest.raises(WorkersError, match="workers were lost with the same task"):
            cluster.run(tasks, lambda _: None)


def test_what_a_task_may_take(client: Client) -> None:
    with Cluster(client) as cluster:
        share = cluster.share(2**20)
        assert (share.memory, share.threads, share.slots, share.apart) == (2**20, 1, 2, True)
        limits = [w["memory_limit"] for w in client.scheduler_info(n_workers=-1)["workers"].values()]
        assert cluster.share(2**60).memory == min(limits) // 2
    with Cluster(client, 1) as cluster:
        assert cluster.slots == 1
