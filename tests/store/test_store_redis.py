"""The store of a Redis server."""

from __future__ import annotations

import itertools
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from redis_servers import RedisServer, Way

import omnizarr
from omnizarr.errors import ReadOnlyError, StoreError
from omnizarr.store import From, Last, Span, Store
from omnizarr.store.databases import redis as redis_module
from omnizarr.store.databases import redis_place
from omnizarr.store.databases.redis import RedisStore, open_redis
from omnizarr.testing.store import StoreContract

redis = pytest.importorskip("redis")

PASSWORD = "very secret@/:?"
_numbers = itertools.count()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    try:
        running = RedisServer(tmp_path_factory.mktemp("redis"))
    except OSError as error:
        pytest.skip(f"no Redis server: {error}")
    yield running
    running.close()


@pytest.fixture
def way(server: RedisServer) -> Iterator[Way]:
    way = Way(server.port)
    yield way
    way.close()


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_place, "_FIRST_WAIT", 0.001)
    monkeypatch.setattr(redis_place, "_LONGEST_WAIT", 0.01)


def new_url(port: int) -> str:
    return f"redis://127.0.0.1:{port}/0/a b é [{next(_numbers)}]*"


def raw(server: RedisServer, database: int = 0) -> Any:
    return redis.Redis(port=server.port, db=database)


class TestRedisStore(StoreContract):
    @pytest.fixture(autouse=True)
    def port(self, server: RedisServer) -> None:
        self.port_number = server.port

    def make_store(self, tmp_path: Path) -> Store:
        return RedisStore(new_url(self.port_number))


# Requests


def commands(server: RedisServer, operation: Callable[[], object]) -> list[str]:
    """Return what the server was asked while an operation ran."""
    before = raw(server).info("commandstats")
    operation()
    after = raw(server).info("commandstats")
    calls = {
        name.removeprefix("cmdstat_"): said["calls"] - before.get(name, {"calls": 0})["calls"]
        for name, said in after.items()
    }
    ignored = ("info", "hello", "select", "client|setinfo", "client|setname", "client|maint_notifications")
    return sorted(name for name, count in calls.items() for _ in range(count) if name not in ignored)


def test_what_each_operation_asks(server: RedisServer) -> None:
    store = RedisStore(new_url(server.port))
    store.set("a/k", b"12345" * 100)

    def asked(operation: Callable[[], object]) -> str:
        return " ".join(commands(server, operation))

    assert asked(lambda: store.get("a/k")) == "get"
    assert asked(lambda: store.get("none")) == "get"
    for part in (Span(3, 4), From(3), Last(4), Span(0, 0)):
        for key in ("a/k", "none"):
            assert asked(lambda part=part, key=key: store.get(key, part)) == "exec exists getrange multi"
    assert asked(lambda: store.get_into("a/k", memoryview(bytearray(9)))) == "exec exists getrange multi"
    assert asked(lambda: store.get_ranges("a/k", [(0, 4), (9, 1)])) == "exec exists getrange getrange multi"
    assert asked(lambda: store.size("a/k")) == "exec exists multi strlen"
    assert asked(lambda: store.set("b", b"1")) == "set"
    assert asked(lambda: store.set_if_absent("b", b"1")) == "set"
    assert asked(lambda: store.update("b", lambda old: b"1")) == "exec get multi set watch"
    assert asked(lambda: store.delete("b")) == "unlink"
    assert asked(lambda: list(store.list_prefix())) == "scan"
    assert asked(store.list_dir) == "scan"
    assert asked(lambda: list(store.list_sizes())) == "exec exists multi scan strlen"
    assert asked(lambda: store.delete_many(["x", "y", "z"])) == "unlink"
    assert asked(lambda: store.delete_prefix("a/")) == "scan unlink"


