"""What targets do with a hierarchy, and the form in which an input holds several documents."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import omnizarr
from omnizarr.errors import OmniZarrError
from omnizarr.store import MemoryStore

# No byte of UTF-8, so that no document has it.
_BETWEEN = b"\xff"
_MOST_BYTES = 2**16
_MOST_NODES = 50


def joined(*documents: Any) -> bytes:
    """Return documents as one input; bytes stay as they are, None is an absent one."""
    return _BETWEEN.join(
        b"" if each is None else each if isinstance(each, bytes) else json.dumps(each).encode()
        for each in documents
    )


def stored(data: bytes, keys: Sequence[str]) -> dict[str, bytes]:
    """Return what an input stores: a value for each key in turn; empty ones are absent."""
    values = data.split(_BETWEEN)
    return {key: value for key, value in zip(keys, values, strict=False) if value}


@contextmanager
def bounded() -> Iterator[None]:
    """Limit what may be read, and let warnings pass."""
    limits = {"max_chunk_bytes": 2**22, "max_unsized_bytes": 2**22, "threads": 1}
    with omnizarr.config.using(**limits), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def visit(values: Mapping[str, bytes]) -> None:
    """Open a hierarchy in every way, read what is small, and write its documents again."""
    with bounded():
        for options in ({}, {"use_consolidated": False}, {"zarr_format": 2}, {"zarr_format": 3}):
            store = MemoryStore(dict(values))
            with suppress(OmniZarrError):
                _visit_node(omnizarr.open(store, mode="r", **options))


def _visit_node(node: Any) -> None:
    if isinstance(node, omnizarr.Group):
        with suppress(OmniZarrError):
            for _, (_, member) in zip(range(_MOST_NODES), node.members(max_depth=None), strict=False):
                _visit_node(member) if isinstance(member, omnizarr.Array) else None
        with suppress(OmniZarrError):
            str(node.tree())
    else:
        _visit_array(node)
    repr(node)
    dict(node.attrs)
    with suppress(OmniZarrError):
        node.format.write(node.path, node.metadata)


def _visit_array(array: omnizarr.Array) -> None:
    repr(array)
    with suppress(OmniZarrError):
        if all(array.shape):
            array[tuple(0 for _ in array.shape)]
    with suppress(OmniZarrError):
        if array.nbytes <= _MOST_BYTES:
            array[...]
