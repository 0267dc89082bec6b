"""Shards: faults of the index and of inner chunks, each told with the inner chunk that it is of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import omnizarr
from omnizarr.codecs.crc32c import crc32c
from omnizarr.store import MemoryStore

KEY = "c/0/0"
EMPTY = 2**64 - 1


def shard(location: str = "end", inner: str | None = "crc32c") -> MemoryStore:
    """A shard of 2 by 2 inner chunks of 6 bytes, 10 with their checksums; one of them is not stored."""
    store = MemoryStore()
    codecs = [{"name": "bytes"}] + ([{"name": inner}] if inner else [])
    configuration = {
        "chunk_shape": [2, 3],
        "codecs": codecs,
        "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
        "index_location": location,
    }
    array = omnizarr.create_array(
        store,
        shape=(4, 6),
        chunks=(4, 6),
        dtype="u1",
        serializer={"name": "sharding_indexed", "configuration": configuration},
        compressors=None,
        filters=None,
    )
    array[...] = np.arange(1, 25).reshape(4, 6)
    array[2:, 3:] = 0
    return store


def parts(store: MemoryStore, location: str = "end") -> tuple[bytes, Any]:
    value = store.get(KEY) or b""
    size = 4 * 16 + 4
    index, body = (value[-size:], value[:-size]) if location == "end" else (value[:size], value[size:])
    return body, np.frombuffer(index[:-4], "<u8").reshape(4, 2).copy()


def put(store: MemoryStore, body: bytes, index: Any, location: str = "end") -> None:
    encoded = index.astype("<u8").tobytes()
    encoded += crc32c(encoded).to_bytes(4, "little")
    store.set(KEY, body + encoded if location == "end" else encoded + body)


def found(store: MemoryStore) -> list[tuple[str, str]]:
    report = omnizarr.validate(store, level="data")
    assert {finding.at for finding in report.findings} <= {KEY}
    return [(finding.kind, finding.message) for finding in report.findings]


@pytest.mark.parametrize("location", ["end", "start"])
def test_a_sound_shard(location: str) -> None:
    store = shard(location)
    assert found(store) == []
    put(store, *parts(store, location), location)
    assert found(store) == []


def test_the_checksum_of_the_index() -> None:
    store = shard()
    value = bytearray(store.get(KEY) or b"")
    value[-1] ^= 1
    store.set(KEY, bytes(value))
    ((kind, message),) = found(store)
    assert kind == "checksum" and message.startswith("index: codec crc32c: expected checksum")


def test_a_shard_too_short_for_its_index() -> None:
    store = shard()
    store.set(KEY, b"1234")
    assert found(store) == [("shard", "expected at least the 68 bytes of an index, found 4")]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ((25, 10), "inner chunk (0, 1): expected a place in bytes 0 to 30, found 10 bytes from 25"),
        ((90, 10), "inner chunk (0, 1): expected a place in bytes 0 to 30, found 10 bytes from 90"),
        ((2**64 - 2, 9), "inner chunk (0, 1): expected a place in bytes 0 to 30, found 9 bytes from 1"),
        ((5, EMPTY), "inner chunk (0, 1): expected a place in bytes 0 to 30, found offset 5 and length 1"),
        (
            (EMPTY, 5),
            "inner chunk (0, 1): expected a place in bytes 0 to 30, found offset 18446744073709551615",
        ),
    ],
)
def test_entries_outside_the_shard_and_over_the_index(entry: tuple[int, int], message: str) -> None:
    store = shard()
    body, index = parts(store)
    index[1] = entry
    put(store, body, index)
    ((kind, told),) = found(store)
    assert kind == "shard" and told.startswith(message)


def test_an_entry_over_an_index_at_the_start() -> None:
    store = shard("start")
    body, index = parts(store, "start")
    index[0] = (60, 10)
    put(store, body, index, "start")
    assert found(store) == [
        ("shard", "inner chunk (0, 0): expected a place in bytes 68 to 98, found 10 bytes from 60")
    ]


def test_entries_that_overlap() -> None:
    store = shard(inner=None)
    body, index = parts(store)
    index[1] = (3, 6)
    put(store, body, index)
    assert found(store) == [("shard", "inner chunk (0, 1): bytes 3 to 6 are also of inner chunk (0, 0)")]


def test_gaps_and_any_order_are_allowed() -> None:
    store = shard()
    body, index = parts(store)
    index[:3] = index[2::-1]
    put(store, body + b"gap", index)
    assert found(store) == []


def test_every_inner_chunk_is_decoded() -> None:
    store = shard()
    body, index = parts(store)
    damaged = bytearray(body)
    for number in (0, 2):
        damaged[int(index[number, 0])] ^= 1
    index[1, 1] -= 1
    put(store, bytes(damaged), index)
    told = found(store)
    assert [kind for kind, _ in told] == ["checksum"] * 3
    assert [message.partition(":")[0] for _, message in told] == [
        f"inner chunk {at}" for at in ("(0, 0)", "(0, 1)", "(1, 0)")
    ]


def test_an_inner_chunk_of_the_wrong_size() -> None:
    store = shard(inner=None)
    body, index = parts(store)
    index[2, 1] = 5
    put(store, body, index)
    ((kind, message),) = found(store)
    assert kind == "chunk" and message == "inner chunk (1, 0): codec bytes: expected 6 bytes, found 5"


def test_an_inner_chunk_of_fill_values_is_noted() -> None:
    store = shard(inner=None)
    body, index = parts(store)
    index[3] = (len(body), 6)
    put(store, body + bytes(6), index)
    report = omnizarr.validate(store, level="data")
    assert report.findings == ()
    (note,) = report.notes
    assert (note.kind, note.at, note.note) == ("empty", KEY, True)
    assert note.message.startswith("inner chunk (1, 1): ")


def test_shards_within_shards() -> None:
    store = MemoryStore()
    index_codecs = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]
    codecs: list[Any] = [{"name": "bytes"}, {"name": "crc32c"}]
    for length in (2, 4):
        configuration = {"chunk_shape": [length], "codecs": codecs, "index_codecs": index_codecs}
        codecs = [{"name": "sharding_indexed", "configuration": configuration}]
    array = omnizarr.create_array(
        store, shape=(8,), chunks=(8,), dtype="u1", serializer=codecs[0], compressors=None, filters=None
    )
    array[...] = 1
    assert omnizarr.validate(store, level="data").findings == ()
    value = bytearray(store.get("c/0") or b"")
    value[6] ^= 1
    store.set("c/0", bytes(value))
    (finding,) = omnizarr.validate(store, level="data").findings
    assert finding.kind == "checksum"
    assert finding.message.startswith("inner chunk (0,): inner chunk (1,): codec crc32c: ")
