"""dask on omnizarr."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask

from omnizarr import __version__
from omnizarr.integrations.dask import from_array, write


class Omnizarr:
    """`from_array` and `write`."""

    name = "omnizarr"
    version = f"{__version__}, dask {dask.__version__}"

    def lazy(self, place: Path) -> Any:
        return from_array(place)

    def store(self, array: Any, place: Path, compressors: Any) -> None:
        write(array, place, zarr_format=3, compressors=compressors)


OURS = Omnizarr()
