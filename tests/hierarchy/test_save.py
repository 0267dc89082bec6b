"""Saving and loading in one call."""

import numpy as np
import pytest

import omnizarr
from omnizarr.store import MemoryStore


@pytest.fixture(params=["x", "x.zip", None])
def place(request, tmp_path):
    return MemoryStore() if request.param is None else tmp_path / request.param


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_one_array(place, zarr_format):
    omnizarr.save(place, np.arange(6).reshape(2, 3), zarr_format=zarr_format)
    omnizarr.save(place, np.arange(4.0), zarr_format=zarr_format)
    found = omnizarr.load(place)
    assert isinstance(found, np.ndarray) and found.dtype == "f8" and found.tolist() == [0, 1, 2, 3]
    assert omnizarr.load(place, zarr_format=zarr_format).shape == (4,)


def test_several_arrays(place):
    omnizarr.save(place, np.arange(2), [3.5], name=np.array(["a", "b"], dtype=object))
    found = omnizarr.load(place)
    assert {name: values.tolist() for name, values in found.items()} == {
        "arr_0": [0, 1],
        "arr_1": [3.5],
        "name": ["a", "b"],
    }
    omnizarr.save_group(place, name=np.array(7))
    assert omnizarr.load(place, "name") == 7 and omnizarr.load(place, path="arr_0").tolist() == [0, 1]


def test_a_path_within_the_store(place):
    omnizarr.save(place, np.ones(2), path="a/b")
    omnizarr.save_array(place, np.zeros(2), path="a/c", chunks=1)
    assert omnizarr.load(place, "a/b").tolist() == [1, 1]
    assert {name: values.tolist() for name, values in omnizarr.load(place, "a").items()} == {
        "b": [1, 1],
        "c": [0, 0],
    }


def test_nothing_to_save(tmp_path):
    with pytest.raises(ValueError, match="expected arrays"):
        omnizarr.save(tmp_path / "x")
    with pytest.raises(ValueError, match="arr_0"):
        omnizarr.save_group(tmp_path / "x", [1], arr_0=[2])
    assert not (tmp_path / "x").exists()
    with pytest.raises(FileNotFoundError):
        omnizarr.load(tmp_path / "x")
