"""The directory that a run works in, and the files in it that every library reads."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from benchmarks.peers.base import Library
from benchmarks.spec import Spec

_numbers = count()


@dataclass(frozen=True, slots=True)
class Room:
    """A directory of its own for each thing; `reference` writes the files and judges those of others."""

    folder: Path
    reference: Library

    def new(self) -> Path:
        """Return a path that does not exist yet."""
        return self.folder / f"{next(_numbers)}"

    def written(self, spec: Spec, data: NDArray[Any]) -> Path:
        """Write an array by the reference library and return its directory."""
        path = self.new()
        self.reference.write(self.reference.create(path, spec), data)
        return path

    def clear(self) -> None:
        """Remove everything."""
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
