"""xarray's own backend, on zarr-python."""

from __future__ import annotations

import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import xarray


class ZarrPython:
    """`engine="zarr"`, and `to_zarr`."""

    name = "xarray + zarr-python"
    version = f"{xarray.__version__} + {version('zarr')}"

    def open(self, place: Path) -> Any:
        return xarray.open_dataset(place, engine="zarr", consolidated=True)

    def write(self, dataset: Any, place: Path, encoding: dict[str, Any]) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # consolidated metadata are not in the specification yet
            dataset.to_zarr(place, encoding=encoding, zarr_format=3, consolidated=True)


THEIRS = ZarrPython()
