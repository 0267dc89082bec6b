"""Opening and making datasets, and netCDF4-python's manners."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from netcdf_peer import run_peer

import omnizarr
from omnizarr import netcdf
from omnizarr.errors import (
    ConversionError,
    NodeExistsError,
    NodeNameError,
    NodeNotFoundError,
    ReadOnlyError,
    StoreError,
)
from omnizarr.store import MemoryStore


@pytest.fixture
def dataset() -> netcdf.Dataset:
    made = netcdf.Dataset({}, "w")
    made.createDimension("x", 4)
    made.createDimension("t", None)
    return made


def _keys(place: Path) -> dict[str, bytes]:
    return {str(p.relative_to(place)): p.read_bytes() for p in place.rglob("*") if p.is_file()}


@pytest.mark.parametrize("mode", ["a", "r+", "r"])
def test_opening_destroys_nothing(mode: str, tmp_path: Path) -> None:
    with netcdf.Dataset(tmp_path / "d", "w") as made:
        made.createDimension("x", 2)
        made.createVariable("v", "i4", ("x",))[:] = 1
    before = _keys(tmp_path / "d")
    for name in (str(tmp_path / "d"), f"file://{tmp_path}/d#mode=nczarr,file", f"{tmp_path}/d#mode=nczarr"):
        netcdf.Dataset(name, mode).close()
    assert _keys(tmp_path / "d") == before


def test_modes(tmp_path: Path) -> None:
    place = tmp_path / "d"
    with pytest.raises(FileNotFoundError):
        netcdf.Dataset(place, "r")
    for mode in ("a", "r+"):
        netcdf.Dataset(tmp_path / mode, mode).close()
        assert netcdf.Dataset(tmp_path / mode).ncattrs() == []
    netcdf.Dataset(place, "a").close()
    with pytest.raises(NodeExistsError):
        netcdf.Dataset(place, "x")
    with pytest.raises(NodeExistsError):
        netcdf.Dataset(place, "w", clobber=False)
    with netcdf.Dataset(place, "a") as made:
        made.title = "kept"
    netcdf.Dataset(place, "w").close()
    assert netcdf.Dataset(place).ncattrs() == []
    with pytest.raises(ValueError, match="mode"):
        netcdf.Dataset(place, "q")
    with pytest.raises(ValueError, match="format"):
        netcdf.Dataset(place, "r", format="NETCDF5")
    with pytest.raises(ValueError, match="no MPI"):
        netcdf.Dataset(place, "r", parallel=True)


@pytest.mark.parametrize("mode", ["w", "a", "x"])
def test_what_is_not_zarr_is_never_replaced(mode: str, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(NodeExistsError):
        netcdf.Dataset(tmp_path, mode)
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_dataset_for_reading_refuses_changes() -> None:
    store = MemoryStore()
    with netcdf.Dataset(store, "w") as made:
        made.createDimension("x", 2)
        made.createVariable("v", "i4", ("x",))[:] = 1
    opened = netcdf.Dataset(store)
    for change in (
        lambda: opened.createDimension("y", 1),
        lambda: opened.createVariable("w", "i4"),
        lambda: opened.createGroup("g"),
        lambda: opened["v"].__setitem__(0, 1),
        lambda: opened.set_fill_off(),
        lambda: opened.renameDimension("x", "y"),
        lambda: opened.renameVariable("v", "w"),
    ):
        with pytest.raises(ReadOnlyError) as found:
            change()
        assert isinstance(found.value, RuntimeError)
    for change in (lambda: opened.setncattr("a", 1), lambda: setattr(opened["v"], "units", "m")):
        with pytest.raises(AttributeError, match="opened for reading"):
            change()
    opened.sync()


def test_a_closed_dataset_refuses_everything() -> None:
    made = netcdf.Dataset({}, "w")
    made.close()
    made.close()
    assert not made.isopen()
    with pytest.raises(StoreError, match="closed"):
        made.createDimension("x", 1)
    with pytest.raises(StoreError, match="closed"):
        made.sync()


def test_zip_archives(tmp_path: Path) -> None:
    place = tmp_path / "d.zip"
    with netcdf.Dataset(place, "w") as made:
        made.createDimension("t", None)
        made.createVariable("v", "i4", ("t",))[:] = [1, 2]
    with netcdf.Dataset(place, "a") as made:
        made["v"][2] = 3
    with netcdf.Dataset(f"file://{place}#mode=nczarr,zip") as found:
        assert found["v"][:].tolist() == [1, 2, 3]


def test_paths_lead_through_groups(dataset: netcdf.Dataset) -> None:
    made = dataset.createVariable("/a/b/v", "i4", ("x",))
    assert dataset["a/b/v"] is made is dataset["/a/b/v"] is dataset["a"]["b"].variables["v"]
    assert dataset.createGroup("a/b") is dataset["a/b"]
    assert made.group().path == "/a/b"
    assert dataset["a"].createDimension("/a/c/y", 2).group().path == "/a/c"
    for missing in ("a/q", "q/v", "/a/b/w"):
        with pytest.raises(IndexError):
            dataset[missing]
    with pytest.raises(NodeNotFoundError, match="no dimension 'y'"):
        dataset.createVariable("w", "i4", ("y",))


def test_names_that_are_taken_or_no_names(dataset: netcdf.Dataset) -> None:
    dataset.createVariable("v", "i4")
    dataset.createGroup("g")
    for again in (
        lambda: dataset.createVariable("v", "i4"),
        lambda: dataset.createVariable("g", "i4"),
        lambda: dataset.createGroup("v"),
        lambda: dataset.createDimension("x", 1),
    ):
        with pytest.raises(NodeExistsError):
            again()
    for name in ("", " a", "a ", "a\nb", "\x7f", ".a", "-a", "$a", "~a", "a" * 257):
        with pytest.raises(NodeNameError):
            dataset.createDimension(name, 1)
    for name in ("_a", "1a", "é", "a.-+@$~", "a" * 256):
        dataset.createDimension(name, 1)
    for name in ("..", ".", ".zattrs"):
        with pytest.raises(NodeNameError):
            dataset.createVariable(name, "i4")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"datatype": "c16"}, ValueError),
        ({"datatype": "M8[s]"}, TypeError),
        ({"datatype": "f2"}, TypeError),
        ({"datatype": "i4", "compression": "lzma"}, ValueError),
        ({"datatype": "i4", "endian": "middle"}, ValueError),
        ({"datatype": "i4", "chunksizes": (2, 2)}, ValueError),
        ({"datatype": "i4", "chunksizes": (5,)}, ValueError),
        ({"datatype": "i4", "chunksizes": (0,)}, ValueError),
        ({"datatype": "i4", "contiguous": True, "chunksizes": (2,)}, ValueError),
        ({"datatype": "i4", "fill_value": np.nan}, ConversionError),
        ({"datatype": "i4", "fill_value": "text"}, ConversionError),
        ({"datatype": "u1", "fill_value": 256}, ConversionError),
    ],
    ids=str,
)
def test_definitions_that_make_no_sense(
    arguments: dict[str, Any], error: type[Exception], dataset: netcdf.Dataset
) -> None:
    with pytest.raises(error):
        dataset.createVariable("v", dimensions=("x",), **arguments)
    assert "v" not in dataset.variables
    with pytest.raises(ValueError, match="contiguous"):
        dataset.createVariable("v", "i4", ("t",), contiguous=True)


def test_strings_are_never_cut(dataset: netcdf.Dataset) -> None:
    variable = dataset.createVariable("s", str, ("t",))
    variable[0] = "ä" * 300
    assert variable[0] == "ä" * 300
    with pytest.raises(ConversionError, match="602 bytes"):
        variable[1] = "ä" * 301
    assert dataset.dimensions["t"].size == 1
    variable[1] = "fits"
    assert variable[:].tolist() == ["ä" * 300, "fits"]
    variable._nczarr_maxstrlen = 600
    with pytest.raises(ConversionError, match="601 bytes"):
        variable._nczarr_maxstrlen = 601
    short = dataset.createVariable("short", str, ("t",))
    short.setncattr("_nczarr_maxstrlen", 300)
    assert short.as_model().max_string_length == 300
    dataset._nczarr_default_maxstrlen = 7
    assert dataset.createVariable("seven", str).as_model().max_string_length == 7


def test_characters(dataset: netcdf.Dataset) -> None:
    variable = dataset.createVariable("c", "S1", ("t", "x"))
    variable[0] = np.array(list("abcd"), "S1")
    variable[1] = "efg"
    assert variable[1].tolist() == [b"e", b"f", b"g", None]
    with pytest.raises(ConversionError, match="5 bytes"):
        variable[2] = "abcde"
    variable._Encoding = "utf-8"
    assert variable[:].tolist() == ["abcd", "efg"]
    variable[2:4] = np.array(["ä", "hi"])
    assert variable[:].tolist() == ["abcd", "efg", "ä", "hi"]
    variable.set_auto_chartostring(False)
    assert variable[0].tolist() == [b"a", b"b", b"c", b"d"]


def test_the_fill_value_is_fixed(dataset: netcdf.Dataset) -> None:
    variable = dataset.createVariable("v", "i4", ("x",), fill_value=-1)
    assert variable._FillValue == -1
    for change in (
        lambda: setattr(variable, "_FillValue", 3),
        lambda: variable.delncattr("_FillValue"),
        lambda: setattr(dataset.createVariable("w", "i4"), "_FillValue", 3),
    ):
        with pytest.raises(AttributeError):
            change()
    assert variable[:].tolist() == [None] * 4


def test_attributes_as_attributes(dataset: netcdf.Dataset) -> None:
    dataset.title = "one"
    dataset.setncatts({"a": 1, "b": [1.5, 2.5]})
    assert (dataset.title, dataset.a) == ("one", 1)
    dataset.renameAttribute("title", "name_")
    assert dataset.ncattrs() == ["name_", "a", "b"]
    del dataset.a
    for missing in (lambda: dataset.a, lambda: dataset.getncattr("title"), lambda: dataset.delncattr("a")):
        with pytest.raises(AttributeError):
            missing()
    for reserved in ("variables_", "path", "_NCProperties", "_nczarr_group"):
        if reserved == "variables_":
            continue
        with pytest.raises(AttributeError):
            setattr(dataset, reserved, 1)
    assert [v.name for v in dataset.get_variables_by_attributes(units="m")] == []
    dataset.createVariable("v", "i4").units = "m"
    assert [v.name for v in dataset.get_variables_by_attributes(units="m")] == ["v"]
    assert [v.name for v in dataset.get_variables_by_attributes(units=lambda u: u is not None)] == ["v"]


def test_what_an_interrupted_writer_left_is_not_seen_again() -> None:
    store = MemoryStore()
    netcdf.Dataset(store, "w").close()
    store.set("v/0", b"\x01\x00\x00\x00")
    with netcdf.Dataset(store, "a") as made:
        assert made.createVariable("v", "i4")[...] is np.ma.masked


def test_many_threads_read() -> None:
    store = MemoryStore()
    with netcdf.Dataset(store, "w") as made:
        made.createDimension("t", None)
        made.createVariable("v", "f8", ("t",), zlib=True, chunksizes=(10,))[:] = np.arange(1000.0)
    found = netcdf.Dataset(store)
    wrong: list[int] = []

    def read(number: int) -> None:
        for _ in range(20):
            if found["v"][number] != number:
                wrong.append(number)

    threads = [threading.Thread(target=read, args=(n * 100,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_representations_name_what_is_there(dataset: netcdf.Dataset) -> None:
    dataset.title = "one"
    made = dataset.createVariable("v", "i4", ("t", "x"))
    made.units = "m"
    assert "title: one" in repr(dataset) and "int32 v(t, x)" in repr(dataset)
    assert "units: m" in repr(made) and "unlimited dimensions: t" in repr(made)
    assert "(unlimited)" in repr(dataset.dimensions["t"]) and "size = 4" in repr(dataset.dimensions["x"])
    assert made.dtype == np.dtype("i4") and len(dataset.dimensions["x"]) == 4
    assert dataset.data_model == "NETCDF4" and dataset.disk_format == "NCZARR"


def test_consolidated_metadata_stay_true(tmp_path: Path) -> None:
    with netcdf.Dataset(tmp_path, "w") as made:
        made.createDimension("t", None)
        made.createVariable("v", "i4", ("t",))[:] = [1, 2]
    omnizarr.consolidate_metadata(tmp_path)
    with netcdf.Dataset(tmp_path, "a") as made:
        made["v"][3] = 4
        made["v"].units = "m"
    found = zarr.open_consolidated(tmp_path, mode="r")
    assert found["v"].shape == (4,) and found["v"].attrs["units"] == "m"


@pytest.mark.parametrize("value", [5, None, [1, 2], np.array([1.5, 2.5]), ["a", None], ["a", 5]])
def test_only_strings_are_written_to_strings(value: Any) -> None:
    dataset = netcdf.Dataset({}, "w")
    dataset.createDimension("x", 2)
    texts = dataset.createVariable("texts", str, ("x",))
    texts[:] = np.array(["a", b"b"], object)
    with pytest.raises(TypeError, match="expected strings, found"):
        texts[:] = value
    assert texts[:].tolist() == ["a", "b"]


def test_attributes_have_one_dimension() -> None:
    dataset = netcdf.Dataset({}, "w")
    with pytest.raises(ValueError, match="'table': expected one dimension at most, found 2"):
        dataset.table = [[1, 2], [3, 4]]
    assert dataset.ncattrs() == []


def test_a_closed_dataset_is_not_read(tmp_path: Path) -> None:
    with netcdf.Dataset(tmp_path / "a", "w") as dataset:
        scalar = dataset.createVariable("scalar", "i4")
    with pytest.raises(StoreError, match="the dataset is closed"):
        scalar[...]


def test_what_nobody_closed_is_stored_at_the_end(tmp_path: Path) -> None:
    run_peer(
        """
import sys
from omnizarr import netcdf
dataset = netcdf.Dataset(sys.argv[1], "w")
dataset.createDimension("t", None)
variable = dataset.createVariable("v", dataset.createVLType("i4", "V"), ("t",))
variable[0:1] = [[1, 2]]
""",
        str(tmp_path / "d"),
    )
    with netcdf.Dataset(tmp_path / "d") as again:
        assert again["v"][0].tolist() == [1, 2]
