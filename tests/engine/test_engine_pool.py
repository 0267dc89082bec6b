"""Threads: order, errors, nesting and forks."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import pytest

from omnizarr.config import config
from omnizarr.engine.daemons import Daemons
from omnizarr.engine.pool import Stopped, run, until_stopped


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("batch", [1, 3])
def test_every_task_is_done_once(workers: int, batch: int) -> None:
    done: list[int] = []
    run(range(100), done.append, workers=workers, batch=batch)
    assert sorted(done) == list(range(100))


def test_the_calling_thread_takes_part() -> None:
    threads = set()

    def work(_: int) -> None:
        time.sleep(0.001)
        threads.add(threading.get_ident())

    run(range(50), work, workers=2)
    assert threading.get_ident() in threads
    assert len(threads) == 2


@pytest.mark.parametrize("workers", [1, 3])
def test_the_first_error_is_raised_and_ends_the_work(workers: int) -> None:
    done: list[int] = []

    def work(task: int) -> None:
        if task == 3:
            raise ValueError("task 3")
        done.append(task)

    with pytest.raises(ValueError, match="task 3"):
        run(range(10_000), work, workers=workers)
    assert len(done) < 10_000


def test_nested_runs_end() -> None:
    done: list[tuple[int, int]] = []

    def outer(i: int) -> None:
        run(range(20), lambda j: done.append((i, j)), workers=3)

    run(range(20), outer, workers=3)
    assert len(set(done)) == 400


def test_a_failing_iterator_is_an_error_too() -> None:
    def tasks():  # type: ignore[no-untyped-def]
        yield 1
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        run(tasks(), lambda _: None, workers=2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_makes_threads_of_its_own() -> None:
    run(range(10), lambda _: None, workers=3)
    child = os.fork()
    if child == 0:
        done: list[int] = []
        run(range(10), done.append, workers=3)
        os._exit(0 if len(done) == 10 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_all_threads_work_with_the_settings_of_the_caller() -> None:
    """Limits hold wherever a chunk is decoded."""
    seen: set[tuple[str, int]] = set()
    together = threading.Barrier(3)

    def work(_: int) -> None:
        together.wait(10)
        seen.add((threading.current_thread().name, config.max_chunk_bytes))

    with config.using(max_chunk_bytes=77):
        run(range(3), work, workers=3)
    assert {limit for _, limit in seen} == {77}
    assert len(seen) == 3


@pytest.mark.parametrize("workers", [1, 3])
def test_work_that_is_stopped_ends_between_tasks_and_is_tidied_up_behind(workers: int) -> None:
    stop = threading.Event()
    done: list[int] = []
    tidied: list[int] = []

    def work(task: int) -> None:
        done.append(task)
        if task == 5:
            stop.set()

    def outer() -> None:
        try:
            run(range(10_000), work, workers=workers)
        finally:
            run(range(3), tidied.append, workers=1)

    with pytest.raises(Stopped):
        until_stopped(stop, outer)
    assert 5 in done
    assert len(done) < 5000
    assert tidied == [0, 1, 2]
    run(range(3), tidied.append, workers=2)
    assert len(tidied) == 6


def test_what_is_stopped_within_other_work_stops_it_too() -> None:
    stop = threading.Event()
    stop.set()
    done: list[int] = []
    with pytest.raises(Stopped):
        until_stopped(stop, lambda: run([1], lambda _: run(range(5), done.append, workers=2), workers=1))
    assert done == []


def test_threads_are_as_many_as_asked_for_and_used_again() -> None:
    pool = Daemons("testing")
    names: set[str] = set()

    def work() -> None:
        time.sleep(0.001)
        names.add(threading.current_thread().name)

    for future in [pool.submit(3, work) for _ in range(50)]:
        future.result(10)
    assert 1 <= len(names) <= 3
    for _ in range(5):
        pool.submit(3, work).result(10)
    assert len(names) <= 3


def test_work_goes_on_where_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    monkeypatch.setattr("omnizarr.engine.pool._pools", {})
    done: list[int] = []
    run(range(10), done.append, workers=4)
    assert done == list(range(10))
    with pytest.raises(RuntimeError, match="start new thread"):
        Daemons("testing").submit(1, lambda: None)


def test_a_program_ends_though_a_thread_waits() -> None:
    code = """
import threading, time
from omnizarr.engine.pool import run
never, inside = threading.Event(), threading.Barrier(2)
def work(task):
    inside.wait(10)
    if threading.current_thread().name.startswith("omnizarr"):
        never.wait()
threading.Thread(target=run, args=(range(2), work), kwargs={"workers": 2}, daemon=True).start()
time.sleep(0.2)
print("end")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")
