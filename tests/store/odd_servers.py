"""A web server for tests that behaves as real ones do, each in its own way; what it was asked is kept."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from object_servers import bounds_of

PAGE = b"<!doctype html><html><body>" + b"nothing here " * 40 + b"</body></html>"


class OddServer:
    """Serves the files of a folder; the first name of a path says in which way.

    Attributes
    ----------
    asked
        Method, path and Range of each request.
    """

    def __init__(self, folder: Path) -> None:
        self.asked: list[str] = []
        self.headers: list[Mapping[str, str]] = []
        handler = type("Handler", (_Handler,), {"folder": folder, "owner": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def url(self, way: str) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/{way}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    folder: Path
    owner: OddServer

    def _any(self) -> None:
        self.owner.asked.append(
            f"{self.command} {unquote(self.path)} {self.headers.get('Range', '')}".strip()
        )
        self.owner.headers.append(dict(self.headers))
        place, _, self.query = self.path.partition("?")
        way, _, rest = unquote(place).lstrip("/").partition("/")
        status, headers, body = getattr(self, f"_{way}")(rest)
        if status == 200 and way != "compressing":
            status, body = self._in_part(headers, body)
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_HEAD = do_PROPFIND = _any  # noqa: N815

    def _in_part(self, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        header = self.headers.get("Range")
        if self.path.startswith("/endless") and (header or "").startswith("bytes=-"):
            return 200, body
        found = bounds_of(header, len(body))
        if found is None or self.command == "HEAD":
            return 200, body
        start, stop = found
        if start >= stop:
            headers["Content-Range"] = f"bytes */{len(body)}"
            return 416, b""
        headers["Content-Range"] = f"bytes {start}-{stop - 1}/{len(body)}"
        return 206, body[start:stop]

    def _file(self, path: str) -> bytes | None:
        with suppress(OSError):
            return (self.folder / path).read_bytes()
        return None

    def _plain(self, path: str, missing: tuple[int, dict[str, str], bytes] = (404, {}, b"")) -> Any:
        if self.command not in ("GET", "HEAD"):
            return 405, {}, b""
        body = self._file(path)
        return missing if body is None else (200, {"Last-Modified": "Sat, 21 Nov 2026 12:00:00 GMT"}, body)

    def _pages(self, path: str) -> Any:
        """What is missing is a page, as of an application of one page."""
        return self._plain(path, (200, {"Content-Type": "text/html; charset=utf-8"}, PAGE))

    def _sly(self, path: str) -> Any:
        """What is missing is a page that does not say so."""
        return self._plain(path, (200, {}, PAGE))

    def _listing(self, path: str) -> Any:
        """Directories are pages of links."""
        if (self.folder / path).is_dir():
            links = "".join(
                f'<a href="{found.name}">{found.name}</a>' for found in (self.folder / path).iterdir()
            )
            return 200, {"Content-Type": "text/html"}, f"<html>{links}</html>".encode()
        return self._plain(path)

    def _forbidding(self, path: str) -> Any:
        """What is missing is forbidden, as in buckets that do not let everyone list."""
        return self._plain(path, (403, {}, b"<Error><Code>AccessDenied</Code></Error>"))

    def _signed(self, path: str) -> Any:
        return self._plain(path) if self.query == "sig=abc" else (403, {}, b"")

    def _moved(self, path: str) -> Any:
        return 302, {"Location": f"/plain/{path}"}, b""

    def _headless(self, path: str) -> Any:
        return (405, {}, b"") if self.command == "HEAD" else self._plain(path)

    def _endless(self, path: str) -> Any:
        """Ranges from the end are ignored, others are not."""
        return self._plain(path)

    def _refusing(self, path: str) -> Any:
        return 405, {}, b""

    def _weak(self, path: str) -> Any:
        """ETags are weak, and If-Match takes no weak one."""
        status, headers, body = self._plain(path)
        if "If-Match" in self.headers:
            return 412, {}, b""
        return status, {**headers, "ETag": f'W/"{hash(body)}"'}, body

    def _compressing(self, path: str) -> Any:
        """Answers are compressed whatever is asked for."""
        status, headers, body = self._plain(path)
        return status, {**headers, "Content-Encoding": "gzip"}, gzip.compress(body)

    def _polite(self, path: str) -> Any:
        """Answers are compressed where that is not refused."""
        if "identity" in self.headers.get("Accept-Encoding", ""):
            return self._plain(path)
        return self._compressing(path)

    def handle(self) -> None:
        with suppress(ConnectionError):
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        pass
