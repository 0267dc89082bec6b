"""asyncio: many at once, several loops, cancellation, settings, errors."""

from __future__ import annotations

import asyncio
import gc
import pickle
import subprocess
import sys
import threading
import weakref
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import omnizarr
from omnizarr.config import config
from omnizarr.errors import NodeNotFoundError, NodeTypeError, SelectionError, StoreError
from omnizarr.integrations import aio
from omnizarr.store.layers.wrap import FaultStore, WrappedStore
from omnizarr.store.memory import MemoryStore

OURS = "omnizarr-aio"


class WaitingStore(WrappedStore):
    """A store on which some operations wait until they are let go."""

    def __init__(self, inner: MemoryStore, *operations: str) -> None:
        super().__init__(inner)
        self.operations = operations
        self.entered = threading.Semaphore(0)
        self.go = threading.Event()
        self.seen: list[str] = []

    def before(self, operation: str, key: str) -> None:
        if operation in self.operations:
            self.seen.append(key)
            self.entered.release()
            assert self.go.wait(30)


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(work, 30))


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.001)


def filled(store: Any, chunks: int = 8) -> omnizarr.Array:
    return omnizarr.create_array(store, data=np.arange(chunks * 4), chunks=4, compressors=None)


def test_arrays() -> None:
    async def work() -> None:
        group = await aio.create_group()
        array = await group.create_array("a/b", shape=(6, 4), chunks=(2, 2), dtype="i4", fill_value=-1)
        await array.set((slice(0, 2), ...), [[1, 2, 3, 4], [5, 6, 7, 8]])
        assert (await array[1]).tolist() == [5, 6, 7, 8]
        assert await array[0, 3] == 4
        assert (await array.get()).shape == array.shape == (6, 4)
        out = np.empty(4, "i4")
        assert await array.get(0, out=out) is out
        assert out.tolist() == [1, 2, 3, 4]
        assert (await array.oindex[[0, 1], [0, 3]]).tolist() == [[1, 4], [5, 8]]
        assert (await array.vindex[[0, 1], [0, 3]]).tolist() == [1, 8]
        assert (await array.blocks[0, 1]).tolist() == [[3, 4], [7, 8]]
        await array.oindex.set(([0, 1], 0), 9)
        await array.vindex.set(([0, 1], [1, 1]), 8)
        await array.blocks.set((0, 1), 0)
        assert (await array[:2]).tolist() == [[9, 8, 0, 0], [9, 8, 0, 0]]
        assert await array.append([[1, 1, 1, 1]]) == (7, 4)
        await array.resize((3, 4))
        assert (array.shape, array.chunks, array.dtype) == ((3, 4), (2, 2), np.dtype("i4"))
        await array.update_attributes({"units": "m"})
        assert array.attributes["units"] == "m"
        assert (array.path, array.name, array.metadata.shape) == ("a/b", "/a/b", (3, 4))
        places = [place async for place, _ in array.iter_blocks()]
        assert len(places) == 4
        assert repr(array) == "<aio.Array memory://" + repr(array.sync).partition("memory://")[2]

    run(work())


def test_structured_arrays() -> None:
    async def work() -> None:
        data = np.array([(1, 2.0), (3, 4.0)], [("a", "i4"), ("b", "f8")])
        array = await aio.create_array(data=data)
        assert (await array.get(fields="b")).tolist() == [2.0, 4.0]
        await array.set(..., [7, 8], fields="a")
        assert (await array.get())["a"].tolist() == [7, 8]

    run(work())


def test_groups() -> None:
    async def work() -> None:
        group = await aio.open_group({}, mode="w")
        for name in ("a", "b", "b/c", "b/c/d"):
            await group.create_group(name, attributes={"name": name})
        await group.create_array("b/x", shape=3, dtype="u1")
        assert [path async for path, _ in group.members()] == ["a", "b"]
        everything = {path: node async for path, node in group.members(max_depth=None)}
        assert set(everything) == {"a", "b", "b/c", "b/x", "b/c/d"}
        assert isinstance(everything["b/x"], aio.Array)
        assert isinstance(everything["b/c"], aio.Group)
        assert [name async for name in group.keys()] == ["a", "b"]  # noqa: SIM118
        assert await group.nmembers(None) == 5
        found = await group["b/c"]
        assert found == await group.getitem("b/c") == everything["b/c"]
        assert hash(found) == hash(everything["b/c"])
        assert found.attributes == {"name": "b/c"}
        assert await group.get("z") is None
        assert await group.get("z", group) is group
        assert (await group.get("b/x")) == everything["b/x"]
        assert await group.contains("b/c/d")
        await group.delitem("b/c")
        assert not await group.contains("b/c/d")
        assert (await group.require_group("new")).path == "new"
        assert group.metadata.attributes == {}
        await group.refresh()

    run(work())


