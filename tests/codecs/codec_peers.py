"""Chunks as other libraries encode and decode them; for tests."""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from omnizarr.metadata.dtype_numpy import data_type_of
from omnizarr.metadata.dtype_v3 import write_data_type
from omnizarr.metadata.fill import default_fill, write_fill

Codecs = list[Any]

zarrista_is_there = pytest.mark.skipif(
    find_spec("zarrista") is None, reason="zarrista is not installed (extra bench)"
)


def document_of(array: np.ndarray[Any, Any], codecs: Codecs, fill_value: Any = None) -> dict[str, Any]:
    """Return the metadata of an array of one chunk."""
    kind = data_type_of(array.dtype)
    fill = default_fill(kind) if fill_value is None else fill_value
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(array.shape),
        "data_type": write_data_type(kind),
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(array.shape)}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": write_fill(fill, kind),
        "codecs": codecs,
        "attributes": {},
    }


def zarrista_encodes(array: np.ndarray[Any, Any], codecs: Codecs) -> bytes:
    """Return the chunk that zarrista makes of an array that is not all fill value."""
    with tempfile.TemporaryDirectory() as folder:
        _zarrista(array, codecs, folder).store_array_subset(..., memoryview(bytearray(array.tobytes())))
        return _chunk(folder, array).read_bytes()


def by_zarrista(array: np.ndarray[Any, Any], codecs: Codecs, data: bytes) -> bytes:
    """Return the elements that zarrista reads from a chunk of arrays like one."""
    with tempfile.TemporaryDirectory() as folder:
        peer = _zarrista(array, codecs, folder)
        chunk = _chunk(folder, array)
        chunk.parent.mkdir(parents=True, exist_ok=True)
        chunk.write_bytes(data)
        return bytes(peer.retrieve_chunk([0] * array.ndim).buffer())


def _zarrista(array: np.ndarray[Any, Any], codecs: Codecs, folder: str) -> Any:
    import zarrista
    from zarrista.store import FilesystemStore

    return zarrista.Array.from_metadata(document_of(array, codecs), FilesystemStore(folder), "/")


def _chunk(folder: str, array: np.ndarray[Any, Any]) -> Path:
    return Path(folder, *["c", *["0"] * array.ndim])
