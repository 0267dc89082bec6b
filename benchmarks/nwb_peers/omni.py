"""omnizarr."""

from __future__ import annotations

from typing import Any

from benchmarks.nwb_peers.base import NWBFiles
from benchmarks.peers import OURS
from omnizarr._version import __version__
from omnizarr.hdmf import NWBZarrIO, ZarrDataIO


def _stored(data: Any, chunks: tuple[int, ...]) -> Any:
    return ZarrDataIO(data, chunks=chunks)


LIBRARY = NWBFiles(OURS, __version__, NWBZarrIO, _stored)