def test_members_over_links_and_of_hundreds() -> None:
    async def work() -> None:
        group = await aio.create_group()
        for number in range(200):
            await run_sync(group, number)
        assert [path async for path, _ in group.members()] == sorted(f"g{n}" for n in range(200))
        assert len([1 async for _ in group.members(follow_links=True)]) == 200

    async def run_sync(group: aio.Group, number: int) -> None:
        await aio.run(group.sync.create_group, f"g{number}")

    run(work())


def test_iteration_goes_no_further_ahead_than_asked() -> None:
    asked: list[int] = []

    def numbers() -> Iterator[int]:
        for number in range(1000):
            asked.append(number)
            yield number

    async def work() -> None:
        async for number in aio.iterate(numbers, ahead=10):
            if number == 12:
                break

    run(work())
    assert len(asked) == 20


def test_iteration_keeps_the_settings_it_began_with() -> None:
    def limits() -> Iterator[int]:
        with config.using(max_shard_chunks=99):
            for _ in range(20):
                yield config.max_shard_chunks

    async def work() -> list[int]:
        return [limit async for limit in aio.iterate(limits, ahead=3)]

    assert run(work()) == [99] * 20


def test_open_and_close(tmp_path: Path) -> None:
    async def work() -> None:
        async with await aio.open(f"{tmp_path}/a.zip", mode="w") as group:
            assert isinstance(group, aio.Group)
            array = await aio.create_array(group, name="x", data=[1, 2, 3])
        async with await aio.open_array(f"{tmp_path}/a.zip", path="x", mode="r") as array:
            assert (await array[...]).tolist() == [1, 2, 3]
        async with await aio.open(f"{tmp_path}/a.zip", mode="r") as group:
            assert isinstance(await group["x"], aio.Array)
            assert isinstance(await aio.open(group, path="x", mode="r"), aio.Array)

    run(work())


def test_our_errors_come_through(tmp_path: Path) -> None:
    async def work() -> None:
        with pytest.raises(NodeNotFoundError, match="nothing"):
            await aio.open(tmp_path, mode="r")
        group = await aio.create_group()
        with pytest.raises(NodeNotFoundError):
            await group["nothing"]
        with pytest.raises(NodeTypeError, match="open_group"):
            await aio.open_array(group)
        array = await aio.create_array(data=[1, 2])
        with pytest.raises(SelectionError):
            await array[5]
        broken = FaultStore(filled(MemoryStore()).store, lambda operation, key: StoreError("no network"))
        with pytest.raises(StoreError, match="no network"):
            await aio.open(broken, mode="r")
        with pytest.raises(RuntimeError, match="StopIteration"):
            await aio.run(next, iter(()))
        with pytest.raises(ZeroDivisionError):
            await aio.run(divmod, 1, 0)

    run(work())


def test_hundreds_at_once_in_a_bounded_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("omnizarr.engine.pool._pools", {})
    names: set[str] = set()

    class Watched(WrappedStore):
        def before(self, operation: str, key: str) -> None:
            names.add(threading.current_thread().name)

    watched = omnizarr.open_array(Watched(filled(MemoryStore(), 200).store), mode="r+")
    names.clear()

    async def work() -> None:
        array = aio.Array(watched)
        found = await asyncio.gather(*(array[4 * n : 4 * n + 4] for n in range(200)))
        assert np.concatenate(found).tolist() == list(range(800))
        await asyncio.gather(*(array.set(slice(n, n + 1), -n) for n in range(800)))
        assert (await array.get()).tolist() == [-n for n in range(800)]

    with config.using(requests=5):
        run(work())
    assert {name.partition("_")[0] for name in names} == {OURS}
    assert len({name for name in names if name.startswith(OURS)}) <= 5


