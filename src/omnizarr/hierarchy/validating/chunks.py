"""Decoding stored chunks, and telling of those that do not come out as chunks."""

from __future__ import annotations

from omnizarr.codecs.base import AnyArray
from omnizarr.codecs.chain import Chain
from omnizarr.codecs.fill import is_fill
from omnizarr.errors import CodecError, StoreError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.validating.findings import Findings
from omnizarr.hierarchy.validating.shards import check_shard
from omnizarr.store.base import Buffer


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
