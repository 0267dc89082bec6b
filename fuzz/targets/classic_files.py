"""The headers of classic netCDF files, which are checked before netCDF-C reads them."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import suppress

from fuzz.files import file_of
from omnizarr.errors import OmniZarrError
from omnizarr.netcdf.files.classic import check_whole


def _name(text: bytes) -> bytes:
    return struct.pack(">I", len(text)) + text + bytes(-len(text) % 4)


def seeds() -> Iterator[bytes]:
    """Yield a file of each of the older two versions."""
    dimension = struct.pack(">II", 10, 1) + _name(b"x") + struct.pack(">I", 3)
    attribute = struct.pack(">II", 12, 1) + _name(b"a") + struct.pack(">IIf", 5, 1, 1.5)
    for version, offset in ((1, ">I"), (2, ">Q")):
        variable = struct.pack(">II", 11, 1) + _name(b"v") + struct.pack(">II", 1, 0) + bytes(8)
        variable += struct.pack(">II", 5, 12) + struct.pack(offset, 120)
        yield b"CDF" + bytes([version]) + bytes(4) + dimension + attribute + variable + bytes(200)


def run(data: bytes) -> None:
    """Check that a file is whole."""
    with file_of(data, ".nc") as path, suppress(OmniZarrError):
        check_whole(path)
