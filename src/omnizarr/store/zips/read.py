"""Reading the values of a zip archive by their places, from many threads."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import cast

from isal import isal_zlib

from omnizarr.config import config
from omnizarr.store.base import ByteRange, Span
from omnizarr.store.ranges import bounds
from omnizarr.store.zips.format import (
    DEFLATED,
    DESCRIBED_BEHIND,
    ENCRYPTED,
    LOCAL,
    LOCAL_SIGNATURE,
    STORED,
    BadEntryError,
    Entry,
    central_directory,
)
from omnizarr.store.zips.source import Source

_PIECE = 2**20
# No byte of deflate gives more than this many bytes: it has codes of at least one bit for at most 258.
_MOST_INFLATION = 1032
# Extra fields of a local header that are read along where requests wait; Info-ZIP writes 28 bytes.
_SLACK = 512


_INFLATE_ERROR = cast("type[Exception]", isal_zlib.error)  # its annotation says that it is an instance


class ZipReader:
    """Values of an open archive, or of the archive that is being written.

    Values are read by position: no lock, and no state that a forked process would share. Where a value
    begins is only known from its local header. From a file that is read first; over a network it comes
    with the value, by one request, which leaves room for extra fields.

    Raises
    ------
    BadEntryError
        By every method that reads a value, where the archive is damaged.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._data_starts: dict[int, int] = {}

    def read(self, entry: Entry, part: ByteRange | None) -> bytes:
        """Return a value, whose checksum is verified, or a part of it."""
        _check_readable(entry)
        start, stop = bounds(part, entry.size)
        if start == stop:
            value = b""
        elif entry.method == STORED:
            (value,) = self._stored(entry, [(start, stop - start)])
        elif entry.method == DEFLATED:
            value = self._inflated(entry, start, stop)
        else:
            value = self._extracted(entry)[start:stop]
        if len(value) != stop - start:
            raise BadEntryError(f"it ends after {start + len(value)} bytes, expected {entry.size}")
        if len(value) == entry.size:
            _check_sum(entry, value)
        return value

    def read_into(self, entry: Entry, out: memoryview, start: int) -> int:
        """Fill `out` with the bytes from `start` on; return how many there are from there on."""
        _check_readable(entry)
        available = max(entry.size - start, 0)
        wanted = out[:available]
        if entry.method != STORED:
            value = self.read(entry, None)[start:]
            wanted[:] = value[: len(wanted)]
        elif self.source.waits and entry.start not in self._data_starts:
            wanted[:] = self.read(entry, Span(start, len(wanted)))
        else:
            self._stored_into(entry, wanted, start)
        return available

    def read_spans(self, entry: Entry, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return several (start, length) parts of a value."""
        if entry.method != STORED:
            value = self.read(entry, None)  # inflated once, not for each span from its start
            return [value[start : start + length] for start, length in spans]
        _check_readable(entry)
        inside = [bounds(Span(*span), entry.size) for span in spans]
        return self._stored(entry, [(start, stop - start) for start, stop in inside])

    def stored_pieces(self, entry: Entry) -> Iterator[bytes]:
        """Yield the bytes of an entry as they stand in the archive."""
        # Over a network in one piece, unless they are many more than any value of its size needs.
        piece = max(_PIECE, entry.size + entry.size // 8) if self.source.waits else _PIECE
        for start in range(0, entry.stored_size, piece):
            yield from self._between(entry, [(start, min(piece, entry.stored_size - start))])

    def data_start(self, entry: Entry) -> int:
        """Return where the bytes of an entry begin; its header is read once."""
        known = self._data_starts.get(entry.start)
        if known is not None:
            return known
        return self._note_start(entry, self.source.read(entry.start, entry.start + LOCAL.size))

    def _note_start(self, entry: Entry, header: bytes) -> int:
        """Return where the bytes of an entry begin, as its local header has it."""
        if len(header) < LOCAL.size or not header.startswith(LOCAL_SIGNATURE):
            raise BadEntryError(f"no local header at byte {entry.start}")
        _, _, flags, method, _, _, crc, _, _, name_length, extra_length = LOCAL.unpack(header)
        is_told = not (flags | entry.flags) & DESCRIBED_BEHIND
        if method != entry.method or (is_told and crc != entry.crc):
            raise BadEntryError(f"the local header at byte {entry.start} is that of another value")
        found = entry.start + LOCAL.size + int(name_length) + int(extra_length)
        self._data_starts[entry.start] = found
        return found

    def _between(self, entry: Entry, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return parts of what is stored of an entry, all of them whole."""
        if self.source.waits and entry.start not in self._data_starts:
            parts = self._with_header(entry, spans)
        else:
            parts = self._at(self.data_start(entry), spans)
        for part, (_, length) in zip(parts, spans, strict=True):
            if len(part) != length:
                raise BadEntryError(f"the archive ends before its {entry.stored_size} bytes do")
        return parts

    def _with_header(self, entry: Entry, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return parts of an entry along with its header, so that one wait is enough for both."""
        least = entry.start + entry.least_header_size
        wanted = [(least + start, length + _SLACK) for start, length in spans if length]
        if not wanted:
            return [b""] * len(spans)
        header, *parts = self.source.read_spans([(entry.start, LOCAL.size), *wanted])
        begin = self._note_start(entry, header)
        extra = begin - least
        if not 0 <= extra <= _SLACK:
            return self._at(begin, spans)
        found = iter(parts)
        return [next(found)[extra : extra + length] if length else b"" for _, length in spans]

    def _at(self, begin: int, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        if len(spans) == 1:
            ((start, length),) = spans
            return [self.source.read(begin + start, begin + start + length)]
        return self.source.read_spans([(begin + start, length) for start, length in spans])

    def _stored(self, entry: Entry, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        if entry.stored_size != entry.size:
            raise BadEntryError(f"stored, but {entry.stored_size} bytes for a value of {entry.size}")
        return self._between(entry, spans)

    def _stored_into(self, entry: Entry, wanted: memoryview, start: int) -> None:
        begin = self.data_start(entry) + start
        if wanted and self.source.read_into(wanted, begin) < len(wanted):
            raise BadEntryError(f"the archive ends before its {entry.size} bytes do")
        if len(wanted) == entry.size:
            _check_sum(entry, wanted)

    def _inflated(self, entry: Entry, start: int, stop: int) -> bytes:
        """Return bytes `start` to `stop`; what comes after them is not inflated."""
        if entry.size > (entry.stored_size + 1) * _MOST_INFLATION:
            raise BadEntryError(f"{entry.stored_size} bytes cannot inflate to {entry.size}")
        kept, place = [], 0
        for piece in _inflate(self.stored_pieces(entry), stop):
            kept.append(piece[max(start - place, 0) :])
            place += len(piece)
        return kept[0] if len(kept) == 1 else b"".join(kept)

    def _extracted(self, entry: Entry) -> bytes:
        """Return a value of any method that Python's zipfile knows, by an archive of this value alone."""
        alone = replace(entry, start=0, flags=0)
        try:
            pieces = [
                alone.local_header(),
                *self.stored_pieces(entry),
                central_directory([alone], alone.stop),
            ]
            with zipfile.ZipFile(io.BytesIO(b"".join(pieces))) as archive, archive.open(entry.name) as file:
                return file.read(entry.size)
        except (NotImplementedError, RuntimeError, zipfile.BadZipFile, EOFError) as error:
            raise BadEntryError(str(error)) from error
        except (BadEntryError, OSError):
            raise
        except Exception as error:  # lzma.LZMAError, zstd's own
            raise BadEntryError(f"compression method {entry.method}: {error}") from error


def _inflate(deflated: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Yield at most `size` bytes, in pieces; an empty piece of input at the end brings what is left."""
    inflate = isal_zlib.decompressobj(-zlib.MAX_WBITS)
    for raw in chain(deflated, (b"",)):
        while size > 0:
            wanted = min(size, _PIECE)
            try:
                piece = inflate.decompress(raw, wanted)
            except _INFLATE_ERROR as error:
                raise BadEntryError(f"deflate: {error}") from error
            raw = inflate.unconsumed_tail
            size -= len(piece)
            yield piece
            if len(piece) < wanted:
                break


def _check_readable(entry: Entry) -> None:
    if entry.flags & ENCRYPTED:
        raise BadEntryError("it is encrypted")
    limits = ["max_chunk_bytes"]
    if entry.method != STORED:  # a few bytes of the archive may ask for many
        limits.append("max_unsized_bytes")
    for name in limits:
        if entry.size > (limit := getattr(config.settings, name)):
            raise BadEntryError(f"{entry.size} bytes are more than {name}, {limit}")


def _check_sum(entry: Entry, value: bytes | memoryview) -> None:
    found = isal_zlib.crc32(value)
    if found != entry.crc:
        raise BadEntryError(f"CRC-32: expected {entry.crc:08x}, found {found:08x}")
