"""Files of an fsspec file system: what is asked for one value, with the errors as they come.

https://filesystem-spec.readthedocs.io/en/latest/api.html
"""

from __future__ import annotations

import copy
import hashlib
import inspect
import os
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from omnizarr.store.base import ByteRange, From, Last, Span
from omnizarr.store.filesystems.kinds import is_taken, kind_of
from omnizarr.store.ranges import bounds, cut

# Farther than any file reaches, and within the numbers that file systems can read.
_FAR = 2**50
# Of longer parts the size is asked first: some file systems make room for all that is asked for.
_LONG = 64 * 2**20
# A directory may be removed, as empty, between its making and the writing of a file in it.
_TRIES = 100
# Tells this process, and what is in its memory, from others.
_PROCESS = uuid.uuid4().hex
_ABSENT = (FileNotFoundError, IsADirectoryError, NotADirectoryError)


class Files:
    """A file system, as one process after the other has it, and what is asked of it for a file."""

    def __init__(self, fs: Any) -> None:
        if getattr(fs, "asynchronous", False):
            fs = type(fs)(*fs.storage_args, **{**fs.storage_options, "asynchronous": False})
        self._fs, self._process = fs, os.getpid()
        self._making = threading.Lock()
        self._inherited: list[Any] = []
        self.kind = kind_of(fs)

    @property
    def fs(self) -> Any:
        """The file system; after a fork another one alike, since connections do not survive that."""
        if self._process != os.getpid():
            with self._making:
                if self._process != os.getpid():
                    # Kept, since its end would be that of connections and loops of another process.
                    self._inherited.append(self._fs)
                    self._fs, self._process = copy.deepcopy(self._fs), os.getpid()
        return self._fs

    def identity(self) -> str:
        """Return what tells this file system from any other one: a digest of what it is made of."""
        if self.kind.in_process:
            return _PROCESS
        try:
            return hashlib.blake2b(self.fs.to_json().encode(), digest_size=16).hexdigest()
        except Exception:  # of what it is made of something is no JSON
            return f"{_PROCESS} {id(self):x}"

    # Reading

    def read(self, path: str, part: ByteRange | None) -> bytes:
        """Return a part of a file."""
        if part is None:
            return self.whole(path)
        if self.kind.web or not _is_short(part):
            return self._within(path, part, self.info(path)["size"])
        try:
            start, end = _start_and_end(part)
            return bytes(self.fs.cat_file(path, start=start, end=end))
        except _ABSENT:
            raise
        except Exception:
            begin, stop = bounds(part, self.info(path)["size"] or 0)
            if begin < stop:
                raise
            return b""  # some refuse what lies beyond the end

    def whole(self, path: str) -> bytes:
        """Return a whole file."""
        if not self.kind.whole_in_one:
            return bytes(self.fs.cat_file(path))
        try:
            # Without a start s3fs asks for the size, and reads large files in parts, maybe of two states.
            return bytes(self.fs.cat_file(path, start=0))
        except _ABSENT:
            raise
        except OSError:
            if self.info(path)["size"]:
                raise
            return b""

    def _within(self, path: str, part: ByteRange, size: int | None) -> bytes:
        """Return a part of a file of a known size, and not the whole one that a server may answer."""
        if size is None:
            return cut(self.whole(path), part)
        start, stop = bounds(part, size)
        if start == stop:
            return b""
        value = bytes(self.fs.cat_file(path, start=start, end=stop))
        if len(value) == stop - start:
            return value
        if len(value) == size:
            return value[start:stop]
        raise OSError(f"expected {stop - start} bytes, found {len(value)}")

    def parts(self, path: str, wanted: Sequence[tuple[int, int]], size: int) -> list[bytes]:
        """Return several parts, from start to stop, of a file of a known size."""
        if self.kind.web or len(wanted) < 2:
            spans = [Span(start, stop - start) for start, stop in wanted]
            return [self._within(path, span, size) for span in spans]
        starts, stops = [start for start, _ in wanted], [stop for _, stop in wanted]
        found = self.fs.cat_ranges([path] * len(wanted), starts, stops, on_error="raise")
        for value, (start, stop) in zip(found, wanted, strict=True):
            if len(value) != stop - start:
                raise OSError(f"expected {stop - start} bytes, found {len(value)}")
        return [bytes(value) for value in found]

    def info(self, path: str) -> dict[str, Any]:
        """Return what is said of a file now, not when its directory was listed."""
        self.fs.invalidate_cache(path)
        info: dict[str, Any] = self.fs.info(path)
        if info["type"] == "directory":
            raise IsADirectoryError(path)
        return info

    def entries(self, path: str) -> list[dict[str, Any]]:
        """Return what is said of all that lies directly below a path, now."""
        self.fs.invalidate_cache(path)
        found: list[dict[str, Any]] = self.fs.ls(path or self.fs.root_marker, detail=True)
        self.fs.invalidate_cache(path)
        for entry in found:
            if entry["type"] not in ("file", "directory"):  # a link
                with suppress(FileNotFoundError):
                    entry["type"] = self.fs.info(entry["name"])["type"]
        return found

    def find(self, path: str) -> dict[str, Any]:
        """Return what is said of all files below a path, by their names, now."""
        self.fs.invalidate_cache(path)
        found: dict[str, Any] = self.fs.find(path, detail=True)
        self.fs.invalidate_cache(path)
        return found

    # Writing

    def replace(self, path: str, data: bytes) -> None:
        """Write a file; in one step, where the file system has one."""
        self._in_directory(path, lambda: self._replace(path, data))

    def create(self, path: str, data: bytes) -> bool:
        """Write a file unless there is one; say whether it was written. To be asked where `can_create`."""
        try:
            self._in_directory(path, lambda: self._create(path, data))
        except Exception as error:
            if not is_taken(error):
                raise
            return False
        return True

    def can_create(self) -> bool:
        """Say whether `create` has one winner between processes."""
        if self.kind.links:
            return True
        write = getattr(self.fs, "_pipe_file", self.fs.pipe_file)
        return self.kind.creates and "mode" in inspect.signature(write).parameters

    def _in_directory(self, path: str, write: Callable[[], None]) -> None:
        for left in range(_TRIES, -1, -1):
            try:
                return write()
            except FileNotFoundError:
                if left == 0 or self.kind.flat:
                    raise
            with suppress(FileExistsError, FileNotFoundError):
                self.fs.makedirs(self.fs._parent(path), exist_ok=True)
        return None

    def _replace(self, path: str, data: bytes) -> None:
        if not self.kind.renames:
            self.fs.pipe_file(path, data)
            return
        with self._aside(path, data) as draft:
            if self.fs.isdir(path):  # which a move would move into
                self.fs.rmdir(path)
            self.fs.mv(draft, path)

    def _create(self, path: str, data: bytes) -> None:
        if not self.kind.links:
            self.fs.pipe_file(path, data, mode="create")
            return
        with self._aside(path, data) as draft:
            self.fs.link(draft, path)

    @contextmanager
    def _aside(self, path: str, data: bytes) -> Iterator[str]:
        """Write a file under a name that is no key, which is gone at the end."""
        draft = f"{self.fs._parent(path).rstrip('/')}/.{uuid.uuid4().hex}.partial"
        try:
            self.fs.pipe_file(draft, data)
            yield draft
        finally:
            with suppress(FileNotFoundError):
                self.fs.rm_file(draft)

    def remove(self, path: str, root: str) -> None:
        """Remove a file, and the directories below `root` that are empty then; it need not be there."""
        try:
            self.fs.rm_file(path)
        except FileNotFoundError:
            raise
        except Exception:
            if not self.fs.isdir(path):
                raise
        if not self.kind.flat:
            self._prune(path, f"{root}/")

    def _prune(self, path: str, root: str) -> None:
        parent: str = self.fs._parent(path)
        while len(parent) > len(root) and parent.startswith(root):
            try:
                self.fs.rmdir(parent)
            except FileNotFoundError:
                pass
            except Exception:
                return  # it is not empty
            parent = self.fs._parent(parent)


def _is_short(part: ByteRange) -> bool:
    return isinstance(part, From) or 0 < part.length <= _LONG


def _start_and_end(part: ByteRange) -> tuple[int, int | None]:
    match part:
        case Span(start, length):
            return min(start, _FAR), min(start, _FAR) + length
        case From(start):
            return min(start, _FAR), None
        case Last(length):
            return -length, None
