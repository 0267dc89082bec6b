"""The same scripts with netCDF4-python on a file, and with ours on Zarr of either format."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest

from omnizarr import netcdf

Script = Callable[[Any], Iterator[Any]]
CLOUDS = {"Clear": 0, "Cb": 1, "Missing": 255}
RECORD = np.dtype([("a", "i4"), ("b", "f8", (2,)), ("n", "S1", (10,))])


def error_of(action: Callable[[], Any]) -> type[BaseException] | None:
    """Return the class of the error of an action, as netCDF4-python has it."""
    try:
        action()
    except (
        ValueError,
        TypeError,
        IndexError,
        KeyError,
        OverflowError,
        AttributeError,
        RuntimeError,
    ) as error:
        return type(error)
    return None


def enums(ds: Any) -> Iterator[Any]:
    ds.createDimension("x", 3)
    ds.createDimension("t", None)
    cloud = ds.createEnumType(np.uint8, "cloud_t", CLOUDS)
    yield cloud.name, cloud.dtype, cloud.enum_dict, list(ds.enumtypes)
    v = ds.createVariable("filled", cloud, ("x",), fill_value=cloud.enum_dict["Missing"])
    yield v[:]
    v[0] = 1
    yield v[:]
    yield v[0], v[2], v.dtype, v.datatype.name, v._FillValue, v.get_fill_value()
    w = ds.createVariable("growing", cloud, ("t",))
    w[0:2] = [1, 0]
    yield w[:]
    w[4] = 255
    yield w[:]
    w[0] = True
    yield w[:], w.get_fill_value(), w.endian(), w.shape
    scalar = ds.createVariable("scalar", cloud, ())
    scalar[...] = 1
    yield scalar[...], scalar[:]
    signed = ds.createEnumType("i4", "signed_t", {"A": 5, "B": -1})
    yield ds.createVariable("signed", signed, ("x",))[:]
    wide = ds.createVariable("wide", ds.createEnumType("i8", "wide_t", {"A": 2**40}), ("x",))
    wide[0] = 2**40
    yield wide[:]
    w.scale_factor = 2.0
    yield w[:]
    w.missing_value = np.uint8(1)
    yield w[:]
    v.set_auto_mask(False)
    yield v[:]
    below = ds.createGroup("g")
    yield below.createVariable("c", cloud, ("x",)).datatype.name, list(below.enumtypes)
    yield ds.createVariable("packed", cloud, ("x",), zlib=True).filters()


def compounds(ds: Any) -> Iterator[Any]:
    ds.createDimension("x", 3)
    ds.createDimension("t", None)
    kind = ds.createCompoundType(RECORD, "record_t")
    yield kind.name, kind.dtype, kind.dtype_view, list(ds.cmptypes)
    aligned = ds.createCompoundType(np.dtype([("a", "i1"), ("b", "f8")], align=True), "aligned_t")
    yield aligned.dtype
    yield ds.createCompoundType(np.dtype([("a", "S5")]), "text_t").dtype
    yield ds.createCompoundType([("a", "i4")], "listed_t").dtype
    v = ds.createVariable("v", kind, ("x",))
    yield v[:], v.dtype, v.datatype.dtype, v.get_fill_value()
    given = np.zeros(3, kind.dtype_view)
    given["a"] = [1, 2, 3]
    given["n"][0] = "hello"
    v[:] = given
    yield v[:], v[0], v[0:2]["a"], v[[0, 2]]
    viewed = np.zeros(3, kind.dtype_view)
    viewed["n"] = [b"abc", "def", b"0123456789"]
    viewed["a"] = 7
    v[:] = viewed
    yield v[:], v[1]
    v.set_auto_chartostring(False)
    yield v[:]
    inner = ds.createCompoundType(np.dtype([("a", "i4"), ("b", "i2")]), "inner_t")
    outer = ds.createCompoundType(np.dtype([("q", inner.dtype), ("k", "u1")]), "outer_t")
    w = ds.createVariable("w", outer, ("t",), zlib=True, chunksizes=(2,))
    records = np.zeros(3, outer.dtype)
    records["q"]["a"] = [4, 5, 6]
    w[1:4] = records
    yield w[:], w.filters(), w.shape, list(ds.cmptypes)
    scalar = ds.createVariable("scalar", inner, ())
    yield scalar[...]
    scalar[...] = np.array((5, 6), inner.dtype)
    yield scalar[...], scalar[:], scalar.getValue()
    ds.several = given
    ds.one = given[1]
    yield ds.several, ds.one


def vlens(ds: Any) -> Iterator[Any]:
    ds.createDimension("x", 3)
    ds.createDimension("t", None)
    ds.createDimension("y", 2)
    kind = ds.createVLType(np.int32, "vlen_t")
    yield kind.name, kind.dtype, list(ds.vltypes)
    yield ds.createVLType("S1", "chars_t").dtype
    v = ds.createVariable("v", kind, ("x",))
    yield v[:], v[0], v.dtype, v.datatype.name
    v[0] = np.array([1, 2, 3], "i4")
    yield v[:], v[0], v[0:1]
    objects = np.empty(3, object)
    objects[:] = [np.arange(n, dtype="i4") for n in range(3)]
    v[:] = objects
    yield v[:]
    w = ds.createVariable("w", kind, ("t", "y"))
    w[0, 0] = np.arange(3, dtype="i4")
    yield w[:], w.shape
    many = np.empty((2, 2), object)
    for place in np.ndindex(2, 2):
        many[place] = np.arange(sum(place), dtype="i4")
    w[0:2] = many
    yield w[:], w[1], w[1, 1], w[[0, 1], 1]
    scalar = ds.createVariable("scalar", kind, ())
    yield scalar[...]
    scalar[...] = np.arange(2, dtype="i4")
    yield scalar[...], scalar[:]
    v.set_always_mask(True)
    yield v[:], v[0], v.get_fill_value(), ds.createVariable("z", kind, ("x",), zlib=False).endian()


def errors(ds: Any) -> Iterator[Any]:
    ds.createDimension("x", 3)
    cloud = ds.createEnumType("u1", "cloud_t", CLOUDS)
    v = ds.createVariable("v", cloud, ("x",))
    for value in (7, "Cb", np.nan, [0, 7, 1]):
        yield error_of(lambda value=value: v.__setitem__(slice(None), value))
    yield error_of(lambda: ds.createEnumType("f4", "bad", {"A": 0}))
    yield error_of(lambda: ds.createEnumType("u1", "bad", {"A": 300}))
    yield error_of(lambda: ds.createEnumType("u1", "cloud_t", {"A": 1}))
    yield error_of(lambda: ds.createVariable("bad", "cloud_t", ("x",)))
    yield error_of(lambda: ds.createCompoundType(np.dtype([("q", [("a", "i4"), ("b", "i2")])]), "bad"))
    yield error_of(lambda: ds.createCompoundType(np.dtype([("q", "U3")]), "bad"))
    yield error_of(lambda: ds.createVariable("bad", np.dtype([("zz", "i4")]), ("x",)))
    yield error_of(lambda: ds.createVLType("U3", "bad"))
    w = ds.createVariable("w", ds.createVLType("i4", "vlen_t"), ("x",))
    yield error_of(lambda: w.__setitem__(slice(None), np.arange(6).reshape(3, 2)))
    yield error_of(lambda: ds.createVariable("bad", "c16", ("x",)))


SCRIPTS: list[Script] = [enums, compounds, vlens]


def same(ours: Any, theirs: Any, at: str) -> None:
    """Compare results to type, mask, dtype and value."""
    if isinstance(ours, tuple | list):
        assert len(ours) == len(theirs), at
        for i, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            same(one, other, f"{at}[{i}]")
    elif isinstance(ours, type) and issubclass(ours, BaseException):
        assert theirs is not None and issubclass(ours, theirs), f"{at}: {ours} and {theirs}"
    elif isinstance(ours, np.ndarray | np.generic):
        assert type(ours) is type(theirs), f"{at}: {type(ours)} and {type(theirs)}"
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, f"{at}: {ours!r} and {theirs!r}"
        masks = np.array_equal(np.ma.getmaskarray(ours), np.ma.getmaskarray(theirs)) or ours.dtype.names
        assert masks and repr(np.ma.getdata(ours)) == repr(np.ma.getdata(theirs)), (
            f"{at}: {ours!r}, {theirs!r}"
        )
    else:
        assert ours == theirs, f"{at}: {ours!r} and {theirs!r}"


@pytest.fixture(params=[2, 3])
def ours(request: pytest.FixtureRequest) -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with netcdf.Dataset({}, "w", zarr_format=request.param) as dataset:
            yield dataset


@pytest.mark.parametrize("script", [*SCRIPTS, errors], ids=lambda script: script.__name__)
def test_a_script_gives_what_the_peer_gives(script: Script, ours: Any, tmp_path: Path) -> None:
    # What it refuses to define keeps it from closing the file.
    with suppress(RuntimeError), netCDF4.Dataset(tmp_path / "peer.nc", "w") as theirs:
        results = list(script(theirs))
    for i, (found, expected) in enumerate(zip(script(ours), results, strict=True)):
        same(found, expected, f"{script.__name__} {i}")
