"""Values that many tasks name: pickled once, and unpickled once in each process that they are sent to."""

from __future__ import annotations

import io
import pickle
import threading
from collections import OrderedDict
from typing import Any, Generic, TypeVar

from omnizarr.errors import OmniZarrError, WorkersError
from omnizarr.store.base import Store

T_co = TypeVar("T_co", covariant=True)

# How many values a process keeps that were sent to it: stores, and arrays that are copied at the same time.
_KEPT = 64
_here: OrderedDict[bytes, Any] = OrderedDict()
_lock = threading.RLock()  # values hold others that were sent


class Sent(Generic[T_co]):
    """A value, and where it is pickled, its bytes; stores in it are one and the same for all values.

    Raises
    ------
    WorkersError
        It is pickled, and cannot be.
    """

    __slots__ = ("__weakref__", "_pickled", "value")

    def __init__(self, value: T_co, pickled: bytes | None = None) -> None:
        self.value = value
        self._pickled = pickled

    @property
    def pickled(self) -> bytes:
        """The value's bytes."""
        if self._pickled is None:
            self._pickled = _dumped(self.value)
        return self._pickled

    def __reduce__(self) -> tuple[Any, ...]:
        return arrived, (self.pickled,)


def arrived(pickled: bytes) -> Sent[Any]:
    """Return what was sent; the same object for the same bytes."""
    return Sent(_kept(pickled), pickled)


def forget() -> None:
    """Let go of all that was sent to this process; what is still to be done with it opens it again."""
    with _lock:
        _here.clear()


class _Pickler(pickle.Pickler):
    def persistent_id(self, value: Any) -> bytes | None:
        return pickle.dumps(value) if isinstance(value, Store) else None


class _Unpickler(pickle.Unpickler):
    def persistent_load(self, pid: Any) -> Any:
        return _kept(pid)


def _dumped(value: Any) -> bytes:
    out = io.BytesIO()
    try:
        _Pickler(out, protocol=5).dump(value)
    except OmniZarrError:
        raise
    except Exception as error:  # whatever classes raise that cannot be pickled
        raise WorkersError(f"cannot be sent to other processes: {error}") from error
    return out.getvalue()


def _kept(pickled: bytes) -> Any:
    with _lock:
        if pickled not in _here:
            value = _Unpickler(io.BytesIO(pickled)).load()
            _here[pickled] = value
            if len(_here) > _KEPT:
                _here.popitem(last=False)
        _here.move_to_end(pickled)
        return _here[pickled]
