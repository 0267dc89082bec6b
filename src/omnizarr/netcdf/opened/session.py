"""What all groups of an open dataset share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from threading import Condition
from typing import Any, NoReturn, TypeVar, cast

from omnizarr.errors import OmniZarrError, ReadOnlyError, StoreError
from omnizarr.netcdf.dialects.base import Dialect, Readable
from omnizarr.netcdf.model.nodes import Unmapped

F = TypeVar("F", bound=Callable[..., Any])


class ClosedError(StoreError, RuntimeError):
    """The dataset is closed; also a RuntimeError, as in netCDF4-python."""


class NotWritableError(ReadOnlyError, RuntimeError):
    """The dataset cannot be changed; also a RuntimeError, as in netCDF4-python."""


class NotPicklableError(OmniZarrError, TypeError, NotImplementedError):
    """Parts of open datasets are not pickled; also a NotImplementedError, as in netCDF4-python."""


class Live:
    """What lives with an open dataset: it is neither copied nor pickled."""

    __slots__ = ()

    def __reduce__(self) -> NoReturn:
        name = type(self).__name__
        raise NotPicklableError(f"{name} is not picklable: it is part of an open dataset; open that again")


@dataclass(slots=True, eq=False)
class Session:
    """The dialect of a dataset, whether it is open and may be changed, and who changes it.

    Attributes
    ----------
    lock
        Held while the model of the dataset is looked at or changed; not while chunks are read or written.
    unmapped
        What the store has, and netCDF cannot show, by absolute path.
    keepweakref
        Whether what a group holds refers to it weakly, so that a dataset closes when its last name goes.
    auto_complex
        Whether records of a real and an imaginary part are complex numbers.
    fills
        Whether new variables have a fill value also where none is given.
    warned_unseen
        Whether it was told that netCDF-C does not see some variable.
    """

    dialect: Readable
    writable: bool
    name: str
    properties: str | None = None
    is_open: bool = True
    keepweakref: bool = False
    auto_complex: bool = False
    fills: bool = True
    warned_unseen: bool = False
    unmapped: dict[str, Unmapped] = field(default_factory=dict)
    lock: Condition = field(default_factory=Condition)
    _writers: int = 0

    def check_open(self) -> None:
        """Refuse where the dataset was closed."""
        if not self.is_open:
            raise ClosedError("the dataset is closed", store=self.name)

    def check_writable(self) -> None:
        """Refuse where the dataset was closed, or opened for reading."""
        self.check_open()
        if not self.writable:
            raise NotWritableError("the dataset was opened for reading; mode 'a' changes it", store=self.name)

    def writer(self) -> Dialect:
        """Return the dialect as one to write in; refuse where there is none."""
        self.check_writable()
        if not isinstance(self.dialect, Dialect):
            raise NotWritableError(read_only_dialect(self.dialect.name), store=self.name)
        return self.dialect

    def settle(self) -> None:
        """Wait until no thread writes chunks; the lock, which is held, is let go meanwhile.

        Raises
        ------
        ClosedError
            The dataset was closed by then.
        """
        while self._writers:
            self.lock.wait()
        self.check_open()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write chunks with the lock let go; it is held before and after.

        Dimensions may grow meanwhile: the last chunk of a shorter variable is changed, and not replaced.
        """
        self._writers += 1
        self.lock.release()
        try:
            yield
        finally:
            self.lock.acquire()
            self._writers -= 1
            self.lock.notify_all()


def locked(method: F) -> F:
    """Hold the lock of the dataset while a method of a part of it runs."""

    @wraps(method)
    def run(self: Any, *arguments: Any, **keywords: Any) -> Any:
        with self._session.lock:
            return method(self, *arguments, **keywords)

    return cast(F, run)


def read_only_dialect(name: str) -> str:
    """Return why datasets of a dialect cannot be changed, and what to do."""
    return (
        f"datasets of the dialect {name!r} are read, and not changed in place; "
        "'omnizarr copy SOURCE TARGET' makes one that can be changed"
    )
