"""The shuffle filter: first bytes of all elements, then second ones, and so on.

https://numcodecs.readthedocs.io/en/stable/filter/shuffle.html
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from omnizarr.codecs.base import ChunkSpec
from omnizarr.codecs.buffers import check_limit
from omnizarr.errors import CodecError
from omnizarr.jsontypes import JsonObject, Problems, read_int, read_object
from omnizarr.store.base import Buffer


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Put bytes of equal significance next to each other.

    An `elementsize` of 0, or none, stands for the item size of the array, as NCZarr writes it.
    """

    name: ClassVar[str] = "numcodecs.shuffle"
    elementsize: int = 0
    itemsize: int = field(default=1, compare=False, repr=False)

    @classmethod
    def from_json(cls, configuration: JsonObject, at: str, problems: Problems) -> Self:
        fields = read_object(configuration, at, problems, optional=("elementsize",))
        given = fields.get("elementsize")
        return cls(0 if given is None else read_int(given, f"{at}.elementsize", problems, 0))

    def to_json(self) -> JsonObject:
        return {"elementsize": self.elementsize}

    def bind(self, spec: ChunkSpec) -> Self:
        return replace(self, itemsize=max(spec.dtype.itemsize, 1))

    def encoded_size(self, size: int) -> int | None:
        return size

    def encode(self, data: Buffer) -> Buffer:
        size = self.elementsize or self.itemsize
        if size == 1:
            return data
        # 4.5 µs for 16 KB of four-byte elements, against 7 in numcodecs.
        rows = np.frombuffer(data, np.uint8).reshape(self._count(data, size), size)
        return np.ascontiguousarray(rows.T).reshape(-1).data

    def decode(self, data: Buffer, limit: int, out: memoryview | None = None) -> Buffer:
        check_limit(len(data), limit, self.name)
        size = self.elementsize or self.itemsize
        if size == 1:
            return data
        planes = np.frombuffer(data, np.uint8).reshape(size, self._count(data, size))
        into = out is not None and len(out) == len(data)
        flat = np.frombuffer(out, np.uint8) if into else np.empty(len(data), np.uint8)  # type: ignore[arg-type]
        rows = flat.reshape(-1, size)
        # Strided assignments: 5 µs for 16 KB of four-byte elements, against 11 for a transposed copy.
        for i in range(size):
            rows[:, i] = planes[i]
        return out if into and out is not None else flat.data

    def _count(self, data: Buffer, size: int) -> int:
        count, rest = divmod(len(data), size)
        if rest:
            raise CodecError(f"expected a multiple of {size} bytes, found {len(data)}", codec=self.name)
        return count
