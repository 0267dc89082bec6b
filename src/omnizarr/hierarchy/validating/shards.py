"""Checking a shard: its index, where the index places inner chunks, and each inner chunk.

https://zarr-specs.readthedocs.io/en/latest/v3/codecs/sharding-indexed/index.html#binary-shard-format
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from omnizarr.codecs.bound import EMPTY, Shards
from omnizarr.codecs.fill import is_fill
from omnizarr.errors import ChecksumError, CodecError
from omnizarr.hierarchy.validating.findings import Findings


class _Entry(NamedTuple):
    """An entry of an index: which inner chunk it is of, and the bytes that it names."""

    coords: tuple[int, ...]
    start: int
    stop: int

    def __str__(self) -> str:
        return f"inner chunk {self.coords}"


def check_shard(
    shards: Shards, value: memoryview, path: str, key: str, findings: Findings, where: str = ""
) -> None:
    """Check a whole shard; every fault names the inner chunk.

    Parameters
    ----------
    where
        The place of the shard in another one.
    """
    entries = _read_entries(shards, value, path, key, findings, where)
    _check_overlaps(entries, path, key, findings, where)
    for entry in entries:
        _check_inner(shards, value[entry.start : entry.stop], path, key, findings, f"{where}{entry}: ")


def _read_entries(
    shards: Shards, value: memoryview, path: str, key: str, findings: Findings, where: str
) -> list[_Entry]:
    """Return the entries that lie where inner chunks may; tell of the others."""
    size = shards.index_size
    if len(value) < size:
        message = f"expected at least the {size} bytes of an index, found {len(value)}"
        findings.add("shard", path, key, where + message)
        return []
    at_start = shards.index_location == "start"
    low, high = (size, len(value)) if at_start else (0, len(value) - size)
    try:
        index = shards.index_chain.decode(value[:size] if at_start else value[high:])
    except ChecksumError as error:
        findings.codec(path, key, error, f"{where}index: ")
        return []
    except CodecError as error:
        findings.add("shard", path, key, f"{where}index: codec {error.codec}: {error.message}")
        return []
    entries = []
    for coords in np.ndindex(shards.counts):
        start, length = index[coords].tolist()
        if start == length == EMPTY:
            continue
        entry = _Entry(coords, start, start + length)
        if low <= start and start + length <= high:
            entries.append(entry)
        else:
            message = f"expected a place in bytes {low} to {high}, found {_shown(start, length)}"
            findings.add("shard", path, key, f"{where}{entry}: {message}")
    return entries


def _shown(start: int, length: int) -> str:
    if EMPTY in (start, length):
        return f"offset {start} and length {length}, of which one says that it is empty"
    return f"{length} bytes from {start}"


def _check_overlaps(entries: list[_Entry], path: str, key: str, findings: Findings, where: str) -> None:
    """Tell of each inner chunk that begins before the one that lies before it has ended."""
    before: _Entry | None = None
    for entry in sorted(entries, key=lambda entry: (entry.start, entry.stop)):
        if entry.start == entry.stop:
            continue
        if before is not None and entry.start < before.stop:
            message = f"{entry}: bytes {entry.start} to {min(entry.stop, before.stop)} are also of {before}"
            findings.add("shard", path, key, where + message)
        if before is None or entry.stop > before.stop:
            before = entry


def _check_inner(
    shards: Shards, value: memoryview, path: str, key: str, findings: Findings, where: str
) -> None:
    inner = shards.inner
    if inner.shards is not None:
        check_shard(inner.shards, value, path, key, findings, where)
        return
    try:
        decoded = inner.decode(value)
    except CodecError as error:
        findings.codec(path, key, error, where)
    except MemoryError:
        findings.add("chunk", path, key, f"{where}{inner.spec.nbytes} bytes do not fit into memory")
    else:
        if is_fill(decoded, inner.spec.fill_value):
            findings.note("empty", path, key, f"{where}holds only the fill value, and need not be stored")
