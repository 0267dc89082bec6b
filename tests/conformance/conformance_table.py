"""What other libraries cannot do: the table that the tests check, and that the matrix leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import version

import conformance_rows_tensorstore
import conformance_rows_zarr_python
import conformance_rows_zarrista
from conformance_row import WAYS, Row

__all__ = ["TABLE", "VERSIONS", "WAYS", "Row", "does", "exceptions", "other_version"]

TABLE = (
    *conformance_rows_zarr_python.ROWS,
    *conformance_rows_tensorstore.ROWS,
    *conformance_rows_zarrista.ROWS,
)

# Of these versions; what others do may be more, or less.
VERSIONS = {
    "zarr-python": ("zarr", "3.1.6"),
    "tensorstore": ("tensorstore", "0.1.86"),
    "zarrista": ("zarrista", "0.1.0"),
}


def other_version(peer: str) -> str | None:
    """Return the version that is installed of a library, where the table is of another one."""
    package, known = VERSIONS[peer]
    found = version(package)
    return None if found == known else found


@cache
def exceptions(peer: str, zarr_format: int, way: str) -> list[Row]:
    """Return the rows of the table about a library, a format and one way."""
    return [row for row in TABLE if (row.peer, row.zarr_format) == (peer, zarr_format) and way in row.ways]


def does(peer: str, zarr_format: int, way: str, levels: Mapping[str, str]) -> bool:
    """Whether a library writes or reads arrays of these levels as we do."""
    return not any(row.holds_for(levels) for row in exceptions(peer, zarr_format, way))
