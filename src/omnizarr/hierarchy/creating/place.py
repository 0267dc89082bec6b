"""Putting a new node into a store, so that of several writers none breaks what another made."""

from __future__ import annotations

from types import NoneType

from omnizarr.errors import NodeExistsError, NodeTypeError
from omnizarr.hierarchy.belongings import delete_at
from omnizarr.hierarchy.discover import deciding_keys, is_node
from omnizarr.hierarchy.documents import is_implied, read_documents
from omnizarr.hierarchy.paths import ancestors_of, check_new_path
from omnizarr.jsontypes import Problems
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats import FORMATS
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.formats.drafts.detect import draft_at
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.store.base import Store


def place(
    store: Store,
    format: Format,
    path: str,
    metadata: NodeMetadata,
    *,
    overwrite: bool = False,
    parent: str | None = None,
) -> None:
    """Store the documents of a new node, and of the groups above it that are missing.

    Where the format has implicit groups this is one write, and nothing is asked of the store: groups above
    need no documents, and what else is at `path` or clashes with it is for `validate` to find.

    The deciding document comes first and only where there is none: of two writers of one node the second
    fails before it has changed anything of the first one's.

    Parameters
    ----------
    overwrite
        Delete what is at `path` first, with everything below.
    parent
        Path of a group that is known to exist, at or above which nothing need be made.

    Raises
    ------
    NodeExistsError
        There is a node already.
    NodeTypeError
        A node above is an array, in a format without implicit groups.
    NodeNameError
        The format reserves a name in `path`.
    """
    check_new_path(path, format.zarr_format)
    ensure_groups_above(store, format, path, parent)
    documents = format.write(path, metadata)
    if overwrite:
        delete_at(store, format, path)
    elif parent is None and not format.implicit_groups:
        refuse_other_formats(store, format, path)
    if parent is None:
        ensure_hierarchy(store, format)
    deciding = next(reversed(documents))
    for key in () if format.implicit_groups else deciding_keys(format, path):
        if key != deciding and not overwrite and store.exists(key):
            raise there_already(store, format, path)
    if not store.set_if_absent(deciding, documents.pop(deciding)):
        raise there_already(store, format, path)
    for key, document in documents.items():
        store.set(key, document)


def ensure_hierarchy(store: Store, format: Format) -> None:
    """Store what a hierarchy has beside its nodes, unless it is there.

    Raises
    ------
    NodeExistsError
        Another writer made a hierarchy of another format meanwhile.
    """
    for key, document in format.root_documents().items():
        if not store.exists(key) and not store.set_if_absent(key, document):
            problems = Problems()
            if draft_at(store.get(key), problems) != format or problems:
                message = "another writer has made another hierarchy there meanwhile"
                raise NodeExistsError(message, store=store.name, path="")


def ensure_groups_above(store: Store, format: Format, path: str, parent: str | None = None) -> None:
    """Make the groups above `path` that are missing, the outermost first.

    Raises
    ------
    NodeTypeError
        A node above is an array.
    """
    for ancestor in missing_groups_above(store, format, path, parent):
        ensure_group(store, format, ancestor)


def missing_groups_above(store: Store, format: Format, path: str, parent: str | None = None) -> list[str]:
    """Return the paths of the groups above `path` that are missing, the outermost first.

    Raises
    ------
    NodeTypeError
        A node above is an array.
    NodeExistsError
        A node above is of another format.
    """
    missing: list[str] = []
    for ancestor in () if format.implicit_groups else ancestors_of(path):
        if ancestor == parent or _is_group(store, format, ancestor):
            break
        refuse_other_formats(store, format, ancestor)
        missing.insert(0, ancestor)
    return missing


def refuse_other_formats(store: Store, format: Format, path: str) -> None:
    """Keep a hierarchy in one format.

    Raises
    ------
    NodeExistsError
        There is a node of another format at `path`.
    """
    for other in FORMATS.values():
        if other != format and is_node(store, other, path):
            number = other.zarr_format
            message = f"a node of Zarr {number} is there; zarr_format={number!r} makes others of that format"
            raise NodeExistsError(message, store=store.name, path=path)


def ensure_group(store: Store, format: Format, path: str, made: list[str] | None = None) -> None:
    """Make a group unless there is one; another writer may do the same at the same moment.

    Parameters
    ----------
    made
        Receives the keys that were stored.

    Raises
    ------
    NodeTypeError
        There is an array.
    """
    [(key, document)] = format.write(path, GroupMetadata()).items()
    is_new = store.set_if_absent(key, document)
    if is_new and made is not None:
        made.append(key)
    # Where an array has a deciding document of its own, it could have been made in the meantime.
    if not is_new or len(deciding_keys(format, path)) > 1:
        _is_group(store, format, path)


def kind_at(store: Store, format: Format, path: str) -> type[NodeMetadata] | None:
    """Return the kind of node at `path` from its deciding document, or None where there is no node.

    Where a draft's hierarchy begins there, it is `NoneType`: something, and no node of this format.
    """
    for key in deciding_keys(format, path):
        if (value := store.get(key)) is not None:
            found = read_documents(store, format, path, {key: value}, consolidated=False)
            return type(found)  # type: ignore[return-value]
    return GroupMetadata if is_implied(store, format, path) else None


def _is_group(store: Store, format: Format, path: str) -> bool:
    kind: type[object] | None = kind_at(store, format, path)
    if kind is NoneType:
        message = "a hierarchy of a draft of Zarr v3 is there, whose nodes are of the same draft"
        raise NodeExistsError(message, store=store.name, path=path)
    if kind is ArrayMetadata:
        raise NodeTypeError("an array can hold no other nodes", store=store.name, path=path)
    return kind is not None


_KINDS: dict[type[object] | None, str] = {
    GroupMetadata: "a group",
    ArrayMetadata: "an array",
    NoneType: "a hierarchy of a draft of Zarr v3",
}


def there_already(store: Store, format: Format, path: str, *, overwrite: bool = False) -> NodeExistsError:
    """Return the error that says what is at the place of a new node."""
    found: type[object] | None = kind_at(store, format, path)
    kind = _KINDS.get(found)
    message = f"{kind or 'a part of a node'} is there already; overwrite=True replaces it"
    if overwrite:  # what was there was deleted
        message = f"another writer has stored {kind or 'a part of a node'} there meanwhile"
    return NodeExistsError(message, store=store.name, path=path)
