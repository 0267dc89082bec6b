"""How one dataset is to be stored."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("hdmf")

import h5py
from hdmf.backends.hdf5 import H5DataIO
from hdmf.build import DatasetBuilder, GroupBuilder

import omnizarr
from omnizarr.hdmf.backend.data_io import ZarrDataIO
from omnizarr.hdmf.backend.io import ZarrIO


def test_what_is_not_said_is_left_to_the_writer() -> None:
    assert ZarrDataIO([1, 2]).get_io_params() == {"link_data": None}


def test_parameters_come_back() -> None:
    given = ZarrDataIO(
        [1], chunks=(1,), fillvalue=3, compressor=False, filters=[{"id": "delta", "dtype": "i4"}]
    )
    assert given.get_io_params() == {
        "chunks": (1,),
        "fill_value": 3,
        "compressors": None,
        "filters": [{"id": "delta", "dtype": "i4"}],
        "link_data": None,
    }
    assert copy.copy(given).get_io_params() == given.get_io_params()


def test_two_ways_to_say_the_compressor() -> None:
    with pytest.raises(ValueError, match="found both"):
        ZarrDataIO([1], compressor={"id": "zlib"}, compressors=[{"name": "zstd"}])


def test_only_stored_data_can_be_linked_to() -> None:
    with pytest.warns(UserWarning, match="link_data"):
        assert ZarrDataIO([1], link_data=True).link_data is False


def test_a_link_has_no_settings() -> None:
    array = omnizarr.array(np.arange(3))
    with pytest.warns(UserWarning, match="chunks: of no effect"):
        ZarrDataIO(array, chunks=(1,), link_data=True)


def test_a_dataset_of_hdf5_as_it_is_stored_there(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "f.h5", "w") as file:
        file.create_dataset(
            "d",
            data=np.arange(100.0),
            chunks=(20,),
            compression="gzip",
            compression_opts=2,
            shuffle=True,
            fillvalue=5,
        )
        given = ZarrDataIO.from_h5py_dataset(file["d"], chunks=(50,))
        assert given.get_io_params() == {
            "chunks": (50,),
            "fill_value": 5,
            "compressors": {"id": "zlib", "level": 2},
            "filters": [{"id": "shuffle", "elementsize": 8}],
            "link_data": None,
        }
        with ZarrIO(tmp_path / "f.zarr", "w") as io:
            io.write_builder(GroupBuilder("root", datasets={"d": DatasetBuilder("d", given)}))
    array = omnizarr.open_array(tmp_path / "f.zarr", path="d", mode="r")
    assert array.chunks == (50,)
    np.testing.assert_array_equal(array[:], np.arange(100.0))


def test_a_filter_without_a_counterpart_is_told(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "f.h5", "w") as file:
        file.create_dataset("d", data=np.arange(100), compression="lzf", fletcher32=True)
        with pytest.warns(UserWarning, match="'lzf' has no counterpart"):
            assert "compressors" not in ZarrDataIO.from_h5py_dataset(file["d"]).get_io_params()


def test_what_is_said_for_hdf5_is_taken_where_it_means_the_same(tmp_path: Path) -> None:
    data = H5DataIO(np.arange(10), chunks=(5,), compression="gzip", compression_opts=3, fillvalue=1)
    with ZarrIO(tmp_path / "f.zarr", "w") as io:
        io.write_builder(GroupBuilder("root", datasets={"d": DatasetBuilder("d", data)}))
    array = omnizarr.open_array(tmp_path / "f.zarr", path="d", mode="r")
    assert (array.chunks, array.fill_value) == ((5,), 1)
    assert array.metadata.codecs[-1].name == "numcodecs.zlib"


def test_data_and_a_shape_apart() -> None:
    with pytest.raises(ValueError, match="dtype"):
        ZarrDataIO(shape=(3,))
    empty = ZarrDataIO(shape=(3,), dtype="i2")
    assert (empty.maxshape, empty.dtype, len(empty)) == ((3,), np.dtype("i2"), 3)
    assert copy.copy(empty).shape == (3,)
