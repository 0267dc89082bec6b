"""tensorstore, as one of the libraries of the matrix."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import tensorstore
from conformance_base import Found
from conformance_cases import Case
from conformance_v2 import V2Case

name = "tensorstore"


def open_at(place: Path, zarr_format: int, **spec: Any) -> Any:
    """Return the array at a place, or make it."""
    driver = {2: "zarr", 3: "zarr3"}[zarr_format]
    kvstore = {"driver": "file", "path": str(place)}
    return tensorstore.open({"driver": driver, "kvstore": kvstore, **spec}).result()


def create(place: Path, case: Case | V2Case) -> Any:
    """Make the array of a case, with nothing in it."""
    return open_at(place, case.zarr_format, metadata=case.document(), create=True)


def write(place: Path, case: Case | V2Case) -> None:
    """Make the array of a case, and write its region."""
    array = create(place, case)
    if case.region is not None:
        array[case.region].write(case.part()).result()


def read(place: Path, zarr_format: int) -> Found:
    """Return what an array holds: of v2 no attributes, of v3 no difference of null and empty names."""
    array = open_at(place, zarr_format)
    values = np.asarray(array.read().result())
    if zarr_format == 2:
        return Found(values, None, None)
    attributes = array.spec().to_json()["metadata"].get("attributes", {})
    stored = json.loads((place / "zarr.json").read_text()).get("dimension_names")
    assert array.domain.labels == tuple(name or "" for name in stored or [""] * array.rank)
    return Found(values, attributes, None if stored is None else tuple(stored))