def test_a_flat_listing_of_many_keys(server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_module, "_PAGE", 100)
    monkeypatch.setattr(RedisStore, "deletes_at_once", 70)
    store = RedisStore(f"redis://127.0.0.1:{server.port}/5/many")
    other = RedisStore(f"redis://127.0.0.1:{server.port}/5/manyother")
    other.set("k", b"")
    for n in range(1000):
        store.set(f"a/{n}", b"")
    keys = list(store.list_prefix())
    assert (len(keys), len(set(keys))) == (1000, 1000)
    assert sorted(store.list_sizes("a/")) == sorted((key, 0) for key in keys)
    store.delete_prefix("a/")
    assert list(store.list_prefix()) == []
    assert list(other.list_prefix()) == ["k"]


def test_signs_of_patterns_are_plain_names(server: RedisServer) -> None:
    url = f"redis://127.0.0.1:{server.port}/6"
    names = ("a*", "a?", "[ab]", "a\\", "ab", "^", "a]", "[^a]", "[", "a-b")
    stores = {name: RedisStore(url, storage_options={}) for name in names}
    for name, store in stores.items():
        store.set(f"{name}/k", name.encode())
    store = RedisStore(url)
    for name in names:
        assert list(store.list_prefix(f"{name}/")) == [f"{name}/k"]


# What others write


def test_values_of_zarr_python_2_are_read(server: RedisServer) -> None:
    """Which names them `prefix:key`, by SET, and keeps nothing else."""
    client = raw(server, 4)
    client.set("zarr:.zgroup", b'{"zarr_format": 2}')
    document = b'{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"<i4","compressor":null,"fill_value":0,'
    client.set("zarr:x/.zarray", document + b'"order":"C","filters":null}')
    client.set("zarr:x/1", np.array([7, 8], "<i4").tobytes())
    client.set("zarrother:x/2", b"of someone else")
    root = omnizarr.open_group(open_redis(f"redis://127.0.0.1:{server.port}/4/zarr:", "r", {}), mode="r")
    assert list(root.array_keys()) == ["x"]
    assert root["x"][:].tolist() == [0, 0, 7, 8]
    assert sorted(root.store.list_prefix()) == [".zgroup", "x/.zarray", "x/1"]


def test_names_that_are_no_keys_and_values_that_are_no_strings_are_passed_over(server: RedisServer) -> None:
    client = raw(server, 7)
    client.set("p/ok", b"1")
    client.set("p/../up", b"1")
    client.set(b"p/\xff", b"1")
    client.lpush("p/list", b"1")
    store = RedisStore(f"redis://127.0.0.1:{server.port}/7/p")
    assert list(store.list_prefix()) == ["ok"]
    for read in (lambda: store.get("list"), lambda: store.get("list", Last(2)), lambda: store.size("list")):
        with pytest.raises(StoreError, match=r"WRONGTYPE.*'list'"):
            read()


# Readers


def test_a_large_value_is_read_by_parts_as_long_as_it_stays(server: RedisServer) -> None:
    store = RedisStore(new_url(server.port))
    value = np.arange(2**18, dtype="<u4").tobytes()
    store.set("k", value)
    with store.reading("k") as reader:
        assert reader is not None
        assert commands(server, lambda: reader.get(Last(8))) == []
        for start in (0, 8, 2**18, 2**20 - 2**18 - 4):
            assert reader.get(Span(start, 16)) == value[start : start + 16]
        assert reader.get() == value
        out = bytearray(8)
        assert reader.get_into(memoryview(out), 4) == len(value) - 4
        assert out == value[4:12]
        assert reader.get_ranges([(0, 4), (2**20 - 2, 9), (2**21, 1)]) == [value[:4], value[-2:], b""]
        store.set("other", b"")
        assert reader.get(Span(0, 4)) == value[:4]
        store.set("k", value)
        with pytest.raises(StoreError, match=r"was replaced while.*'k'"):
            reader.get(Span(8, 8))
        with pytest.raises(StoreError, match="was replaced while"):
            reader.get(Span(8, 8))
    for change in (lambda: store.delete("k"), lambda: store.set("k", bytes(len(value)))):
        store.set("k", value)
        with store.reading("k") as reader:
            assert reader is not None
            change()
            with pytest.raises(StoreError, match="was replaced while"):
                reader.get()


