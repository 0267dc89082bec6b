"""xarray with zarr-python, on Zarr v2 as NCZarr is."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

import numcodecs
import numpy as np
import xarray

from benchmarks.netcdf_peers.base import DIMENSIONS, LEVEL, VARIABLE, AnyArray


class XArray:
    """Zarr in a directory, by xarray's convention."""

    name = "xarray + zarr-python"
    version = f"{xarray.__version__} + {version('zarr')}"

    def write(self, place: Path, data: AnyArray) -> None:
        dataset = xarray.Dataset({VARIABLE: (DIMENSIONS, data)})
        dataset.to_zarr(place, mode="w", encoding={VARIABLE: _encoding(data)}, **_FORMAT)

    def read(self, place: Path) -> AnyArray:
        with xarray.open_zarr(place, chunks=None, mask_and_scale=False) as dataset:
            return np.asarray(dataset[VARIABLE].values)

    def write_many(self, place: Path, count: int) -> None:
        values = np.arange(10, dtype="f4")
        variables = {f"v{number}": ("x", values, {"units": "K"}) for number in range(count)}
        xarray.Dataset(variables).to_zarr(place, mode="w", **_FORMAT)

    def open_many(self, place: Path) -> int:
        with xarray.open_zarr(place, chunks=None) as dataset:
            return sum(v.shape == (10,) and v.attrs["units"] == "K" for v in dataset.data_vars.values())

    def append(self, place: Path, records: AnyArray) -> None:
        for at in range(len(records)):
            dataset = xarray.Dataset({VARIABLE: (DIMENSIONS, records[at : at + 1])})
            dataset.to_zarr(place, append_dim=DIMENSIONS[0], **_FORMAT)

    def convert(self, source: Path, place: Path) -> None:
        with xarray.open_dataset(source, engine="netcdf4", mask_and_scale=False) as dataset:
            encoding = {VARIABLE: _encoding(dataset[VARIABLE])}
            dataset[VARIABLE].encoding.clear()
            dataset.to_zarr(place, mode="w", encoding=encoding, **_FORMAT)

    def read_converted(self, place: Path) -> AnyArray:
        return self.read(place)


_FORMAT: dict[str, Any] = {"zarr_format": 2, "consolidated": True}


def _encoding(data: Any) -> dict[str, Any]:
    return {
        "chunks": (1, *data.shape[1:]),
        "filters": [numcodecs.Shuffle(data.dtype.itemsize)],
        "compressors": numcodecs.Zlib(LEVEL),
    }


XARRAY = XArray()
