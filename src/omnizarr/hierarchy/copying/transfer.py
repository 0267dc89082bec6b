"""How the chunks of one array come into another: as they are stored, or decoded and encoded again."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from omnizarr.codecs.base import BytesToBytes, Codec
from omnizarr.codecs.bytes import Bytes
from omnizarr.codecs.chain import Chain
from omnizarr.engine.layout import Layout
from omnizarr.errors import CodecError, ConversionError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.copying.rechunk import GOOD_BLOCK, Blocks, plan_blocks
from omnizarr.hierarchy.copying.staging import Stage, plan_stage
from omnizarr.hierarchy.workers.base import Share
from omnizarr.jsontypes import JsonObject

# What a Python string or bytes object takes beside its reference, roughly: nobody knows before reading.
_OBJECT_BYTES = 120
_SHUFFLES = {0: "noshuffle", 1: "shuffle", 2: "bitshuffle"}


@dataclass(frozen=True, slots=True)
class Moved:
    """What was brought over: chunks as they are stored, and bytes that were decoded."""

    chunks: int = 0
    bytes: int = 0
    recoded_bytes: int = 0

    def __add__(self, other: Moved) -> Moved:
        return Moved(
            self.chunks + other.chunks, self.bytes + other.bytes, self.recoded_bytes + other.recoded_bytes
        )


def moves_as_stored(source: Array, target: Array) -> bool:
    """Say whether the chunks of one array, also those that are missing, are those of the other."""
    return same_fill(source.fill_value, target.fill_value) and stored_alike(source, target)


def stored_alike(source: Array, target: Array) -> bool:
    """Say whether the stored chunks of one array are those of the other: same grid, types and codecs."""
    ours, theirs = source.layout, target.layout
    return (
        source.shape == target.shape
        and ours.grid == theirs.grid
        and _same_element(source.dtype, target.dtype)
        and _stored_form(ours.chain) == _stored_form(theirs.chain)
    )


def move_chunk(ours: Layout, theirs: Layout, key: str, coords: tuple[int, ...]) -> int | None:
    """Copy one stored chunk; return its bytes, None where there was nothing to copy.

    Raises
    ------
    CodecError
        It has not the size that every chunk of this array has.
    """
    if (value := ours.store.get(key)) is None:
        return None
    _check_size(ours, coords, key, len(value))
    theirs.store.set(theirs.key(coords), value)
    return len(value)


@dataclass(frozen=True, slots=True)
class Recoding:
    """How an array is decoded and encoded again.

    Attributes
    ----------
    threads
        How many may work at once, so that what they need fits the memory too.
    stage
        Where values stop on the way; `blocks` is the direct way, taken where there is none.
    """

    blocks: Blocks
    threads: int
    stage: Stage | None = None


def plan_recoding(source: Array, target: Array, share: Share) -> Recoding:
    """Return a plan for tasks of which each takes its share at most.

    Raises
    ------
    ConversionError
        One chunk of the target does not fit.
    """
    item = _item_bytes(source.layout.chain)
    decoding = _scratch(source.layout.chain)
    encoding = _scratch(target.layout.chain)
    # A thread keeps its scratch for decoding while it encodes.
    each = max(2 * decoding, decoding + 2 * encoding)
    memory = share.memory
    threads = max(1, min(share.threads, memory // 2 // max(1, each)))
    chunk = min(chunk_bytes(target.layout.chain), max(1, source.size) * item)
    limit = memory - threads * each
    if limit < chunk:
        raise ConversionError(
            f"array {source.name}: {memory} bytes of memory are too little to copy chunks of {chunk} bytes; "
            f"expected at least {chunk + each}"
        )
    good = good_block(source.size * item, share)
    blocks = plan_blocks(source.layout.axes, target.layout.axes, item, limit, good)
    return Recoding(blocks, threads, plan_stage(source, target, blocks, limit))


def good_block(size: int, share: Share) -> int:
    """Return the bytes that a block of an array should have: there are to be enough for all workers."""
    return min(GOOD_BLOCK, size // (4 * share.slots)) if share.apart else GOOD_BLOCK


def _check_size(layout: Layout, coords: tuple[int, ...], key: str, found: int) -> None:
    chain = layout.chain_at(coords)
    if chain.encoded_size is not None and chain.encoded_size != found:
        message = f"expected a chunk of {chain.encoded_size} bytes, found {found}"
        raise CodecError(message, codec=chain.serializer.name, key=key, path=layout.path)


def fitting(memory: int, layout: Layout) -> int:
    """Return how many chunks fit some bytes of memory."""
    return memory // max(1, chunk_bytes(layout.chain))


def chunk_bytes(chain: Chain) -> int:
    """Return the bytes of a chunk in memory, about that many where its elements are objects."""
    return prod(chain.spec.shape) * _item_bytes(chain)


def _item_bytes(chain: Chain) -> int:
    dtype = chain.spec.dtype
    return dtype.itemsize + _OBJECT_BYTES if dtype.hasobject else max(1, dtype.itemsize)


def _scratch(chain: Chain) -> int:
    """Return the bytes that a thread needs beside the values: none where chunks are plain memory."""
    return 0 if chain.is_raw else chunk_bytes(chain)


def same_fill(ours: Any, theirs: Any) -> bool:
    """Say whether a missing chunk means the same; an undefined fill value may become any."""
    if ours is None:
        return True
    if type(ours).__module__ == type(theirs).__module__ == "numpy" and not isinstance(ours, np.void):
        return bool(
            np.asarray(ours).astype(np.asarray(theirs).dtype).tobytes() == np.asarray(theirs).tobytes()
        )
    return bool(ours == theirs)


def _same_element(ours: np.dtype[Any], theirs: np.dtype[Any]) -> bool:
    """Say whether elements are the same, whatever their byte order in memory."""
    return ours == theirs or ours.newbyteorder("=") == theirs.newbyteorder("=")


def _stored_form(chain: Chain) -> list[tuple[str, JsonObject]]:
    """Return the codecs as both formats would configure them, the byte order of elements included."""
    form = [_form(codec) for codec, _ in chain.array_codecs]
    if chain.shards is not None:
        shards = chain.shards
        form.append(("sharding_indexed", chain.serializer.to_json()))
        form += _stored_form(shards.inner)
    elif isinstance(chain.serializer, Bytes):
        stored = chain.serializer.stored(chain.serialized.dtype)
        form.append(("bytes", {"stored": str(stored.descr)}))
    else:
        form.append(_form(chain.serializer))
    return form + [_form(codec) for codec in chain.bytes_codecs]


def _form(codec: Codec | BytesToBytes) -> tuple[str, JsonObject]:
    name = codec.name.removeprefix("numcodecs.")
    configuration = dict(codec.to_json())
    if name == "blosc":
        shuffle = configuration.get("shuffle")
        configuration["shuffle"] = _SHUFFLES.get(shuffle, shuffle) if isinstance(shuffle, int) else shuffle
        configuration.pop("typesize", None)  # in the header of every buffer
    if name == "zstd":
        configuration.setdefault("checksum", False)
    return name, configuration
