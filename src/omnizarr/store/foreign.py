"""Any mutable mapping, seen as a dictionary of bytes; what is asked of one: docs/storage/mapping.md."""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping
from contextlib import suppress
from typing import Any

from omnizarr.errors import OmniZarrError, StoreError
from omnizarr.store.base import KeyLocks

_LISTINGS = 10

# Of all mappings: one may be in several stores.
_locks = KeyLocks(64)


class ForeignValues(MutableMapping[str, bytes]):
    """A mapping of someone else's: `KeyError` means absent, whatever else it raises is a `StoreError`.

    It is asked one thing at a time. Names may be bytes, and values anything that has bytes.
    """

    def __init__(self, inner: MutableMapping[Any, Any], name: str) -> None:
        self.inner = inner
        self.name = name
        self._lock = _locks.of(f"{id(inner)}")
        self._has_bytes: bool | None = None
        # Of such a dictionary `[]` would make what is absent.
        self._makes_values = isinstance(inner, dict) and hasattr(type(inner), "__missing__")

    def __getitem__(self, key: str) -> bytes:
        with self._lock:
            try:
                value = self._item(key)
            except KeyError:
                raise KeyError(key) from None
            except Exception as error:
                raise self._failure("read", error, key) from error
        return bytes_of(value, self.name, key)

    def __setitem__(self, key: str, value: bytes) -> None:
        with self._lock:
            try:
                self.inner[self._named(key)] = value
            except Exception as error:
                raise self._failure("write", error, key) from error

    def __delitem__(self, key: str) -> None:
        with self._lock:
            try:
                del self.inner[self._named(key)]
            except KeyError:
                if key in self:
                    message = "cannot delete: the mapping says that there is no such key, and has its value"
                    raise StoreError(message, store=self.name, key=key) from None
                raise KeyError(key) from None
            except Exception as error:
                raise self._failure("delete", error, key) from error

    def pop(self, key: str, default: Any = None) -> Any:
        """Remove a key; unlike with other mappings, its value is not read, and it need not be there."""
        with suppress(KeyError):
            del self[key]
        return default

    def __iter__(self) -> Iterator[str]:
        with self._lock:
            try:
                found = self._names()
            except Exception as error:
                raise self._failure("list", error) from error
        for name in found:
            text = _text(name)
            if text is not None:
                yield text

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _names(self) -> list[Any]:
        for left in range(_LISTINGS, -1, -1):
            try:
                return [*self._iterated()]
            except RuntimeError as error:
                if left == 0 or "during iteration" not in str(error):
                    raise
        raise AssertionError("the last listing returns or raises")

    def _iterated(self) -> Iterator[Any]:
        # Some of dbm's have keys() alone.
        return iter(self.inner if hasattr(type(self.inner), "__iter__") else self.inner.keys())

    # Names

    def _item(self, key: str) -> Any:
        name = self._named(key)
        try:
            return self._present(name)
        except KeyError:
            if self._has_bytes is None and self._found_bytes():
                return self._present(key.encode())
            raise

    def _present(self, name: str | bytes) -> Any:
        if self._makes_values and name not in self.inner:
            raise KeyError(name)
        return self.inner[name]

    def _named(self, key: str) -> str | bytes:
        return key.encode() if self._has_bytes else key

    def _found_bytes(self) -> bool:
        """Find out, as soon as there is a name, whether names are bytes that are not found as text."""
        try:
            first = next(self._iterated(), None)
        except Exception:
            self._has_bytes = False  # it cannot list, which is told where a listing is asked for
            return False
        if first is not None:
            self._has_bytes = isinstance(first, bytes) and not self._finds(first)
        return bool(self._has_bytes)

    def _finds(self, name: bytes) -> bool:
        try:
            self._present(name.decode())
        except (KeyError, TypeError, UnicodeError):
            return False
        return True

    def _failure(self, action: str, error: Exception, key: str | None = None) -> Exception:
        if isinstance(error, OmniZarrError):
            return error
        said = re.sub(r"//[^/@\s]+@", "//", f"{type(error).__name__}: {error}".rstrip(": "))
        number = error.errno if isinstance(error, OSError) else None
        return StoreError(f"cannot {action}: {said}", store=self.name, key=key, errno=number)


def bytes_of(value: object, store: str, key: str) -> bytes:
    """Return the bytes of a value: of an array, in the order it has in memory.

    Raises
    ------
    StoreError
        It has none, as text and numbers; or what it holds are objects.
    """
    kind = getattr(value, "dtype", None)
    try:
        if kind is not None and kind.kind in "mM":  # which have no buffer
            value = value.view("i8")  # type: ignore[attr-defined]
        view = memoryview(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, BufferError):
        message = f"expected bytes, found {type(value).__name__}"
        raise StoreError(f"cannot read: {message}", store=store, key=key) from None
    if isinstance(value, str):  # numpy's has bytes, of UTF-32
        raise StoreError("cannot read: expected bytes, found text", store=store, key=key)
    if view.format == "O" or getattr(kind, "hasobject", False):
        raise StoreError("cannot read: expected bytes, found objects", store=store, key=key)
    return view.tobytes("A")


def _text(name: object) -> str | None:
    """Return a name as text, or None where it cannot be a key."""
    if isinstance(name, bytes):
        try:
            return name.decode()
        except UnicodeDecodeError:
            return None
    return name if isinstance(name, str) else None
