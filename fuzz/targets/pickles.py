"""Pickled chunks of HDMF."""

from __future__ import annotations

import pickle
import pickletools
from collections.abc import Iterator

import numpy as np

from fuzz.hierarchies import bounded
from omnizarr.errors import CodecError
from omnizarr.hdmf.pickles import read_pickle


def seeds() -> Iterator[bytes]:
    """Yield arrays of objects and of records, by every protocol."""
    objects = np.array([{"source": ".", "path": "/a"}, "text", None, 3, 2.5, ("x", 1)], object)
    records = np.array([(1, 2.5), (3, 4.5)], [("a", "<i4"), ("b", "<f8")])
    for protocol in range(2, 6):
        for array in (objects, records, np.arange(4), np.array(["a", "bc"])):
            yield pickletools.optimize(pickle.dumps(array, protocol))
            yield pickle.dumps(array, protocol)


def run(data: bytes) -> None:
    """Read a pickle."""
    with bounded():
        try:
            repr(read_pickle(data))
        except CodecError:
            return
