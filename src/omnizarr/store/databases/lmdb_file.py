"""An LMDB environment, which a process may have open once, and how it grows."""

from __future__ import annotations

import errno
import mmap
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from omnizarr.errors import OmniZarrError, ReadOnlyError, StoreError, StoreNotFoundError
from omnizarr.store.databases.gate import Database
from omnizarr.store.databases.held import HeldReader
from omnizarr.store.databases.lmdb_steps import Transaction, ViewSnapshot

T = TypeVar("T")
_MAGIC = (0xBEEFC0DE).to_bytes(4, "little")
_DENIED = {errno.EACCES, errno.EPERM, errno.EROFS}
_LARGEST_MAP = 2**46
_MEANINGS = {
    "InvalidError": "this is no LMDB environment",
    "VersionMismatchError": "another version of LMDB made this environment",
    "CorruptedError": "the environment is damaged",
    "PageNotFoundError": "the environment is damaged",
    "PanicError": "the environment is damaged",
    "BadValsizeError": "a value has at most 4 GiB",
}


@dataclass(frozen=True, slots=True)
class Terms:
    """How an environment is opened."""

    read_only: bool
    create: bool
    fsync: bool
    subdir: bool
    map_size: int
    max_readers: int


class LMDBEnvironment(Database):
    """One environment; all stores of this process that have the same place share it."""

    def __init__(self, path: str, name: str, terms: Terms) -> None:
        self.path = path
        self.stores = 0
        self.map_size = terms.map_size
        self._terms = terms
        self._writable = False
        self._fsync = False
        self._opening = threading.Lock()
        self._open: Any = None  # lmdb.Environment, of an extra
        super().__init__(name)  # from here on forks close it

    def require(self, *, write: bool, fsync: bool) -> None:
        """Open it, again where it was opened for less."""
        before = self._writable, self._fsync
        wanted = before[0] or write, before[1] or fsync
        self._reopen(wanted)
        try:
            with self.gate, self.failing("open", None):
                self._environment()
        except BaseException:
            self._reopen(before)
            raise

    def _reopen(self, wanted: tuple[bool, bool]) -> None:
        """Have it opened another way from now on."""
        if wanted != (self._writable, self._fsync):
            with self._stopped():
                self.close_files()
                self._writable, self._fsync = wanted

    @contextmanager
    def reading(self, action: str, key: str) -> Iterator[Transaction]:
        """Lend a transaction that reads; views are of use only until it ends."""
        with self.failing(action, key):
            transaction = self._begin()
            try:
                with transaction:
                    yield transaction
            finally:
                self.gate.leave()

    def write(self, action: str, key: str, room: int, work: Callable[[Transaction], T]) -> T:
        """Return what `work` makes of a transaction; again, with more room, where there is too little."""
        import lmdb

        while True:
            size = self.map_size
            try:
                with self.failing(action, key, lmdb.MapFullError):
                    transaction = self._begin(write=True)
                    try:
                        with transaction:
                            return work(transaction)
                    finally:
                        self.gate.leave()
            except lmdb.MapFullError as error:
                self._grow(action, key, size, room, error)

    def hold(self, key: str, raw: bytes) -> HeldReader | None:
        """Return a reader of the value as it is now; it must be closed."""
        with self.failing("read", key):
            transaction = self._begin()
            try:
                value = transaction.get(raw)
                if value is None:
                    transaction.abort()
                    return None
                reader = HeldReader(ViewSnapshot(transaction, value), lambda: self.failing("read", key))
                self.held.add(reader)
                return reader
            finally:
                self.gate.leave()

    def let_go(self, reader: HeldReader) -> None:
        """Close what `hold` returned."""
        reader.close()
        self.held.discard(reader)

    def close(self) -> None:
        """Write what is not on the disk yet, and close."""
        if self.tangled:
            return
        with self._stopped():
            self.close_files()

    def close_files(self) -> None:
        opened, self._open = self._open, None
        if opened is not None:
            try:
                if self._writable and not self._fsync:
                    opened.sync(True)
            finally:
                opened.close()

    @contextmanager
    def failing(self, action: str, key: str | None, *passed: type[Exception]) -> Iterator[None]:
        """Turn what LMDB says into errors that name the store and the key."""
        import lmdb

        try:
            yield
        except passed:
            raise
        except lmdb.Error as error:
            raise self._failure(action, error, key) from error

    def _failure(self, action: str, error: Exception, key: str | None) -> OmniZarrError:
        code = getattr(error, "code", None)
        number = code if isinstance(code, int) and code > 0 else None
        meaning = _MEANINGS.get(type(error).__name__)
        reason = f"{meaning}: {error}" if meaning else str(error)
        denied = number in _DENIED and self._writable and action in ("open", "write", "delete")
        kind = ReadOnlyError if denied else StoreError
        return kind(f"cannot {action}: {reason}", store=self.name, key=key, errno=number)

    # Transactions

    def _begin(self, *, write: bool = False) -> Transaction:
        """Enter the gate and begin; whoever ends the transaction leaves the gate."""
        import lmdb

        looked = False
        while True:
            self.gate.enter()
            try:
                begun: Transaction = self._environment().begin(write=write, buffers=True)
                return begun
            except lmdb.MapResizedError:
                self.gate.leave()
                self._resize(0)  # to what another process has made of it
            except lmdb.ReadersFullError:
                environment = self._environment()
                self.gate.leave()
                if looked:
                    raise
                looked = True
                environment.reader_check()  # for those of processes that died
            except BaseException:
                self.gate.leave()
                raise

    def _grow(self, action: str, key: str, size: int, room: int, error: Exception) -> None:
        if self.map_size != size:
            return  # another thread made it grow
        wanted = max(2 * size, size + 2 * room)
        if wanted > _LARGEST_MAP:
            raise StoreError(
                f"cannot {action}: expected at most {_LARGEST_MAP} bytes in an environment, found {wanted}",
                store=self.name,
                key=key,
                errno=errno.ENOSPC,
            ) from error
        with self.failing(action, key):
            self._resize(wanted)

    def _resize(self, size: int) -> None:
        """Have a map of another size, of which the rest must be let go first; 0: as others have it."""
        with self._stopped():
            if self._open is None:
                self.map_size = max(self.map_size, size)
                return
            try:
                self._open.set_mapsize(-(-size // mmap.PAGESIZE) * mmap.PAGESIZE)
            except BaseException:
                self._open = None  # it has no map at all now
                raise
            self.map_size = self._open.info()["map_size"]

    @contextmanager
    def _stopped(self) -> Iterator[None]:
        """Have no transaction in this process."""
        mine = self.gate.is_mine  # in a fork, where a store is collected just then
        if not mine and not self.gate.shut():
            raise StoreError("cannot be changed from within an operation on it", store=self.name)
        try:
            self.release_readers()
            yield
        finally:
            if not mine:
                self.gate.open()

    # The environment

    def _environment(self) -> Any:
        self.require_untangled()
        if self._open is None:
            if not self.stores:
                raise StoreError("cannot be used: it was closed", store=self.name)
            with self._opening:
                if self._open is None:
                    self._open = self._opened()
        return self._open

    def _opened(self) -> Any:
        import lmdb

        self._check_place()
        try:
            found = self._lmdb_open(lock=True)
        except lmdb.Error as error:
            # A lock file that can be neither made nor written to; whoever may write has to keep away.
            if self._writable or getattr(error, "code", None) not in _DENIED:
                raise
            found = self._lmdb_open(lock=False)
        try:
            self._check_length(found)
        except BaseException:
            found.close()
            raise
        self.map_size = found.info()["map_size"]
        return found

    def _lmdb_open(self, *, lock: bool) -> Any:
        import lmdb

        return lmdb.open(
            self.path,
            map_size=self.map_size,
            subdir=self._terms.subdir,
            readonly=not self._writable,
            sync=self._fsync,
            metasync=self._fsync,
            mode=0o777,
            create=True,
            max_readers=self._terms.max_readers,
            lock=lock,
        )

    @property
    def data_file(self) -> str:
        """The file that holds the values."""
        return os.path.join(self.path, "data.mdb") if self._terms.subdir else self.path

    def _check_place(self) -> None:
        """See that there is an environment, or that one may be made."""
        file = self.data_file
        try:
            with open(file, "rb") as opened:
                head = opened.read(64)
        except FileNotFoundError:
            head = b""
        except OSError as error:
            reason = f"cannot open: {error.strerror}"
            raise StoreError(reason, store=self.name, errno=error.errno) from error
        if head and _MAGIC not in head and _MAGIC[::-1] not in head:
            raise StoreError("cannot open: this is no LMDB environment", store=self.name)
        if not head and not (self._writable and self._terms.create):
            raise StoreNotFoundError("there is no LMDB environment", store=self.name)
        if not head:
            os.makedirs(os.path.dirname(file), exist_ok=True)

    def _check_length(self, found: Any) -> None:
        """Refuse a file that was cut off, of which reading would end the process."""
        expected = (found.info()["last_pgno"] + 1) * found.stat()["psize"]
        size = os.path.getsize(self.data_file)
        # Pages at the end that were free before they were written are not there either.
        if size < expected and _faults(self.data_file):
            raise StoreError(
                f"cannot open: expected a file of {expected} bytes, found {size}", store=self.name
            )


def _faults(path: str) -> bool:
    """Say whether anything that is in use is missing or damaged, without LMDB's own code."""
    try:
        from lmdb.verify import VerifyError, verify
    except ImportError:  # before 3.0
        return True
    try:
        return bool(verify(path))  # type: ignore[no-untyped-call]
    except VerifyError:
        return True
