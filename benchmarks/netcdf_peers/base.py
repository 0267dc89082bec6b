"""What an adapter to netCDF offers: `NetCDFLibrary`, and the Protocols that it can."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

from numpy.typing import NDArray

from benchmarks.peers.base import Named

AnyArray: TypeAlias = NDArray[Any]

VARIABLE = "v"
DIMENSIONS = ("time", "y", "x")
LEVEL = 1


class NetCDFLibrary(Named, Protocol):
    """Datasets at a place of the adapter's own; every variable has chunks of one record, zlib and shuffle."""


@runtime_checkable
class ReadsAndWrites(Protocol):
    """Whole datasets."""

    def write(self, place: Path, data: AnyArray) -> None:
        """Write a new dataset of one variable along an unlimited dimension, and close it."""

    def read(self, place: Path) -> AnyArray:
        """Open a dataset and return all of its variable, as it is stored."""

    def write_many(self, place: Path, count: int) -> None:
        """Write a new dataset of small variables `v0`, `v1`, … with a `units` attribute each."""

    def open_many(self, place: Path) -> int:
        """Open a dataset, look at the shape and the `units` of every variable, and count them."""


@runtime_checkable
class Appends(Protocol):
    """Records one by one."""

    def append(self, place: Path, records: AnyArray) -> None:
        """Open the dataset at a place, append the records one by one, and close it."""


@runtime_checkable
class Converts(Protocol):
    """netCDF files to Zarr."""

    def convert(self, source: Path, place: Path) -> None:
        """Convert a netCDF-4 file to a new Zarr dataset with the same chunks and compression."""

    def read_converted(self, place: Path) -> AnyArray:
        """Return all of the variable of a converted dataset."""
