"""Writing a zip archive into a draft, which becomes the archive in one step."""

from __future__ import annotations

import os
import stat
import threading
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from isal import isal_zlib

from omnizarr.store.base import Buffer
from omnizarr.store.directories.draft import Draft
from omnizarr.store.directories.files import flat, write_all_at
from omnizarr.store.zips.format import DEFLATED, STORED, Entry, central_directory
from omnizarr.store.zips.read import ZipReader

_PIECE = 2**20
# Values up to this size are joined to their header: one call instead of two.
_SMALL = 2**16
# Where more than this part of a draft belongs to values that were replaced, the rest is copied to another.
_DEAD_SHARE = 1 / 20


class ZipWriter:
    """Appends entries to a draft from many threads, then finishes it."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._fd = draft.fd
        self._end = 0
        self._lock = threading.Lock()

    def add(self, name: str, value: Buffer, method: int) -> Entry:
        """Append a value; the entry is part of the archive once `finish` is given it."""
        plain = flat(value)
        data = _deflated(plain) if method == DEFLATED else plain
        entry = self._placed(
            Entry(
                name,
                0,
                len(data),
                len(plain),
                isal_zlib.crc32(plain),
                DEFLATED if data is not plain else STORED,
            )
        )
        header = entry.local_header()
        if len(data) <= _SMALL:
            write_all_at(self._fd, header + data, entry.start)
        else:
            write_all_at(self._fd, header, entry.start)
            write_all_at(self._fd, data, entry.start + len(header))
        return entry

    def copy(self, reader: ZipReader, old: Entry) -> Entry:
        """Append an entry of another archive without decoding it."""
        entry = self._placed(replace(old, flags=0))
        header = entry.local_header()
        write_all_at(self._fd, header, entry.start)
        place = entry.start + len(header)
        for piece in reader.stored_pieces(old):
            write_all_at(self._fd, piece, place)
            place += len(piece)
        return entry

    def is_sparse(self, live: Iterable[Entry]) -> bool:
        """Say whether too much of what was written belongs to no entry that counts."""
        return self._end - sum(entry.stop - entry.start for entry in live) > self._end * _DEAD_SHARE

    def finish(self, entries: Iterable[Entry], comment: bytes) -> None:
        """Write the central directory, and zeros over what belongs to no entry."""
        live = sorted(entries, key=lambda entry: entry.start)
        self._blank_between(live)
        end = live[-1].stop if live else 0
        os.ftruncate(self._fd, end)
        write_all_at(self._fd, central_directory(live, end, comment), end)

    def publish(self, *, fsync: bool, mode_of: str) -> None:
        """Make the draft the archive, with the permissions of the one that it replaces."""
        with suppress(FileNotFoundError):
            os.chmod(self.draft.temporary, stat.S_IMODE(os.stat(mode_of).st_mode))
        self.draft.publish(fsync=fsync)

    def _placed(self, entry: Entry) -> Entry:
        """Return an entry with a place of its own at the end of the file."""
        with self._lock:
            placed = replace(entry, start=self._end)
            self._end = placed.stop
        return placed

    def _blank_between(self, live: list[Entry]) -> None:
        place = 0
        for entry in live:
            for start in range(place, entry.start, _PIECE):
                write_all_at(self._fd, bytes(min(_PIECE, entry.start - start)), start)
            place = entry.stop


def _deflated(plain: memoryview) -> bytes | memoryview:
    """Return a value deflated, or itself where that would not be smaller."""
    deflate = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    data = deflate.compress(plain) + deflate.flush()
    return data if len(data) < len(plain) else plain
