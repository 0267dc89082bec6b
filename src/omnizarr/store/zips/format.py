"""The records of a zip archive, as this library writes them.

https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT (4.3.7 local file header, 4.3.12 central
directory, 4.3.14 to 4.3.16 its ends, 4.5.3 the zip64 extra field). Every entry bears the date at
which the format begins, so that equal contents give equal archives.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass

STORED, DEFLATED = 0, 8
LOCAL_SIGNATURE = b"PK\3\4"
LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_64 = struct.Struct("<4sLQL")

ENCRYPTED, DESCRIBED_BEHIND = 0x1, 0x8
_UTF8 = 0x800
_MAX_16, _MAX_32 = 0xFFFF, 0xFFFFFFFF
_VERSION, _VERSION_64 = 20, 45
_UNIX = 3 << 8
_ORDINARY_FILE = 0o100644 << 16
_FIRST_DATE = (1 << 5) | 1  # 1 January 1980


class BadEntryError(ValueError):
    """An archive or an entry that is not what it says of itself; stores add their name and the key."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One value in an archive: where its header starts, and how its bytes are kept.

    Attributes
    ----------
    stored_size, size
        Bytes in the archive, and of the value.
    method, flags, crc
        As in the archive: compression method, general purpose bits, CRC-32 of the value.
    """

    name: str
    start: int
    stored_size: int
    size: int
    crc: int
    method: int = STORED
    flags: int = 0

    @property
    def least_header_size(self) -> int:
        """Bytes before the value, were there no extra fields."""
        return LOCAL.size + len(self.name.encode())

    @property
    def header_size(self) -> int:
        """Bytes before the value, where this library wrote the header."""
        return self.least_header_size + len(self._local_extra())

    @property
    def stop(self) -> int:
        """Where the entry ends, where this library wrote the header."""
        return self.start + self.header_size + self.stored_size

    def local_header(self) -> bytes:
        """Return what stands before the value."""
        name, extra = self.name.encode(), self._local_extra()
        version = _VERSION_64 if extra else _VERSION
        stored, size = (_MAX_32, _MAX_32) if extra else (self.stored_size, self.size)
        fields = (version, _UTF8, self.method, 0, _FIRST_DATE, self.crc, stored, size, len(name), len(extra))
        return LOCAL.pack(LOCAL_SIGNATURE, *fields) + name + extra

    def central_header(self) -> bytes:
        """Return the entry of the central directory."""
        name = self.name.encode()
        wide = [size for size in (self.size, self.stored_size, self.start) if size >= _MAX_32]
        extra = struct.pack(f"<2H{len(wide)}Q", 1, 8 * len(wide), *wide) if wide else b""
        version = _VERSION_64 if wide else _VERSION
        stored, size, start = (min(n, _MAX_32) for n in (self.stored_size, self.size, self.start))
        what = (_UNIX | version, version, _UTF8, self.method, 0, _FIRST_DATE, self.crc, stored, size)
        where = (len(name), len(extra), 0, 0, 0, _ORDINARY_FILE, start)
        return _CENTRAL.pack(b"PK\1\2", *what, *where) + name + extra

    def _local_extra(self) -> bytes:
        if max(self.size, self.stored_size) < _MAX_32:
            return b""
        return struct.pack("<2H2Q", 1, 16, self.size, self.stored_size)


def central_directory(entries: Iterable[Entry], start: int, comment: bytes = b"") -> bytes:
    """Return the central directory that begins at `start`, with its end."""
    headers = [entry.central_header() for entry in entries]
    body = b"".join(headers)
    count, size = len(headers), len(body)
    end_64 = b""
    if count >= _MAX_16 or size >= _MAX_32 or start >= _MAX_32:
        length = _END_64.size - 12
        numbers = (_UNIX | _VERSION_64, _VERSION_64, 0, 0, count, count, size, start)
        end_64 = _END_64.pack(b"PK\6\6", length, *numbers)
        end_64 += _LOCATOR_64.pack(b"PK\6\7", 0, start + size, 1)
    counts = (min(count, _MAX_16),) * 2
    end = (0, 0, *counts, min(size, _MAX_32), min(start, _MAX_32), len(comment))
    return body + end_64 + _END.pack(b"PK\5\6", *end) + comment
