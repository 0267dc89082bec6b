"""A Redis server for tests, and a way to it that ends when it is told to."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

from object_servers import end


class RedisServer:
    """`redis-server` on a free port of loopback and on a socket, in a directory of its own.

    Raises
    ------
    OSError
        There is none here, or it does not run.
    """

    def __init__(self, folder: Path, *settings: str, port: int | None = None) -> None:
        program = shutil.which("redis-server")
        if program is None:
            raise OSError("redis-server (Debian: redis-server) is not installed")
        if port is None:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
        self.port = port
        self.socket = folder / "s"
        self.folder = folder
        command = [program, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(folder)]
        command += ["--unixsocket", str(self.socket), "--save", "", "--appendonly", "no", *settings]
        self.log = (folder / "log").open("ab")
        self.process = subprocess.Popen(command, stdout=self.log, stderr=subprocess.STDOUT)
        self._wait()

    def _wait(self) -> None:
        for _ in range(400):
            if self.process.poll() is not None:
                raise OSError(f"redis-server ended with status {self.process.returncode}")
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.02)
        self.close()
        raise OSError("redis-server did not answer in time")

    def close(self) -> None:
        end(self.process)
        self.log.close()


class Way:
    """A port that leads to another one; `cut` says after how many bytes of answers a connection ends."""

    def __init__(self, port: int) -> None:
        self._behind = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self.cuts: list[int | None] = []
        self.always: int | None = None
        self.made = 0
        self.carried = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                self.made += 1
                cut = self.cuts.pop(0) if self.cuts else self.always
                threading.Thread(target=self._carry, args=(client, cut), daemon=True).start()

    def _carry(self, client: socket.socket, cut: int | None) -> None:
        with suppress(OSError), client, socket.create_connection(("127.0.0.1", self._behind)) as server:
            threading.Thread(target=_pump, args=(client, server), daemon=True).start()
            self._answer(server, client, cut)
            for each in (client, server):
                each.shutdown(socket.SHUT_RDWR)

    def _answer(self, server: socket.socket, client: socket.socket, left: int | None) -> None:
        while (left is None or left > 0) and (data := server.recv(2**16)):
            data = data[:left]
            self.carried += len(data)  # before anyone can have it and ask how much it was
            client.sendall(data)
            left = None if left is None else left - len(data)

    def close(self) -> None:
        self._listening.close()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(2**16):
            target.sendall(data)
