"""Names, arguments, defaults and exceptions: those of netCDF4-python."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest

from omnizarr import netcdf
from omnizarr.errors import OmniZarrError
from omnizarr.store import MemoryStore

# A group of netCDF4-python has these from its dataset; they are about whole files.
_OF_FILES = {("Group", "tocdl"), ("Group", "fromcdl")}


def _public(kind: str) -> list[str]:
    return [
        name
        for name in dir(getattr(netCDF4, kind))
        if not name.startswith("_") and (kind, name) not in _OF_FILES
    ]


@pytest.mark.parametrize("kind", ["Dataset", "Group", "Variable", "Dimension"])
def test_every_name_is_there_with_its_arguments(kind: str) -> None:
    theirs, ours = getattr(netCDF4, kind), getattr(netcdf, kind)
    for name in _public(kind):
        assert hasattr(ours, name), name
        if not callable(getattr(theirs, name)) or name == "get_variables_by_attributes":
            continue
        wanted = list(inspect.signature(getattr(theirs, name)).parameters.values())
        found = list(inspect.signature(getattr(ours, name)).parameters.values())
        for a, b in zip(wanted, found, strict=False):
            assert (a.name, a.default, a.kind) == (b.name, b.default, b.kind), name
        assert len(found) >= len(wanted), name


def test_every_keyword_of_a_dataset_is_there() -> None:
    parameters = dict(inspect.signature(netcdf.Dataset.__init__).parameters)
    del parameters["self"]
    defaults = {
        "mode": "r",
        "clobber": True,
        "format": "NETCDF4",
        "diskless": False,
        "persist": False,
        "keepweakref": False,
        "memory": None,
        "encoding": None,
        "parallel": False,
        "comm": None,
        "info": None,
        "auto_complex": False,
    }
    assert list(parameters)[1 : len(defaults) + 1] == list(defaults)
    assert {name: parameters[name].default for name in defaults} == defaults


def _make(dataset: Any) -> None:
    dataset.createDimension("x", 4)
    dataset.createDimension("t", None)
    dataset.createVariable("v", "i4", ("x",))[:] = [1, 2, 3, 4]
    dataset.createVariable("s", "f4").a = 1
    dataset.createGroup("g")
    dataset.title = "one"
    dataset.other = "two"


_WRONG: dict[str, Callable[[Any], Any]] = {
    "dimension twice": lambda d: d.createDimension("x", 3),
    "negative dimension": lambda d: d.createDimension("y", -3),
    "dimension like a list": lambda d: d.createDimension("y", [1, 2]),
    "empty name": lambda d: d.createDimension("", 3),
    "name with a space": lambda d: d.createDimension("a ", 3),
    "variable twice": lambda d: d.createVariable("v", "i4"),
    "group like a variable": lambda d: d.createGroup("v"),
    "variable like a group": lambda d: d.createVariable("g", "i4"),
    "no dimension": lambda d: d.createVariable("w", "i4", ("q",)),
    "complex": lambda d: d.createVariable("w", "c16"),
    "times": lambda d: d.createVariable("w", "M8[s]"),
    "small floats": lambda d: d.createVariable("w", "f2"),
    "booleans": lambda d: d.createVariable("w", bool),
    "no type": lambda d: d.createVariable("w", "nonsense"),
    "compression": lambda d: d.createVariable("w", "i4", ("x",), compression="lzma"),
    "compression number": lambda d: d.createVariable("w", "i4", ("x",), compression=4),
    "level": lambda d: d.createVariable("w", "i4", ("x",), compression="zlib", complevel=10),
    "blosc shuffle": lambda d: d.createVariable("w", "i4", ("x",), compression="blosc_lz", blosc_shuffle=7),
    "szip coding": lambda d: d.createVariable("w", "i4", ("x",), compression="szip", szip_coding="q"),
    "szip pixels": lambda d: d.createVariable("w", "i4", ("x",), compression="szip", szip_pixels_per_block=7),
    "endian": lambda d: d.createVariable("w", "i4", ("x",), endian="middle"),
    "number of chunks": lambda d: d.createVariable("w", "i4", ("x",), chunksizes=(2, 2)),
    "large chunks": lambda d: d.createVariable("w", "i4", ("x",), chunksizes=(5,)),
    "contiguous chunks": lambda d: d.createVariable("w", "i4", ("x",), contiguous=True, chunksizes=(2,)),
    "contiguous records": lambda d: d.createVariable("w", "i4", ("t",), contiguous=True),
    "contiguous zlib": lambda d: d.createVariable("w", "i4", ("x",), contiguous=True, zlib=True),
    "fill NaN": lambda d: d.createVariable("w", "i4", fill_value=np.nan),
    "fill text": lambda d: d.createVariable("w", "i4", fill_value="text"),
    "fill range": lambda d: d.createVariable("w", "u1", fill_value=256),
    "quantized integers": lambda d: d.createVariable("w", "i4", ("x",), significant_digits=2),
    "quantize mode": lambda d: d.createVariable("w", "f4", significant_digits=2, quantize_mode="no"),
    "many digits": lambda d: d.createVariable("w", "f4", ("x",), significant_digits=99),
    "no digits": lambda d: d.createVariable("w", "f4", ("x",), significant_digits=0),
    "no item": lambda d: d["q"],
    "no group of an item": lambda d: d["q/r"],
    "item by number": lambda d: d[0],
    "iteration": lambda d: list(d),
    "membership": lambda d: "v" in d,
    "length of a scalar": lambda d: len(d["s"]),
    "value of an array": lambda d: d["v"].getValue(),
    "value to an array": lambda d: d["v"].assignValue(3),
    "no attribute": lambda d: d.getncattr("q"),
    "no attribute by name": lambda d: d["s"].q,
    "deletion of none": lambda d: d.delncattr("q"),
    "renaming of none": lambda d: d.renameAttribute("q", "r"),
    "renaming to another": lambda d: d.renameAttribute("title", "other"),
    "reserved name": lambda d: setattr(d["v"], "name", "w"),
    "reserved switch": lambda d: setattr(d["v"], "mask", False),
    "reserved dictionary": lambda d: setattr(d, "dimensions", 3),
    "dimension's name": lambda d: setattr(d.dimensions["x"], "name", "y"),
    "dimension's size": lambda d: setattr(d.dimensions["x"], "size", 3),
    "table": lambda d: setattr(d, "q", [[1, 2], [3, 4]]),
    "None": lambda d: setattr(d, "q", None),
    "boolean": lambda d: setattr(d, "q", True),
    "complex attribute": lambda d: setattr(d, "q", 1j),
    "date": lambda d: setattr(d, "q", np.datetime64("2000-01-01")),
    "name with a slash": lambda d: d.setncattr("a/b", 1),
    "name without letters": lambda d: d.setncattr("", 1),
    "fill value later": lambda d: setattr(d["v"], "_FillValue", 3),
    "closing a group": lambda d: d["g"].close(),
    "renaming no dimension": lambda d: d.renameDimension("q", "r"),
    "renaming no variable": lambda d: d.renameVariable("q", "r"),
    "renaming no group": lambda d: d.renameGroup("q", "r"),
    "renaming to itself": lambda d: d.renameVariable("v", "v"),
    "renaming to a path": lambda d: d.renameVariable("v", "a/b"),
    "index past the end": lambda d: d["v"][4],
    "write past the end": lambda d: d["v"].__setitem__(4, 1),
    "too much": lambda d: d["v"].__setitem__(slice(None), [1, 2, 3, 4, 5]),
    "too few": lambda d: d["v"].__setitem__(slice(None), [1, 2, 3]),
    "text for a number": lambda d: d["v"].__setitem__(0, "text"),
}


@pytest.mark.parametrize("name", _WRONG)
def test_exceptions_are_those_of_netcdf4_python(name: str) -> None:
    theirs, ours = netCDF4.Dataset("unused", "w", diskless=True), netcdf.Dataset({}, "w")
    raised = []
    for dataset in (theirs, ours):
        _make(dataset)
        with pytest.raises(Exception) as found:
            _WRONG[name](dataset)
        raised.append(found.value)
    theirs.close()
    assert isinstance(raised[1], type(raised[0])), repr(raised)
    assert str(raised[1])
    ours.close()


def test_what_a_closed_dataset_raises() -> None:
    dataset = netcdf.Dataset({}, "w")
    _make(dataset)
    variable = dataset["v"]
    dataset.close()
    for use in (
        lambda: dataset.sync(),
        lambda: variable[:],
        lambda: variable.__setitem__(0, 1),
        lambda: dataset.createDimension("q", 1),
        lambda: dataset.createGroup("q"),
        lambda: dataset.renameVariable("v", "w"),
    ):
        with pytest.raises(RuntimeError, match="closed") as found:
            use()
        assert isinstance(found.value, OmniZarrError)


@pytest.mark.filterwarnings("ignore:WARNING. missing_value cannot be safely cast")
def test_any_other_name_is_an_attribute() -> None:
    for dataset in (netCDF4.Dataset("unused", "w", diskless=True), netcdf.Dataset({}, "w")):
        dataset.model = "ECHAM"
        dataset.createDimension("x", 2)
        variable = dataset.createVariable("v", "i2", ("x",), fill_value=7)
        variable.shape = 5
        variable.setncatts({"name": "long", "units": "m"})
        assert dataset.model == "ECHAM" and dataset.__dict__ == {"model": "ECHAM"}
        assert variable.shape == (2,) and variable.name == "v"
        known = {"_FillValue": 7, "shape": 5, "name": "long", "units": "m"}
        assert variable.__dict__ == known and list(known) == variable.ncattrs()
        assert dataset.get_variables_by_attributes(units="m", ndim=1) == [variable]
        assert dataset.get_variables_by_attributes(calendar=lambda value: value is None) == [variable]
        variable.valid_range = [1, 2.0]
        variable.missing_value = 1.5
        assert variable.valid_range.dtype == "i2" and variable.missing_value.dtype == "f8"
        dataset.close()


def test_constructors_make_what_they_are_called() -> None:
    dataset = netcdf.Dataset({}, "w")
    dimension = netcdf.Dimension(dataset, "x", 3)
    group = netcdf.Group(dataset, "g")
    variable = netcdf.Variable(group, "v", "f4", ("x",), zlib=True, fill_value=2)
    assert dataset.dimensions["x"] is dimension and dataset["g"] is group and dataset["g/v"] is variable
    assert variable[:].tolist() == [None] * 3 and variable.filters()["zlib"]
    with pytest.raises(RuntimeError):
        netcdf.Group(dataset, "g")


def test_text_attributes_as_strings() -> None:
    dataset = netcdf.Dataset({}, "w")
    variable = dataset.createVariable("/g/v", "i4")
    dataset.set_ncstring_attrs(True)
    dataset.a = variable.a = "x"
    variable.setncattr_string("b", ["x", "y"])
    variable.setncattr_string("c", 5)
    dataset.set_ncstring_attrs(False)
    variable.d = "x"
    types = {a.name: (a.type.name, a.value) for a in variable.as_model().attributes}
    assert types["a"] == ("string", ("x",)) and types["b"] == ("string", ("x", "y"))
    assert types["c"] == ("string", ("5",)) and types["d"] == ("char", "x")
    assert dataset.as_model().attributes[0].type.name == "string"


def test_facts_about_a_dataset(tmp_path: Path) -> None:
    with netcdf.Dataset(tmp_path / "d", "w") as dataset:
        assert dataset.filepath() == str(tmp_path / "d")
        group = dataset.createGroup("g")
        assert (group.path, group.name, group.parent, group.filepath()) == (
            "/g",
            "g",
            dataset,
            dataset.filepath(),
        )
        assert (dataset.path, dataset.name, dataset.parent) == ("/", "/", None)
        assert (dataset.data_model, dataset.file_format, dataset.disk_format) == (
            "NETCDF4",
            "NETCDF4",
            "NCZARR",
        )
        assert (dataset.keepweakref, dataset.auto_complex, dataset.isopen()) == (False, False, True)
        assert dataset.cmptypes == dataset.vltypes == dataset.enumtypes == {}
        assert dataset.has_zstd_filter() and dataset.has_blosc_filter() and dataset.has_bzip2_filter()
        assert isinstance(dataset.has_szip_filter(), bool)
        dataset.set_fill_off()
        dataset.set_fill_on()
        group.sync()
        variable = dataset.createVariable("v", "i4", chunk_cache=12345)
        assert variable.get_var_chunk_cache() == (12345, 1000, 0.75)
        variable.set_var_chunk_cache(nelems=7, preemption=0.5)
        assert variable.get_var_chunk_cache() == (12345, 7, 0.5)
        variable.use_nc_get_vars(True)
        variable.set_collective(True)
        assert np.asarray(variable).shape == () and bool(variable)
    assert netcdf.Dataset(MemoryStore(), "w").filepath().startswith("memory://")


@pytest.mark.parametrize(
    ("options", "filters"),
    [
        ({"zlib": True}, {"zlib": True, "shuffle": True, "complevel": 4}),
        ({"compression": "zlib", "complevel": 9, "shuffle": False}, {"zlib": True, "complevel": 9}),
        ({"compression": "zstd", "complevel": 7}, {"zstd": True, "complevel": 7}),
        ({"compression": "bzip2", "fletcher32": True}, {"bzip2": True, "fletcher32": True, "complevel": 4}),
        (
            {"compression": "blosc_zstd", "blosc_shuffle": 2},
            {"blosc": {"compressor": "blosc_zstd", "shuffle": 2}, "complevel": 4},
        ),
        ({"compression": "zlib", "complevel": 0}, {}),
        ({"compression": None}, {}),
        ({"compression": False}, {}),
        ({"compression": ""}, {}),
    ],
    ids=str,
)
def test_filters_are_those_of_netcdf4_python(options: dict[str, Any], filters: dict[str, Any]) -> None:
    found = []
    for dataset in (netCDF4.Dataset("unused", "w", diskless=True), netcdf.Dataset({}, "w")):
        dataset.createDimension("x", 100)
        variable = dataset.createVariable("v", "f4", ("x",), **options)
        variable[:] = np.arange(100)
        found.append(variable.filters())
        dataset.close()
    assert found[0] == found[1]
    assert {name: value for name, value in found[1].items() if value} == filters


@pytest.mark.parametrize("mode", ["BitGroom", "GranularBitRound", "BitRound"])
@pytest.mark.parametrize("value", [3.14159, [1.1, 2.2, 3.3, 4.4, 5.5]], ids=["one", "many"])
def test_quantized_values_are_those_of_netcdf_c(mode: str, value: Any, tmp_path: Path) -> None:
    found = []
    for library, place in ((netCDF4, tmp_path / "d.nc"), (netcdf, tmp_path / "d")):
        with library.Dataset(place, "w") as dataset:
            dataset.createDimension("x", 5)
            options = {"significant_digits": 3, "quantize_mode": mode}
            variable = dataset.createVariable("v", "f4", ("x",), **options)
            variable[:] = value
        with library.Dataset(place) as dataset:
            variable = dataset["v"]
            [name] = variable.ncattrs()
            found.append((variable[:].tolist(), variable.quantization(), name, variable.getncattr(name)))
    assert found[0] == found[1]
    assert found[1][1] == (3, mode)


def test_least_significant_digits_are_those_of_netcdf4_python() -> None:
    found = []
    for dataset in (netCDF4.Dataset("unused", "w", diskless=True), netcdf.Dataset({}, "w")):
        dataset.createDimension("x", 4)
        variable = dataset.createVariable("v", "f8", ("x",), least_significant_digit=2)
        variable[:] = np.ma.masked_array([1.23456, 2.34567, 3, 1e3 / 7], [0, 0, 1, 0])
        found.append((variable[:].tolist(), variable.least_significant_digit, variable.quantization()))
        dataset.close()
    assert found[0] == found[1]
    assert found[1][0][0] == 1.234375
