"""The NWB files that are written, and what they say when they are read; needs pynwb and numpy alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, TypeAlias

import numpy as np
from hdmf.data_utils import GenericDataChunkIterator
from numpy.typing import NDArray
from pynwb import NWBFile, TimeSeries
from pynwb.ecephys import ElectricalSeries

RATE = 30_000.0
ROWS = 20
_CHUNK = (16_384, 64)
_PIECE = 8

Stored: TypeAlias = "Callable[[Any, tuple[int, ...]], Any]"
"""Says to a library in which chunks data are to be stored."""


class Pieces(GenericDataChunkIterator):  # type: ignore[misc]
    """Data that come piece by piece, some chunks at once."""

    def __init__(self, data: NDArray[Any], chunks: tuple[int, ...]) -> None:
        self._data = data
        pieces = (min(data.shape[0], _PIECE * chunks[0]), data.shape[1])
        super().__init__(buffer_shape=pieces, chunk_shape=chunks)

    def _get_data(self, selection: tuple[slice, ...]) -> NDArray[Any]:
        return self._data[selection]

    def _get_maxshape(self) -> tuple[int, ...]:
        return self._data.shape

    def _get_dtype(self) -> np.dtype[Any]:
        return self._data.dtype


def many_objects(count: int) -> NWBFile:
    """Return a file of `count` series of ten samples each, and two tables."""
    file = _empty()
    for i in range(count):
        data = np.arange(10, dtype="float32") + i
        file.add_acquisition(
            TimeSeries(name=f"series{i}", data=data, unit="V", rate=100.0, description=f"number {i}")
        )
    file.add_trial_column("tag", "what was shown")
    for i in range(ROWS):
        file.add_trial(start_time=float(i), stop_time=i + 1.0, tag="ab"[i % 2])
        file.add_epoch(float(i), i + 1.0, ["x"])
    return file


def objects_of(count: int) -> dict[str, Any]:
    """Return what `described` says of a file of `many_objects`."""
    series = {f"series{i}": [f"number {i}", "V", 100.0, list(range(i, i + 10))] for i in range(count)}
    times = [[float(i), i + 1.0] for i in range(ROWS)]
    return {"series": series, "trials": times, "epochs": times, "tags": ["ab"[i % 2] for i in range(ROWS)]}


def described(file: NWBFile) -> dict[str, Any]:
    """Read all of a file of `many_objects`, and return it as plain values."""
    series = {
        name: [one.description, one.unit, one.rate, np.asarray(one.data).tolist()]
        for name, one in file.acquisition.items()
    }
    trials, epochs = file.trials, file.epochs
    return {
        "series": series,
        "trials": list(_times(trials)),
        "epochs": list(_times(epochs)),
        "tags": [str(tag) for tag in trials["tag"][:]],
    }


def recording(data: NDArray[Any], stored: Stored, *, iterated: bool) -> NWBFile:
    """Return a file with one electrical series, given whole or in pieces."""
    file = _empty()
    device = file.create_device(name="probe", description="many channels")
    group = file.create_electrode_group(name="shank", description="one", location="CA1", device=device)
    for _ in range(data.shape[1]):
        file.add_electrode(group=group, location="CA1")
    electrodes = file.create_electrode_table_region(list(range(data.shape[1])), "all")
    chunks = (min(data.shape[0], _CHUNK[0]), min(data.shape[1], _CHUNK[1]))
    given = stored(Pieces(data, chunks) if iterated else data, chunks)
    file.add_acquisition(ElectricalSeries(name="raw", data=given, electrodes=electrodes, rate=RATE))
    return file


def samples(length: int, channels: int) -> NDArray[np.int16]:
    """Return a recording of noise, of the range that amplifiers have; always the same."""
    noise = np.random.default_rng(7).normal(0, 60, (min(length, 100_000), channels)).astype("int16")
    repeats = -(-length // len(noise))
    return np.tile(noise, (repeats, 1))[:length]


def described_samples(found: NDArray[Any], rate: float) -> dict[str, Any]:
    """Return what a recording is: one that is equal has an equal description."""
    digest = sha256(np.ascontiguousarray(found).data).hexdigest()
    return {"shape": list(found.shape), "dtype": found.dtype.str, "rate": rate, "digest": digest}


def _empty() -> NWBFile:
    start = datetime(2020, 1, 1, tzinfo=UTC)
    return NWBFile(session_description="a session", identifier="i", session_start_time=start)


def _times(table: Any) -> Iterator[list[float]]:
    for start, stop in zip(table["start_time"][:], table["stop_time"][:], strict=True):
        yield [float(start), float(stop)]
