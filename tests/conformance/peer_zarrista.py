"""zarrista (the Rust library zarrs), as one of the libraries of the matrix."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import zarrista
from conformance_base import Found
from conformance_cases import Case
from conformance_v2 import V2Case
from zarrista.store import FilesystemStore

name = "zarrista"


def encoded(values: np.ndarray[Any, Any]) -> Any:
    """Return values as zarrista takes them whatever their type is: as bytes of native order."""
    if values.dtype.kind != "O":
        return zarrista.ArrayBytes(values.astype(values.dtype.newbyteorder("=")).tobytes())
    items = [item.encode() if isinstance(item, str) else item for item in values.flat]
    offsets = np.cumsum([0, *map(len, items)]).tolist()
    return zarrista.ArrayBytes(b"".join(items), offsets=offsets)


def create(place: Path, case: Case | V2Case) -> Any:
    """Make the array of a case, with nothing in it."""
    array = zarrista.Array.from_metadata(case.document(), FilesystemStore(place))
    array.store_metadata()
    return array


def write(place: Path, case: Case | V2Case) -> None:
    """Make the array of a case, and write its region."""
    array = create(place, case)
    if case.region is not None:
        array[case.region] = encoded(case.part())


def read(place: Path, zarr_format: int) -> Found:
    """Return what an array holds; values of fixed size as raw bytes, whatever numpy knows."""
    array = zarrista.Array.open(FilesystemStore(place))
    found = array[...]
    attributes = {key: value for key, value in array.attrs.items() if key != "_zarrs"}
    names = array.dimension_names
    return Found(_values(found), attributes, None if names is None else tuple(names))


def _values(found: Any) -> np.ndarray[Any, Any]:
    if not isinstance(found, zarrista.FixedLengthTensor):
        return np.asarray(found.to_numpy(), object)
    raw, shape = bytes(found.buffer()), tuple(found.shape)
    if not raw:
        return np.empty(shape, "V1")
    if found.dtype.name in ("int2", "int4"):
        return np.frombuffer(raw, getattr(ml_dtypes, found.dtype.name)).reshape(shape)
    return np.frombuffer(raw, f"V{len(raw) // max(1, int(np.prod(shape)))}").reshape(shape)
