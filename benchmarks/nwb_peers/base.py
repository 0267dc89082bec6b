"""What a library of NWB files does: all of them are used by pynwb, so that one class does for each."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks.nwb_peers import content

Plain: TypeAlias = "dict[str, Any]"
Opener: TypeAlias = "Callable[[str, str], Any]"
"""Opens the file at a path in a mode."""


class NWBLibrary(Protocol):
    """Verbs whose arguments and answers are JSON, for they may be done by another process."""

    name: str
    version: str

    def make_objects(self, count: int) -> None:
        """Make what is written next: many small objects."""

    def make_recording(self, length: int, channels: int, iterated: bool) -> None:
        """Make what is written next: one long series, whole or in pieces."""

    def write(self, place: str) -> None:
        """Write what was made to a new file, and close it."""

    def close(self) -> None:
        """Close what is open, forget what was read, and collect what is left of it."""

    def open(self, place: str) -> None:
        """Open a file, read it to its container, and keep it open."""

    def read(self, place: str) -> None:
        """Open a file and read all samples of its series."""

    def describe_objects(self) -> Plain:
        """Return what the open file says."""

    def describe_recording(self) -> Plain:
        """Return what was read of a series."""

    def stop(self) -> None:
        """End what works for the library."""


class NWBFiles:
    """NWB files by a backend of HDMF.

    Parameters
    ----------
    opener
        Returns a new `HDMFIO`.
    stored
        Says to the backend in which chunks data are stored.
    """

    def __init__(self, name: str, version: str, opener: Opener, stored: content.Stored) -> None:
        self.name = name
        self.version = version
        self._opener = opener
        self._stored = stored
        self._io: Any = None
        self._file: Any = None
        self._samples: NDArray[Any] = np.empty((0, 0), "int16")
        self._found: NDArray[Any] | None = None

    def make_objects(self, count: int) -> None:
        self.close()
        self._file = content.many_objects(count)

    def make_recording(self, length: int, channels: int, iterated: bool) -> None:
        self.close()
        if self._samples.shape != (length, channels):
            self._samples = content.samples(length, channels)
        self._file = content.recording(self._samples, self._stored, iterated=iterated)

    def write(self, place: str) -> None:
        with self._opener(place, "w") as io:
            io.write(self._file)

    def close(self) -> None:
        if self._io is not None:
            self._io.close()
        self._io = self._file = self._found = None
        gc.collect()

    def open(self, place: str) -> None:
        self._io = self._opener(place, "r")
        self._file = self._io.read()

    def read(self, place: str) -> None:
        self.open(place)
        self._found = self._file.acquisition["raw"].data[:]

    def describe_objects(self) -> Plain:
        return content.described(self._file)

    def describe_recording(self) -> Plain:
        found = np.empty(0) if self._found is None else self._found
        return content.described_samples(found, self._file.acquisition["raw"].rate)

    def stop(self) -> None:
        self.close()
