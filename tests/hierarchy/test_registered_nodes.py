"""Nodes of the registered types: copied, checked, as models, drawn, and as netCDF shows them."""

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import omnizarr
from omnizarr import create_group, netcdf, zom
from omnizarr.hierarchy.validate import validate
from omnizarr.metadata.dtype_bits import settle
from omnizarr.metadata.dtype_small import SMALL
from omnizarr.metadata.small_names import COMPLEX, FLOATS, INTEGERS
from omnizarr.store import MemoryStore

ALL = (*INTEGERS, *FLOATS, *COMPLEX)


def every_value(name: str) -> NDArray[Any]:
    """Return every bit pattern of a byte, or many of more bytes; 256 elements."""
    dtype = SMALL[name].dtype
    memory = np.random.default_rng(0).integers(0, 256, 256 * dtype.itemsize, np.uint8)
    memory[:256] = np.arange(256)
    return settle(memory.view(dtype).copy())


def same(found: Any, expected: NDArray[Any]) -> bool:
    return bool(found.shape == expected.shape and found.tobytes() == expected.tobytes())


@pytest.mark.parametrize("name", ALL)
def test_copies_models_and_views(name: str) -> None:
    root = create_group(MemoryStore())
    array = root.create_array("a", shape=(256,), chunks=(100,), dtype=name, dimension_names=["x"])
    array[...] = every_value(name)
    for options in ({}, {"chunks": (64,)}):
        target = MemoryStore()
        omnizarr.copy(root, target, **options)  # type: ignore[arg-type]
        assert same(omnizarr.open_group(target)["a"][...], every_value(name))
    assert validate(root.store, level="data").findings == ()
    assert name in str(root.tree()) or str(array.dtype) in str(root.tree())
    assert str(array.dtype) in repr(array) or name in repr(array)
    model = zom.from_node(root)
    again = MemoryStore()
    model.to_store(again)
    assert omnizarr.open_array(again, path="a").dtype == array.dtype
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        variables = netcdf.Dataset(root.store).variables
    if name in COMPLEX:
        assert len(told) + len(variables) == 1 + len(
            [v for v in variables.values() if v.ndim and v.name == "x"]
        )
    else:
        variables["a"].set_auto_maskandscale(False)
        found = variables["a"][...]
        np.testing.assert_array_equal(found.astype(float), every_value(name).astype(float))
