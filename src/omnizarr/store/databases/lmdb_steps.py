"""What is done within one LMDB transaction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, Self

from omnizarr.errors import KeyNameError
from omnizarr.store.base import Buffer, Change
from omnizarr.store.directories.files import flat
from omnizarr.store.keys import check_key

MAX_KEY = 511
_PAGE = 1000


class Cursor(Protocol):
    """What is used of `lmdb.Cursor`; all keys and values are views."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...
    def set_range(self, key: bytes) -> bool: ...
    def key(self) -> memoryview: ...
    def delete(self) -> bool: ...
    def iternext(self, keys: bool = True, values: bool = True) -> Iterator[Any]: ...


class Transaction(Protocol):
    """What is used of `lmdb.Transaction`; values are views, of use only until it ends."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...
    def get(self, key: bytes) -> memoryview | None: ...
    def put(self, key: bytes, value: bytes | memoryview, *, overwrite: bool = True) -> bool: ...
    def delete(self, key: bytes) -> bool: ...
    def cursor(self) -> Cursor: ...
    def abort(self) -> None: ...


class ViewSnapshot:
    """A value in a transaction of its own."""

    def __init__(self, transaction: Transaction, value: memoryview) -> None:
        self.size = len(value)
        self._transaction = transaction
        self._value: memoryview | bytes = value

    def read(self, start: int, stop: int) -> memoryview | bytes:
        """Return a part of the value, as it lies in the map."""
        return self._value[start:stop]

    def close(self) -> None:
        """End the transaction."""
        self._value = b""
        self._transaction.abort()


def raw_key(key: str) -> bytes:
    """Return a key as LMDB has it.

    Raises
    ------
    KeyNameError
        It is no key, or has more than 511 bytes.
    """
    check_key(key)
    raw = key.encode()
    if len(raw) > MAX_KEY:
        raise KeyNameError(f"not a key: LMDB has at most {MAX_KEY} bytes for one, found {len(raw)}", key=key)
    return raw


def bound(value: Buffer) -> bytes | memoryview:
    """Return a value as LMDB takes it."""
    return value if type(value) is bytes else flat(value)


def value_of(transaction: Transaction, raw: bytes) -> bytes | None:
    """Return a copy of a value, or None where there is no such key."""
    found = transaction.get(raw)
    return None if found is None else bytes(found)


def put_or_delete(transaction: Transaction, raw: bytes, value: bytes | memoryview | None) -> None:
    """Replace a value, or delete it where the new one is None."""
    if value is None:
        transaction.delete(raw)
    else:
        transaction.put(raw, value)


def change_value(transaction: Transaction, raw: bytes, change: Change) -> None:
    """Replace a value by what `change` makes of it."""
    value = change(value_of(transaction, raw))
    put_or_delete(transaction, raw, None if value is None else bound(value))


def delete_page(transaction: Transaction, prefix: bytes) -> bool:
    """Delete keys below a prefix, so many as a transaction holds easily; say whether there may be more."""
    with transaction.cursor() as cursor:
        for _ in range(_PAGE):
            if not cursor.set_range(prefix) or not bytes(cursor.key()).startswith(prefix):
                return False
            cursor.delete()
    return True


def page_of(
    transaction: Transaction, prefix: bytes, last: bytes
) -> tuple[list[tuple[bytes, int]], bytes | None]:
    """Return keys below a prefix with their sizes, and the last of them unless there are no more."""
    page: list[tuple[bytes, int]] = []
    if len(prefix) > MAX_KEY:
        return page, None
    with transaction.cursor() as cursor:
        if cursor.set_range(last):
            for key, value in cursor.iternext():
                raw = bytes(key)
                if not raw.startswith(prefix):
                    return page, None
                if raw != last:
                    page.append((raw, len(value)))
                if len(page) == _PAGE:
                    return page, raw
    return page, None
