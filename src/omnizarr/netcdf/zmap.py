"""The map that NCZarr stores its datasets in, with netCDF-C's operations and errors.

https://docs.unidata.ucar.edu/nug/current/nczarr_head.html#nczarr_mapimpl
"""

from __future__ import annotations

import errno
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Literal, Self

from omnizarr.errors import (
    EmptyKeyError,
    KeyNameError,
    MapAccessError,
    MapArgumentError,
    MapError,
    NoObjectError,
    ObjectExistsError,
    ReadOnlyError,
    StoreError,
    StoreNotFoundError,
)
from omnizarr.hierarchy.opening.locate import locate, was_opened_for
from omnizarr.netcdf.dialects.modes import asked_of
from omnizarr.store.base import Buffer, Span, Store

_DENIED = {errno.EACCES, errno.EPERM, errno.EROFS}
# A value where other keys lie below, or a key below a value, in a file system.
_TAKEN = {errno.EISDIR, errno.ENOTDIR, errno.ENOTEMPTY}


class ZMap:
    """The keys of one dataset, as netCDF-C's `zmap` shows them: `/.zgroup`, `/v/.zarray`, `/v/0.0`.

    All keys "exist", but only some have content. A key starts with `/`, which may be left out. What a
    store cannot do for other reasons than those of the map raises its `StoreError`.

    Made by `create` and `open`.
    """

    def __init__(self, store: Store, path: str = "", *, owned: bool = False) -> None:
        self.store = store
        self._prefix = f"{path}/" if path else ""
        self._owned = owned
        self._open = True

    @classmethod
    def create(
        cls, target: Any, *, clobber: bool = False, storage_options: Mapping[str, Any] | None = None
    ) -> Self:
        """Return the map of a new dataset.

        Parameters
        ----------
        target
            A path, URL (netCDF-C's fragments are understood), store or mapping.
        clobber
            Remove what is there.

        Raises
        ------
        ObjectExistsError
            Something is there, and `clobber` is not given.
        MapAccessError
            Nothing can be written there.
        """
        made = cls._located(target, "a", storage_options)
        with made._guarded(closing=True):
            if clobber:
                made._clear()
            elif next(made.store.list_prefix(made._prefix), None) is not None:
                raise ObjectExistsError("cannot create: something is there already", store=made.store.name)
        return made

    @classmethod
    def open(
        cls, target: Any, mode: Literal["r", "r+"] = "r", *, storage_options: Mapping[str, Any] | None = None
    ) -> Self:
        """Return the map of an existing dataset: one that has some content.

        Raises
        ------
        NoObjectError
            There is none.
        MapAccessError
            It may not be read, or not written where `mode` is `"r+"`.
        MapArgumentError
            Another mode.
        """
        if mode not in ("r", "r+"):
            raise MapArgumentError(f"mode: expected 'r' or 'r+', found {mode!r}")
        made = cls._located(target, mode, storage_options)
        with made._guarded(closing=True):
            listed = made.store.list_dir(made._prefix)
            if not listed.keys and not listed.prefixes:
                raise NoObjectError("cannot open: there is no dataset", store=made.store.name)
        return made

    @classmethod
    def truncate(cls, target: Any, *, storage_options: Mapping[str, Any] | None = None) -> None:
        """Remove all content of a dataset; there need not be any.

        Raises
        ------
        MapAccessError
            Nothing can be removed there.
        """
        cls.create(target, clobber=True, storage_options=storage_options).close()

    @classmethod
    def _located(cls, target: Any, mode: Any, storage_options: Mapping[str, Any] | None) -> Self:
        with _errors(""):
            place = asked_of(target).place
            store, path = locate(place, None, mode, storage_options)
            return cls(store, path, owned=was_opened_for(target))

    # Objects

    def exists(self, key: str) -> bool:
        """Say whether a key has content."""
        with self._guarded(key) as name:
            return name != "" and self.store.exists(self._prefix + name)

    def len(self, key: str) -> int:
        """Return how many bytes of content a key has.

        Raises
        ------
        EmptyKeyError
            It has none, which is something else than content of no bytes.
        """
        with self._guarded(key) as name:
            size = self.store.size(self._prefix + name) if name else None
            if size is None:
                raise self._empty(key)
            return size

    def read(self, key: str, start: int = 0, count: int | None = None) -> bytes:
        """Return `count` bytes of the content of a key from `start` on; all that follow unless given.

        Raises
        ------
        EmptyKeyError
            The key has no content.
        MapArgumentError
            A negative number, or the content ends earlier.
        """
        with self._guarded(key) as name:
            if start < 0 or (count is not None and count < 0):
                raise self._argument(f"expected numbers from 0 on, found start {start}, count {count}", key)
            if start == 0 and count is None:
                value = self.store.get(self._prefix + name) if name else None
                if value is None:
                    raise self._empty(key)
                return value
            return self._part(key, name, start, count)

    def _part(self, key: str, name: str, start: int, count: int | None) -> bytes:
        # One byte from before the start tells a part that is empty from one that lies beyond the end.
        first = max(start - 1, 0)
        wanted = 2**62 if count is None else count + start - first
        value = self.store.get(self._prefix + name, Span(first, wanted)) if name else None
        if value is None:
            raise self._empty(key)
        part = value[start - first :]
        if len(value) < start - first or (count is not None and len(part) < count):
            end = f"{start} + {count}" if count is not None else start
            raise self._argument(f"expected a part of the content, found one that ends at {end}", key)
        return part

    def write(self, key: str, value: Buffer) -> None:
        """Make `value` the content of a key; a reader sees the old one or the new.

        Raises
        ------
        MapAccessError
            The map was opened for reading, or it is not allowed.
        ObjectExistsError
            The store cannot have this key beside another one that starts with it, or the reverse.
        """
        with self._guarded(key) as name:
            if not name:
                raise self._argument("expected a key below '/'", key)
            self.store.set(self._prefix + name, value)

    def search(self, prefix: str = "/") -> list[str]:
        """Return the names directly below a prefix that lead to content, each once, sorted."""
        with self._guarded(prefix.removesuffix("/") or "/") as name:
            below = f"{self._prefix}{name}/" if name else self._prefix
            listed = self.store.list_dir(below)
            names = [each[len(below) :].rstrip("/") for each in (*listed.keys, *listed.prefixes)]
            return sorted(set(names))

    # Ending

    def close(self, *, delete: bool = False) -> None:
        """Finish what is under way; with `delete`, remove all content first. A second time, do nothing.

        A store that the caller gave stays open.
        """
        if not self._open:
            return
        try:
            if delete:
                with self._guarded():
                    self._clear()
        finally:
            self._open = False
            if self._owned:
                with _errors(self.store.name):
                    self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<ZMap of {self.store.name}{f' at {self._prefix[:-1]}' if self._prefix else ''}>"

    def _clear(self) -> None:
        self.store.require_writable()
        self.store.delete_prefix(self._prefix)

    @contextmanager
    def _guarded(self, key: str = "/", *, closing: bool = False) -> Iterator[str]:
        """Give a key as the store has it, "" for the root; what the store raises becomes netCDF's errors."""
        if not self._open:
            raise self._argument("the map is closed", key)
        if not isinstance(key, str) or (not key and not closing):
            raise self._argument(f"expected a key that starts with '/', found {key!r}", None)
        try:
            with _errors(self.store.name, key):
                yield key.removeprefix("/")
        except BaseException:
            if closing:
                self.close()
            raise

    def _empty(self, key: str) -> MapError:
        return EmptyKeyError("the key has no content", store=self.store.name, key=key)

    def _argument(self, message: str, key: str | None) -> MapError:
        return MapArgumentError(message, store=self.store.name, key=key)


@contextmanager
def _errors(store: str, key: str | None = None) -> Iterator[None]:
    try:
        yield
    except KeyNameError as error:
        raise MapArgumentError("not a key of the map", store=store, key=key) from error
    except StoreNotFoundError as error:
        raise NoObjectError(str(error), key=key) from error
    except StoreError as error:
        if isinstance(error, ReadOnlyError) or error.errno in _DENIED:
            raise MapAccessError(str(error)) from error
        if error.errno in _TAKEN:
            raise ObjectExistsError(str(error)) from error
        raise
