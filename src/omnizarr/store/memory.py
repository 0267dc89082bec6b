"""A store in memory."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from omnizarr.store.base import Buffer, ByteRange, Change, KeyLocks, Listing, Reader, Store
from omnizarr.store.foreign import ForeignValues, bytes_of
from omnizarr.store.keys import check_key, check_prefix, is_legal
from omnizarr.store.listing import listing_of
from omnizarr.store.ranges import check_part, cut
from omnizarr.store.readers import BytesReader

# Of stores that were given their mapping: it may be that of another one.
_shared_locks = KeyLocks(256)


class MemoryStore(Store):
    """Values in a dict, or in any other mutable mapping of names to bytes.

    Parameters
    ----------
    values
        The mapping that holds the values, which is used as it is and not copied; a new dict unless
        given. Names in it that are no keys are left alone and never listed. What is asked of one that
        is no dict: docs/storage/mapping.md.

    Raises
    ------
    StoreError
        By each operation, where a mapping raises anything but `KeyError`, or a value has no bytes.
    """

    lists_cheaply = True

    def __init__(self, values: MutableMapping[str, bytes] | None = None, *, name: str | None = None) -> None:
        self._values: MutableMapping[str, bytes] = {} if values is None else values
        self._locks = KeyLocks() if values is None else _shared_locks
        self.name = f"memory://{id(self._values):x}" if name is None else name
        if type(self._values) is not dict:
            if name is None:
                self.name = f"mapping://{type(values).__name__}/{id(values):x}"
            self._values = ForeignValues(self._values, self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        if isinstance(self._values, ForeignValues):
            return _made, (self._values.inner, self.name)
        raise TypeError(f"cannot be pickled: values in memory are of one process ({self.name})")

    def get(self, key: str, part: ByteRange | None = None) -> bytes | None:
        value = self._find(key)
        if part is None:
            return value
        check_part(part)
        return None if value is None else cut(value, part)

    def get_into(self, key: str, out: memoryview, start: int = 0) -> int | None:
        reader = self._reader(key)
        return None if reader is None else reader.get_into(out, start)

    def get_ranges(self, key: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        reader = self._reader(key)
        return None if reader is None else reader.get_ranges(spans)

    def reading(self, key: str) -> AbstractContextManager[Reader | None]:
        return nullcontext(self._reader(key))

    def _reader(self, key: str) -> BytesReader | None:
        value = self._find(key)
        return None if value is None else BytesReader(value)

    def size(self, key: str) -> int | None:
        value = self._find(key)
        return None if value is None else len(value)

    @property
    def identity(self) -> str:
        # A name may be that of another store, later or elsewhere. A mark takes 5 µs, and few are asked for.
        return f"{self.name} {self.__dict__.setdefault('_mark', uuid.uuid4().hex)}"

    def set(self, key: str, value: Buffer) -> None:
        check_key(key)
        held = _frozen(value)
        with self._locks.of(key):
            self._values[key] = held

    def set_if_absent(self, key: str, value: Buffer) -> bool:
        check_key(key)
        with self._locks.of(key):
            if key in self._values:
                return False
            self._values[key] = _frozen(value)
            return True

    def update(self, key: str, change: Change) -> None:
        check_key(key)
        with self._locks.of(key):
            value = change(self._find(key))
            if value is None:
                self._values.pop(key, None)
            else:
                self._values[key] = _frozen(value)

    def delete(self, key: str) -> None:
        check_key(key)
        with self._locks.of(key):
            self._values.pop(key, None)

    def delete_prefix(self, prefix: str) -> None:
        for key in self.list_prefix(prefix):
            self.delete(key)

    def list_prefix(self, prefix: str = "") -> Iterator[str]:
        check_prefix(prefix)
        return iter([key for key in self._keys() if key.startswith(prefix)])

    def list_dir(self, prefix: str = "") -> Listing:
        check_prefix(prefix)
        return listing_of(self._keys(), prefix)

    def __copy__(self) -> MemoryStore:
        """Return a store of its own with the same values."""
        return MemoryStore({key: value for key in self._keys() if (value := self._find(key)) is not None})

    def __deepcopy__(self, memo: dict[int, object]) -> MemoryStore:
        return self.__copy__()  # values are bytes, which nobody can change

    def _find(self, key: str) -> bytes | None:
        check_key(key)
        value = self._values.get(key)
        return value if value is None or type(value) is bytes else bytes_of(value, self.name, key)

    def _keys(self) -> list[str]:
        return [key for key in list(self._values) if isinstance(key, str) and is_legal(key)]


def _made(values: MutableMapping[str, bytes], name: str) -> MemoryStore:
    return MemoryStore(values, name=name)


def _frozen(value: Buffer) -> bytes:
    # Not bytes(value), which would turn a number into that many zeros.
    return value if type(value) is bytes else memoryview(value).tobytes()
