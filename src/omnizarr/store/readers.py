"""A value in memory, held on to while several parts of it are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from omnizarr.store.base import ByteRange
from omnizarr.store.ranges import check_spans, check_start, cut


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
