"""pynwb on HDF5, which does not compress unless it is told to."""

from __future__ import annotations

from typing import Any

import pynwb
from pynwb import NWBHDF5IO, H5DataIO

from benchmarks.nwb_peers.base import NWBFiles


def _stored(data: Any, chunks: tuple[int, ...]) -> Any:
    return H5DataIO(data, chunks=chunks)


LIBRARY = NWBFiles("pynwb, HDF5", pynwb.__version__, NWBHDF5IO, _stored)
