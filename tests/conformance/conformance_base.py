"""What tests know of a library: how it writes a case, and how it reads an array."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from conformance_cases import Case
from conformance_v2 import V2Case


class Found(NamedTuple):
    """What a library reads of an array; None for what it has no words for."""

    values: np.ndarray[Any, Any]
    attributes: dict[str, Any] | None
    names: tuple[str | None, ...] | None


class Peer(Protocol):
    """A module with these three."""

    name: str

    def write(self, place: Path, case: Case | V2Case) -> None:
        """Make the array of a case, and write its region."""

    def read(self, place: Path, zarr_format: int) -> Found:
        """Return what an array holds."""


def alike(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    """Whether two arrays hold the same bits, in any byte order; raw bytes are as good as any type."""
    if one.shape != other.shape:
        return False
    if "O" in (one.dtype.kind, other.dtype.kind):
        return [_plain(item) for item in one.flat] == [_plain(item) for item in other.flat]
    if one.dtype.itemsize != other.dtype.itemsize and one.size:
        return False
    return _native(one).tobytes() == _native(other).tobytes()


def _plain(item: Any) -> Any:
    return str(item) if isinstance(item, str) else item


def _native(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if array.dtype.name in ("int2", "int4"):  # the other bits of a byte are not part of the value
        return array.astype(np.int8)
    return array.astype(array.dtype.newbyteorder("="))
