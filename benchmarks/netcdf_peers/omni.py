"""omnizarr.netcdf."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.netcdf_peers.base import AnyArray
from benchmarks.netcdf_peers.netcdf_like import NetCDFLike
from benchmarks.peers import OURS as NAME
from omnizarr import netcdf
from omnizarr._version import __version__


class OmniZarr(NetCDFLike):
    """NCZarr in a directory."""

    def convert(self, source: Path, place: Path) -> None:
        netcdf.convert(source, place)

    def read_converted(self, place: Path) -> AnyArray:
        return np.asarray(self.read(place))


OURS = OmniZarr(NAME, __version__, netcdf, str)
