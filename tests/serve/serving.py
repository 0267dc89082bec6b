"""Servers for tests: an application that is asked within the process, and one that listens."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from starlette.types import ASGIApp

from omnizarr.serve.app import make_app
from omnizarr.serve.options import ServeOptions
from omnizarr.serve.roots import Root
from omnizarr.serve.running import Listener, server_of
from omnizarr.store import Store


@dataclass(frozen=True, slots=True)
class Answer:
    """What an application answered."""

    status: int
    lines: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def headers(self) -> dict[str, str]:
        return dict(self.lines)

    def json(self) -> Any:
        return json.loads(self.body)


class Asking:
    """Asks an application as a server would; a target goes in as it is, which no client does."""

    def __init__(self, app: ASGIApp, headers: Mapping[str, str] | None = None) -> None:
        self.app = app
        self.headers = {"Host": "localhost", **(headers or {})}

    def __call__(
        self,
        method: str,
        target: str,
        headers: Mapping[str, str] | None = None,
        body: bytes | Sequence[bytes] = b"",
    ) -> Answer:
        return asyncio.run(self._asked(method, target, {**self.headers, **(headers or {})}, body))

    def get(self, target: str, **headers: str) -> Answer:
        """Ask for a target; headers by their names with `_` for `-`."""
        return self("GET", target, {name.replace("_", "-"): value for name, value in headers.items()})

    async def _asked(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes | Sequence[bytes]
    ) -> Answer:
        pieces = [body] if isinstance(body, bytes) else list(body)
        messages: list[dict[str, Any]] = []
        raw, _, query = target.partition("?")

        async def receive() -> dict[str, Any]:
            if pieces:
                piece = pieces.pop(0)
                return {"type": "http.request", "body": piece, "more_body": bool(pieces)}
            await asyncio.sleep(60)
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            messages.append(message)

        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(raw),
            "raw_path": raw.encode(),
            "root_path": "",
            "query_string": query.encode(),
            "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()],
            "client": ("127.0.0.1", 50000),
            "server": ("localhost", 80),
        }
        await self.app(scope, receive, send)
        start, *rest = messages
        lines = tuple((name.decode(), value.decode("latin-1")) for name, value in start["headers"])
        return Answer(start["status"], lines, b"".join(part.get("body", b"") for part in rest))


def asking(store: Store, **options: Any) -> Asking:
    """Return what asks a server of one store, whose name is `d`."""
    return Asking(make_app([Root("d", store.name, store)], ServeOptions(penalty=0, **options)))


class Live:
    """A server that listens on loopback, in a thread."""

    def __init__(self, app: ASGIApp, *, connections: int = 400) -> None:
        self._listener = Listener.at("127.0.0.1", 0)
        self.port = self._listener.port
        self.url = self._listener.url
        self._server = server_of(app, connections=connections)
        run = self._server.run
        self._thread = threading.Thread(target=run, kwargs={"sockets": [self._listener.socket]}, daemon=True)
        self._thread.start()

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def say(self, data: bytes) -> bytes:
        """Send bytes on a connection of their own, and return all that comes until its end."""
        with self.connect() as connection:
            connection.sendall(data)
            return heard(connection)

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(20)
        assert not self._thread.is_alive()
        self._listener.socket.close()


def heard(connection: socket.socket) -> bytes:
    """Return all that comes on a connection until its end."""
    pieces = []
    try:
        while piece := connection.recv(65536):
            pieces.append(piece)
    except ConnectionResetError:
        pass
    return b"".join(pieces)
