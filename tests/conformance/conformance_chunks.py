"""Chunks as they are stored, where the specification determines their bytes."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

from conformance_cases import Case
from conformance_v2 import V2Case

_DOCUMENTS = {"zarr.json", ".zarray", ".zattrs", ".zmetadata"}
_DETERMINED = {
    "filter": {
        "no filter",
        "transpose",
        "delta",
        "shuffle",
        "delta then shuffle",
        "numcodecs.delta",
        "crc32c",
    },
    "serializer": {"little", "big"},
    "compressor": {"uncompressed", "crc32c", "numcodecs.crc32c", "numcodecs.fletcher32", "numcodecs.shuffle"},
}
_SHARDED = {"sharded": "<", "sharded, index at the start": "<", "sharded, big index without a checksum": ">"}
_EMPTY = 2**64 - 1


def stored(place: Path) -> dict[str, bytes]:
    """Return the bytes of every chunk by its key."""
    files = {str(path.relative_to(place)): path for path in place.rglob("*") if path.is_file()}
    return {key: path.read_bytes() for key, path in files.items() if key not in _DOCUMENTS}


def is_determined(case: Case | V2Case) -> bool:
    """Whether there is but one way to store a case, but for the order of chunks in a shard."""
    levels = dict(case.levels)
    if levels["type"] == "structured":  # its document has no byte order, where zarr-python writes it
        return False
    if levels.get("serializer") in _SHARDED and levels["compressor"] == "uncompressed":
        levels["serializer"] = "little"
    return all(levels[factor] in known for factor, known in _DETERMINED.items() if factor in levels)


def comparable(case: Case | V2Case, place: Path) -> dict[str, Any]:
    """Return chunks by their keys; of shards the chunks within, in the order of the index, and the size."""
    if not isinstance(case, Case) or case["serializer"] not in _SHARDED:
        return stored(place)
    return {key: _opened(case["serializer"], value) for key, value in stored(place).items()}


def _opened(serializer: str, shard: bytes) -> tuple[int, list[bytes | None]]:
    """Inner chunks are halves of chunks, along some of the axes: as many as make the index fit."""
    order, checksum = _SHARDED[serializer], 0 if "without" in serializer else 4
    for count in (1, 2, 4, 8):
        size = 16 * count + checksum
        index = shard[:size] if "start" in serializer else shard[-size:]
        if len(index) < size:
            break
        entries = list(struct.iter_unpack(f"{order}QQ", index[: 16 * count]))
        lengths = sum(length for offset, length in entries if offset != _EMPTY)
        if lengths + size == len(shard):
            chunks = [None if at == _EMPTY else shard[at : at + length] for at, length in entries]
            return len(shard), chunks
    raise AssertionError(f"a shard of {len(shard)} bytes with no index")
