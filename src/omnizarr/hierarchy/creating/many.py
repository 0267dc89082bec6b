"""Putting many new nodes into a store: all of them, or none.

What can be checked is checked before the first write. Then the nodes that lie in other new ones are stored,
and last those that hold them: until a node is stored, nothing that is below it is found. After a failure
everything that was stored is deleted again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeAlias

from omnizarr.errors import NodeExistsError, NodeNameError, NodeTypeError
from omnizarr.hierarchy.belongings import delete_at
from omnizarr.hierarchy.creating.place import (
    ensure_group,
    ensure_hierarchy,
    missing_groups_above,
    refuse_other_formats,
    there_already,
)
from omnizarr.hierarchy.discover import deciding_keys
from omnizarr.hierarchy.opening.formats import in_format
from omnizarr.hierarchy.paths import (
    ancestors_of,
    check_new_path,
    joined,
    normal_path,
    parent_of,
    prefix_of,
)
from omnizarr.hierarchy.requests import each
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats import FORMATS
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.store.base import Store

Documents: TypeAlias = Mapping[str, Mapping[str, bytes]]  # of each path, by key

_SHOWN = 5  # keys that a note names


def place_all(
    store: Store,
    format: Format,
    nodes: Mapping[str, NodeMetadata],
    *,
    overwrite: bool = False,
    exist_ok: bool = False,
    vacant: bool = False,
    parent: str | None = None,
) -> Placed:
    """Store the documents of new nodes, given by path, and of the groups above them that are missing.

    Of several writers of the same nodes the first one wins, and the others change nothing.

    Parameters
    ----------
    overwrite
        Delete what is at the nodes first, with everything below. What a failure leaves is no node. Equal
        documents of others who overwrite at the same time are taken for one's own.
    exist_ok
        Take documents that another writer stores meanwhile for one's own where they are equal.
    vacant
        Whether nothing is at the nodes, as far as the caller could see: then nothing is asked of the store.
    parent
        Path of a group that is known to exist, at or above which nothing need be made.

    Returns
    -------
    Placed
        What was stored; `undo` deletes it again.

    Raises
    ------
    NodeExistsError
        There is a node already, or one of another format.
    NodeTypeError
        A node above is an array, in the store or among `nodes`.
    NodeNameError
        The format reserves a name in a path.
    ConversionError
        The format cannot express a node.
    """
    _check_paths(store, format, nodes)
    documents = {path: format.write(path, nodes[path]) for path in sorted(nodes, key=_parts)}
    store.require_writable()
    tops = [path for path in documents if not any(above in documents for above in ancestors_of(path))]
    missing = _missing_above(store, format, tops, parent)
    if not overwrite and not vacant and not format.implicit_groups:
        _refuse_others(store, format, documents, tops if parent is None else ())
    if overwrite:
        each(store, lambda path: clear(store, path, format), tops)
    if parent is None:
        ensure_hierarchy(store, format)
    placed = Placed(store, documents, exist_ok, overwrite)
    try:
        placed.store_each(format, [path for path in documents if path not in set(tops)])
        for path in missing:
            ensure_group(store, format, path, placed.groups_above.setdefault(path, []))
        placed.store_each(format, tops)
    except BaseException as error:
        placed.undo(error)
        raise
    return placed


def nodes_below(format: Format, parent: str, nodes: Mapping[str, NodeMetadata]) -> dict[str, NodeMetadata]:
    """Return nodes that are given by names below a group by their paths, in the idiom of a format.

    Raises
    ------
    NodeNameError
        Two names mean one path.
    ConversionError
        The format cannot hold a node.
    """
    found: dict[str, NodeMetadata] = {}
    for name, metadata in nodes.items():
        path = joined(parent, normal_path(name))
        if path in found:
            raise NodeNameError(f"two names of the same node, the second is {name!r}", path=path)
        found[path] = in_format(format, metadata)
    return {path: found[path] for path in sorted(found, key=_parts)}


def with_groups_between(nodes: Mapping[str, NodeMetadata]) -> dict[str, NodeMetadata]:
    """Return nodes by path, and the groups that are missing between one of them and another above it."""
    found = dict(nodes)
    for path in nodes:
        between: list[str] = []
        for above in ancestors_of(path):
            if above in nodes:
                found |= {one: GroupMetadata() for one in between}
                break
            between.append(above)
    return found


def clear(store: Store, path: str, format: Format | None = None) -> None:
    """Delete what is at and below a node; its deciding documents first, so that no part of it opens.

    Parameters
    ----------
    format
        What is to be there instead; by default one that keeps nodes in their own places.
    """
    shared = format is None or not format.implicit_groups or not path
    for other in FORMATS.values() if format is None or shared else (format,):
        for key in deciding_keys(other, path):
            store.delete(key)
    delete_at(store, format or FORMATS[3], path)


@dataclass(frozen=True, slots=True)
class Placed:
    """What a call has stored.

    Attributes
    ----------
    documents
        What it was to store: of each path, by key.
    exist_ok, overwrite
        Whether equal documents of others are taken for one's own, and others do so with what is stored here.
    made
        The keys that were stored.
    unsure
        Keys of which the store did not say whether they were stored.
    groups_above
        The groups above that were missing, and the keys that were stored for them.
    """

    store: Store
    documents: Documents
    exist_ok: bool = False
    overwrite: bool = False
    made: list[str] = field(default_factory=list)
    unsure: list[str] = field(default_factory=list)
    groups_above: dict[str, list[str]] = field(default_factory=dict)

    def store_each(self, format: Format, paths: Sequence[str]) -> None:
        """Store nodes: one alone, and then the others, several at once where that pays off.

        Of writers of the same nodes, all but one fail at the first, and have stored nothing that could be
        in the way of that one.
        """
        for part in (paths[:1], paths[1:]):
            each(self.store, lambda path: self._store(format, path), part)

    def _store(self, format: Format, path: str) -> None:
        for key, document in self.documents[path].items():
            try:
                is_new = self.store.set_if_absent(key, document)
                if is_new:
                    self.made.append(key)
            except BaseException:
                self.unsure.append(key)
                raise
            if not is_new and not (self._is_shared and self.store.get(key) == document):
                raise there_already(self.store, format, path, overwrite=self.overwrite)

    @property
    def _is_shared(self) -> bool:
        return self.exist_ok or self.overwrite

    def undo(self, error: BaseException) -> None:
        """Delete what was stored, as far as the store lets us; a note of the error says what is left.

        What another writer has come in between of stays: that one may be complete only with it.
        """
        if self._is_shared and isinstance(error, NodeExistsError):
            if self.made:
                error.add_note(f"left, as the other writer may count on them: {_some(self.made)}")
            return
        keys = [*self._ours_after_all(), *reversed(self.made)]
        deleted = each(self.store, self._deleted, keys)
        kept = [key for key, is_gone in zip(keys, deleted, strict=True) if not is_gone]
        for path, keys in reversed(self.groups_above.items()):
            kept += [key for key in keys if not self._is_needed(path, keys) and not self._deleted(key)]
        if kept:
            error.add_note(f"could not be deleted again: {', '.join(map(repr, kept))}")

    def _ours_after_all(self) -> list[str]:
        """Return keys that were stored though the store failed, where nobody else can have stored them."""
        if self.exist_ok or not self.made:
            return []
        texts = {key: text for documents in self.documents.values() for key, text in documents.items()}
        found = []
        for key in self.unsure:
            with suppress(Exception):
                if self.store.get(key) == texts[key]:
                    found.append(key)
        return found

    def _deleted(self, key: str) -> bool:
        try:
            self.store.delete(key)
        except Exception:
            return False
        return True

    def _is_needed(self, path: str, keys: Collection[str]) -> bool:
        """Say whether others have stored something in a group that was made."""
        try:
            return any(key not in keys for key in self.store.list_prefix(prefix_of(path)))
        except Exception:
            return True


def _check_paths(store: Store, format: Format, nodes: Mapping[str, NodeMetadata]) -> None:
    for path in nodes:
        check_new_path(path, format.zarr_format)
        above = next((one for one in ancestors_of(path) if isinstance(nodes.get(one), ArrayMetadata)), None)
        if above is not None:
            message = f"an array can hold no other nodes, found {path[len(prefix_of(above)) :]!r} in it"
            raise NodeTypeError(message, store=store.name, path=above)


def _missing_above(store: Store, format: Format, tops: Iterable[str], parent: str | None) -> list[str]:
    """Return the groups that are missing above nodes; each place is asked about once."""
    places = {parent_of(path): path for path in tops if path and parent_of(path) != parent}
    found = [missing_groups_above(store, format, path, parent) for path in places.values()]
    return sorted({path for paths in found for path in paths}, key=_parts)


def _refuse_others(store: Store, format: Format, documents: Documents, tops: Iterable[str]) -> None:
    """Refuse nodes whose documents have other keys than the new ones: of another kind, or another format."""
    for path in tops:
        refuse_other_formats(store, format, path)
    for path, texts in documents.items():
        for key in deciding_keys(format, path):
            if key not in texts and store.exists(key):
                raise there_already(store, format, path)


def _some(keys: Sequence[str]) -> str:
    more = f" and {len(keys) - _SHOWN} more" if len(keys) > _SHOWN else ""
    return ", ".join(map(repr, keys[:_SHOWN])) + more


def _parts(path: str) -> list[str]:
    return path.split("/")
