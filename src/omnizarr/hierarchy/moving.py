"""Moving a node within its store."""

from __future__ import annotations

from omnizarr.errors import NodeExistsError, NodeNotFoundError
from omnizarr.hierarchy.belongings import delete_at, keys_at
from omnizarr.hierarchy.creating.place import ensure_groups_above
from omnizarr.hierarchy.discover import deciding_keys, is_node
from omnizarr.hierarchy.paths import check_new_path, prefix_of
from omnizarr.hierarchy.requests import each
from omnizarr.metadata.formats.base import Format
from omnizarr.store.base import Store


def move_node(store: Store, format: Format, old: str, new: str) -> None:
    """Move a node with everything below; the documents that make it a node go last, and away first.

    Raises
    ------
    NodeNotFoundError
        There is no node at `old`.
    NodeExistsError
        There is a node at `new`, or `new` lies inside `old`.
    """
    if old == new:
        return
    _check(store, format, old, new)
    ensure_groups_above(store, format, new)
    keys = list(keys_at(store, format, old))
    last = set(deciding_keys(format, old))

    def copy(key: str) -> None:
        value = store.get(key)
        if value is not None:
            store.set(format.moved_key(key, old, new), value)

    each(store, copy, [key for key in keys if key not in last])
    for key in keys:
        if key in last:
            copy(key)
            store.delete(key)
    delete_at(store, format, old)


def _check(store: Store, format: Format, old: str, new: str) -> None:
    check_new_path(new, format.zarr_format)
    if not old or not is_node(store, format, old):
        message = "the root cannot be moved" if not old else "there is no array or group to move"
        raise NodeNotFoundError(message, store=store.name, path=old)
    if new.startswith(prefix_of(old)):
        raise NodeExistsError(f"a node cannot be moved into itself, from /{old}", store=store.name, path=new)
    if is_node(store, format, new):
        raise NodeExistsError("something is there already", store=store.name, path=new)
