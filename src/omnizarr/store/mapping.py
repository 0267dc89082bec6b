"""A store seen as a mapping: the abstract key-value model of Zarr v2."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Protocol

from omnizarr.errors import KeyNameError


class KeyValues(Protocol):
    """What a mapping needs of a store."""

    def get(self, key: str) -> bytes | None: ...
    def set(self, key: str, value: bytes) -> None: ...
    def exists(self, key: str) -> bool: ...
    def delete(self, key: str) -> None: ...
    def delete_prefix(self, prefix: str) -> None: ...
    def list_prefix(self, prefix: str = "") -> Iterator[str]: ...


class StoreMapping(MutableMapping[str, bytes]):
    """The keys and values of a store; changes go straight to the store.

    A name that is no legal key is simply absent; setting it raises `KeyNameError`.
    """

    def __init__(self, store: KeyValues) -> None:
        self.store = store

    def __getitem__(self, key: str) -> bytes:
        try:
            value = self.store.get(key)
        except KeyNameError:
            value = None
        if value is None:
            raise KeyError(key)
        return value

    def __setitem__(self, key: str, value: bytes) -> None:
        self.store.set(key, value)

    def __delitem__(self, key: str) -> None:
        if key not in self:
            raise KeyError(key)
        self.store.delete(key)

    def __contains__(self, key: object) -> bool:
        try:
            return isinstance(key, str) and self.store.exists(key)
        except KeyNameError:
            return False

    def __iter__(self) -> Iterator[str]:
        return iter(self.store.list_prefix())

    def __len__(self) -> int:
        return sum(1 for _ in self.store.list_prefix())

    def clear(self) -> None:
        self.store.delete_prefix("")

    def __repr__(self) -> str:
        return f"<StoreMapping of {self.store}>"
