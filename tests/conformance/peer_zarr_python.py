"""zarr-python, as one of the libraries of the matrix."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import zarr
from conformance_base import Found
from conformance_cases import Case
from conformance_v2 import V2Case
from zarr.core.metadata.v2 import ArrayV2Metadata
from zarr.core.metadata.v3 import ArrayV3Metadata

name = "zarr-python"


def create(place: Path, case: Case | V2Case) -> zarr.Array[Any]:
    """Make the array of a case, with nothing in it."""
    if isinstance(case, V2Case):
        metadata: Any = ArrayV2Metadata.from_dict(case.document() | {"attributes": case.attributes})
    else:
        metadata = ArrayV3Metadata.from_dict(case.document())
    ((_, array),) = zarr.create_hierarchy(store=zarr.storage.LocalStore(place), nodes={"": metadata})
    assert isinstance(array, zarr.Array)
    return array


def write(place: Path, case: Case | V2Case) -> None:
    """Make the array of a case, and write its region."""
    array = create(place, case)
    if case.region is not None:
        array[case.region] = case.part()


def read(place: Path, zarr_format: int) -> Found:
    """Return what an array holds."""
    array = zarr.open_array(str(place), mode="r", zarr_format=zarr_format)
    names = array.metadata.dimension_names if zarr_format == 3 else None
    return Found(np.asarray(array[...], array.dtype), dict(array.attrs), names)