def test_a_reader_gives_its_connection_back(server: RedisServer) -> None:
    store = RedisStore(new_url(server.port), storage_options={"max_connections": 2, "max_retries": 0})
    store.set("k", bytes(2**20))
    for _ in range(5):
        with store.reading("k") as reader:
            assert reader is not None
            assert reader.get(Span(0, 4)) == bytes(4)


# Faults


def reads(store: Store) -> tuple[Callable[[], object], ...]:
    return (
        lambda: store.get("k"),
        lambda: store.get("k", Span(0, 10**6)),
        lambda: store.get_into("k", memoryview(bytearray(10**6))),
        lambda: store.get_ranges("k", [(0, 5), (9, 10**6)]),
        lambda: store.size("k"),
        lambda: store.reading("k").__enter__(),
        lambda: list(store.list_prefix()),
    )


@pytest.mark.parametrize("cut", [0, 40, 300, 5000])
def test_a_connection_that_is_lost_is_made_again(server: RedisServer, way: Way, cut: int) -> None:
    """With `cut` bytes of answers the greeting, or a part of the value, has come."""
    url = new_url(way.port)
    value = bytes(range(256)) * 400
    RedisStore(url.replace(str(way.port), str(server.port))).set("k", value)
    expected = (value, value, len(value), [value[:5], value[9:]], len(value))
    for n, result in enumerate(expected):
        store = RedisStore(url)
        way.cuts = [cut, cut]
        assert reads(store)[n]() == result


@pytest.mark.parametrize("cut", [0, 40, 300, 5000])
def test_a_connection_that_stays_lost_raises_and_never_fills(server: RedisServer, way: Way, cut: int) -> None:
    url = new_url(server.port)
    array = omnizarr.create_array(
        RedisStore(url), shape=(25_000,), chunks=(25_000,), dtype="i4", fill_value=-1, compressors=None
    )
    array[:] = 7
    RedisStore(url).set("k", bytes(range(256)) * 400)
    lost = url.replace(str(server.port), str(way.port))
    options = {"max_retries": 2}
    array = omnizarr.open_array(open_redis(lost, "a", options), mode="r")
    array.store.inner.place.client.connection_pool.disconnect()
    way.always = cut
    with pytest.raises(StoreError, match=r"c/0"):
        array[:]
    for n in range(len(reads(array.store)) if cut < 300 else 4):
        store = RedisStore(lost, storage_options=options)
        way.made = 0
        with pytest.raises(StoreError, match=r"127\.0\.0\.1"):
            reads(store)[n]()
        assert way.made == 3
    way.always = None
    assert set(array[:].tolist()) == {7}


def test_a_server_that_is_started_again(tmp_path: Path) -> None:
    try:
        server = RedisServer(tmp_path, "--appendonly", "yes")
    except OSError as error:
        pytest.skip(f"no Redis server: {error}")
    store = RedisStore(f"redis://127.0.0.1:{server.port}/0/a")
    try:
        store.set("k", b"1")
    finally:
        server.close()
    with pytest.raises(StoreError, match=r"cannot read: .*refused"):
        store.get("k")
    server = RedisServer(tmp_path, "--appendonly", "yes", port=server.port)
    try:
        assert store.get("k") == b"1"
        store.update("k", lambda old: (old or b"") + b"2")
        assert store.get("k") == b"12"
    finally:
        server.close()


def answered(way: Way, operation: Callable[[RedisStore], object], url: str) -> int:
    """Return how many bytes of answers an operation takes, with those of the greeting."""
    way.carried = 0
    store = RedisStore(url)
    operation(store)
    store.close()
    return way.carried


