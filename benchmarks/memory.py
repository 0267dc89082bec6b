"""The peak memory that reading a whole array takes, measured in a process of its own.

Linux tells it in `/proc/self/status`: `VmHWM`, the largest resident set so far, less `VmRSS` before the read.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers import load
from benchmarks.peers.base import Library
from benchmarks.room import Room
from benchmarks.sizes import Sizes
from benchmarks.spec import CODECS, field
from benchmarks.w1_large_chunks import spec

LIMIT = 1.1
ROOT = Path(__file__).parent.parent
STATUS = Path("/proc/self/status")


@dataclass(frozen=True, slots=True)
class Peak:
    """Extra peak memory as a multiple of the array's size."""

    codec: str
    library: str
    share: float


def peaks(sizes: Sizes, room: Room, libraries: Sequence[Library]) -> list[Peak]:
    """Return the peaks of every library and codec; none where the system does not tell."""
    if not STATUS.exists():
        return []
    found = []
    for codec in CODECS:
        made = spec(sizes, codec)
        path = room.written(made, field(made.shape, made.dtype))
        found += [Peak(codec, library.name, _measured(library.name, path)) for library in libraries]
        room.clear()
    return found


def _measured(library: str, path: Path) -> float:
    command = [sys.executable, "-m", "benchmarks.memory", library, str(path)]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if answer.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{answer.stderr}")
    return float(json.loads(answer.stdout))


def _resident(name: str) -> int:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024


def main() -> None:
    """Read an array whole and print the share."""
    name, path = sys.argv[1:]
    library = load(name)
    if library is None:
        raise SystemExit(f"{name} is not installed")
    array = library.open(Path(path))
    before = _resident("VmRSS")
    data = library.read(array, tuple(slice(0, length) for length in array.shape))
    print(json.dumps((_resident("VmHWM") - before) / data.nbytes))


if __name__ == "__main__":
    main()
