"""Several parts of one file of an fsspec file system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from omnizarr.store.base import ByteRange, Facts, Span
from omnizarr.store.filesystems.files import Files
from omnizarr.store.ranges import bounds, check_part, check_spans, check_start
from omnizarr.store.readers import BytesReader

REPLACED = "the value was replaced while parts of it were read"
Parts: TypeAlias = dict[tuple[int, int], bytes]


@dataclass(frozen=True, slots=True)
class HeldFile:
    """A file that was read whole, of which the file system was not asked in the same moment."""

    held: BytesReader

    def get(self, part: ByteRange | None = None) -> bytes:
        """Return the value, or a part of it."""
        return self.held.get(part)

    def get_into(self, out: memoryview, start: int = 0) -> int:
        """Read into `out` as `Store.get_into` does."""
        return self.held.get_into(out, start)

    def get_ranges(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return several (start, length) parts."""
        return self.held.get_ranges(spans)


@dataclass(frozen=True, slots=True)
class StateReader:
    """A file that is compared with what the file system said of it, after each part that is read.

    Attributes
    ----------
    asked
        Calls what reads, and turns what that raises into errors of the store.
    """

    files: Files
    path: str
    info: dict[str, Any]
    asked: Callable[[Callable[[], Parts]], Parts]

    def get(self, part: ByteRange | None = None) -> bytes:
        """Return the value, or a part of it."""
        if part is not None:
            check_part(part)
        start, stop = bounds(part, self.info["size"])
        return self.get_ranges([(start, stop - start)])[0]

    def get_into(self, out: memoryview, start: int = 0) -> int:
        """Read into `out` as `Store.get_into` does."""
        check_start(start)
        part = self.get(Span(start, len(out)))
        out[: len(part)] = part
        return max(int(self.info["size"]) - start, 0)

    def get_ranges(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return several (start, length) parts."""
        check_spans(spans)
        inside = [bounds(Span(*span), self.info["size"]) for span in spans]
        wanted = [(start, stop) for start, stop in inside if start < stop]
        read = self.asked(lambda: self._read(wanted))
        return [read[start, stop] if start < stop else b"" for start, stop in inside]

    def facts(self) -> Facts | None:
        """Return the facts of the value."""
        return facts_of_info(self.info)

    def _read(self, wanted: list[tuple[int, int]]) -> Parts:
        found = self.files.parts(self.path, wanted, self.info["size"])
        if self.files.info(self.path) != self.info:
            raise FileNotFoundError(self.path)  # as this value
        return dict(zip(wanted, found, strict=True))


def facts_of_info(info: dict[str, Any]) -> Facts | None:
    """Return what a file system says of a file, as stores tell it; None where it does not know the size."""
    if info["size"] is None:
        return None
    return Facts(int(info["size"]), Facts.of(repr(sorted(info.items(), key=str)).encode()).state)
