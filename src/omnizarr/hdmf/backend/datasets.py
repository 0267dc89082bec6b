"""Datasets of an open file as HDMF sees them: read when they are asked for, references resolved on the way.

HDMF takes what derives from its `HDMFDataset` for data, and asks a `ReferenceResolver` for its inverse:
builders name builders, and containers name containers.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from math import prod
from typing import Any, Protocol

import numpy as np
from hdmf.build import ObjectMapper
from hdmf.query import BuilderResolver, ContainerResolver, HDMFDataset
from numpy.typing import DTypeLike, NDArray

from omnizarr.errors import SelectionError
from omnizarr.hdmf.dtypes import Records, hdmf_name
from omnizarr.hdmf.layout import element_of, stored_dtype
from omnizarr.hdmf.objects import read_values, write_values
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.linking.reference import Reference
from omnizarr.metadata.array import ArrayMetadata

# Rows that are iterated over come in blocks of about so many bytes, or of one chunk where that is more.
_BLOCK = 1 << 20


class Targets(Protocol):
    """Where the references of a dataset lead: what the reader of its file knows."""

    def builder_of(self, reference: Reference) -> Any:
        """Return the builder of what a reference points at."""

    def container_of(self, reference: Reference) -> Any:
        """Return the container of what a reference points at."""

    def reference_to(self, container: Any) -> Reference:
        """Return the reference to store for a container of the file."""


class StoredDataset(HDMFDataset):  # type: ignore[misc]
    """A dataset of an open file. What is not here is asked of `dataset`, the `omnizarr.Array`.

    The array is opened when it is needed first, so that a file opens though a codec of one be missing.
    """

    def __init__(self, metadata: ArrayMetadata, open: Callable[[], Array], targets: Targets) -> None:
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
    def _now(self) -> ArrayMetadata:
        return self._metadata if self._array is None else self._array.metadata

    @property
    def dtype(self) -> Any:
        """The type of the values."""
        return stored_dtype(self._metadata.data_type)

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
        """Store one more element at the end of the first axis."""
        self._append(arg)

    def _append(self, value: Any) -> None:
        array = self.dataset
        if not array.ndim:
            raise SelectionError(f"{array.name} is a scalar, to which nothing can be appended")
        end = array.shape[0]
        array.resize((end + 1, *array.shape[1:]))
        write_values(array, [value], np.s_[end : end + 1])

    def _resolved(self, values: Any) -> Any:
        return values

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.dataset, name)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.dataset.store_path} shape={self.shape} dtype={self.dtype}>"


class _Resolving(StoredDataset):
    """A dataset with references, which are resolved to what `_target` has for them."""

    _inverted: Any = None

    @classmethod
    @abstractmethod
    def get_inverse_class(cls) -> type[_Resolving]:
        """Return the class that resolves to the other kind."""

    def invert(self) -> Any:
        """Return this dataset with its references resolved to the other kind."""
        if self._inverted is None:
            self._inverted = self.get_inverse_class()(self._now, lambda: self.dataset, self._targets)
        return self._inverted

    @abstractmethod
    def _target(self, reference: Reference) -> Any:
        """Return what a reference points at."""

    def _object(self, value: Any) -> Any:
        return self._target(value) if isinstance(value, Reference) else value

    def append(self, arg: Any) -> None:
        """Store a reference to a container at the end."""
        self._append(self._targets.reference_to(arg))


class _References(_Resolving):
    """Elements are references."""

    @property
    def dtype(self) -> str:
        """HDMF's name of the type."""
        return "object"

    def _resolved(self, values: Any) -> Any:
        if not isinstance(values, np.ndarray):
            return self._object(values)
        if values.ndim <= 1:
            found = [self._object(value) for value in values.flat]
            return found if values.ndim else found[0]
        objects = np.empty(values.shape, dtype=object)
        for place, value in np.ndenumerate(values):
            objects[place] = self._object(value)
        return objects


class _Table(_Resolving):
    """Elements are records, of which fields may be references."""

    @property
    def _records(self) -> Records:
        element = element_of(self._metadata)
        assert isinstance(element, Records)
        return element

    @property
    def dtype(self) -> list[Any]:
        """HDMF's names of the types of the fields."""
        return [field["dtype"] for field in hdmf_name(self._records)]

    @property
    def types(self) -> list[Any]:
        """The same, under the name that HDF5's tables have for it."""
        return self.dtype

    def resolve(self, manager: Any) -> Any:
        """Return all rows."""
        return self[:]

    def append(self, arg: Any) -> None:
        """Store a row at the end; containers in it become references."""
        names = self._records.references
        places = [place for place, name in enumerate(self._records.names) if name in names]
        row = list(arg)
        for place in places:
            row[place] = self._targets.reference_to(row[place])
        self._append(tuple(row))

    def _resolved(self, values: Any) -> Any:
        names = self._records.references
        if not names:
            return values
        rows = values.copy()
        for name in names:
            if isinstance(rows, np.ndarray) and rows.ndim:
                for place, value in np.ndenumerate(rows[name]):
                    rows[name][place] = self._object(value)
            else:
                rows[name] = self._object(rows[name])
        return rows


class BuilderReferences(_References, BuilderResolver):  # type: ignore[misc]
    """References, as builders."""

    def _target(self, reference: Reference) -> Any:
        return self._targets.builder_of(reference)

    @classmethod
    def get_inverse_class(cls) -> type[_Resolving]:
        """Return the class that resolves to containers."""
        return ContainerReferences


class ContainerReferences(_References, ContainerResolver):  # type: ignore[misc]
    """References, as containers."""

    def _target(self, reference: Reference) -> Any:
        return self._targets.container_of(reference)

    @classmethod
    def get_inverse_class(cls) -> type[_Resolving]:
        """Return the class that resolves to builders."""
        return BuilderReferences


class BuilderTable(_Table, BuilderResolver):  # type: ignore[misc]
    """Records whose references are builders."""

    def _target(self, reference: Reference) -> Any:
        return self._targets.builder_of(reference)

    @classmethod
    def get_inverse_class(cls) -> type[_Resolving]:
        """Return the class that resolves to containers."""
        return ContainerTable


class ContainerTable(_Table, ContainerResolver):  # type: ignore[misc]
    """Records whose references are containers."""

    def _target(self, reference: Reference) -> Any:
        return self._targets.container_of(reference)

    @classmethod
    def get_inverse_class(cls) -> type[_Resolving]:
        """Return the class that resolves to builders."""
        return BuilderTable


# What is in a file has the type that it was given when it was written; HDMF need not look at every value.
for _kind in (StoredDataset, BuilderReferences, ContainerReferences, BuilderTable, ContainerTable):
    ObjectMapper.no_convert(_kind)
