"""The locks by which stores keep the writers of a process apart."""

from __future__ import annotations

import os
import threading
import warnings

import pytest

from omnizarr.store.base import KeyLocks


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_does_not_wait_for_locks_that_another_thread_held() -> None:
    locks = KeyLocks()
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with locks.all():
            held.set()
            done.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn of forks beside threads
        child = os.fork()
    if child == 0:
        taken = locks.of("a").acquire(timeout=20)  # type: ignore[attr-defined]
        os._exit(0 if taken else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert not locks.of("a").acquire(blocking=False)  # type: ignore[attr-defined]
    done.set()
    holder.join()


def test_distinct_keys_of_one_lock_wait_for_one_another_and_a_thread_may_take_it_twice() -> None:
    locks = KeyLocks(1)
    with locks.of("a"), locks.of("b"), locks.all():
        waiting = threading.Thread(target=locks.of("c").__enter__)
        waiting.daemon = True
        waiting.start()
        waiting.join(0.05)
        assert waiting.is_alive()
