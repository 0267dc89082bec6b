"""Clients that send too much, too slowly or nonsense, on real connections: 4xx, and the server goes on."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from serving import Live, heard

from omnizarr.serve.app import make_app
from omnizarr.serve.options import ServeOptions
from omnizarr.serve.protocol import PatientProtocol
from omnizarr.serve.roots import Root
from omnizarr.store import DirectoryStore

LARGE = 32 * 2**20
GET = b"GET /data/d/v HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
PUT = b"PUT /data/d/new HTTP/1.1\r\nHost: localhost\r\n"


@pytest.fixture
def store(tmp_path: Path) -> DirectoryStore:
    store = DirectoryStore(tmp_path)
    store.set("v", b"value")
    with open(tmp_path / "large", "wb") as file:
        file.truncate(LARGE)
    return store


@pytest.fixture
def live(store: DirectoryStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[Live]:
    monkeypatch.setattr(PatientProtocol, "header_seconds", 0.3)
    monkeypatch.setattr(PatientProtocol, "stalled_seconds", 0.5)
    options = ServeOptions(writable=True, max_body=1000, body_seconds=0.3, slowest_body=2**30, threads=2)
    server = Live(make_app([Root("d", "", store)], options), connections=24)
    yield server
    assert b"\r\n\r\nvalue" in server.say(GET), "the server goes on"
    server.close()


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


@pytest.mark.parametrize(
    "request_",
    [
        b"nonsense\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /data/d/v\r\n\r\n",
        b"GET /data/d/v HTTP/9.9\r\nConnection: close\r\n\r\n",
        b"GET /data/d/v HTTP/1.1\r\n\r\n",
        b"GET /data/d/v HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET /data/d/v HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n",
        b"GET /data/d/../v HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET \\data\\d\\v HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET data/d/v HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET /data/d/v\x00 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET /data/d/\xff HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET /data/d/v HTTP/1.1\r\nHost: localhost\r\nBad Name: x\r\n\r\n",
        b"GET /data/d/v HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: "
        + b"x" * 100_000
        + b"\r\n\r\n",
        b"GET /data/d/" + b"x" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        PUT + b"Content-Length: -1\r\n\r\n",
        PUT + b"Content-Length: 1e3\r\n\r\n",
        PUT + b"Content-Length: 99999999999999999999999999\r\n\r\n",
        PUT + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        PUT + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + GET,
        PUT + b"Transfer-Encoding: gzip\r\n\r\n",
        PUT + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        PUT + b"Content-Length: 1001\r\n\r\n",
        PUT + b"Transfer-Encoding: chunked\r\n\r\nffffffff\r\n" + bytes(5000),
        PUT + b"Content-Length: 10\r\nContent-Encoding: gzip\r\n\r\n0123456789",
    ],
    ids=lambda request: repr(request[:60]),
)
def test_bad_requests_are_4xx(live: Live, store: DirectoryStore, request_: bytes) -> None:
    with live.connect() as connection:
        with suppress(ConnectionError):  # it may be refused before it was all sent
            connection.sendall(request_)
        answer = heard(connection)
    assert 400 <= status(answer) < 500, answer[:200]
    assert not store.exists("new")


def test_a_header_that_does_not_end_is_408(live: Live) -> None:
    for begun in (b"", b"G", b"GET /data/d/v HTTP/1.1\r\nHost: localhost\r\nX-More: "):
        with live.connect() as connection:
            connection.sendall(begun)
            assert status(heard(connection)) == 408


def test_a_header_that_comes_byte_by_byte_is_408(live: Live) -> None:
    with live.connect() as connection:
        with suppress(ConnectionError):
            for byte in GET:
                connection.send(bytes([byte]))
                time.sleep(0.02)
        answer = heard(connection)
    assert b"value" not in answer


def test_a_second_header_has_as_little_time(live: Live) -> None:
    with live.connect() as connection:
        connection.sendall(GET.replace(b"Connection: close\r\n", b""))
        assert b"200 OK" in connection.recv(65536)
        connection.sendall(b"GET /data/d/v HTTP/1.1\r\nX: ")
        assert b"HTTP/1.1 408" in heard(connection)


def test_a_body_that_does_not_come_is_408_on_a_connection(live: Live, store: DirectoryStore) -> None:
    for body in (b"", b"half"):
        with live.connect() as connection:
            connection.sendall(PUT + b"Content-Length: 10\r\n\r\n" + body)
            assert status(heard(connection)) == 408
    assert not store.exists("new")


def test_a_body_that_ends_early_is_not_stored(live: Live, store: DirectoryStore) -> None:
    with live.connect() as connection:
        connection.sendall(PUT + b"Content-Length: 10\r\n\r\nhalf")
        connection.shutdown(socket.SHUT_WR)
        heard(connection)
    assert not store.exists("new")


def test_a_body_that_comes_is_stored(live: Live, store: DirectoryStore) -> None:
    expecting = PUT + b"Expect: 100-continue\r\nConnection: close\r\nContent-Length: 5\r\n\r\n"
    with live.connect() as connection:
        connection.sendall(expecting)
        assert connection.recv(100).startswith(b"HTTP/1.1 100")
        connection.sendall(b"hello")
        assert status(heard(connection)) == 201
    assert store.get("new") == b"hello"


def test_clients_that_do_not_read_hold_no_threads_and_are_cut_off(live: Live) -> None:
    ask = b"GET /data/d/large HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with ExitStack() as connections:
        slow = [connections.enter_context(live.connect()) for _ in range(12)]
        for connection in slow:
            connection.sendall(ask)
            assert connection.recv(12) == b"HTTP/1.1 200"
        # all of them wait, with two threads for all the work there is
        assert b"\r\n\r\nvalue" in live.say(GET)
        time.sleep(0.8)
        assert sum(map(len, map(heard, slow))) < 12 * LARGE // 2


def test_a_client_that_reads_gets_all_of_a_large_value(live: Live) -> None:
    answer = live.say(GET.replace(b"/v", b"/large"))
    assert len(answer.partition(b"\r\n\r\n")[2]) == LARGE


def test_a_client_that_goes_away_leaves_nothing_open(live: Live) -> None:
    descriptors = Path("/proc/self/fd")
    if not descriptors.exists():
        pytest.skip("this system does not tell which files are open")

    def opened() -> int:
        return sum(1 for entry in descriptors.iterdir() if str(entry.resolve()).endswith("/large"))

    for _ in range(5):
        with live.connect() as connection:
            connection.sendall(GET.replace(b"/v", b"/large"))
            connection.recv(100)
    for _ in range(200):
        if opened() == 0:
            break
        time.sleep(0.02)
    assert opened() == 0


def test_too_many_connections_are_503_until_some_are_gone(live: Live) -> None:
    with ExitStack() as connections:
        for _ in range(30):
            connections.enter_context(live.connect())
        answer = live.say(GET)
        assert status(answer) in (200, 503)
        full = [connections.enter_context(live.connect()) for _ in range(3)]
        for connection in full:
            connection.sendall(GET)
        assert {status(heard(connection)) for connection in full} == {503}


def test_requests_one_after_the_other_on_a_connection(live: Live) -> None:
    kept = GET.replace(b"Connection: close\r\n", b"")
    assert live.say(kept + kept + GET).count(b"\r\n\r\nvalue") == 3
