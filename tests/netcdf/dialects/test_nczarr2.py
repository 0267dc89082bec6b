"""What netCDF-C wrote before 4.9.3: datasets that old libraries made, and what those read in them."""

from __future__ import annotations

import json
import lzma
import shutil
import subprocess
import warnings
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from netcdf_peer import assert_same

from omnizarr import netcdf
from omnizarr.errors import ReadOnlyError
from omnizarr.netcdf.model.nodes import AttributeModel
from omnizarr.netcdf.model.types import DOUBLE
from omnizarr.store import MemoryStore

DATA = Path(__file__).parent / "data"
LIBRARIES = ("1.6.2", "1.6.5", "1.7.1.post2")


@cache
def stored(library: str) -> dict[str, Any]:
    with lzma.open(DATA / f"nczarr-netcdf4-{library}.json.xz", "rt") as file:
        return dict(json.load(file))


def keys_of(library: str, name: str) -> dict[str, bytes]:
    return {key: text.encode("latin-1") for key, text in stored(library)["keys"][name].items()}


CASES = [(library, name) for library in LIBRARIES for name in sorted(stored(library)["keys"])]


@pytest.mark.parametrize(("library", "name"), CASES)
def test_it_is_read_as_its_writer_reads_it(library: str, name: str) -> None:
    expected = stored(library)["expected"][name]
    with warnings.catch_warnings():
        if name == "types" and library != "1.6.2":
            warnings.filterwarnings("ignore", ".* may be in the other byte order")
        dataset = netcdf.Dataset(MemoryStore(keys_of(library, name)))
    assert dataset.as_dataset().dialect == "nczarr2"
    ours = describe(dataset)
    if expected is None:
        # What that library stored, and could not read again itself.
        assert (library, name) == ("1.6.2", "scalars")
        expected = stored("1.6.5")["expected"][name]
    if (library, name) == ("1.6.5", "types"):
        for variables in (ours["variables"], expected["variables"]):
            for big in [key for key in variables if key.startswith("big")]:
                del variables[big]["values"]
    assert_same(ours, exact(expected))


def exact(expected: Any) -> Any:
    """Return what was read with the default fill value of floats, which was stored with six digits."""
    if isinstance(expected, dict):
        return {name: exact(value) for name, value in expected.items()}
    if isinstance(expected, list):
        return [exact(value) for value in expected]
    return DOUBLE.default_fill if expected == 9.96921e36 else expected


def test_big_endian_values_of_4_9_0_are_in_the_machines_order() -> None:
    dataset = netcdf.Dataset(MemoryStore(keys_of("1.6.2", "types")))
    assert dataset["big_i2"].endian() == "big"
    assert dataset["big_i2"][:].tolist() == [258] * 4
    keys = keys_of("1.6.2", "types")
    keys[".zattrs"] = b'{"a": 1, "_NCZARR_ATTR": {"types": {"a": ">i4"}}}'
    # Written on a machine whose own order is the big one.
    assert netcdf.Dataset(MemoryStore(keys))["big_i2"][:].tolist() == [513] * 4


def test_scalars_tell_in_which_order_development_versions_stored_values() -> None:
    for library in ("1.6.5", "1.7.1.post2"):
        keys = keys_of(library, "types") | keys_of(library, "scalars")
        listed = keys_of(library, "types")[".zgroup"]
        keys[".zgroup"] = listed.replace(b'"vars": [', b'"vars": ["s_i4",')
        assert netcdf.Dataset(MemoryStore(keys))["big_i2"][:].tolist() == [258] * 4


def test_the_order_of_development_versions_is_doubted_where_nothing_tells() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        dataset = netcdf.Dataset(MemoryStore(keys_of("1.7.1.post2", "types")))
    assert str(told[0].message).startswith("/big_i2: values may be in the other byte order")
    faults = {fault.path for fault in dataset.as_dataset().faults}
    assert faults == {f"/big_{code}" for code in ("i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")}
    assert {fault.name for fault in dataset.as_dataset().faults} == {"type-mismatch"}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("mode", ["a", "r+"])
def test_it_is_not_changed_in_place(library: str, mode: str) -> None:
    store = MemoryStore(keys_of(library, "groups"))
    with pytest.raises(ReadOnlyError, match="omnizarr copy"):
        netcdf.Dataset(store, mode)
    assert {key: store.get(key) for key in store.list_prefix()} == keys_of(library, "groups")


@pytest.mark.parametrize("library", LIBRARIES)
def test_scalars_on_which_netcdf_c_of_today_ends_the_process_are_read(library: str, tmp_path: Path) -> None:
    for key, data in keys_of(library, "scalars").items():
        (tmp_path / key).parent.mkdir(exist_ok=True)
        (tmp_path / key).write_bytes(data)
    dataset = netcdf.Dataset(tmp_path)
    assert (
        dataset["s_i4"].shape == ()
        and dataset["s_i4"][...] == 5
        and dataset["s_i4"].as_model().chunks is None
    )


