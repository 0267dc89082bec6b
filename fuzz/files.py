"""Inputs as files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def file_of(data: bytes, suffix: str) -> Iterator[Path]:
    """Yield a file with this content, in memory where the system has such a place."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        path = Path(folder) / f"input{suffix}"
        path.write_bytes(data)
        yield path
