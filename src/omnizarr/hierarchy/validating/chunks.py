"""Decoding stored chunks, and telling of those that do not come out as chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from omnizarr.codecs.base import AnyArray
from omnizarr.codecs.chain import Chain
from omnizarr.codecs.fill import is_fill
from omnizarr.engine.pool import run
from omnizarr.errors import CodecError, StoreError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.validating.findings import Findings, Found
from omnizarr.hierarchy.validating.shards import check_shard
from omnizarr.hierarchy.workers.sent import Sent
from omnizarr.store.base import Buffer

Chunk: TypeAlias = tuple[Sent[Array], str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class CheckChunks:
    """Reads and decodes some chunks, so many at once, and keeps at most so many findings."""

    limit: int | None
    at_once: int = 1
    waiting: bool = False

    def __call__(self, chunks: Sequence[Chunk]) -> Found:
        """Look at chunks."""
        findings = Findings(self.limit)

        def check(chunk: Chunk) -> None:
            held, key, coords = chunk
            check_chunk(held.value, key, coords, findings)

        run(chunks, check, workers=min(self.at_once, len(chunks)), waiting=self.waiting)
        return findings.found(len(chunks))


def check_chunk(array: Array, key: str, coords: tuple[int, ...], findings: Findings) -> None:
    """Read and decode one chunk of an array."""
    chain = array.layout.chain_at(coords)
    try:
        value = array.store.get_buffer(key)
    except StoreError as error:
        findings.add("store", array.path, key, str(error))
        return
    if value is None:  # it was deleted meanwhile
        return
    if chain.shards is not None:
        check_shard(chain.shards, memoryview(value), array.path, key, findings)
        return
    decoded = _decoded(chain, value, array.path, key, findings)
    if decoded is not None and is_fill(decoded, chain.spec.fill_value):
        message = "holds only the fill value, and need not be stored"
        findings.note("empty", array.path, key, message)


def _decoded(chain: Chain, value: Buffer, path: str, key: str, findings: Findings) -> AnyArray | None:
    try:
        return chain.decode(value)
    except CodecError as error:
        findings.codec(path, key, error)
    except MemoryError:
        findings.add("chunk", path, key, f"{chain.spec.nbytes} bytes of values do not fit into memory")
    return None
