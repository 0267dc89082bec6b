"""How many threads a piece of work is worth, and how many chunks one takes at a time.

Below about 20 µs of work for a chunk outside Python, two threads mostly wait for one another.
"""

from __future__ import annotations

from omnizarr.codecs.chain import Chain
from omnizarr.config import config
from omnizarr.engine.layout import Layout

# Bytes of a chunk from which a second thread pays. With 4096 chunks of 16 KB, two threads decode zstd in
# 67 ms and one in 104, and encode it in 177 and 316; but blosc is decoded in 78 and 65, and encoded in
# 190 and 155, and raw chunks are written in 263 and 142.
_SLOW = 16 * 1024
_FAST = 128 * 1024
_RAW = 512 * 1024
_FAST_CODECS = {"blosc", "crc32c", "numcodecs.lz4", "numcodecs.shuffle"}


def threads_to_read(layout: Layout, count: int, nbytes: int) -> int:
    """Return how many threads read `nbytes` out of a number of chunks."""
    chain = _innermost(layout.chain)
    if chain.is_raw:
        return _threads(layout, count, nbytes // max(1, count), _RAW)
    return _threads(layout, count, layout.chain.spec.nbytes, _worth(chain))


def threads_to_write(layout: Layout, count: int) -> int:
    """Return how many threads write a number of chunks."""
    return _threads(layout, count, layout.chain.spec.nbytes, _worth(_innermost(layout.chain)))


def threads_inside(inner: Chain, count: int) -> int:
    """Return how many threads decode a number of chunks of one shard."""
    return min(count, config.settings.threads) if inner.spec.nbytes >= _worth(inner) else 1


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


def _worth(chain: Chain) -> int:
    """Return the bytes of a chunk from which a second thread pays."""
    if chain.is_raw:
        return _RAW
    return _FAST if all(codec.name in _FAST_CODECS for codec in chain.bytes_codecs) else _SLOW
