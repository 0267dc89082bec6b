"""A store that keeps all values in one zip archive."""

from __future__ import annotations

import errno
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, NoReturn, TypeAlias, TypeVar

from omnizarr.errors import StoreError, StoreNotFoundError
from omnizarr.store.base import Buffer, ByteRange, Change, KeyLocks, Listing, Reader, Store
from omnizarr.store.directories.draft import open_exclusive
from omnizarr.store.directories.failure import failure
from omnizarr.store.keys import check_key, check_prefix
from omnizarr.store.listing import listing_of
from omnizarr.store.ranges import check_part, check_spans, check_start
from omnizarr.store.zips.format import DEFLATED, ENCRYPTED, STORED, Entry
from omnizarr.store.zips.read import BadEntryError, ZipReader, open_archive, top_folder
from omnizarr.store.zips.write import ZipWriter

T = TypeVar("T")
ZipMode: TypeAlias = Literal["r", "r+", "a", "w", "x", "w-"]

_MAC_FORKS = "__MACOSX/"  # what macOS adds to an archive about the files in it


class Place(NamedTuple):
    """An entry, and the file that it is in: the archive, or the one that will replace it."""

    reader: ZipReader
    entry: Entry


@dataclass(frozen=True, slots=True)
class EntryReader:
    """An entry, which stays in its file when another one takes its name.

    `fail` raises for what cannot be read of it.
    """

    place: Place
    fail: Callable[[Exception], NoReturn]

    def get(self, part: ByteRange | None = None) -> bytes:
        """Return all bytes, or a part of them."""
        if part is not None:
            check_part(part)
        return self._try(lambda archive, entry: archive.read(entry, part))

    def get_into(self, out: memoryview, start: int = 0) -> int:
        """Fill `out` as `Store.get_into` does."""
        check_start(start)
        return self._try(lambda archive, entry: archive.read_into(entry, out, start))

    def get_ranges(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return several (start, length) parts."""
        check_spans(spans)
        return self._try(lambda archive, entry: archive.read_spans(entry, spans))

    def _try(self, read: Callable[[ZipReader, Entry], T]) -> T:
        try:
            return read(*self.place)
        except (BadEntryError, OSError) as error:
            self.fail(error)


class ZipStore(Store):
    """Values in a zip archive.

    New values go to a hidden file beside the archive. Closing the store, or `flush`, adds the old
    ones to it and puts it in the place of the archive in one step, with one entry for each key. Until
    then readers see the last closed archive, and so they do after a writer that was killed. A second
    writer is refused. Writing to an archive copies it once, on closing.

    Parameters
    ----------
    path
        The archive.
    mode
        `"r"`: read; `"r+"`: read and write what exists; `"a"`: that, and make it if it does not;
        `"w"`: begin with nothing, also where there is an archive; `"x"` or `"w-"`: make one that must
        not exist.
    compression
        `zipfile.ZIP_STORED`, or `zipfile.ZIP_DEFLATED` for values that are not compressed already.
    folder
        The folder of the archive that all keys are in. Unless given it is found: where all entries
        are in one folder that bears the archive's name, or has a group's or array's document, it is
        that. New archives have none. `""` is the archive itself.
    fsync
        Have the archive outlive a loss of power before `close` returns.

    Raises
    ------
    StoreNotFoundError
        There is no archive, and `mode` is `"r"` or `"r+"`.
    StoreError
        It is no zip archive, or has entries that lead out of it; there is one, and `mode` is `"x"`;
        another writer has it.
    """

    lists_cheaply = True

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        mode: ZipMode = "r",
        compression: int = STORED,
        folder: str | None = None,
        fsync: bool = False,
    ) -> None:
        self._writer: ZipWriter | None = None
        self._closed = self._changed = False
        if mode not in ("r", "r+", "a", "w", "x", "w-"):
            raise ValueError(f"mode: expected one of r, r+, a, w, x, w-, found {mode!r}")
        if compression not in (STORED, DEFLATED):
            raise ValueError(f"compression: expected {STORED} (stored) or {DEFLATED}, found {compression!r}")
        self.path = os.path.realpath(os.fspath(path))
        self.name = Path(self.path).as_uri()
        self.read_only = mode == "r"
        self._compression = compression
        self._fsync = fsync
        self._locks = KeyLocks()
        self._process = os.getpid()
        self._comment = b""
        self._places: dict[str, Place] = {}
        self._folder = "" if not folder else folder.strip("/") + "/"
        try:
            self._open(mode, folder)
        except BaseException:
            self._release()
            raise

    @property
    def folder(self) -> str:
        """The folder of the archive that all keys are in, with a `/` after it; `""` where there is none."""
        return self._folder

    def get(self, key: str, part: ByteRange | None = None) -> bytes | None:
        if part is not None:
            check_part(part)
        reader = self._reader(key)
        return None if reader is None else reader.get(part)

    def get_into(self, key: str, out: memoryview, start: int = 0) -> int | None:
        check_start(start)
        reader = self._reader(key)
        return None if reader is None else reader.get_into(out, start)

    def get_ranges(self, key: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        check_spans(spans)
        reader = self._reader(key)
        return None if reader is None else reader.get_ranges(spans)

    def reading(self, key: str) -> AbstractContextManager[Reader | None]:
        return nullcontext(self._reader(key))

    def _reader(self, key: str) -> EntryReader | None:
        place = self._find(key)
        return None if place is None else EntryReader(place, lambda error: self._fail("read", error, key))

    def size(self, key: str) -> int | None:
        place = self._find(key)
        return None if place is None else place.entry.size

    def set(self, key: str, value: Buffer) -> None:
        self._check_write(key)
        with self._locks.of(key):
            self._put(key, value)

    def set_if_absent(self, key: str, value: Buffer) -> bool:
        self._check_write(key)
        with self._locks.of(key):
            if key in self._places:
                return False
            self._put(key, value)
            return True

    def update(self, key: str, change: Change) -> None:
        self._check_write(key)
        with self._locks.of(key):
            value = change(self.get(key))
            if value is None:
                self._drop(key)
            else:
                self._put(key, value)

    def delete(self, key: str) -> None:
        self._check_write(key)
        with self._locks.of(key):
            self._drop(key)

    def delete_prefix(self, prefix: str) -> None:
        check_prefix(prefix)
        self.require_writable(prefix)
        for key in self.list_prefix(prefix):
            self.delete(key)

    def list_prefix(self, prefix: str = "") -> Iterator[str]:
        check_prefix(prefix)
        self._check_open()
        return iter([key for key in list(self._places) if key.startswith(prefix)])

    def list_dir(self, prefix: str = "") -> Listing:
        check_prefix(prefix)
        self._check_open()
        return listing_of(list(self._places), prefix)

    def flush(self) -> None:
        """Make what was written so far the archive, as `close` does, and go on.

        Each call copies the archive.
        """
        self.require_writable()
        self._check_open()
        with self._locks.all():
            if self._changed:
                self._publish()
                self._start_writing()

    def close(self) -> None:
        """Make what was written the archive; a process that inherited the store by a fork only lets go."""
        if self._closed:
            return
        try:
            if self._changed and self._process == os.getpid():
                with self._locks.all():
                    self._publish()
        finally:
            self._closed = True
            self._places = {}
            self._release()

    def __del__(self) -> None:
        if self._changed and not self._closed and self._process == os.getpid():
            message = f"{self!r} was never closed: what was written is lost"
            warnings.warn(message, ResourceWarning, stacklevel=2, source=self)
        self._release()

    def __reduce__(self) -> tuple[object, ...]:
        if not self.read_only:
            raise TypeError(f"{self!r} is open for writing, which only one process may do")
        return partial(ZipStore, folder=self._folder), (self.path,)

    def _open(self, mode: ZipMode, folder: str | None) -> None:
        exists = os.path.lexists(self.path)
        if os.path.isdir(self.path):
            raise StoreError("expected a zip archive, found a directory", store=self.name, errno=errno.EISDIR)
        if mode in ("x", "w-") and exists:
            raise StoreError("there is something already", store=self.name, errno=errno.EEXIST)
        if mode in ("r", "r+") and not exists:
            raise StoreNotFoundError("there is no such archive", store=self.name, errno=errno.ENOENT)
        if not self.read_only:
            self._start_writing()
        if exists and mode != "w":
            self._read_directory(folder)
        else:
            self._changed = True  # an archive is to be made, be it an empty one

    def _read_directory(self, folder: str | None) -> None:
        try:
            reader, (entries, self._comment) = open_archive(self.path)
        except (BadEntryError, OSError) as error:
            self._fail("open", error, None)
        if not self.read_only and any(entry.flags & ENCRYPTED for entry in entries):
            raise StoreError("cannot write: entries of it are encrypted", store=self.name)
        named = {entry.name: entry for entry in entries if not entry.name.startswith(_MAC_FORKS)}
        if folder is None:
            self._folder = top_folder(named, Path(self.path).name)
        start = len(self._folder)
        self._places = {
            name[start:]: Place(reader, entry)
            for name, entry in named.items()
            if name.startswith(self._folder)
        }
        if len(self._places) < len(named) and not self.read_only:
            raise StoreError(f"cannot write: not all entries are in {self._folder!r}", store=self.name)

    def _start_writing(self) -> None:
        try:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            self._writer = ZipWriter(open_exclusive(self.path))
        except BlockingIOError:
            raise StoreError("another writer has it open", store=self.name, errno=errno.EAGAIN) from None
        except OSError as error:
            self._fail("write", error, None)
        self._new = ZipReader(os.dup(self._writer.draft.fd))

    def _publish(self) -> None:
        """Put the draft in the place of the archive, or a second one where the first has too many holes.

        What threads are reading meanwhile stays where it is.
        """
        first = target = self._writing()
        places = list(self._places.values())
        try:
            if first.is_sparse([entry for reader, entry in places if reader is self._new]):
                target = ZipWriter(first.draft.second())
            entries = [
                entry if reader is self._new and target is first else target.copy(reader, entry)
                for reader, entry in places
            ]
            target.finish(entries, self._comment)
            reader, start = ZipReader(os.dup(target.draft.fd)), len(self._folder)
            target.publish(fsync=self._fsync, mode_of=self.path)
        except (BadEntryError, OSError) as error:
            self._closed = True
            self._fail("write", error, None)
        finally:
            self._changed = False
            target.draft.close()
            first.draft.close()
        self._places = {entry.name[start:]: Place(reader, entry) for entry in entries}

    def _put(self, key: str, value: Buffer) -> None:
        try:
            entry = self._writing().add(self._folder + key, value, self._compression)
        except OSError as error:
            self._fail("write", error, key)
        self._places[key] = Place(self._new, entry)
        self._changed = True

    def _drop(self, key: str) -> None:
        if self._places.pop(key, None) is not None:
            self._changed = True

    def _writing(self) -> ZipWriter:
        if self._writer is None:
            raise StoreError("cannot write: it was opened for reading", store=self.name)
        return self._writer

    def _find(self, key: str) -> Place | None:
        check_key(key)
        self._check_open()
        return self._places.get(key)

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError("it is closed", store=self.name)

    def _check_write(self, key: str) -> None:
        check_key(key)
        if self._folder:
            check_key(self._folder + key)
        self.require_writable(key)
        self._check_open()
        if self._process != os.getpid():
            raise StoreError("cannot write: a process that was forked has it open", store=self.name, key=key)

    def _release(self) -> None:
        if self._writer is not None and self._process == os.getpid():
            self._writer.draft.close()

    def _fail(self, action: str, error: Exception, key: str | None) -> NoReturn:
        raise failure(action, error, store=self.name, key=key) from error
