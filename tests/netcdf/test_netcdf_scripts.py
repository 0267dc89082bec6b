"""What scripts written for netCDF4-python do and rely on; the peer runs the same where it can."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import netCDF4
import numpy as np
import pytest
from netcdf_peer import run_peer

from omnizarr import netcdf
from omnizarr.errors import ConversionError, StoreError
from omnizarr.store.directories.directory import DirectoryStore


@pytest.mark.parametrize("content", [b"", b"CDF\x01" + bytes(28), b"\x89HDF\r\n\x1a\n" + bytes(88)])
@pytest.mark.parametrize("memory", [{}, {"diskless": True, "persist": True}])
def test_a_netcdf_file_is_replaced(tmp_path: Path, content: bytes, memory: dict[str, bool]) -> None:
    place = tmp_path / "old.nc"
    place.write_bytes(content)
    with netcdf.Dataset(place, "w", **memory) as made:
        made.title = "new"
    assert place.is_dir()
    with netcdf.Dataset(place) as found:
        assert found.title == "new"


def test_a_diskless_dataset_leaves_a_file_alone(tmp_path: Path) -> None:
    place = tmp_path / "old.nc"
    place.write_bytes(b"CDF\x01")
    with netcdf.Dataset(place, "w", diskless=True) as made:
        made.title = "new"
    assert place.read_bytes() == b"CDF\x01"


@pytest.mark.parametrize("mode", ["w", "x", "a", "r+"])
def test_another_file_is_left_alone(tmp_path: Path, mode: str) -> None:
    for content in (b"a text", b"" if mode != "w" else b"\x89PNG\r\n\x1a\n"):
        place = tmp_path / "some.nc"
        place.write_bytes(content)
        with pytest.raises(StoreError):
            netcdf.Dataset(place, mode)
        assert place.read_bytes() == content


def test_a_temporary_file_names_a_dataset(tmp_path: Path) -> None:
    with NamedTemporaryFile(dir=tmp_path, suffix=".nc", delete=False) as file:
        name = file.name
    with netcdf.Dataset(name, "w") as made:
        made.createVariable("v", "i4")[...] = 3
    assert DirectoryStore(name).exists(".zgroup")


@pytest.mark.filterwarnings("ignore:netCDF-C does not see")
def test_types_are_equal_to_their_dtypes() -> None:
    with netcdf.Dataset({}, "w") as dataset:
        kind = dataset.createCompoundType(np.dtype([("a", "i2"), ("b", "f8")]), "Pair")
        aligned = np.dtype([("a", "i2"), ("b", "f8")], align=True)
        assert kind == aligned and aligned == kind and kind == kind and kind != "Pair"


@pytest.mark.parametrize(("number", "expected"), [(2.0, 2), ("-1", 3), (np.float32(1), 1), (np.str_("0"), 0)])
def test_whole_numbers_of_any_type_are_indices(number: Any, expected: int) -> None:
    with netcdf.Dataset({}, "w") as dataset:
        dataset.createDimension("x", 4)
        values = dataset.createVariable("v", "i4", ("x",))
        values[number] = 7
        assert values[number] == 7 and np.flatnonzero(~values[:].mask).tolist() == [expected]


@pytest.mark.parametrize("number", [0.5, "one", float("nan"), float("inf"), [0.5]])
def test_other_numbers_are_none(number: Any) -> None:
    with netcdf.Dataset({}, "w") as dataset:
        dataset.createDimension("x", 4)
        with pytest.raises(IndexError, match="expected an integer"):
            dataset.createVariable("v", "i4", ("x",))[number]


def test_paths_may_say_more_than_they_need() -> None:
    with netcdf.Dataset({}, "w") as dataset:
        dataset.createDimension("x", 1)
        below = dataset.createGroup("/a//b/")
        made = below.createVariable("./c/d/../v", "i4", ("x",))
        assert dataset["a/./b/c/v"] is made and below["c/../c/v"] is made
        assert made.group().path == "/a/b/c" and list(dataset["/a/b/c"].groups) == []
        assert dataset["/"] is dataset and dataset[""] is dataset and below["."] is below
        with pytest.raises(IndexError):
            below["../b"]


@pytest.mark.parametrize(("keywords", "fill"), [({}, None), ({"fill_value": 9}, 9)])
def test_without_filling_nothing_stands_for_missing(tmp_path: Path, keywords: Any, fill: Any) -> None:
    found = {}
    places = {netCDF4: tmp_path / "peer.nc", netcdf: tmp_path / "ours"}
    for library, place in places.items():
        with library.Dataset(place, "w") as dataset:
            dataset.createDimension("x", 3)
            dataset.set_fill_off()
            dataset.createVariable("v", "u1", ("x",), **keywords)[:] = [1, 9, 255]
            dataset.set_fill_on()
            dataset.createVariable("w", "u1", ("x",))[:] = [1, 9, 255]
        with library.Dataset(place) as dataset:
            found[library] = [str(dataset[name][:]) for name in "vw"]
    assert found[netcdf] == found[netCDF4]
    with netcdf.Dataset(places[netcdf]) as dataset:
        assert dataset["v"].get_fill_value() == fill


@pytest.mark.filterwarnings("ignore:netCDF-C does not see")
def test_an_enum_of_floats_is_refused_for_that() -> None:
    with netcdf.Dataset({}, "w") as dataset:
        dataset.createEnumType("i1", "cloud", {"none": 0})
        with pytest.raises(KeyError, match="must be integer"):
            dataset.createEnumType("f4", "cloud", {"none": 0})


def test_texts_of_other_encodings() -> None:
    with netcdf.Dataset({}, "w") as dataset:
        dataset.setncattr_string("text", b"\xb2`\xa4J")
        assert dataset.getncattr("text", encoding="big5") == b"\xb2`\xa4J".decode("big5")


@pytest.mark.filterwarnings("ignore:netCDF-C does not see")
def test_sequences_are_packed(tmp_path: Path) -> None:
    found = {}
    for library, place in {netCDF4: tmp_path / "peer.nc", netcdf: tmp_path / "ours"}.items():
        with library.Dataset(place, "w") as dataset:
            dataset.createDimension("x", 2)
            values = dataset.createVariable("v", dataset.createVLType("u1", "V"), ("x",))
            values.scale_factor, values.add_offset = 0.5, 10.0
            values[0] = np.array([10.0, 12.6])
            values[1] = np.array([137.5])
        with library.Dataset(place) as dataset:
            shown = [dataset["v"][0], *dataset["v"][:]]
            dataset.set_auto_scale(False)
            found[library] = [part.tolist() for part in (*shown, *dataset["v"][:])]
    assert found[netcdf] == found[netCDF4]
    assert found[netcdf][-1] == [255]


@pytest.mark.filterwarnings("ignore:netCDF-C does not see")
def test_a_packed_sequence_must_fit() -> None:
    with netcdf.Dataset({}, "w") as dataset:
        dataset.createDimension("x", 2)
        values = dataset.createVariable("v", dataset.createVLType("u1", "V"), ("x",))
        values.scale_factor = 0.5
        with pytest.raises(ConversionError):
            values[0] = np.array([128.0])


def test_one_place_of_the_last_axis_is_a_character() -> None:
    with netcdf.Dataset({}, "w") as dataset:
        dataset.createDimension("x", 4)
        dataset.createDimension("n", 4)
        names = dataset.createVariable("names", "S1", ("x", "n"))
        names._Encoding = "ascii"
        names[:] = np.array(["abcd", "efgh", "ijkl", "mnop"])
        assert names[:].tolist() == ["abcd", "efgh", "ijkl", "mnop"] and str(names[1]) == "efgh"
        assert names[:, 0].tolist() == [b"a", b"e", b"i", b"m"]


def test_nul_fills_characters(tmp_path: Path) -> None:
    with netcdf.Dataset(tmp_path, "w") as dataset:
        dataset.createDimension("n", 2)
        dataset.createVariable("names", "S1", ("n",), fill_value="\0")
    with netcdf.Dataset(tmp_path) as dataset:
        assert dataset["names"]._FillValue == b"\0" and dataset["names"][:].mask.all()
    place = f"file://{tmp_path}#mode=nczarr,file"
    run_peer(f"import netCDF4\nassert netCDF4.Dataset({place!r})['names']._FillValue == bytes(1)")


def test_open_datasets_are_not_copied() -> None:
    with netcdf.Dataset({}, "w") as dataset:
        dimension = dataset.createDimension("x", 1)
        for part in (dataset, dataset.createGroup("g"), dimension, dataset.createVariable("v", "i4", ("x",))):
            for way in (pickle.dumps, copy.copy, copy.deepcopy):
                with pytest.raises(TypeError, match="is not picklable: it is part of an open dataset"):
                    way(part)


def test_what_notebooks_show() -> None:
    with netcdf.Dataset({}, "w") as dataset:
        dataset.createDimension("x", 1)
        made = dataset.createVariable("/g/v", "f4", ("x",))
        assert "float32 v(x)\npath = /g\n" in repr(made)
        assert "filling" not in repr(dataset.createVariable("text", str, ("x",)))
        assert "variables(dimensions): float32 v(x)" in repr(dataset["g"])
