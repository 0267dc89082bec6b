"""Values that many tasks name: pickled once, and unpickled once in each process that they are sent to."""

from __future__ import annotations

import io
import pickle
import threading
from collections import OrderedDict
from typing import Any, Generic, TypeVar

from omnizarr.errors import OmniZarrError, WorkersError
from omnizarr.hierarchy.array import Array
from omnizarr.store.base import Store

T_co = TypeVar("T_co", covariant=True)

# How many values a process keeps of those that one run sent: stores, arrays that are copied at the same time.
_KEPT = 64
# Those of how many runs are kept; what an earlier one opened may not be what is there now.
_RUNS = 4
_here: OrderedDict[str, OrderedDict[bytes, Any]] = OrderedDict()
_lock = threading.RLock()  # values hold others that were sent
_now = threading.local()


class Sent(Generic[T_co]):
    """A value, and where it is pickled, its bytes; stores in it are one and the same for all values of a run.

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
        return _arrived, (self.pickled,)


def received(run: str, data: bytes) -> Any:
    """Return what was pickled, as a part of a run: what is sent in it is one object for the same bytes."""
    _now.run = run
    try:
        return pickle.loads(data)
    finally:
        _now.run = ""


def forget() -> None:
    """Let go of all that was sent to this process; what is still to be done with it opens it again."""
    with _lock:
        _here.clear()


def _arrived(pickled: bytes) -> Sent[Any]:
    return Sent(_kept(pickled), pickled)


class _Pickler(pickle.Pickler):
    def persistent_id(self, value: Any) -> bytes | None:
        return pickle.dumps(value) if isinstance(value, Store) else None

    def reducer_override(self, value: Any) -> Any:
        if not isinstance(value, Array):
            return NotImplemented
        # A copy's target has no document yet, and that workers are at the right place is shown by `Sight`.
        kind, arguments, (_, state) = value.__reduce__()
        return kind, arguments, (None, state | {"_came": False})


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
        values = _here.setdefault(getattr(_now, "run", ""), OrderedDict())
        if pickled not in values:
            values[pickled] = _Unpickler(io.BytesIO(pickled)).load()
            _drop(values, _KEPT)
            _drop(_here, _RUNS)
        values.move_to_end(pickled)
        return values[pickled]


def _drop(values: OrderedDict[Any, Any], most: int) -> None:
    while len(values) > most:
        values.popitem(last=False)
