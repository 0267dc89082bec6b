"""dask's own way, on zarr-python."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

import dask
import dask.array as da


class ZarrPython:
    """`dask.array.from_zarr` and `to_zarr`."""

    name = "dask + zarr-python"
    version = f"{dask.__version__} + {version('zarr')}"

    def lazy(self, place: Path) -> Any:
        return da.from_zarr(str(place))

    def store(self, array: Any, place: Path, compressors: Any) -> None:
        da.to_zarr(array, str(place), zarr_format=3, compressors=compressors)


THEIRS = ZarrPython()
