"""A value in memory, held on to while several parts of it are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from omnizarr.store.base import ByteRange, Facts, Reader
from omnizarr.store.ranges import check_spans, check_start, cut


@runtime_checkable
class KnowingReader(Protocol):
    """A reader that tells what `Store.facts` tells, of the value that it holds, without another request."""

    def facts(self) -> Facts | None:
        """Return the facts of the value; None where they are not known after all."""


def facts_of(reader: Reader) -> Facts | None:
    """Return the facts of the value that a reader holds; None where it does not know them."""
    return reader.facts() if isinstance(reader, KnowingReader) else None


@dataclass(frozen=True, slots=True)
class BytesReader:
    """A value in memory."""

    value: bytes

    def get(self, part: ByteRange | None = None) -> bytes:
        """Return the value, or a part of it."""
        return cut(self.value, part)

    def get_into(self, out: memoryview, start: int = 0) -> int:
        """Read into `out` as `Store.get_into` does."""
        check_start(start)
        part = memoryview(self.value)[start : start + len(out)]
        out[: len(part)] = part
        return max(len(self.value) - start, 0)

    def get_ranges(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return several (start, length) parts."""
        check_spans(spans)
        return [self.value[start : start + length] for start, length in spans]

    def facts(self) -> Facts:
        """Return the facts of the value."""
        return Facts.of(self.value)
