"""What workers have to see: the very source and target that a copy was planned with.

A path is a place on one machine, and the same path another one elsewhere: a worker that wrote there would
lose what it wrote, and nobody would notice.
"""

from __future__ import annotations

import hashlib
import socket
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from omnizarr.errors import StoreError, WorkersError
from omnizarr.hierarchy.node import Node
from omnizarr.store.base import Store


class Mark(NamedTuple):
    """A key of a store, and a digest of its value."""

    store: Store
    key: str
    digest: str

    @classmethod
    def of(cls, store: Store, key: str) -> Self | None:
        """Return the mark that a key of a store is; None where it has no value."""
        value = store.get(key)
        return None if value is None else cls(store, key, _digest(value))


@dataclass(slots=True)
class Sight:
    """Marks that every process looks for once, before its first task."""

    marks: tuple[Mark, ...]
    seen: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        return Sight, (self.marks,)

    def check(self) -> None:
        """Look for the marks.

        Raises
        ------
        WorkersError
            There is another value, or none.
        """
        for mark in () if self.seen else self.marks:
            try:
                value = mark.store.get(mark.key)
            except StoreError as error:
                raise WorkersError(f"{_where()} cannot use the store: {error}") from error
            if value is None or _digest(value) != mark.digest:
                found = "nothing" if value is None else "another value"
                raise WorkersError(
                    f"{_where()} does not see {mark.store.name}: expected the key {mark.key!r} as it was "
                    f"found here, found {found}; every worker has to reach the same store"
                )
        self.seen = True


def mark_of_node(node: Node) -> Mark | None:
    """Return a mark of a node: one of its documents."""
    marks = (Mark.of(node.store, key) for key in node.format.document_keys(node.path))
    return next((mark for mark in marks if mark is not None), None)


def _where() -> str:
    return f"a worker on {socket.gethostname()}"


def _digest(value: bytes) -> str:
    return hashlib.blake2b(value, digest_size=16).hexdigest()