def test_a_server_that_is_still_loading_is_asked_again(
    server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = RedisStore(new_url(server.port))
    store.set("k", b"1")
    said = [redis.BusyLoadingError("loading"), redis.BusyLoadingError("loading")]
    get = store.place.client.get

    def busy(name: str) -> object:
        if said:
            raise said.pop()
        return get(name)

    monkeypatch.setattr(store.place.client, "get", busy)
    assert store.get("k") == b"1"
    assert said == []


def test_an_update_whose_answer_is_lost_is_made_once(server: RedisServer, way: Way) -> None:
    """Whatever number of bytes of answers comes before the connection ends."""
    url = new_url(way.port)
    direct = RedisStore(url.replace(str(way.port), str(server.port)))

    def count(store: RedisStore) -> None:
        store.update("n", lambda old: b"%d" % (int(old or b"0") + 1))

    total = answered(way, count, url)
    for cut in [0, 9, *range(total - 50, total)]:
        direct.set("n", b"5")
        way.cuts = [cut]
        store = RedisStore(url)
        count(store)
        store.close()
        assert direct.get("n") == b"6"


def test_a_first_write_whose_answer_is_lost_is_not_told_as_someone_elses(
    server: RedisServer, way: Way
) -> None:
    url = new_url(way.port)
    direct = RedisStore(url.replace(str(way.port), str(server.port)))
    total = answered(way, lambda store: store.set_if_absent("k", b"1"), url)
    said = []
    for cut in (0, total - 20, total - 4, total - 1):
        direct.delete("k")
        way.cuts = [cut]
        store = RedisStore(url)
        try:
            said.append(store.set_if_absent("k", b"1"))
        except StoreError as error:
            assert "it may be this one" in str(error)
            said.append("unsure")
        store.close()
        assert direct.get("k") == b"1"
    assert said == [True, True, "unsure", "unsure"]


def test_a_full_server_refuses(server: RedisServer, tmp_path: Path) -> None:
    full = RedisServer(tmp_path, "--maxmemory", "3mb", "--maxmemory-policy", "noeviction")
    try:
        store = RedisStore(f"redis://127.0.0.1:{full.port}/0/a")
        store.set("k", b"old")
        with pytest.raises(StoreError, match="maxmemory"):
            for n in range(20):
                store.set(f"c/{n}", bytes(2**20))
        assert store.get("k") == b"old"
    finally:
        full.close()


def test_a_replica_is_for_reading(server: RedisServer, tmp_path: Path) -> None:
    replica = RedisServer(tmp_path, "--replicaof", "127.0.0.1", str(server.port))
    try:
        store = RedisStore(f"redis://127.0.0.1:{replica.port}/0/a")
        with pytest.raises(ReadOnlyError, match="read only replica"):
            store.set("k", b"1")
    finally:
        replica.close()


def test_a_value_has_512_mib_at_most(server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    assert redis_module.MOST_BYTES == 512 * 2**20
    monkeypatch.setattr(redis_module, "MOST_BYTES", 99)
    store = RedisStore(new_url(server.port))
    writes: tuple[Callable[[], object], ...] = (
        lambda: store.set("k", bytes(100)),
        lambda: store.set_if_absent("k", np.zeros(25, "i4").data),
        lambda: store.update("k", lambda old: bytearray(100)),
    )
    for write in writes:
        with pytest.raises(StoreError, match=r"at most 99 bytes, found 100.*'k'"):
            write()
    assert store.get("k") is None
    store.set("k", bytes(99))


# Places


@pytest.mark.parametrize(
    ("url", "name", "prefix"),
    [
        ("redis://host", "redis://host/0", ""),
        ("redis://host:1/", "redis://host:1/0", ""),
        ("redis://host:1/2", "redis://host:1/2", ""),
        ("redis://host:1/2/a%20b/c/", "redis://host:1/2/a b/c", "a b/c/"),
        ("redis://host:1/2/zarr:", "redis://host:1/2/zarr:", "zarr:"),
        ("redis://me:pass@host:1?db=2&prefix=a/b", "redis://host:1/2/a/b", "a/b/"),
        ("rediss://me:pass@[::1]:1/2?prefix=a", "rediss://[::1]:1/2/a", "a/"),
        ("unix:///run/redis.sock", "unix:///run/redis.sock?db=0", ""),
        ("unix://:pass@/run/s?db=1&prefix=a", "unix:///run/s?db=1&prefix=a", "a/"),
    ],
)
def test_urls(url: str, name: str, prefix: str) -> None:
    store = RedisStore(url)
    assert (store.name, store.place.prefix) == (name, prefix)
    assert "pass" not in repr(store)
    again = pickle.loads(pickle.dumps(store))
    assert (again.name, again.place.prefix) == (name, prefix)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("redis://u:pass@host/data.zarr", r"expected the number of a database, found 'data.zarr'"),
        ("redis://u:pass@host/0?password=pass", "found password in the URL"),
        ("redis://u:pass@host/0/a?db=0", "says db in its path and in its query"),
        ("redis://u:pass@host/0/a?prefix=b", "says prefix in its path and in its query"),
        ("unix://?db=0", "expected redis://"),
        ("unix:///s?db=x", "found 'x'"),
        ("http://u:pass@host", "expected redis://"),
    ],
)
def test_urls_that_are_none(url: str, message: str) -> None:
    with pytest.raises(StoreError, match=message) as caught:
        RedisStore(url)
    assert "u:pass" not in str(caught.value)


