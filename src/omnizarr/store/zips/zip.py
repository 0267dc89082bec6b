"""A store that keeps all values in one zip archive."""

from __future__ import annotations

import errno
import os
import warnings
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from omnizarr.errors import StoreError, StoreNotFoundError
from omnizarr.store.base import Buffer, Change, KeyLocks
from omnizarr.store.directories.draft import open_exclusive
from omnizarr.store.directories.files import BINARY
from omnizarr.store.keys import check_key, check_prefix
from omnizarr.store.zips.contents import contents_of
from omnizarr.store.zips.format import DEFLATED, ENCRYPTED, STORED, BadEntryError
from omnizarr.store.zips.read import ZipReader
from omnizarr.store.zips.source import FileSource
from omnizarr.store.zips.values import Place, ZipValues
from omnizarr.store.zips.write import ZipWriter

ZipMode: TypeAlias = Literal["r", "r+", "a", "w", "x", "w-"]


class ZipStore(ZipValues):
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
        self._changed = False
        self._closed = True  # where what follows raises there is nothing to close
        if mode not in ("r", "r+", "a", "w", "x", "w-"):
            raise ValueError(f"mode: expected one of r, r+, a, w, x, w-, found {mode!r}")
        if compression not in (STORED, DEFLATED):
            raise ValueError(f"compression: expected {STORED} (stored) or {DEFLATED}, found {compression!r}")
        self.path = os.path.realpath(os.fspath(path))
        super().__init__(Path(self.path).as_uri(), folder)
        self.read_only = mode == "r"
        self._compression = compression
        self._fsync = fsync
        self._locks = KeyLocks()
        self._process = os.getpid()
        self._comment = b""
        try:
            self._open(mode, folder)
        except BaseException:
            self._release()
            raise

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
            source = FileSource(os.open(self.path, os.O_RDONLY | BINARY))
            entries, self._comment = contents_of(source)
        except (BadEntryError, OSError) as error:
            self._fail("open", error, None)
        if not self.read_only and any(entry.flags & ENCRYPTED for entry in entries):
            raise StoreError("cannot write: entries of it are encrypted", store=self.name)
        left_out = self._take(ZipReader(source), entries, folder, Path(self.path).name)
        if left_out and not self.read_only:
            raise StoreError(f"cannot write: not all entries are in {self._folder!r}", store=self.name)

    def _start_writing(self) -> None:
        try:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            self._writer = ZipWriter(open_exclusive(self.path))
        except BlockingIOError:
            raise StoreError("another writer has it open", store=self.name, errno=errno.EAGAIN) from None
        except OSError as error:
            self._fail("write", error, None)
        self._new = ZipReader(FileSource(os.dup(self._writer.draft.fd)))

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
            reader, start = ZipReader(FileSource(os.dup(target.draft.fd))), len(self._folder)
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
