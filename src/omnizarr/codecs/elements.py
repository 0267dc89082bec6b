"""The element type that a codec's configuration names."""

from __future__ import annotations

from typing import Any

import numpy as np

from omnizarr.jsontypes import Json, Problems, shown
from omnizarr.metadata.dtype_v2 import loose_dtype

_KINDS = "biufcmMSUV"


def read_dtype(value: Json, at: str, problems: Problems) -> np.dtype[Any] | None:
    """Narrow to a numpy dtype of elements of one size, given as numpy spells it; None for null."""
    if value is None:
        return None
    found = loose_dtype(value)
    if found is None or found.kind not in _KINDS or found.names is not None or not found.itemsize:
        problems.add(at, f"expected a type of elements of one size, found {shown(value)}")
        return None
    return found
