"""Arrays whose data type in the document is not what their bytes are to netCDF."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.dtype_numpy import data_type_of
from omnizarr.netcdf.model.nodes import VariableModel
from omnizarr.netcdf.model.types import CHAR, STRING, NcType


def as_text(metadata: ArrayMetadata, kind: NcType) -> ArrayMetadata:
    """Return an array of characters, or of strings of fixed size, with bytes for its elements.

    NCZarr has characters as `uint8` on Zarr v3, and as `<U1` up to netCDF-C 4.9.0, each in one byte all the
    same; and strings as raw bytes (`r80`) on v3.
    """
    dtype = metadata.data_type.dtype
    if kind is CHAR and (f"{dtype.kind}{dtype.itemsize}" in ("i1", "u1") or dtype.str[1:] == "U1"):
        return _with_dtype(metadata, np.dtype("S1"))
    if kind is STRING and dtype.kind == "V" and dtype.names is None:
        return _with_dtype(metadata, np.dtype(f"S{dtype.itemsize}"))
    return metadata


def _with_dtype(metadata: ArrayMetadata, dtype: np.dtype[Any]) -> ArrayMetadata:
    fill = metadata.fill_value
    if fill is not None:
        fill = np.bytes_(fill.encode("latin-1", "replace") if isinstance(fill, str) else fill.tobytes())
    return replace(metadata, data_type=data_type_of(dtype), fill_value=fill)


def is_filled_swapped(variable: VariableModel) -> bool:
    """Say whether netCDF-C swaps the bytes of fill values where chunks are absent: in big-endian variables.

    A chunk that was written has to be stored there, also where it holds fill values alone.
    """
    return variable.endian == "big" and variable.type.is_numeric and variable.type.size > 1


def in_order(metadata: ArrayMetadata, order: str) -> ArrayMetadata:
    """Return a v2 array whose chunks have a byte order (`little`, `big`) other than its document says."""
    return replace(metadata, data_type=metadata.data_type.with_byte_order(order))
