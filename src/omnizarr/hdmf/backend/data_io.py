"""How one dataset is to be stored: chunks, shards, codecs, a link or a copy."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, Self

import h5py
import numpy as np
from hdmf.data_utils import AbstractDataChunkIterator, DataIO
from hdmf.query import HDMFDataset

from omnizarr.hdmf.backend.datasets import StoredDataset
from omnizarr.hierarchy.array import Array


class ZarrDataIO(DataIO):  # type: ignore[misc]
    """Data with the way to store them; what is not said is chosen.

    Parameters
    ----------
    data
        What is to be written: an array-like, an `omnizarr.Array`, an iterator of chunks. None for a dataset
        that is filled later by `dataset`; it needs `dtype` and `shape`.
    chunks
        The shape of a chunk, or what else `create_array` takes.
    fillvalue
        What elements hold that were never written.
    compressor, compressors
        One codec or several (Zarr v3), as Zarr v3 JSON, as numcodecs' objects or configurations; False for
        none, True for the default. Only one of the two may be given.
    filters
        Codecs before the compressor.
    shards
        The shape of a shard (Zarr v3).
    link_data
        Whether an array that is stored already is linked to, or copied; None leaves it to the writer.
    dtype, shape
        Those of a dataset without data.

    Raises
    ------
    ValueError
        Arguments contradict each other.
    """

    def __init__(
        self,
        data: Any = None,
        chunks: Any = None,
        fillvalue: Any = None,
        compressor: Any = None,
        filters: Any = None,
        link_data: bool | None = None,
        *,
        compressors: Any = None,
        shards: Any = None,
        dtype: Any = None,
        shape: tuple[int, ...] | None = None,
    ) -> None:
        if compressor is not None and compressors is not None:
            raise ValueError("compressor and compressors: expected one of them, found both")
        codecs = compressors if compressor is None else compressor
        given = {"chunks": chunks, "shards": shards, "filters": filters, "fill_value": fillvalue}
        self._settings = {name: value for name, value in given.items() if value is not None}
        if codecs is not None and codecs is not True:
            self._settings["compressors"] = None if codecs is False else codecs
        self._link_data = link_data
        self._dataset: Array | None = None
        typed = np.dtype(dtype) if dtype is not None else None
        if isinstance(data, Array):  # HDMF takes its own kinds of datasets alone
            data = StoredDataset(data.metadata, partial(_itself, data), _NOWHERE)
        super().__init__(data=data, dtype=typed, shape=shape)
        self._check_link(data)

    def _check_link(self, data: Any) -> None:
        stored = isinstance(data, HDMFDataset | h5py.Dataset)
        if self._link_data and not stored:
            warnings.warn("link_data: only datasets that are stored can be linked to", stacklevel=3)
            self._link_data = False
        if stored and self._settings and self._link_data:
            names = ", ".join(sorted(self._settings))
            warnings.warn(f"{names}: of no effect on a dataset that is linked to", stacklevel=3)

    @classmethod
    def from_h5py_dataset(cls, h5dataset: h5py.Dataset, **arguments: Any) -> Self:
        """Return the data of an HDF5 dataset, to be stored in chunks and by codecs like its own.

        Parameters
        ----------
        h5dataset
            An open dataset; it is read block by block when it is written.
        **arguments
            Other parameters of `ZarrDataIO`, which go before those of the dataset.

        Warns
        -----
        UserWarning
            A filter of the dataset has no counterpart; it is left out.
        """
        taken: dict[str, Any] = {"chunks": h5dataset.chunks, **_codecs_of(h5dataset)}
        if h5dataset.dtype.kind in "iufb" and h5dataset.fillvalue != 0:
            taken["fillvalue"] = h5dataset.fillvalue
        if "compressors" in arguments:
            taken.pop("compressor", None)
        return cls(data=h5dataset, **{**taken, **arguments})

    @property
    def link_data(self) -> bool | None:
        """Whether stored data are linked to rather than copied; None where the writer decides."""
        return self._link_data

    @property
    def io_settings(self) -> dict[str, Any]:
        """The arguments for the array that will hold the data."""
        return dict(self._settings)

    def get_io_params(self) -> dict[str, Any]:
        """Return how the data are to be stored."""
        return {**self._settings, "link_data": self._link_data}

    @property
    def dataset(self) -> Array | None:
        """The array, once it is written."""
        return self._dataset

    @dataset.setter
    def dataset(self, array: Array) -> None:
        self._dataset = array

    @property
    def maxshape(self) -> tuple[int | None, ...]:
        """How far the data may grow; None for an axis without end."""
        data = self.data
        if isinstance(data, AbstractDataChunkIterator) or hasattr(data, "maxshape"):
            return tuple(data.maxshape)
        return tuple(self.shape) if data is None else np.shape(data)

    def __copy__(self) -> ZarrDataIO:
        return self._like(self.data)

    def _like(self, data: Any) -> ZarrDataIO:
        settings = dict(self._settings)
        missing = object()
        codecs = settings.pop("compressors", missing)
        fill = settings.pop("fill_value", None)
        compressor = None if codecs is missing else (False if codecs is None else codecs)
        if data is None:
            settings |= {"dtype": self.dtype, "shape": self.shape}
        return ZarrDataIO(data, fillvalue=fill, compressor=compressor, link_data=self._link_data, **settings)


def _itself(array: Array) -> Array:
    return array


# References in such a dataset stay what they are.
_NOWHERE: Any = None


def _codecs_of(dataset: h5py.Dataset) -> dict[str, Any]:
    """Return the filters of an HDF5 dataset as those of Zarr v2: filters, and one compressor."""
    creation = dataset.id.get_create_plist()
    filters: list[dict[str, Any]] = []
    compressor: Any = None
    for i in range(creation.get_nfilters()):
        number, _, options, name = creation.get_filter(i)
        if number == _SHUFFLE:
            filters.append({"id": "shuffle", "elementsize": dataset.dtype.itemsize})
        elif number in _COMPRESSORS:
            compressor = _COMPRESSORS[number](options)
        elif number != _FLETCHER32:  # checksums of chunks are the compressors' here
            warnings.warn(f"{dataset.name}: filter {name.decode()!r} has no counterpart", stacklevel=4)
    found = {"filters": filters or None, "compressor": compressor}
    return {key: value for key, value in found.items() if value is not None}


_SHUFFLE, _FLETCHER32 = 2, 3
_BLOSC_NAMES = ("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd")


def _blosc(options: tuple[int, ...]) -> dict[str, Any]:
    level, shuffle, name = (*options[4:7], *(5, 1, 0)[len(options[4:7]) :])
    return {"id": "blosc", "cname": _BLOSC_NAMES[name], "clevel": level, "shuffle": shuffle}


def _leveled(name: str, usual: int) -> Callable[[tuple[int, ...]], dict[str, Any]]:
    return lambda options: {"id": name, "level": options[0] if options else usual}


_COMPRESSORS = {
    1: _leveled("zlib", 6),
    307: _leveled("bz2", 9),
    32001: _blosc,
    32015: _leveled("zstd", 3),
}
