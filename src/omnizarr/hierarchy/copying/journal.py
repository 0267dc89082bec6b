"""The journal of a copy under way: a key at the target's root that is there until the copy is complete.

The root's own documents are written last but for the removal of the journal, so a copy that was
interrupted does not open as a dataset. A second run reads the journal: where it was the same copy from
a source that is provably unchanged, chunks that are there already are kept; otherwise all that the
first run wrote is removed.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from omnizarr.errors import NodeExistsError
from omnizarr.hierarchy.belongings import delete_at, keys_at, mark_place
from omnizarr.hierarchy.paths import prefix_of
from omnizarr.hierarchy.requests import delete_keys
from omnizarr.jsontypes import dump_json, parse_json
from omnizarr.metadata.formats import FORMATS
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import NodeMetadata
from omnizarr.store.base import Facts, Store
from omnizarr.store.directories.directory import DirectoryStore
from omnizarr.store.layers.below import unwrapped
from omnizarr.store.objects.objects import ObjectStore
from omnizarr.store.zips.zip import ZipStore

JOURNAL = ".omnizarr-copy"
# What is there while a hierarchy is deleted; see `omnizarr.hierarchy.removal`.
DELETION = ".omnizarr-delete"
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Journal:
    """What a copy is: from where, and how. Two copies of equal journals write equal keys.

    Attributes
    ----------
    plan
        Identifies the documents to be written, and with them all that was asked for.
    stamp
        Identifies the state of the source; None where its store cannot tell.
    """

    source: str
    plan: str
    stamp: str | None

    def to_bytes(self) -> bytes:
        """Return the document."""
        return dump_json(
            {
                "omnizarr_copy": _VERSION,
                "source": self.source,
                "plan": self.plan,
                "stamp": self.stamp,
            }
        )


def plan_of(format: Format, nodes: Mapping[str, NodeMetadata]) -> str:
    """Return what identifies the documents of nodes, given by path relative to the target."""
    digest = hashlib.sha256()
    for relative, metadata in nodes.items():
        for key, document in format.write(relative, metadata).items():
            digest.update(f"{key}\0{len(document)}\0".encode("utf-8", "surrogateescape") + document)
    return digest.hexdigest()


def begin(
    store: Store, path: str, journal: Journal, format: Format, *, complete: bool, overwrite: bool
) -> frozenset[str]:
    """Make the target ready, and return the keys of an earlier run of the same copy that may be kept.

    Parameters
    ----------
    complete
        Whether there is a node at the target: then nothing there is removed unless `overwrite` says so,
        also where a copy was interrupted just before it could remove its journal.

    Raises
    ------
    NodeExistsError
        There is something at the target that no interrupted copy left there.
    """
    key = key_at(path, format)
    document = journal.to_bytes()
    found = store.get(key)
    if found == document and journal.stamp is not None:
        return frozenset(keys_at(store, format, path)) - {key}
    new = found is None or complete
    if new and not overwrite and (there := next(keys_at(store, format, path), None)) is not None:
        raise NodeExistsError(
            f"there is something already (key {there!r}); overwrite=True replaces it",
            store=store.name,
            path=path,
        )
    if found is not None or overwrite:
        _remove(store, format, path)
    store.set(key, document)
    return frozenset()


def unfinished(store: Store, path: str, format: Format | None = None) -> bool:
    """Say whether a copy to this place was begun and never completed."""
    return store.exists(_own_place(format, path) + JOURNAL)


def deleted_in_part(store: Store, path: str, format: Format | None = None) -> bool:
    """Say whether a deletion of this place was begun and never completed."""
    return store.exists(_own_place(format, path) + DELETION)


def _own_place(format: Format | None, path: str) -> str:
    return prefix_of(path) if format is None else mark_place(format, path)


def finish(store: Store, path: str, format: Format) -> None:
    """Remove the journal: the copy is complete."""
    store.delete(key_at(path, format))


def key_at(path: str, format: Format) -> str:
    """Return the key of the journal of a copy to a place."""
    return mark_place(format, path) + JOURNAL


def is_journal(value: bytes) -> bool:
    """Say whether a document is a journal of this version."""
    try:
        document = parse_json(value)
    except ValueError:
        return False
    return isinstance(document, dict) and document.get("omnizarr_copy") == _VERSION


def stamp(store: Store, format: Format, path: str) -> str | None:
    """Return what changes when any value of a node changes, or None where the store cannot tell.

    Values in files are known by name, size and time of change, objects by what a listing says of them: name,
    version or ETag, else size and time of change.
    """
    inner, prefix = unwrapped(store)
    if isinstance(inner, ObjectStore):
        return _stamp_of_objects(inner, prefix, format, path)
    root = place_of(store)
    if root is None:
        return None
    digest = hashlib.sha256()
    owned = format.owned(path)
    tops = [root / place for place in (*owned.keys, *owned.prefixes)] if root.is_dir() else [root]
    for line in (line for top in tops for line in _states(root, top)):
        digest.update(line)
    return digest.hexdigest()


def _stamp_of_objects(store: ObjectStore, before: str, format: Format, path: str) -> str:
    return _sum(_objects(store, before, format, path))


def keys_and_stamp(store: Store, format: Format, path: str) -> tuple[list[str], str | None]:
    """Return all keys of a node, in order, and its stamp where the listing tells that too."""
    inner, before = unwrapped(store)
    if not isinstance(inner, ObjectStore):
        return sorted(keys_at(store, format, path)), None
    found = list(_objects(inner, before, format, path))
    return sorted(key for key, _ in found), _sum(found)


def _objects(store: ObjectStore, before: str, format: Format, path: str) -> Iterator[tuple[str, Facts]]:
    owned = format.owned(path)
    for key in owned.keys:
        if (facts := store.facts(before + key)) is not None:
            yield key, facts
    for prefix in owned.prefixes:
        yield from ((key[len(before) :], facts) for key, facts in store.list_facts(before + prefix))


def _sum(found: Iterable[tuple[str, Facts]]) -> str:
    """Return a sum over objects: listings have no order that holds everywhere."""
    total = 0
    for key, facts in found:
        line = repr((key, *facts)).encode("utf-8", "surrogateescape")
        total += int.from_bytes(hashlib.sha256(line).digest())
    return f"{total % 2**256:064x}"


def place_of(store: Store) -> Path | None:
    """Return the directory or file that a store keeps its values in, or None where there is none."""
    inner, prefix = unwrapped(store)
    if isinstance(inner, ZipStore):
        return Path(inner.path).resolve()
    return Path(inner.root, prefix).resolve() if isinstance(inner, DirectoryStore) else None


def _states(root: Path, top: Path) -> Iterator[bytes]:
    if top.is_file():
        yield _state(top.name, top.stat())
        return
    for directory, names, files in os.walk(top):
        names.sort()
        for name in sorted(files):
            file = Path(directory) / name
            yield _state(str(file.relative_to(root)), file.stat())


def _state(name: str, state: os.stat_result) -> bytes:
    return f"{name}\0{state.st_size}\0{state.st_mtime_ns}\n".encode("utf-8", "surrogateescape")


def _remove(store: Store, format: Format, path: str) -> None:
    """Remove all at and below a node: its documents first, so that what is left by half does not open.

    A journal goes last, so that it tells what the rest is.
    """
    journal = key_at(path, format)
    formats = (format,) if format.implicit_groups and path else FORMATS.values()
    documents = [key for format in formats for key in format.document_keys(path)]
    documents += [key for format in formats if (key := format.consolidated_key(path)) is not None]
    delete_keys(store, documents)
    delete_keys(store, [key for key in keys_at(store, format, path) if key != journal])
    delete_at(store, format, path)
