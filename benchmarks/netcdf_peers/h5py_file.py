"""h5py."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np

from benchmarks.netcdf_peers.base import LEVEL, VARIABLE, AnyArray


class H5Py:
    """HDF5 files; there are no dimensions of netCDF in them."""

    name = "h5py"
    version = h5py.__version__

    def write(self, place: Path, data: AnyArray) -> None:
        with h5py.File(place, "w") as file:
            _define(file, data)[:] = data

    def read(self, place: Path) -> AnyArray:
        with h5py.File(place, "r") as file:
            return np.asarray(file[VARIABLE][...])

    def write_many(self, place: Path, count: int) -> None:
        with h5py.File(place, "w") as file:
            for number in range(count):
                file.create_dataset(f"v{number}", data=np.arange(10, dtype="f4")).attrs["units"] = "K"

    def open_many(self, place: Path) -> int:
        with h5py.File(place, "r") as file:
            return sum(file[name].shape == (10,) and file[name].attrs["units"] == "K" for name in file)

    def append(self, place: Path, records: AnyArray) -> None:
        with h5py.File(place, "a") as file:
            dataset = file[VARIABLE]
            for record in records:
                dataset.resize(len(dataset) + 1, axis=0)
                dataset[-1] = record


def _define(file: h5py.File, data: AnyArray) -> h5py.Dataset:
    return file.create_dataset(
        VARIABLE,
        data.shape,
        data.dtype,
        chunks=(1, *data.shape[1:]),
        maxshape=(None, *data.shape[1:]),
        compression="gzip",
        compression_opts=LEVEL,
        shuffle=True,
    )


H5PY = H5Py()
