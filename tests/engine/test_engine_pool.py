"""Threads: order, errors, nesting and forks."""

from __future__ import annotations

import os
import threading
import time

import pytest

from omnizarr.engine.pool import run


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