CDL = """netcdf live {
dimensions: x = 3 ; y = 2 ;
variables:
  byte b(x) ; short s(x, y) ; int i(x) ; float f(x) ; double d(y) ; ubyte ub(x) ; ushort us(x) ;
  uint ui(x) ; int64 l(x) ; uint64 ul(x) ; char c(x) ; int unwritten(x) ; int scalar ; short big(x) ;
  s:units = "m" ; s:range = 1s, 2s ; i:_FillValue = -5 ; big:_Endianness = "big" ; f:tenth = 0.1f ;
  :title = "live" ; :numbers = 1, 2 ; :half = 0.5 ; :bytes = 1UB, 2UB ;
data:
  b = 1, -2, 3 ; s = 1, 2, 3, 4, 5, 6 ; i = 1, _, 3 ; f = 1.5, 2, 3 ; d = 1, 2 ; ub = 1, 2, 255 ;
  us = 1, 2, 65535 ; ui = 1, 2, 3 ; l = 1, 2, 3 ; ul = 1, 2, 3 ; c = "abc" ; scalar = 5 ; big = 258, 1, 2 ;
group: g { dimensions: x = 2 ; variables: int w(x, y) ; data: w = 1, 2, 3, 4 ; }
}
"""


def test_what_an_installed_ncgen_writes(tmp_path: Path) -> None:
    ncgen = shutil.which("ncgen")
    if ncgen is None:
        pytest.skip("ncgen (netcdf-bin) is not installed")
    source = tmp_path / "live.cdl"
    source.write_text(CDL)
    url = f"file://{tmp_path / 'live'}#mode=nczarr,file"
    done = subprocess.run([ncgen, "-4", "-lb", "-o", url, source], capture_output=True, text=True, timeout=60)
    if "Attempt to use feature that was not turned on" in done.stderr:
        pytest.skip("this ncgen has no NCZarr")
    assert done.returncode == 0, done.stderr
    dataset = netcdf.Dataset(tmp_path / "live")
    found = describe(dataset)
    assert {name: found["variables"][name]["values"] for name in ("b", "s", "d", "us", "c", "big")} == {
        "b": [1, -2, 3],
        "s": [[1, 2], [3, 4], [5, 6]],
        "d": [1, 2],
        "us": [1, 2, 65535],
        "c": ["a", "b", "c"],
        "big": [258, 1, 2],
    }
    assert found["variables"]["i"]["values"] == [1, -5, 3]
    assert found["variables"]["unwritten"]["values"] == [-2147483647] * 3
    assert found["variables"]["scalar"]["values"] == 5 and found["variables"]["scalar"]["shape"] == []
    assert found["variables"]["big"]["endian"] == "big"
    assert found["variables"]["s"]["attributes"] == {"units": [2, "m"], "range": [3, [1, 2]]}
    assert found["variables"]["f"]["attributes"] == {"tenth": [5, float(np.float32(0.1))]}
    assert found["attributes"] == {
        "title": [2, "live"],
        "numbers": [4, [1, 2]],
        "half": [6, 0.5],
        "bytes": [7, [1, 2]],
    }
    assert found["groups"]["g"]["variables"]["w"]["dimensions"] == ["/g/x", "/y"]
    assert found["groups"]["g"]["variables"]["w"]["values"] == [[1, 2], [3, 4]]


def describe(group: netcdf.Group) -> dict[str, Any]:
    return {
        "dimensions": {d.name: [len(d), d.isunlimited()] for d in group.dimensions.values()},
        "attributes": attributes(group.as_model().attributes),
        "variables": {name: variable(v) for name, v in group.variables.items()},
        "groups": {name: describe(inner) for name, inner in group.groups.items()},
    }


def variable(v: netcdf.Variable) -> dict[str, Any]:
    v.set_auto_maskandscale(False)
    v.set_auto_chartostring(False)
    dtype = np.dtype(v.dtype)
    return {
        "type": "string" if v.dtype is str else dtype.newbyteorder("=").str,
        "dimensions": list(v.as_model().dimensions),
        "shape": list(v.shape),
        "endian": v.endian() if v.dtype is not str and dtype.itemsize > 1 else "",
        "attributes": attributes(v.as_model().attributes),
        "values": plain(v[...]),
    }


def attributes(models: tuple[AttributeModel, ...]) -> dict[str, Any]:
    return {a.name: [a.type.number, single(a)] for a in models}


def single(attribute: AttributeModel) -> Any:
    values = attribute.value
    return values if isinstance(values, str) else plain(values[0] if len(values) == 1 else list(values))


def plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return str(value) if isinstance(value, float) and not isfinite(value) else value