@pytest.mark.parametrize("options", [{"bogus": "pass"}, {"max_retries": -1}, {"max_retries": "1"}])
def test_options_that_are_none(options: dict[str, object]) -> None:
    with pytest.raises(StoreError, match=next(iter(options))) as caught:
        RedisStore("redis://host/0", storage_options=options)
    assert "pass" not in str(caught.value)


def test_passwords_are_used_and_never_shown(tmp_path: Path) -> None:
    try:
        server = RedisServer(tmp_path, "--requirepass", PASSWORD)
    except OSError as error:
        pytest.skip(f"no Redis server: {error}")
    try:
        quoted = "".join(f"%{ord(sign):02x}" for sign in PASSWORD)
        place = f"127.0.0.1:{server.port}/0"
        for store in (
            RedisStore(f"redis://:{quoted}@{place}"),
            RedisStore(f"redis://{place}", storage_options={"password": PASSWORD}),
            RedisStore(f"unix://:{quoted}@{server.socket}?db=0"),
        ):
            store.set("k", b"1")
            assert pickle.loads(pickle.dumps(store)).get("k") == b"1"
            assert "secret" not in repr(store) + store.name
        for url in (f"redis://:{quoted}x@{place}", f"redis://{place}"):
            with pytest.raises(StoreError) as caught:
                RedisStore(url).get("k")
            assert "secret" not in str(caught.value)
    finally:
        server.close()


def test_text_is_never_made_of_values(server: RedisServer) -> None:
    store = RedisStore(new_url(server.port), storage_options={"decode_responses": True})
    store.set("k", b"\xff")
    assert store.get("k") == b"\xff"


def test_modes(server: RedisServer) -> None:
    url = new_url(server.port)
    open_redis(url, "a", {}).set("k", b"1")
    reader = open_redis(url, "r", {"socket_timeout": 3})
    for store in (reader, pickle.loads(pickle.dumps(reader))):
        assert store.get("k") == b"1"
        with pytest.raises(ReadOnlyError):
            store.set("k", b"2")


def test_a_socket(server: RedisServer) -> None:
    store = RedisStore(f"unix://{server.socket}?db=3&prefix=p:")
    store.set("a/b", b"1")
    assert (store.get("a/b", Last(1)), list(store.list_prefix())) == (b"1", ["a/b"])
    assert raw(server, 3).get("p:a/b") == b"1"


