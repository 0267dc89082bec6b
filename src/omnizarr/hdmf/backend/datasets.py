"""Datasets of an open file as HDMF sees them: read when they are asked for, and added to.

HDMF takes what derives from its `HDMFDataset` for data. Those with references are in `resolving`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import prod
from typing import Any, Protocol

import numpy as np
from hdmf.build import ObjectMapper
from hdmf.query import HDMFDataset
from numpy.typing import DTypeLike, NDArray

from omnizarr.hdmf.growing import append_values, replace_values, widen
from omnizarr.hdmf.layout import stored_dtype
from omnizarr.hdmf.objects import read_values
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.linking.files import File
from omnizarr.hierarchy.linking.reference import Reference
from omnizarr.metadata.array import ArrayMetadata

# Rows that are iterated over come in blocks of about so many bytes, or of one chunk where that is more.
_BLOCK = 1 << 20


class Targets(Protocol):
    """Where the references of a dataset lead: what the reader of its file knows."""

    @property
    def source(self) -> str:
        """The file's name, as HDMF compares it."""

    @property
    def file(self) -> File:
        """The file."""

    def builder_of(self, reference: Reference) -> Any:
        """Return the builder of what a reference points at."""

    def container_of(self, reference: Reference) -> Any:
        """Return the container of what a reference points at."""

    def reference_to(self, container: Any) -> Reference | None:
        """Return the reference to store for a container, or None where it is in no file yet."""

    def placed(self, reference: Reference, *, anywhere: bool = False) -> Reference:
        """Return a reference that is right where it is written to another place."""

    def wait_for(self, dataset: StoredDataset, place: int, value: Any) -> None:
        """Store a value again once the containers in it are in a file."""

    def note_growth(self, array: Array, left: list[str]) -> None:
        """Take note that an array has grown, and of the chunks that are not its own any more."""


class StoredDataset(HDMFDataset):  # type: ignore[misc]
    """A dataset of an open file. What is not here is asked of `dataset`, the `omnizarr.Array`.

    The array is opened when it is needed first, so that a file opens though a codec of one be missing.
    """

    def __init__(self, metadata: ArrayMetadata, open: Callable[[], Array], targets: Targets | None) -> None:
        self._metadata = metadata
        self._open = open
        self._array: Array | None = None
        self._targets = targets

    @property
    def dataset(self) -> Array:
        """The array."""
        if self._array is None:
            self._array = self._open()
        return self._array

    @property
    def file_place(self) -> tuple[str, str]:
        """The file that holds the dataset, as HDMF names it, and the dataset's path in that."""
        array = self.dataset
        if self._targets is None:
            return array.store.name, array.path
        return self._targets.source, self._targets.file.relative(array.path)

    @property
    def _now(self) -> ArrayMetadata:
        return self._metadata if self._array is None else self._array.metadata

    @property
    def dtype(self) -> Any:
        """The type of the values."""
        return stored_dtype(self._now.data_type)

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis."""
        return self._now.shape

    @property
    def maxshape(self) -> tuple[int | None, ...]:
        """The shape up to which the dataset can grow: arrays of Zarr know no end."""
        return (None,) * self.ndim

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._metadata.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError(f"{self.dataset.name} is a scalar, which has no length")
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        return self._resolved(self.stored(key))

    def stored(self, key: Any = ...) -> Any:
        """Return values as they are stored: references as `omnizarr.hdmf.Reference`."""
        return read_values(self.dataset, np.asarray(key) if isinstance(key, list) and key else key)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        values = np.asarray(self.stored())
        return values if dtype is None else values.astype(dtype, copy=bool(copy))

    def astype(self, dtype: DTypeLike) -> NDArray[Any]:
        """Return all values as another type."""
        return self.__array__(dtype)

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self), step := self._rows_at_once()):
            yield from self._resolved(self.stored(slice(start, start + step)))

    def _rows_at_once(self) -> int:
        chunk = self.dataset.chunks[0]
        rows = chunk if isinstance(chunk, int) else max(chunk, default=1)
        row = max(1, self.dataset.nbytes // max(1, len(self)))
        return max(1, rows, rows * (_BLOCK // max(1, rows * row)))

    def append(self, arg: Any) -> None:
        """Store one more element at the end of the first axis; parameters and errors as those of `extend`."""
        self.extend([arg])

    def extend(self, values: Iterable[Any]) -> None:
        """Store elements at the end of the first axis.

        The dataset is made wider where it has to be: text in records, on Zarr v3. Readers who use
        consolidated metadata see what is new once the file is written or closed.

        Raises
        ------
        ConversionError
            A value is not of the dataset's type, or is in no file yet that a reference can point into.
        SelectionError
            The dataset is one value, or has rows of another shape.
        ReadOnlyError
            The file was opened for reading.
        """
        given = self._given(values)
        if len(given):
            self._note(append_values(self.dataset, given))

    def replace(self, place: int, value: Any) -> None:
        """Store an element in place of another; errors as those of `extend`."""
        self._note(replace_values(self.dataset, self._given([value]), place))

    def widen(self, dtype: DTypeLike) -> None:
        """Let the dataset hold all numbers of a type; errors as those of `extend`."""
        self._note(widen(self.dataset, np.dtype(dtype)))

    def _note(self, left: list[str]) -> None:
        if self._targets is not None:
            self._targets.note_growth(self.dataset, left)

    def _given(self, values: Iterable[Any]) -> Any:
        """Return values as they are stored."""
        return values if isinstance(values, np.ndarray) else list(values)

    def _resolved(self, values: Any) -> Any:
        return values

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.dataset, name)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.dataset.store_path} shape={self.shape} dtype={self.dtype}>"


# What is in a file has the type that it was given when it was written; HDMF need not look at every value.
ObjectMapper.no_convert(StoredDataset)
