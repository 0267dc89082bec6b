"""Pickled chunks of hdmf-zarr's arrays, read without running what they say, and written without its classes.

https://numcodecs.readthedocs.io/en/stable/other/pickles.html
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from omnizarr.codecs.base import ChunkSpec
from omnizarr.codecs.objects import Pickle
from omnizarr.errors import CodecError
from omnizarr.hdmf.layout import stored_dtype
from omnizarr.hdmf.pickle_machine import Budget
from omnizarr.hdmf.pickle_steps import run
from omnizarr.hdmf.pickle_writer import pickled
from omnizarr.hdmf.pickled_values import HeldArray, makers
from omnizarr.hierarchy.array import Array
from omnizarr.jsontypes import JsonObject, Problems
from omnizarr.store.base import Buffer

# Bytes of a pickle, and of each of its elements: far more than references take, or text that is one value.
_MOST, _MOST_EACH = 2**20, 2**16
# Bytes that may be made out of a pickle, for each of its own.
_GROWTH = 64


def read_pickle(data: Buffer) -> NDArray[Any]:
    """Return the array that a pickle holds; references are dictionaries, records tuples.

    Raises
    ------
    CodecError
        The pickle names anything but numpy's arrays and HDMF's references, which the message tells; or
        it is damaged, or would take far more memory than it is long.
    """
    content = bytes(data)
    budget = Budget(_GROWTH * len(content) + _MOST)
    found = run(content, makers(budget))
    if type(found) is not HeldArray or found.array is None:
        raise CodecError(f"expected an array, found {type(found).__name__}", codec="pickle")
    return found.array


@dataclass(frozen=True, slots=True)
class SafePickle:
    """Arrays of objects as pickles that `read_pickle` reads, and hdmf-zarr 0.13.0 too."""

    name: ClassVar[str] = "pickle"
    configuration: JsonObject = field(default_factory=dict)
    records: np.dtype[Any] | None = None
    """The type of records with objects in them, which are tuples in memory."""

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        return cls(Pickle.from_json(configuration, at, problems).configuration)

    def to_json(self) -> JsonObject:
        return self.configuration

    def check(self, spec: ChunkSpec, at: str, problems: Problems) -> None:
        return None

    def encoded_size(self, spec: ChunkSpec) -> int | None:
        """Return how many bytes there are at most, so that nothing is decompressed that is longer."""
        return _MOST + _MOST_EACH * prod(spec.shape)

    def encode(self, array: NDArray[Any], spec: ChunkSpec) -> Buffer:
        given = np.array(array, object, order="C")
        return pickled(given if self.records is None else _as_records(given, self.records))

    def decode(self, data: Buffer, spec: ChunkSpec) -> NDArray[Any]:
        found = read_pickle(data)
        if found.shape != spec.shape:
            if found.shape != (prod(spec.shape),):
                raise CodecError(f"expected shape {spec.shape}, found {found.shape}", codec=self.name)
            found = found.reshape(spec.shape)
        return found if found.dtype == object else as_objects(found)


def as_objects(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array of Python's values; records are tuples."""
    made = np.empty(array.shape, object)
    for place in np.ndindex(array.shape):
        made[place] = array[place].item()
    return made


def _as_records(array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return tuples as records; None, which is past the end of the array, as one of zeros."""
    made = np.zeros(array.shape, dtype)
    for place in np.ndindex(array.shape):
        if array[place] is not None:
            made[place] = array[place]
    return made


def with_pickles(array: Array) -> Array:
    """Return a handle on an array of pickled objects that reads and writes them; others as they are.

    Absent chunks hold None.
    """
    chain = array.layout.chain
    if not isinstance(chain.serializer, Pickle):
        return array
    dtype = stored_dtype(array.metadata.data_type)
    made_chain = replace(
        chain,
        spec=replace(chain.spec, fill_value=None),
        serialized=replace(chain.serialized, fill_value=None),
        serializer=SafePickle(chain.serializer.configuration, None if dtype.names is None else dtype),
    )
    made = Array(array.store, array.format, array.path, array.metadata, made_chain)
    made.missing_chunks, made.write_empty_chunks = array.missing_chunks, array.write_empty_chunks
    return made
