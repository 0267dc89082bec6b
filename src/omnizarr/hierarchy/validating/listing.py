"""The keys of a hierarchy, listed once: those of documents at hand, the others in a file.

There may be many millions of chunks. Their keys are kept in a temporary file, one a line, since no key holds
a control character; a million of `c/123/456` takes 10 MB there, where it would take 80 in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from tempfile import SpooledTemporaryFile
from typing import IO

from omnizarr.hierarchy.copying.journal import DELETION, JOURNAL
from omnizarr.metadata.formats import FORMATS
from omnizarr.metadata.formats.base import Format
from omnizarr.store.base import Store

_IN_MEMORY = 2**24
# What is there while a hierarchy is written by hdmf's backend.
UNFINISHED = ".omnizarr-unfinished"
MARKS = frozenset({JOURNAL, DELETION, UNFINISHED})


class KeyFile:
    """Keys in a temporary file, written once and read as often as needed."""

    __slots__ = ("_file", "_last", "count")

    def __init__(self) -> None:
        self._file: IO[bytes] = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 (closed by `close`)
        self.count = 0

    def add(self, key: str) -> None:
        """Add a key at the end; not while they are read."""
        self._file.write(key.encode("utf-8", "surrogatepass") + b"\n")
        self.count += 1

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[str]:
        self._file.seek(0)
        for line in self._file:
            yield line[:-1].decode("utf-8", "surrogatepass")

    def close(self) -> None:
        """Remove the file."""
        self._file.close()


@dataclass(slots=True)
class Listed:
    """All keys at and below a node.

    Attributes
    ----------
    documents
        Those that hold a document, or would of some format.
    marks
        Those of the others that tell of a copy, a deletion or a file that was never completed.
    others
        All others.
    """

    documents: set[str] = field(default_factory=set)
    marks: list[str] = field(default_factory=list)
    others: KeyFile = field(default_factory=KeyFile)

    @property
    def count(self) -> int:
        """How many keys there are."""
        return len(self.documents) + len(self.others)

    def take(self, store: Store, formats: Sequence[Format], path: str) -> None:
        """List all that belongs to the node at a path in any of the formats."""
        asked = (*formats, *FORMATS.values())
        names = {name for format in asked for name in _document_names(format)}
        # Those whose documents are told by more than the name; the others' need no second look.
        others = [format for format in formats if not _last_names(format, "x") <= names]
        gathered = {format.consolidated_key("") for format in formats}
        for key in _keys(store, formats, path):
            name = key.rpartition("/")[2]
            if (
                name in names
                or key in gathered
                or any(format.node_path(key) is not None for format in others)
            ):
                self.documents.add(key)
                continue
            if name in MARKS:
                self.marks.append(key)
            self.others.add(key)


def _keys(store: Store, formats: Sequence[Format], path: str) -> Iterator[str]:
    if not path:
        return store.list_prefix("")
    owned = [format.owned(path) for format in formats]
    prefixes = dict.fromkeys(prefix for one in owned for prefix in one.prefixes)
    alone = dict.fromkeys(key for one in owned for key in one.keys)
    return chain(
        (key for key in alone if store.exists(key)),
        chain.from_iterable(store.list_prefix(prefix) for prefix in prefixes),
    )


def _document_names(format: Format) -> Iterator[str]:
    """Yield the names of documents that are the same at every node."""
    yield from _last_names(format, "x") & _last_names(format, "y")


def _last_names(format: Format, path: str) -> set[str]:
    keys = (*format.document_keys(path), format.consolidated_key(path))
    return {key.rpartition("/")[2] for key in keys if key}
