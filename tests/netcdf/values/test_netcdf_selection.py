"""Selections that let unlimited dimensions grow: the same as netCDF4-python's."""

from __future__ import annotations

from typing import Any

import netCDF4
import numpy as np
import pytest

from omnizarr import netcdf
from omnizarr.errors import SelectionError
from omnizarr.netcdf.defining.chunking import default_chunks
from omnizarr.netcdf.model.nodes import DimensionModel

ASSIGNMENTS: list[tuple[Any, Any]] = [
    (slice(None), np.arange(6).reshape(2, 3)),
    (slice(None), 7),
    (0, [1, 2, 3]),
    (4, 9),
    (-1, [1, 2, 3]),
    (slice(2, 5), np.arange(9).reshape(3, 3)),
    (slice(3, None), np.arange(6).reshape(2, 3)),
    (slice(0, 6, 2), np.arange(9).reshape(3, 3)),
    ((slice(None), 1), [1, 2, 3, 4]),
    ((slice(None), slice(1, 3)), np.arange(6).reshape(3, 2)),
    ((3, slice(0, 2)), [5, 6]),
    ((Ellipsis, 0), [8, 9]),
    (Ellipsis, np.arange(12).reshape(4, 3)),
    ((slice(1, 3), slice(None)), np.arange(6).reshape(2, 3)),
    (np.array([0, 3]), np.arange(6).reshape(2, 3)),
    ((2, 2), 5),
    (slice(2, 4), 1),
]


@pytest.mark.parametrize("start", [0, 2])
@pytest.mark.parametrize(("key", "value"), ASSIGNMENTS, ids=str)
def test_growth_is_that_of_netcdf4_python(key: Any, value: Any, start: int) -> None:
    if start == 0 and isinstance(key, int) and key < 0:
        pytest.skip("netCDF4-python wraps a negative index of an empty dimension to something else")
    theirs = netCDF4.Dataset("in memory", "w", diskless=True)
    ours = netcdf.Dataset({}, "w")
    results = []
    for dataset in (theirs, ours):
        dataset.createDimension("t", None)
        dataset.createDimension("x", 3)
        variable = dataset.createVariable("v", "i4", ("t", "x"))
        other = dataset.createVariable("other", "f4", ("t",))
        if start:
            variable[0:start] = 100
        variable[key] = value
        results.append((variable[...].tolist(), len(dataset.dimensions["t"]), other.shape))
    theirs.close()
    ours.close()
    assert results[1] == results[0]


READS: list[Any] = [
    slice(None),
    (),
    Ellipsis,
    0,
    -1,
    (1, 2, 3),
    (slice(None), 1),
    (slice(1, None, 2), slice(None, None, -1)),
    ([0, 2], slice(None), [1, 3]),
    (np.array([True, False, True]), slice(None), 0),
    (slice(None), [0, 1]),
    (slice(5, 9), 0),
    (slice(2, 1), 0),
    (np.int64(1), [3]),
]


@pytest.mark.parametrize("key", READS, ids=str)
def test_reading_is_that_of_netcdf4_python(key: Any) -> None:
    theirs = netCDF4.Dataset("in memory", "w", diskless=True)
    ours = netcdf.Dataset({}, "w")
    found = []
    for dataset in (theirs, ours):
        for name, size in (("a", 3), ("b", 4), ("c", 5)):
            dataset.createDimension(name, size)
        variable = dataset.createVariable("v", "i2", ("a", "b", "c"), chunksizes=(2, 2, 2))
        variable[:] = np.arange(60).reshape(3, 4, 5)
        found.append(variable[key])
    theirs.close()
    assert np.shape(found[1]) == np.shape(found[0])
    assert np.array_equal(found[1], found[0])
    assert isinstance(found[1], np.ma.MaskedArray)


@pytest.mark.parametrize(
    "key", [3, (0, 0, 0, 0), (..., ...), "x", (0, 9), [9], np.ones((3, 4), int)], ids=str
)
def test_what_does_not_fit_is_refused(key: Any) -> None:
    with netcdf.Dataset({}, "w") as dataset:
        for name, size in (("a", 3), ("b", 4)):
            dataset.createDimension(name, size)
        variable = dataset.createVariable("v", "i2", ("a", "b"))
        with pytest.raises(SelectionError):
            variable[key]
        with pytest.raises(SelectionError):
            variable[key] = 1


def test_data_that_do_not_fit_are_refused_and_grow_nothing_fixed() -> None:
    with netcdf.Dataset({}, "w") as dataset:
        dataset.createDimension("t", None)
        dataset.createDimension("x", 3)
        variable = dataset.createVariable("v", "i2", ("t", "x"))
        with pytest.raises(SelectionError):
            variable[0] = [1, 2, 3, 4]
        assert dataset.dimensions["x"].size == 3


CASES = [
    ("f8", [("t", None)]),
    ("i2", [("t", None)]),
    ("f8", [("t", None), ("u", None)]),
    ("f8", [("t", None), ("a", 1000), ("b", 5000)]),
    ("f8", [("z", 3000000)]),
    ("f4", [("z", 3000000), ("c", 7)]),
    ("i1", [("t", None), ("u", None), ("c", 7)]),
    ("f8", [("z", 3000000), ("a", 1000), ("c", 7)]),
    ("i4", [("a", 1)]),
    ("u2", [("t", None), ("b", 90001), ("a", 1013)]),
]


@pytest.mark.parametrize(("code", "sizes"), CASES, ids=str)
def test_default_chunks_are_those_of_netcdf_c(
    code: str, sizes: list[tuple[str, int | None]], tmp_path: Any
) -> None:
    theirs = netCDF4.Dataset(f"file://{tmp_path}/theirs#mode=nczarr,file", "w")
    for name, size in sizes:
        theirs.createDimension(name, size)
    expected = tuple(theirs.createVariable("v", code, tuple(name for name, _ in sizes)).chunking())
    models = [DimensionModel(name, size or 0, size is None) for name, size in sizes]
    assert default_chunks(models, np.dtype(code).itemsize) == expected
