"""What is under way in a database of this process, and forks, which must find databases closed.

Neither SQLite nor LMDB may be carried over a fork: their locks belong to the process that took them.
So a fork waits for what is under way, closes what is open, and both processes open it again when they
need it.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from types import TracebackType

from omnizarr.errors import StoreError
from omnizarr.store.base import KeyLocks
from omnizarr.store.databases.held import HeldReader

# How long a fork waits for operations of other threads; most take less than a millisecond.
PATIENCE = 10.0


class Gate:
    """Lets many threads in at once; one may shut it, and then waits until nobody is inside.

    A thread that is inside may enter again, also while the gate is shut.
    """

    __slots__ = ("_changed", "_inside", "_keeper")

    def __init__(self) -> None:
        self._changed = threading.Condition(threading.Lock())
        self._inside: dict[int, int] = {}
        self._keeper: int | None = None

    def enter(self) -> None:
        """Come in, once it is open."""
        me = threading.get_ident()
        inside = self._inside
        # First in, then a look: whoever shuts it looks the other way round, so one of the two sees the other.
        # No lock, which threads would hand on with the interpreter's: 45 writes beside two readers took
        # 1.5 s, and 18.8 with a lock here.
        inside[me] = depth = inside.get(me, 0) + 1
        if self._keeper in (None, me) or depth > 1:
            return
        with self._changed:
            del inside[me]
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._keeper is None)
            inside[me] = 1

    def leave(self) -> None:
        """Go out."""
        me = threading.get_ident()
        depth = self._inside[me]
        if depth > 1:
            self._inside[me] = depth - 1
            return
        del self._inside[me]
        if self._keeper is not None:
            with self._changed:
                self._changed.notify_all()

    def __enter__(self) -> None:
        self.enter()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave()

    def shut(self, patience: float | None = None) -> bool:
        """Let nobody else in; say whether all have left in time, which this thread itself has to before."""
        me = threading.get_ident()
        until = None if patience is None else time.monotonic() + patience
        with self._changed:
            if me in self._inside or not self._changed.wait_for(lambda: self._keeper is None, _left(until)):
                return False
            self._keeper = me
            if self._changed.wait_for(lambda: not self._inside, _left(until)):
                return True
            self._open()
            return False

    @property
    def is_mine(self) -> bool:
        """Whether this thread has shut it."""
        return self._keeper == threading.get_ident()

    def open(self) -> None:
        """Let everybody in again."""
        with self._changed:
            self._open()

    def _open(self) -> None:
        self._keeper = None
        self._changed.notify_all()


class Database(ABC):
    """Files that are open in this process, and closed while it forks."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.gate = Gate()
        self.held: set[HeldReader] = set()
        self.tangled = False
        self.was_quiet = True
        with _forks.forking:
            _forks.known.add(self)

    @abstractmethod
    def close_files(self) -> None:
        """Close all that is open, which what comes next opens again; nothing is under way."""

    def require_untangled(self) -> None:
        """Raise where this process began in the middle of another one's operation."""
        if self.tangled:
            raise StoreError(
                "cannot be used in this process: it was forked while another thread used the database",
                store=self.name,
            )

    def release_readers(self) -> None:
        """Take what is held for readers into memory, so that no transaction is left open."""
        for reader in list(self.held):
            reader.detach()

    def before_fork(self) -> None:
        """Let what is under way end, and close."""
        quiet = self.gate.shut(PATIENCE)
        try:
            if quiet:
                self.release_readers()
                self.close_files()
        except Exception:  # which would end up nowhere: the child is told, by what it cannot use
            quiet = False
            self.gate.open()
        self.was_quiet = quiet

    def after_fork(self, *, in_child: bool) -> None:
        """Go on."""
        if in_child:
            self.gate = Gate()
            for reader in self.held:
                reader.after_fork()
            self.tangled = self.tangled or not self.was_quiet
        elif self.was_quiet:
            self.gate.open()


class _Forks:
    """What happens at forks, to all databases at once."""

    def __init__(self) -> None:
        self.forking = threading.Lock()
        self.known: weakref.WeakSet[Database] = weakref.WeakSet()
        self.stopped: list[Database] = []

    def before(self) -> None:
        self.forking.acquire()
        self.stopped = list(self.known)
        for database in self.stopped:
            database.before_fork()

    def in_parent(self) -> None:
        self._after(in_child=False)
        self.forking.release()

    def in_child(self) -> None:
        global _locks
        self.forking = threading.Lock()
        _locks = KeyLocks(4096)
        self._after(in_child=True)

    def _after(self, *, in_child: bool) -> None:
        for database in self.stopped:
            database.after_fork(in_child=in_child)
        self.stopped = []


def databases() -> list[Database]:
    """Return those of this process, closed ones too."""
    with _forks.forking:
        return list(_forks.known)


def alone(place: str, key: str) -> AbstractContextManager[object]:
    """Return the lock of a key, which all stores of a place share in this process."""
    return _locks.of(f"{place}/{key}")


def _left(until: float | None) -> float | None:
    return None if until is None else max(until - time.monotonic(), 0)


_locks = KeyLocks(4096)
_forks = _Forks()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_forks.before, after_in_parent=_forks.in_parent, after_in_child=_forks.in_child
    )
