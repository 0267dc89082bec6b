"""What the data of a builder are, whatever they are given as: their type, their shape, their values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import h5py
import numpy as np
from hdmf.data_utils import AbstractDataChunkIterator, DataIO
from hdmf.query import HDMFDataset, ReferenceResolver

from omnizarr.errors import ConversionError
from omnizarr.hdmf.backend.datasets import StoredDataset
from omnizarr.hdmf.backend.memory_values import Pointer, in_memory
from omnizarr.hdmf.backend.pointing import points
from omnizarr.hdmf.backend.resolving import Resolving
from omnizarr.hdmf.dtypes import (
    ASCII,
    ISODATETIME,
    REFERENCES,
    REGIONS,
    UTF8,
    ElementType,
    Numbers,
    Records,
    References,
    Text,
    element_type,
    of_numpy,
)
from omnizarr.hdmf.layout import element_of
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.linking.reference import Reference, RegionReference


@dataclass(frozen=True, slots=True)
class Content:
    """Data to be written.

    Attributes
    ----------
    element
        What the elements are.
    shape
        The length of each axis; `()` for one value.
    values
        An array of numpy's; a stored array or what else can be sliced; None where there are none yet.
        References are `Reference`.
    """

    element: ElementType
    shape: tuple[int, ...]
    values: Any


def content_of(data: Any, dtype: Any, pointer: Pointer) -> Content:
    """Return what a builder's data are.

    Parameters
    ----------
    dtype
        The type that the builder states, in any of HDMF's ways; None to look at the data.
    pointer
        Returns the reference to a builder or container.

    Raises
    ------
    ConversionError
        The data are of no type that HDMF has, or cannot be made of the type that is stated.
    """
    data = stored_of(data)
    stated = _stated(dtype)
    if isinstance(data, Array):
        return Content(element_of(data.metadata), data.shape, data)
    if isinstance(data, h5py.Dataset):
        return _of_hdf5(data, stated)
    if isinstance(data, AbstractDataChunkIterator):
        return Content(stated or of_numpy(np.dtype(data.dtype)), first_shape(data), None)
    if isinstance(data, Resolving):
        data, stated = data.placed(), element_of(data.dataset.metadata)
    if isinstance(data, ReferenceResolver):
        data = list(data)
    if not isinstance(data, np.ndarray) and _is_lazy(data):
        element = stated or of_numpy(np.dtype(data.dtype))
        if isinstance(element, Numbers):
            return Content(element, tuple(data.shape), data)
        data = np.asarray(data)
    if not isinstance(data, np.ndarray | list | tuple) and isinstance(data, Iterable) and not _is_value(data):
        data = list(data)
    element = stated or inferred(data)
    values = in_memory(data, element, pointer)
    return Content(element, values.shape, values)


def empty_content(dtype: Any, shape: tuple[int, ...]) -> Content:
    """Return a dataset that has no values yet."""
    return Content(element_type(dtype), tuple(shape), None)


def unwrapped(data: Any) -> tuple[Any, Mapping[str, Any]]:
    """Return data without what says how to store them, and that."""
    if not isinstance(data, DataIO):
        return data, {}
    return data.data, data.get_io_params()


def stored_of(data: Any) -> Any:
    """Return the array of a dataset of an open file, unless it holds references that lead elsewhere."""
    if isinstance(data, StoredDataset):
        element = element_of(data.dataset.metadata)
        refers = isinstance(element, References) or (isinstance(element, Records) and element.references)
        return data if refers and isinstance(data, Resolving) else data.dataset
    if isinstance(data, HDMFDataset) and not isinstance(data, ReferenceResolver):
        return stored_of(data.dataset)
    return data


def first_shape(source: AbstractDataChunkIterator) -> tuple[int, ...]:
    """Return the shape that an array has before the data of an iterator come."""
    if all(length is not None for length in source.maxshape):
        return tuple(int(length) for length in source.maxshape)
    return tuple(0 if length is None else int(length) for length in source.maxshape)


def inferred(data: Any) -> ElementType:
    """Return the type of data that nobody states.

    Raises
    ------
    ConversionError
        HDMF has no such type.
    """
    first = first_of(data)
    if isinstance(first, RegionReference):
        return REGIONS
    if points(first):
        return REFERENCES
    if isinstance(first, datetime | date):
        return ISODATETIME
    if isinstance(first, bytes):
        return ASCII
    if isinstance(first, str):
        return UTF8
    values = np.asarray(data)
    if values.dtype.kind == "O" and values.size:
        raise ConversionError(f"HDMF has no type for {type(first).__name__}, found {first!r}")
    return of_numpy(np.dtype(np.float64) if values.dtype.kind == "O" else values.dtype)


def first_of(data: Any) -> Any:
    """Return the first element of nested lists or an array; None where there is none."""
    if isinstance(data, np.ndarray):
        return data.flat[0] if data.size else None
    while isinstance(data, list | tuple):
        if not data:
            return None
        data = data[0]
    return data


def _stated(dtype: Any) -> ElementType | None:
    """Return the type that is stated, or None where it leaves open what the elements are."""
    if dtype is None or (isinstance(dtype, np.dtype) and dtype.kind == "O"):
        return None
    if dtype is np.object_ or dtype is object:
        return None
    with suppress(ConversionError):
        return element_type(dtype)
    return None


def _is_lazy(data: Any) -> bool:
    return (
        hasattr(data, "shape")
        and hasattr(data, "dtype")
        and hasattr(data, "__getitem__")
        and data.shape != ()
    )


def _is_value(data: Any) -> bool:
    return points(data) or isinstance(data, str | bytes | Mapping | np.generic)


# --- HDF5


def _of_hdf5(data: h5py.Dataset, stated: ElementType | None) -> Content:
    if data.shape is None:
        return Content(stated or of_numpy(data.dtype), (0,), None)
    if h5py.check_string_dtype(data.dtype) is not None:
        element = stated if isinstance(stated, Text) else UTF8
        return Content(element, data.shape, Decoded(data))
    if data.dtype.names is not None and stated is not None:
        return Content(stated, data.shape, in_memory(data[()], stated, _refuse))
    return Content(of_numpy(data.dtype), data.shape, data)


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text of an HDF5 dataset, read as it is asked for."""

    source: h5py.Dataset

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis."""
        found: tuple[int, ...] = self.source.shape
        return found

    def __getitem__(self, key: Any) -> Any:
        # Anew, as HDMF's own class of such datasets decodes once already.
        return h5py.Dataset(self.source.id).asstr()[key]


def _refuse(target: Any) -> Reference:
    raise ConversionError(f"references of HDF5 are read by HDMF's reader alone, found {target!r}")
