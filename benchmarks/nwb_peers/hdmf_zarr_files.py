"""hdmf-zarr, in an environment of its own: it needs other versions of what others need too."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from hdmf_zarr import ZarrDataIO
from hdmf_zarr.nwb import NWBZarrIO

from benchmarks.nwb_peers.base import NWBFiles


def _opened(place: str, mode: str) -> Any:
    return NWBZarrIO(place, mode=mode)


def _stored(data: Any, chunks: tuple[int, ...]) -> Any:
    return ZarrDataIO(data=data, chunks=chunks)


LIBRARY = NWBFiles("hdmf-zarr", version("hdmf-zarr"), _opened, _stored)