def test_the_loops_own_threads_stay_free() -> None:
    store = WaitingStore(MemoryStore(), "get")
    filled(store.inner)

    async def work() -> None:
        waiting = asyncio.ensure_future(aio.open(store, mode="r"))
        await until(lambda: len(store.seen) > 0)
        loop = asyncio.get_running_loop()
        assert await loop.run_in_executor(None, threading.current_thread) not in threads_of_ours()
        store.go.set()
        assert isinstance(await waiting, aio.Array)

    run(work())


def threads_of_ours() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith(OURS)]


def test_two_loops_in_two_threads() -> None:
    array = aio.Array(filled(MemoryStore(), 100))
    both = threading.Barrier(2)
    found: dict[int, list[int]] = {}

    def loop(number: int) -> None:
        async def work() -> None:
            both.wait(10)
            mine = [n for n in range(400) if n % 2 == number]
            await asyncio.gather(*(array.set(n, n + 1000) for n in mine))
            found[number] = [int(value) for value in await asyncio.gather(*(array[n] for n in mine))]

        run(work())

    threads = [threading.Thread(target=loop, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert found == {number: [n + 1000 for n in range(400) if n % 2 == number] for number in range(2)}
    assert array.sync[...].tolist() == list(range(1000, 1400))


def test_loops_one_after_another_use_the_same_handle() -> None:
    array = aio.Array(filled(MemoryStore()))
    assert [int(run(read(array, n))) for n in range(5)] == list(range(5))


async def read(array: aio.Array, selection: Any) -> Any:
    return await array[selection]


def test_settings_are_carried_over() -> None:
    async def work() -> None:
        array = aio.Array(omnizarr.create_array(shape=4, chunks=2, dtype="i1"))
        with config.using(missing_chunks="raise"), pytest.raises(omnizarr.errors.MissingChunkError):
            await array[...]
        assert (await array[...]).tolist() == [0, 0, 0, 0]
        with config.using(zarr_format=2):
            group = await aio.create_group()
        assert group.sync.zarr_format == 2

    run(work())


def test_settings_of_tasks_do_not_mix() -> None:
    async def one(limit: int) -> bool:
        with config.using(max_document_bytes=limit):
            await asyncio.sleep(0)
            return await aio.run(lambda: config.max_document_bytes) == limit

    async def work() -> list[bool]:
        return await asyncio.gather(*(one(limit) for limit in range(1, 200)))

    assert all(run(work()))


# Cancellation


@pytest.mark.parametrize("how", ["cancel", "timeout"])
def test_a_cancelled_coroutine_ends_at_once_and_its_thread_at_the_next_chunk(how: str) -> None:
    inner = MemoryStore()
    array = filled(inner)
    waiting = WaitingStore(inner, "get", "get_into", "reading")
    seen = aio.Array(omnizarr.Array(waiting, array.format, array.path, array.metadata))

    async def work() -> None:
        reading = asyncio.ensure_future(seen.get())
        await until(lambda: len(waiting.seen) > 0)
        if how == "cancel":
            reading.cancel()
            with pytest.raises(asyncio.CancelledError):
                await reading
        else:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await reading
        assert not waiting.go.is_set()
        waiting.go.set()
        assert (await aio.Array(array).get()).tolist() == list(range(32))

    with config.using(threads=1):
        run(work())
    assert len(waiting.seen) == 1


def test_what_is_cancelled_before_it_begins_never_does() -> None:
    async def work() -> None:
        gate = threading.Event()
        ran: list[int] = []
        with config.using(requests=1):
            first = [asyncio.ensure_future(aio.run(gate.wait, 30)) for _ in range(40)]
            late = asyncio.ensure_future(aio.run(ran.append, 1))
            await asyncio.sleep(0.01)
            late.cancel()
            with pytest.raises(asyncio.CancelledError):
                await late
            gate.set()
            await asyncio.gather(*first)
            assert await aio.run(lambda: 5) == 5
        assert ran == []

    run(work())


def test_a_cancelled_write_leaves_each_chunk_old_or_new() -> None:
    inner = MemoryStore()
    array = filled(inner, 50)
    waiting = WaitingStore(inner, "set")
    seen = aio.Array(omnizarr.Array(waiting, array.format, array.path, array.metadata))

    async def work() -> None:
        writing = asyncio.ensure_future(seen.set(..., np.arange(200) + 1000))
        await until(lambda: len(waiting.seen) > 0)
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        waiting.go.set()
        await until(lambda: bool((array[:4] == np.arange(4) + 1000).all()))
        # What was under way is whole, and nothing more is begun.
        found = array[...].reshape(50, 4)
        is_new = (found == np.arange(200).reshape(50, 4) + 1000).all(axis=1)
        is_old = (found == np.arange(200).reshape(50, 4)).all(axis=1)
        assert (is_new | is_old).all()
        assert is_new.sum() <= 2

    with config.using(threads=1):
        run(work())


def test_a_cancelled_creation_leaves_no_node_behind_that_is_broken() -> None:
    inner = MemoryStore()
    waiting = WaitingStore(inner, "set")

    async def work() -> None:
        making = asyncio.ensure_future(aio.create_array(waiting, name="x", data=np.ones(100), chunks=1))
        await until(lambda: len(waiting.seen) > 0)
        making.cancel()
        with pytest.raises(asyncio.CancelledError):
            await making
        waiting.go.set()

    run(work())
    for _, node in omnizarr.open_group(inner, mode="a").members():
        assert isinstance(node, omnizarr.Array)
        assert set(node[...].tolist()) <= {0.0, 1.0}


def test_cancelled_work_does_not_stop_other_work() -> None:
    inner = MemoryStore()
    array = filled(inner, 100)
    waiting = WaitingStore(inner, "get", "get_into", "reading")
    seen = aio.Array(omnizarr.Array(waiting, array.format, array.path, array.metadata))

    async def work() -> None:
        tasks = [asyncio.ensure_future(seen[4 * n : 4 * n + 4]) for n in range(100)]
        await until(lambda: len(waiting.seen) > 0)
        for task in tasks[::2]:
            task.cancel()
        waiting.go.set()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        for number, result in enumerate(found):
            if number % 2:
                assert result.tolist() == list(range(4 * number, 4 * number + 4))
            else:
                assert isinstance(result, asyncio.CancelledError)

    run(work())


def test_a_program_ends_though_a_cancelled_read_still_waits() -> None:
    code = """
import asyncio, threading
import numpy as np, omnizarr
from omnizarr.integrations import aio
from omnizarr.store.layers.wrap import WrappedStore
class Never(WrappedStore):
    requests = 8
    def __init__(self, inner):
        super().__init__(inner)
        self.requests = 8
    def before(self, operation, key):
        threading.Event().wait()
plain = omnizarr.create_array({}, data=np.arange(100), chunks=5)
array = aio.Array(omnizarr.Array(Never(plain.store), plain.format, plain.path, plain.metadata))
async def main():
    try:
        async with asyncio.timeout(0.1):
            await asyncio.gather(*(array[...] for _ in range(10)))
    except TimeoutError:
        print("timeout")
asyncio.run(main())
print("end")
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=30
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "timeout\nend\n", "")


def test_a_loop_that_is_closed_while_a_thread_works_is_no_error(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    gate, done = threading.Event(), threading.Event()

    def slow() -> None:
        gate.wait(30)
        done.set()

    async def work() -> None:
        task = asyncio.ensure_future(aio.run(slow))
        await asyncio.sleep(0.01)
        task.cancel()

    run(work())
    gate.set()
    assert done.wait(30)
    gc.collect()
    assert caplog.records == []
    assert capsys.readouterr() == ("", "")


def test_nothing_is_kept_of_what_is_done() -> None:
    class Large:
        pass

    async def work() -> weakref.ref[Large]:
        large = Large()
        seen = weakref.ref(large)
        assert await aio.run(lambda: large) is large
        return seen

    seen = run(work())
    gc.collect()
    assert seen() is None


def test_handles_are_pickled(tmp_path: Path) -> None:
    array = aio.Array(filled(tmp_path / "a"))
    again = pickle.loads(pickle.dumps(array))
    assert again == array
    assert run(read(again, slice(0, 3))).tolist() == [0, 1, 2]


def test_coroutines_are_awaitable_as_their_types_say() -> None:
    array = aio.Array(filled(MemoryStore()))
    waiting: Awaitable[Any] = array[0]
    assert asyncio.iscoroutine(waiting)
    run(waiting)
