"""Beside xarray's own zarr backend: generated datasets, written by either, read by either."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import Any

import hypothesis.extra.numpy as npst
import hypothesis.strategies as st
import numpy as np
import pytest
import xarray as xr
from hypothesis import HealthCheck, given, settings

from omnizarr.integrations.xarray import write

pytestmark = pytest.mark.filterwarnings(
    "ignore:Consolidated metadata", "ignore:The data type", "ignore:.*data type"
)
NAMES = st.sampled_from(["a", "b", "temperature", "größe"])
SIZES = {"x": 3, "y": 2, "time": 4, "none": 0}
KINDS = ["f8", "f4", ">f8", "i2", "u1", "i8", "?", "c16", "M8[ns]", "m8[ns]", "U3", "S2"]
ATTRIBUTES = st.dictionaries(
    st.sampled_from(["units_of", "n", "list", "text"]),
    st.one_of(
        st.integers(-5, 5),
        st.floats(allow_nan=False, width=32),
        st.text("abü", max_size=4),
        st.lists(st.integers(0, 9), max_size=3),
    ),
    max_size=3,
)


@st.composite
def variables(draw: st.DrawFn) -> xr.Variable:
    dims = draw(st.lists(st.sampled_from(sorted(SIZES)), max_size=3, unique=True))
    shape = tuple(SIZES[dim] for dim in dims)
    kind = np.dtype(draw(st.sampled_from(KINDS)))
    data = draw(npst.arrays(kind, shape, elements=elements(kind)))
    found = xr.Variable(dims, data, draw(ATTRIBUTES))
    if kind.kind == "f" and draw(st.booleans()):
        found.encoding = {"dtype": "i4", "scale_factor": 0.5, "_FillValue": -99}
        found = found.copy(data=np.round(np.clip(np.nan_to_num(data), -1000, 1000)))
    if shape and all(shape) and draw(st.booleans()):
        found.encoding["chunks"] = tuple(draw(st.integers(1, size)) for size in shape)
    return found


def elements(kind: np.dtype[Any]) -> Any:
    if kind.kind in "mM":
        return st.integers(-(10**15), 10**18).map(lambda n: np.int64(n // 10**9 * 10**9).view(kind))
    if kind.kind == "U":
        return st.text("abü", max_size=3)
    if kind.kind == "S":
        return st.binary(max_size=2).map(lambda b: bytes(min(c, 127) or 65 for c in b))
    return npst.from_dtype(kind, allow_subnormal=False) if kind.kind in "fc" else None


@st.composite
def datasets(draw: st.DrawFn) -> xr.Dataset:
    coords = {"x": [10, 20, 30]} if draw(st.booleans()) else {}
    return xr.Dataset(draw(st.dictionaries(NAMES, variables(), max_size=3)), coords, draw(ATTRIBUTES))


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(datasets(), st.sampled_from([2, 3]))
def test_either_reads_what_either_writes(dataset: xr.Dataset, zarr_format: Any) -> None:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of zarr-python, about types of v3 without a specification
        ours, theirs = Path(folder, "ours"), Path(folder, "theirs")
        write(dataset, ours, zarr_format=zarr_format)
        dataset.to_zarr(theirs, zarr_format=zarr_format)
        found = {
            (place.name, engine): xr.open_dataset(place, engine=engine).load()  # type: ignore[arg-type]
            for place in (ours, theirs)
            for engine in ("omnizarr", "zarr")
        }
    truth = found["theirs", "zarr"]
    for read in found.values():
        xr.testing.assert_identical(read, truth)
        for name, variable in truth.variables.items():
            # zarr-python gives a single text or byte string as a scalar, whose type is as long as its value
            if variable.ndim or variable.dtype.kind not in "SU":
                assert read[name].dtype == variable.dtype
    same_encodings(found["theirs", "omnizarr"], truth)


def same_encodings(found: xr.Dataset, truth: xr.Dataset) -> None:
    """Compare what both say in the same words; codecs are JSON here, and objects there."""
    apart = {"compressors", "filters", "serializer", "source"}
    for name, variable in truth.variables.items():
        for key, value in variable.encoding.items():
            assert key in apart or is_same(found[name].encoding.get(key), value), (name, key)


def is_same(found: Any, expected: Any) -> bool:
    return bool(found == expected or (found != found and expected != expected))


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_a_dataset_that_was_opened_here_is_written_by_to_zarr(tmp_path: Path, zarr_format: Any) -> None:
    dataset = xr.Dataset(
        {"v": (("x", "y"), np.arange(12.0).reshape(3, 4)), "s": ("x", np.array(["a", "b", "c"]))}
    )
    codec = (
        {"name": "gzip", "configuration": {"level": 3}} if zarr_format == 3 else {"id": "gzip", "level": 3}
    )
    write(
        dataset,
        tmp_path / "a",
        zarr_format=zarr_format,
        encoding={"v": {"compressors": codec, "chunks": (2, 3)}},
    )
    xr.open_dataset(tmp_path / "a", engine="omnizarr").to_zarr(
        tmp_path / "b", zarr_format=zarr_format, consolidated=False
    )
    found = xr.open_dataset(tmp_path / "b", engine="omnizarr")
    xr.testing.assert_identical(found.load(), dataset)
    assert found["v"].encoding["chunks"] == (2, 3)
    assert "gzip" in repr(found["v"].encoding["compressors"]).lower()


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_trees_of_either(tmp_path: Path, zarr_format: Any) -> None:
    inner = xr.Dataset({"v": ("x", [1, 2])}, {"x": [1, 2]})
    tree = xr.DataTree.from_dict({"/": inner, "/a/b": inner[["v"]] * 2})
    write(tree, tmp_path / "ours", zarr_format=zarr_format)
    tree.to_zarr(tmp_path / "theirs", zarr_format=zarr_format, consolidated=False)
    xr.testing.assert_identical(xr.open_datatree(tmp_path / "theirs", engine="omnizarr").load(), tree)
    xr.testing.assert_identical(
        xr.open_datatree(tmp_path / "ours", engine="zarr", consolidated=zarr_format == 2).load(), tree
    )
