"""Clients that are gone, or take nothing: what is not sent takes no threads and bounded memory."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
from serving import Live, asking
from starlette.exceptions import HTTPException

import omnizarr
from omnizarr.serve import data
from omnizarr.serve.app import make_app
from omnizarr.serve.options import ServeOptions
from omnizarr.serve.parcels import Parcels
from omnizarr.serve.picturing import MOST_POINTS
from omnizarr.serve.roots import Root
from omnizarr.serve.threads import Threads
from omnizarr.serve.values import SMALL_PIECE, Room, hold, pieces
from omnizarr.store import MemoryStore
from omnizarr.store.base import Reader, Store
from omnizarr.store.layers.wrap import WrappedStore

GET = b"GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


class GatedStore(WrappedStore):
    """A store of which a reading begins when the gate is open."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner)
        self.begun: list[str] = []
        self.gate = threading.Event()

    def reading(self, key: str) -> AbstractContextManager[Reader | None]:
        self.begun.append(key)
        assert self.gate.wait(20)
        return super().reading(key)


@pytest.fixture
def store() -> GatedStore:
    inner = MemoryStore()
    inner.set("v", b"value")
    return GatedStore(inner)


@pytest.fixture
def live(store: GatedStore) -> Iterator[Live]:
    server = Live(make_app([Root("d", "", store)], ServeOptions(threads=1, penalty=0)))
    yield server
    store.gate.set()
    server.close()


def until(true: Any) -> None:
    ends = time.monotonic() + 20
    while not true():
        assert time.monotonic() < ends
        time.sleep(0.005)


def test_nothing_is_read_for_clients_that_went_while_they_waited(live: Live, store: GatedStore) -> None:
    first = live.connect()
    first.sendall(GET % b"/data/d/v")
    until(lambda: store.begun)
    for _ in range(20):
        with live.connect() as connection:
            connection.sendall(GET % b"/data/d/gone")
    with live.connect() as last:
        last.sendall(GET % b"/data/d/v")
        time.sleep(0.1)  # so that the server has all of them
        store.gate.set()
        assert last.recv(12) == b"HTTP/1.1 200"
    first.close()
    assert store.begun == ["v", "v"]


def drained(response: Any, *, gone: bool = False) -> bytes:
    """Return what an answer sends; to a client that is `gone`, nothing."""
    pieces: list[bytes] = []

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(0 if gone else 60)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if gone:
            await asyncio.sleep(60)
        pieces.append(bytes(message.get("body", b"")))

    scope = {"type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "method": "GET"}
    asyncio.run(response(scope, receive, send))
    return b"".join(pieces)


def test_answers_that_nobody_takes_are_bounded_until_they_are_sent_or_the_client_is_gone() -> None:
    parcels = Parcels(100)
    first = parcels.answer([bytes(30), b"", memoryview(bytes(30))], "a/b", {})
    second = parcels.answer([b"x" * 40], "a/b", {"Cache-Control": "no-store"})
    with pytest.raises(HTTPException) as refused:
        parcels.answer([b"x"], "a/b", {})
    assert refused.value.status_code == 503
    assert drained(first) == bytes(60)
    assert first.headers["content-length"] == "60"
    assert drained(second, gone=True) == b""
    assert drained(parcels.answer([b"x" * 100], "a/b", {})) == b"x" * 100


@pytest.mark.parametrize("taken", [1, 16])
def test_pieces_are_small_where_many_are_on_their_way(taken: int) -> None:
    store = MemoryStore()
    store.set("v", bytes(2**20))
    room = Room(2**16)

    async def sizes() -> list[int]:
        value = hold(store, "v")
        assert value is not None
        body = pieces(Threads(1), room, value, 0, 2**20)
        found = [len(await anext(body)) for _ in range(taken)]
        await body.aclose()
        return found

    assert asyncio.run(sizes()) == [SMALL_PIECE] * taken
    assert room.free == 2**16, "all of it is given back"


def test_a_client_that_goes_gives_the_room_of_its_piece_back(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms: list[Room] = []
    monkeypatch.setattr(data, "Room", lambda: rooms.append(Room(10 * 2**20)) or rooms[-1])
    store = MemoryStore()
    store.set("v", bytes(8 * 2**20))
    live = Live(make_app([Root("d", "", store)]))
    for _ in range(5):
        with live.connect() as connection:
            connection.sendall(GET % b"/data/d/v")
            assert connection.recv(12) == b"HTTP/1.1 200"
    until(lambda: rooms[0].free == 10 * 2**20)
    live.close()


def test_pictures_that_do_not_fit_are_refused() -> None:
    store = MemoryStore()
    omnizarr.create_array(store, shape=(100, 100), chunks=(10, 10), dtype="f8", fill_value=1)
    answer = asking(store, max_pictures=1000).get("/api/picture?root=d")
    assert (answer.status, answer.headers["retry-after"]) == (503, "5")


def test_a_picture_has_a_few_million_points_at_most() -> None:
    store = MemoryStore()
    omnizarr.create_array(store, shape=(4096, 5000), chunks=(1024, 1024), dtype="i1", fill_value=1)
    body = asking(store).get("/api/picture?root=d&most=4096").body
    assert 0.2 * MOST_POINTS < len(body) < MOST_POINTS + 2000
    thin = asking(store).get("/api/picture?root=d&most=4096&window=0:0:8").body
    assert len(thin) > 8 * 2500
