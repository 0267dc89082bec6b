"""PUT and DELETE: what they change, on which conditions, and what of a body is taken."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from serving import Asking, asking

import omnizarr
from omnizarr.serve.app import make_app
from omnizarr.serve.inside import served
from omnizarr.serve.options import ServeOptions
from omnizarr.serve.roots import Root
from omnizarr.store import CountingStore, DirectoryStore, MemoryStore, ReadOnlyStore, SQLiteStore, Store


@pytest.fixture(params=["memory", "directory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    made = {
        "memory": MemoryStore,
        "directory": lambda: DirectoryStore(tmp_path),
        "sqlite": lambda: SQLiteStore(tmp_path / "d.sqlite"),
    }
    with made[request.param]() as store:
        yield store


@pytest.fixture
def ask(store: Store) -> Asking:
    return asking(store, writable=True)


def tag_of(ask: Asking, key: str) -> str:
    return ask("HEAD", f"/data/d/{key}").headers["etag"]


def test_put_stores_a_value_and_delete_removes_it(ask: Asking, store: Store) -> None:
    assert ask("PUT", "/data/d/a/v", body=[b"on", b"", b"e"]).status == 201
    assert store.get("a/v") == b"one"
    assert ask("PUT", "/data/d/a/v", body=b"two").status == 204
    assert store.get("a/v") == b"two"
    assert ask("DELETE", "/data/d/a/v").status == 204
    assert store.get("a/v") is None
    assert ask("DELETE", "/data/d/a/v").status == 404
    assert ask("PUT", "/data/d/empty").status == 201
    assert store.get("empty") == b""


def test_only_one_makes_a_value(ask: Asking, store: Store) -> None:
    only_new = {"If-None-Match": "*"}
    assert ask("PUT", "/data/d/v", only_new, b"1").status == 201
    assert ask("PUT", "/data/d/v", only_new, b"2").status == 412
    assert store.get("v") == b"1"


def test_a_value_is_replaced_as_long_as_it_is_the_one_that_was_read(ask: Asking, store: Store) -> None:
    store.set("v", b"1")
    seen = {"If-Match": tag_of(ask, "v")}
    assert ask("PUT", "/data/d/v", seen, b"22").status == 204
    assert ask("PUT", "/data/d/v", seen, b"333").status == 412
    assert ask("DELETE", "/data/d/v", seen).status == 412
    assert store.get("v") == b"22"
    assert ask("DELETE", "/data/d/v", {"If-Match": tag_of(ask, "v")}).status == 204
    assert store.get("v") is None


def test_conditions_on_what_is_not_there(ask: Asking, store: Store) -> None:
    for method in ("PUT", "DELETE"):
        assert ask(method, "/data/d/v", {"If-Match": "*"}, b"1").status == 412
        assert ask(method, "/data/d/v", {"If-Match": '"x"'}, b"1").status == 412
    assert ask("DELETE", "/data/d/v", {"If-None-Match": '"x"'}).status == 404
    assert store.get("v") is None
    assert ask("PUT", "/data/d/v", {"If-None-Match": '"x"'}, b"1").status == 201


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_a_date_is_too_coarse_to_write_by(ask: Asking, store: Store, method: str) -> None:
    store.set("v", b"1")
    assert ask(method, "/data/d/v", {"If-Unmodified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"}).status == 412
    assert store.get("v") == b"1"


def test_a_value_that_the_client_excludes_stays(ask: Asking, store: Store) -> None:
    store.set("v", b"1")
    tag = tag_of(ask, "v")
    assert ask("PUT", "/data/d/v", {"If-None-Match": tag}, b"2").status == 412
    assert ask("DELETE", "/data/d/v", {"If-None-Match": "*"}).status == 412
    assert store.get("v") == b"1"
    assert ask("PUT", "/data/d/v", {"If-None-Match": '"x"'}, b"2").status == 204


def test_of_many_conditional_writers_each_loses_nothing(ask: Asking, store: Store) -> None:
    store.set("count", b"0")

    def add() -> None:
        for _ in range(5):
            while True:
                found = ask.get("/data/d/count")
                more = str(int(found.body) + 1).encode()
                if ask("PUT", "/data/d/count", {"If-Match": found.headers["etag"]}, more).status == 204:
                    break

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.get("count") == b"20"


@pytest.mark.parametrize(
    "target", ["/data/d/", "/data/d/a/", "/data/d/../x", "/data/d/%2e%2e/x", "/data/d/.a.partial"]
)
@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_what_is_no_key_is_not_written(ask: Asking, store: Store, method: str, target: str) -> None:
    assert ask(method, target, body=b"1").status == 400
    assert list(store.list_prefix()) == []


def test_keys_that_cannot_be_are_conflicts(tmp_path: Path) -> None:
    ask = asking(DirectoryStore(tmp_path), writable=True)
    assert ask("PUT", "/data/d/a/b", body=b"1").status == 201
    assert ask("PUT", "/data/d/a", body=b"1").status == 409
    assert ask("PUT", "/data/d/a/b/c", body=b"1").status == 409
    assert ask("PUT", f"/data/d/{'n' * 300}", body=b"1").status == 400


def test_a_store_for_reading_is_not_written() -> None:
    ask = asking(ReadOnlyStore(MemoryStore()), writable=True)
    assert ask("PUT", "/data/d/v", body=b"1").status == 405


def test_a_link_out_of_the_directory_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "d" / "link").symlink_to(tmp_path / "other")
    ask = asking(served(DirectoryStore(tmp_path / "d")), writable=True)
    assert ask("PUT", "/data/d/link/v", body=b"1").status == 403
    assert ask("DELETE", "/data/d/link/v").status == 403
    assert ask("PUT", "/data/d/.git/config", body=b"1").status == 403
    assert list((tmp_path / "other").iterdir()) == []


# Bodies


def test_a_body_that_is_too_long_is_413_and_nothing_is_stored(store: Store) -> None:
    counting = CountingStore(store)
    ask = asking(counting, writable=True, max_body=10)
    assert ask("PUT", "/data/d/v", {"Content-Length": "11"}).status == 413
    found = ask("PUT", "/data/d/v", body=[b"123456", b"78901"])
    assert (found.status, found.headers["connection"]) == (413, "close")
    assert counting.counts.total() == 0
    assert ask("PUT", "/data/d/v", body=b"1234567890").status == 201


def test_a_body_that_does_not_come_is_408(store: Store) -> None:
    async def never() -> dict[str, Any]:
        await asyncio.sleep(60)
        return {}

    async def asked() -> int:
        status = 0

        async def send(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)

        scope = {
            "type": "http",
            "method": "PUT",
            "path": "/data/d/v",
            "raw_path": b"/data/d/v",
            "query_string": b"",
            "headers": [(b"host", b"localhost")],
        }
        await make_app([Root("d", "", store)], ServeOptions(writable=True, body_seconds=0.01))(
            scope, never, send
        )
        return status

    assert asyncio.run(asked()) == 408
    assert store.get("v") is None


def test_bodies_together_are_bounded() -> None:
    ask = asking(MemoryStore(), writable=True, max_bodies=10)
    assert ask("PUT", "/data/d/v", body=b"1" * 11).status == 503
    assert ask("PUT", "/data/d/v", body=b"1" * 10).status == 201  # what was held was let go of


@pytest.mark.parametrize(
    ("header", "status"), [({"Content-Encoding": "gzip"}, 415), ({"Content-Range": "bytes 0-1/5"}, 400)]
)
def test_parts_and_encodings_are_refused(ask: Asking, header: dict[str, str], status: int) -> None:
    assert ask("PUT", "/data/d/v", header, b"1").status == status


# Roots


def test_a_node_is_opened_again_after_a_write(store: Store) -> None:
    group = omnizarr.open_group(store, mode="w", attributes={"n": 1})
    group.create_array("a", data=np.arange(3))
    root = Root("d", "", store)
    ask = Asking(make_app([root], ServeOptions(writable=True)))
    assert root.node().attrs["n"] == 1
    document = ask.get("/data/d/zarr.json").body.replace(b'"n": 1', b'"n": 2').replace(b'"n":1', b'"n":2')
    assert ask("PUT", "/data/d/zarr.json", body=document).status == 204
    assert root.node().attrs["n"] == 2