def test_what_leads_to_it(server: RedisServer) -> None:
    place = f"127.0.0.1:{server.port}/8/opened"
    group = omnizarr.open_group(f"redis://{place}", mode="w", storage_options={"max_retries": 1})
    assert isinstance(group.store, RedisStore)
    group.create_array("x", shape=(4,), chunks=(2,), dtype="i4")[:] = 7
    for url in (
        f"redis://{place}",
        f"unix://{server.socket}?db=8&prefix=opened",
        f"redis://{place}#mode=zarr",
    ):
        assert omnizarr.open(url, mode="r")["x"][1:3].tolist() == [7, 7]
    assert omnizarr.open(f"redis://{place}/x", mode="r")[:].tolist() == [7] * 4
    with pytest.raises(KeyError) as caught:
        omnizarr.open(f"redis://{place}/nothing", mode="r")
    assert "redis://127.0.0.1" in str(caught.value)


# Writers


def test_another_writer_in_between_is_noticed(server: RedisServer) -> None:
    url = new_url(server.port)
    store, turns = RedisStore(url), iter([b"b", b"c"])

    def change(old: bytes | None) -> bytes:
        if (between := next(turns, None)) is not None:
            raw(server).set(store.place.prefix + "k", between)
        return (old or b"") + b"!"

    store.set("k", b"a")
    store.update("k", change)
    assert store.get("k") == b"c!"


def test_others_that_always_write_in_between_end_an_update(
    server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_module, "_TRIES", 3)
    store = RedisStore(new_url(server.port))

    def change(old: bytes | None) -> bytes:
        raw(server).set(store.place.prefix + "k", os.urandom(8))
        return b"mine"

    with pytest.raises(StoreError, match=r"others wrote between each of 3 tries.*'k'"):
        store.update("k", change)
    assert store.get("k") != b"mine"


WRITE = """
import multiprocessing, sys
import omnizarr
from omnizarr.store.databases.redis import RedisStore
store = RedisStore(sys.argv[1])
root = omnizarr.open_group(store, mode="r+")
forking = multiprocessing.get_context("fork")
gate = forking.Barrier(8)

def write(name):
    gate.wait(30)
    root["disjoint"][name * 40 : name * 40 + 40] = name + 1
    root["shared"][name * 5 : name * 5 + 5] = name + 1
    won = 0
    for n in range(30):
        store.update("n", lambda old: b"%d" % (int(old or b"0") + 1))
        won += store.set_if_absent(f"once/{n}", b"")
    return won

with forking.Pool(8) as pool:
    print(sum(pool.map(write, range(8), 1)))
"""


def test_eight_processes_lose_nothing(server: RedisServer) -> None:
    """Which use a store, and its connections, that was made before the fork."""
    url = new_url(server.port)
    store = RedisStore(url)
    root = omnizarr.open_group(store, mode="w")
    root.create_array("disjoint", shape=(320,), chunks=(10,), dtype="i4", fill_value=0)
    root.create_array("shared", shape=(40,), chunks=(40,), dtype="i4", fill_value=0)
    won = subprocess.run([sys.executable, "-c", WRITE, url], capture_output=True, text=True, timeout=120)
    assert (won.stdout, won.stderr) == ("30\n", "")
    names = np.arange(1, 9)
    np.testing.assert_array_equal(root["disjoint"][:], np.repeat(names, 40))
    np.testing.assert_array_equal(root["shared"][:], np.repeat(names, 5))
    assert store.get("n") == b"240"


def test_threads_share_a_store(server: RedisServer) -> None:
    store = RedisStore(new_url(server.port))
    for n in range(8):
        store.set(f"k{n}", bytes([n]) * 10_000)
    with ThreadPoolExecutor(8) as pool:
        for n, value in enumerate(pool.map(lambda n: store.get(f"k{n % 8}", Span(0, 9_999)), range(200))):
            assert value == bytes([n % 8]) * 9_999
