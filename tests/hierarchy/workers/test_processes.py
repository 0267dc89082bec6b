"""Tasks in other processes: all are done, failures stop the others, and what was lost is done again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gates
import pytest

import omnizarr
from omnizarr.config import config
from omnizarr.errors import WorkersError
from omnizarr.hierarchy.workers.base import Task, Threads, Workers, workers_of
from omnizarr.hierarchy.workers.processes import Processes
from omnizarr.hierarchy.workers.sent import Sent
from omnizarr.hierarchy.workers.sight import Mark, Sight
from omnizarr.store.directories.directory import DirectoryStore
from omnizarr.store.layers.wrap import FaultStore
from omnizarr.store.memory import MemoryStore
from omnizarr.store.zips.zip import ZipStore

PEERS = Path(gates.__file__).parent


@pytest.fixture(scope="module")
def two() -> Iterator[Processes]:
    with Processes(2) as workers:
        yield workers


def tasks(work: Any, count: int, seen: list[int] | None = None) -> Iterator[Task]:
    sent = Sent(work)
    for number in range(count):
        if seen is not None:
            seen.append(number)
        yield Task(sent, number)


def results(workers: Workers, work: Any, count: int, **more: Any) -> list[Any]:
    taken: list[Any] = []
    workers.run(tasks(work, count), taken.append, **more)
    return taken


def test_all_tasks_are_done(two: Processes) -> None:
    for workers in (Threads(), two):
        assert sorted(results(workers, gates.double, 50, at_once=3)) == [2 * n for n in range(50)]
        assert results(workers, gates.double, 0) == []
    assert os.getpid() not in results(two, gates.process_of, 10)
    assert set(results(Threads(), gates.process_of, 10)) == {os.getpid()}


def test_the_first_failure_is_raised_and_no_more_is_begun(two: Processes) -> None:
    for workers in (Threads(), two):
        seen: list[int] = []
        with pytest.raises(ValueError, match="this one"):
            workers.run(tasks(gates.fail, 1000, seen), lambda _: None)
        assert len(seen) < 20
    assert results(two, gates.double, 3) != []


def test_ctrl_c_stops_and_leaves_the_processes_of_use(two: Processes) -> None:
    def interrupted() -> Iterator[Task]:
        yield from tasks(gates.double, 5)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        two.run(interrupted(), lambda _: None)
    assert sorted(results(two, gates.double, 3)) == [0, 2, 4]


def test_a_share_of_the_threads_and_the_settings_of_the_caller_go_along(two: Processes) -> None:
    with config.using(threads=7, max_chunk_bytes=12345):
        assert set(results(two, gates.threads_of, 3)) == {(3, 12345)}
    with config.using(threads=1):
        assert set(results(two, gates.threads_of, 3)) == {(1, config.max_chunk_bytes)}
    assert two.share(1000).memory == 1000


def test_tasks_of_a_killed_process_are_done_again(two: Processes, tmp_path: Path) -> None:
    assert sorted(results(two, gates.DieOnce(tmp_path), 12)) == list(range(12))
    assert (tmp_path / "died").exists()


@pytest.mark.slow
def test_a_task_that_ends_every_process_is_given_up(two: Processes) -> None:
    with pytest.raises(WorkersError, match="4 workers were lost with the same task"):
        results(two, gates.die, 1)


def test_what_cannot_be_sent_is_told(two: Processes) -> None:
    with pytest.raises(WorkersError, match="cannot be sent to other processes"):
        results(two, lambda item: item, 1)


def test_stores_that_only_this_process_reaches_are_refused_by_name(two: Processes, tmp_path: Path) -> None:
    with pytest.raises(WorkersError, match="2 processes cannot reach memory://here: it is in the memory of"):
        two.require(MemoryStore(name="memory://here"))
    store = ZipStore(tmp_path / "a.zip", mode="w")
    with pytest.raises(WorkersError, match=r"cannot reach .*a\.zip.*only one process may do"):
        two.require(store)
    store.close()
    directory = DirectoryStore(tmp_path)
    with pytest.raises(WorkersError, match=f"cannot reach {directory.name}"):
        two.require(FaultStore(directory, lambda operation, key: None))
    two.require(directory, ZipStore(tmp_path / "a.zip", mode="r"))


def test_a_worker_that_does_not_see_the_store_begins_nothing(two: Processes, tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path)
    store.set("key", b"value")
    mark = Mark.of(store, "key")
    assert mark is not None
    assert results(two, gates.double, 1, sight=Sent(Sight((mark,)))) == [0]
    for other, found in ((b"other", "another value"), (None, "nothing")):
        store.delete("key") if other is None else store.set("key", other)
        with pytest.raises(WorkersError, match=f"does not see {store.name}.*found {found}"):
            results(two, gates.DieOnce(tmp_path), 1, sight=Sent(Sight((mark,))))
    assert not (tmp_path / "died").exists()


def test_what_workers_are() -> None:
    assert isinstance(omnizarr.Processes(3), Workers)
    assert omnizarr.Processes(3).told == "3 processes"
    assert workers_of(2).told == "2 threads"
    for wrong in (0, -1):
        with pytest.raises(ValueError, match="workers: expected at least 1"):
            workers_of(wrong)
    with pytest.raises(ValueError, match="processes: expected at least 1"):
        Processes(0)
    for other in ("threads", 1.5, True):
        with pytest.raises(TypeError, match="workers: expected a number of threads, or workers, found"):
            workers_of(other)  # type: ignore[arg-type]


_ORPHANS = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
import gates
from omnizarr.hierarchy.workers.base import Task
from omnizarr.hierarchy.workers.processes import Processes
from omnizarr.hierarchy.workers.sent import Sent

if __name__ == "__main__":
    work = Sent(gates.Stay(Path(sys.argv[2])))
    Processes(2).run([Task(work, 0), Task(work, 1)], print)
"""


@pytest.mark.slow
def test_processes_end_with_the_one_that_was_killed(tmp_path: Path) -> None:
    script, folder = tmp_path / "script.py", tmp_path / "here"
    script.write_text(_ORPHANS)
    folder.mkdir()
    with subprocess.Popen([sys.executable, script, PEERS, folder]) as parent:
        gates.wait_for(lambda: len(gates.waiting(folder)) == 2)
        parent.send_signal(signal.SIGKILL)
    for pid in gates.waiting(folder):
        gates.wait_for(lambda pid=pid: not _is_alive(pid))


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"  # nobody may be there to take note of its end
