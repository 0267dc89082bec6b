"""How many threads a piece of work is worth, and how many chunks one takes at a time.

Below about 20 µs of work for a chunk outside Python, two threads mostly wait for one another.
"""

from __future__ import annotations

from omnizarr.codecs.chain import Chain
from omnizarr.config import config
from omnizarr.engine.layout import Layout

# Bytes of a chunk from which a second thread pays, measured with 4096 chunks of 16 KB: two threads decode
# zstd in 78 ms and one in 120, but blosc in 78 and one in 65; copying raw chunks is faster still.
_READ = 16 * 1024
_READ_FAST = 128 * 1024
_READ_RAW = 512 * 1024
# Writing has more to do in Python: with zstd, 238 ms by two threads and 216 by one.
_WRITE = 64 * 1024
_FAST_CODECS = {"blosc", "crc32c", "numcodecs.lz4", "numcodecs.shuffle"}


def threads_to_read(layout: Layout, count: int, nbytes: int) -> int:
    """Return how many threads read `nbytes` out of a number of chunks."""
    chain = _innermost(layout.chain)
    if chain.is_raw:
        return _threads(layout, count, nbytes // max(1, count), _READ_RAW)
    return _threads(layout, count, layout.chain.spec.nbytes, _READ_FAST if _is_fast(chain) else _READ)


def threads_to_write(layout: Layout, count: int) -> int:
    """Return how many threads write a number of chunks."""
    raw = layout.chain.is_raw
    return _threads(layout, count, layout.chain.spec.nbytes, _READ_RAW if raw else _WRITE)


def threads_inside(inner: Chain, count: int) -> int:
    """Return how many threads decode a number of chunks of one shard."""
    worth = _READ_FAST if _is_fast(inner) else _READ
    return min(count, config.settings.threads) if inner.spec.nbytes >= worth else 1


def batch_of(layout: Layout, count: int, workers: int) -> int:
    """Return how many chunks a thread takes at a time: enough to be worth it, few enough to share."""
    if layout.store.requests > 1:
        return 1
    return max(1, min(count // (workers * 4), 2**20 // max(1, layout.chain.spec.nbytes)))


def _threads(layout: Layout, count: int, nbytes: int, worth: int) -> int:
    settings = config.settings
    if count <= 1:
        return 1
    if layout.store.requests > 1:
        return min(count, settings.requests)
    return min(count, settings.threads) if nbytes >= worth else 1


def _innermost(chain: Chain) -> Chain:
    while chain.shards is not None:
        chain = chain.shards.inner
    return chain


def _is_fast(chain: Chain) -> bool:
    return all(codec.name in _FAST_CODECS for codec in chain.bytes_codecs)
