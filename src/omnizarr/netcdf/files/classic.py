"""The size that a classic netCDF file must have, from its header.

netCDF-C reads what lies beyond the end of a truncated classic file as zeros, without a word.

https://docs.unidata.ucar.edu/netcdf-c/current/file_format_specifications.html
"""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import BinaryIO, NamedTuple

from omnizarr.errors import ConversionError

_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8, 7: 1, 8: 2, 9: 4, 10: 8, 11: 8}
_STREAMING = {4: 2**32 - 1, 8: 2**64 - 1}


def check_whole(path: str | Path) -> None:
    """Refuse a classic file that is shorter than its header says; others are let pass.

    Raises
    ------
    ConversionError
        The file ends early.
    """
    size = Path(path).stat().st_size
    with Path(path).open("rb") as file:
        magic = file.read(4)
        if magic[:3] != b"CDF" or magic[3:] not in (b"\x01", b"\x02", b"\x05"):
            return
        try:
            expected = _Header(file, magic[3]).end()
        except EOFError:
            raise ConversionError(f"{path} ends early: its header is cut off at {size} bytes") from None
    if size < expected:
        raise ConversionError(f"{path} ends early: expected at least {expected} bytes, found {size}")


class _Variable(NamedTuple):
    begin: int
    size: int
    is_record: bool


class _Header:
    """A header, read from behind its magic number."""

    def __init__(self, file: BinaryIO, version: int) -> None:
        self._file = file
        self._count = 8 if version == 5 else 4
        self._offset = 4 if version == 1 else 8

    def end(self) -> int:
        """Return where the last value ends."""
        records = self._number(self._count)
        lengths = [self._dimension() for _ in range(self._list())]
        self._skip_attributes()
        variables = [self._variable(lengths) for _ in range(self._list())]
        growing = [variable for variable in variables if variable.is_record]
        ends = [v.begin + v.size for v in variables if not v.is_record]
        if growing and 0 < records != _STREAMING[self._count]:
            # Each record is padded to four bytes for each variable, unless there is just one.
            step = growing[0].size if len(growing) == 1 else sum(map(_padded, (v.size for v in growing)))
            ends += [v.begin + (records - 1) * step + v.size for v in growing]
        return max(ends, default=0)

    def _variable(self, lengths: list[int]) -> _Variable:
        self._skip_name()
        dimensions = [self._number(self._count) for _ in range(self._number(self._count))]
        self._skip_attributes()
        kind = self._number(4)
        self._number(self._count)  # its size, which does not hold large ones
        begin = self._number(self._offset)
        if any(dimension >= len(lengths) for dimension in dimensions) or kind not in _SIZES:
            raise EOFError
        shape = [lengths[dimension] for dimension in dimensions]
        is_record = shape[:1] == [0]
        return _Variable(begin, prod(shape[is_record:]) * _SIZES[kind], is_record)

    def _dimension(self) -> int:
        self._skip_name()
        return self._number(self._count)

    def _skip_attributes(self) -> None:
        for _ in range(self._list()):
            self._skip_name()
            kind = self._number(4)
            self._skip(_SIZES.get(kind, 1) * self._number(self._count))

    def _list(self) -> int:
        self._number(4)  # what it is a list of
        return self._number(self._count)

    def _skip_name(self) -> None:
        self._skip(self._number(self._count))

    def _skip(self, size: int) -> None:
        if size >= 2**62:
            raise EOFError
        self._file.seek(_padded(size), 1)

    def _number(self, size: int) -> int:
        data = self._file.read(size)
        if len(data) < size:
            raise EOFError
        return int.from_bytes(data, "big")


def _padded(size: int) -> int:
    return -(-size // 4) * 4
