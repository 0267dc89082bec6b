"""What belongs to a node, wherever its format keeps it: one directory, or parts of several."""

from __future__ import annotations

from collections.abc import Iterator

from omnizarr.metadata.formats.base import Format
from omnizarr.store.base import Store


def keys_at(store: Store, format: Format, path: str) -> Iterator[str]:
    """Yield every key of a node and of what is below it, as the store lists them."""
    owned = format.owned(path)
    yield from (key for key in owned.keys if store.exists(key))
    for prefix in owned.prefixes:
        yield from store.list_prefix(prefix)


def sizes_at(store: Store, format: Format, path: str) -> Iterator[tuple[str, int]]:
    """Yield every key of a node and of what is below it with the bytes of its value."""
    owned = format.owned(path)
    for key in owned.keys:
        if (size := store.size(key)) is not None:
            yield key, size
    for prefix in owned.prefixes:
        yield from store.list_sizes(prefix)


def delete_at(store: Store, format: Format, path: str) -> None:
    """Delete all that belongs to a node and to what is below it."""
    owned = format.owned(path)
    for key in owned.keys:
        store.delete(key)
    for prefix in owned.prefixes:
        store.delete_prefix(prefix)


def mark_place(format: Format, path: str) -> str:
    """Return the prefix at which a node's own marks lie: of a copy or a deletion under way."""
    return format.owned(path).prefixes[-1]


def relative_key(format: Format, path: str, key: str) -> str:
    """Return what a key of a node or below it would be called if that node were the root of its store."""
    return format.moved_key(key, path, "")


def placed_key(format: Format, path: str, relative: str) -> str:
    """Return the key below a node of what `relative_key` calls `relative`."""
    return format.moved_key(relative, "", path)
