"""omnizarr, as one of the libraries of the matrix."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from conformance_base import Found
from conformance_cases import KEYS, Case
from conformance_v2 import V2_COMPRESSORS, V2Case

import omnizarr

name = "omnizarr"


def _v3_arguments(case: Case) -> dict[str, Any]:
    before, serial, after = case.codecs()
    return {
        "dtype": case.kind.document,
        "fill_value": case.kind.fill(case["fill"])[1],
        "filters": [*before, *serial[:-1]] or None,
        "serializer": serial[-1],
        "compressors": after or None,
        "dimension_names": case.names,
        "chunk_key_encoding": KEYS[case["keys"]],
    }


def _v2_arguments(case: V2Case) -> dict[str, Any]:
    return {
        "dtype": case.kind.dtype,
        "fill_value": case.fill[1],
        "filters": case.filters(),
        "compressors": V2_COMPRESSORS[case["compressor"]],
        "order": case["order"],
        "chunk_key_encoding": case["keys"],
    }


def create(place: Path, case: Case | V2Case) -> omnizarr.Array:
    """Make the array of a case, with nothing in it."""
    return omnizarr.create_array(
        str(place),
        shape=case.layout.shape,
        chunks=case.layout.chunks,
        attributes=case.attributes,
        zarr_format=case.zarr_format,
        **(_v3_arguments(case) if isinstance(case, Case) else _v2_arguments(case)),
    )


def write(place: Path, case: Case | V2Case) -> None:
    """Make the array of a case, and write its region."""
    array = create(place, case)
    if case.region is not None:
        array[case.region] = case.part()


def read(place: Path, zarr_format: int) -> Found:
    """Return what an array holds."""
    array = omnizarr.open_array(str(place), mode="r", zarr_format=zarr_format)
    return Found(np.asarray(array[...]), dict(array.attrs), array.metadata.dimension_names)
