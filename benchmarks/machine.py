"""Facts about the machine and the versions."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from benchmarks.peers.base import Named


def facts(libraries: Sequence[Named], folder: Path) -> dict[str, str]:
    """Return what a reader needs to judge the figures."""
    versions = {library.name: library.version for library in libraries}
    others = {name: version(name) for name in ("numpy", "numcodecs", "zstandard")}
    return {
        "processor": f"{_processor()}, {len(os.sched_getaffinity(0))} cores",
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "libraries": ", ".join(f"{name} {number}" for name, number in (versions | others).items()),
        "files": "in memory (/dev/shm)" if folder.is_relative_to("/dev/shm") else "on disk, warm page cache",
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:  # not Linux
        return platform.processor() or "unknown"
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown"
    )
