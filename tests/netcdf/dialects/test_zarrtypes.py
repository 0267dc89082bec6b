"""Types that Zarr has and netCDF lacks, shown and written as types of the user."""

from __future__ import annotations

import json
from typing import Any

import numcodecs
import numpy as np
import pytest

import omnizarr
from omnizarr import netcdf
from omnizarr.hierarchy.group import Group
from omnizarr.netcdf.model.types import (
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    INT64,
    UBYTE,
    Compound,
    Enum,
    Field,
    Opaque,
    Vlen,
)
from omnizarr.store import MemoryStore

DTYPE = np.dtype(
    [
        ("a", "i4"),
        ("text", "S4"),
        ("inner", [("x", "f8"), ("z", "c8")]),
        ("flag", "?"),
        ("half", "f2"),
        ("raw", "V3"),
        ("when", "M8[s]"),
    ]
)


@pytest.fixture(params=[2, 3])
def root(request: pytest.FixtureRequest) -> Group:
    return omnizarr.open_group({}, mode="w", zarr_format=request.param)


def stored(group: Group, name: str, dtype: Any, values: Any, **options: Any) -> None:
    array = group.create_array(name, shape=(3,), chunks=(2,), dtype=dtype, **options)
    array[...] = values


def type_in(ds: netcdf.Dataset, name: str) -> Any:
    return ds[name].as_model().type


def test_booleans_are_numbers_or_an_enum(root: Group) -> None:
    stored(root, "flag", "bool", [True, False, True])
    with netcdf.Dataset(root.store, "r+") as ds:
        if root.zarr_format == 2:
            assert type_in(ds, "flag") is UBYTE
        else:
            assert type_in(ds, "flag") == Enum("/_bool_t", UBYTE, (("FALSE", 0), ("TRUE", 1)))
        assert ds["flag"][:].tolist() == [1, 0, 1]
        ds["flag"][1:] = [1, 0]
    assert root["flag"][...].tolist() == [True, True, False]


@pytest.mark.parametrize(("dtype", "part"), [("c8", FLOAT), ("c16", DOUBLE)])
def test_complex_numbers_stay_complex(root: Group, dtype: str, part: Any) -> None:
    stored(root.create_group("g"), "v", dtype, [1j, 2, 3])
    with netcdf.Dataset(root.store, "r+") as ds:
        name = f"_Complex{8 * np.dtype(dtype).itemsize}_t"
        assert type_in(ds, "g/v") == Compound(f"/{name}", (Field("r", part), Field("i", part)))
        assert list(ds.cmptypes) == [name] and not ds["g"].cmptypes
        assert ds["g/v"].dtype == dtype and ds["g/v"][:].tolist() == [1j, 2, 3]
        ds["g/v"][0] = 5
        ds["g/v"][1:] = np.array([6j, 7], "c8")
    assert root["g/v"][...].tolist() == [5, 6j, 7]


def test_records_get_a_type_of_the_arrays_name(root: Group) -> None:
    values = np.zeros(3, DTYPE)
    values["a"], values["text"], values["inner"]["z"] = [1, 2, 3], [b"ab", b"", b"abcd"], 1j
    values["flag"], values["half"], values["raw"], values["when"] = True, 1.5, b"xyz", 7
    stored(root.create_group("g"), "rec", DTYPE, values)
    with netcdf.Dataset(root.store, "r+") as ds:
        kind = type_in(ds, "g/rec")
        types = {field.name: (field.type, field.shape) for field in kind.fields}
        assert kind.path == "/g/rec_t" and list(types) == list(DTYPE.names or ())
        assert types["a"] == (INT, ()) and types["text"] == (CHAR, (4,)) and types["half"] == (FLOAT, ())
        assert types["when"] == (INT64, ()) and types["raw"] == (Opaque("/g/rec_raw_t", 3), ())
        assert types["inner"][0].path == "/g/rec_inner_t"
        assert list(ds["g"].cmptypes) == ["rec_inner_t", "rec_t"] and list(ds["g"].opaquetypes) == [
            "rec_raw_t"
        ]
        found = ds["g/rec"][:]
        assert found["a"].tolist() == [1, 2, 3] and found["text"].tolist() == [b"ab", b"", b"abcd"]
        assert found["inner"]["z"].tolist() == [1j] * 3 and found["flag"].tolist() == [1, 1, 1]
        assert found["half"].tolist() == [1.5] * 3 and found["when"].tolist() == [7] * 3
        ds["g/rec"][1:] = found[:2]
    assert root["g/rec"][...].tolist() == values[[0, 0, 1]].tolist()


def test_raw_bytes_and_byte_strings(root: Group) -> None:
    stored(root, "raw", "V2", np.array([b"ab", b"cd", b"ef"], "V2"))
    stored(root, "text", "bytes", np.array([b"", b"abc", b"\0"], object))
    with netcdf.Dataset(root.store, "r+") as ds:
        assert type_in(ds, "raw") == Opaque("/raw_t", 2) and type_in(ds, "text") == Vlen("/text_t", UBYTE)
        assert ds["raw"][1].tobytes() == b"cd"
        assert [part.tobytes() for part in ds["text"][:]] == [b"", b"abc", b"\0"]
        ds["raw"][1], ds["text"][0] = b"xy", b"new"
    assert root["raw"][1].tobytes() == b"xy" and root["text"][...].tolist() == [b"new", b"abc", b"\0"]


def test_arrays_of_any_length() -> None:
    root = omnizarr.open_group({}, mode="w", zarr_format=2)
    values = np.empty(3, object)
    values[:] = [np.arange(2, dtype="i4"), np.arange(0, dtype="i4"), np.arange(3, dtype="i4")]
    stored(root, "v", object, values, filters=[numcodecs.VLenArray("<i4")], fill_value=None)
    with netcdf.Dataset(root.store, "r+") as ds:
        assert type_in(ds, "v") == Vlen("/v_t", INT)
        assert [part.tolist() for part in ds["v"][:]] == [[0, 1], [], [0, 1, 2]]
        ds["v"][1] = [5]
    assert root["v"][1].tolist() == [5]


def test_a_name_that_is_taken_is_made_longer(root: Group) -> None:
    stored(root, "v", "V2", np.zeros(3, "V2"))
    stored(root, "v_t", "i4", 0)
    stored(root, "v_t_", "V3", np.zeros(3, "V3"))
    with netcdf.Dataset(root.store) as ds:
        kinds = {ds[name].datatype.name: ds[name].datatype.size for name in ("v", "v_t_")}
        assert kinds == {name: handle.size for name, handle in ds.opaquetypes.items()}
        assert sorted(kinds.values()) == [2, 3] and not set(kinds) & set(ds.variables)


def test_what_netcdf_cannot_show_is_left_out() -> None:
    root = omnizarr.open_group({}, mode="w", zarr_format=2)
    stored(root, "v", object, np.array([None, 1, "a"], object), filters=[numcodecs.JSON()])
    stored(root, "w", "i4", 1)
    with (
        pytest.warns(UserWarning, match="/v is left out: netCDF has no type"),
        netcdf.Dataset(root.store) as ds,
    ):
        assert list(ds.variables) == ["w"]


@pytest.mark.parametrize("dialect", ["nczarr", "proposal2018"])
def test_times_have_units_where_notes_list_them_too(dialect: str) -> None:
    store = MemoryStore()
    with netcdf.Dataset(store, "w", dialect=dialect) as ds:
        ds.createDimension("x", 2)
        for name in ("when", "long"):
            ds.createVariable(name, "i8", ("x",), fill_value=-1)[:] = [0, 86400]
        ds["long"].note = "kept"
    for name, dtype in (("when", "<M8[s]"), ("long", "<m8[h]")):
        document = json.loads(store.get(f"{name}/.zarray") or b"")
        store.set(f"{name}/.zarray", json.dumps({**document, "dtype": dtype}).encode())
    before = store.get("when/.zattrs")
    with netcdf.Dataset(store, "r+") as ds:
        assert ds["when"].units == "seconds since 1970-01-01" and ds["when"][:].tolist() == [0, 86400]
        assert (ds["long"].units, ds["long"].note) == ("hours", "kept")
        ds["long"].note = "changed"
    assert store.get("when/.zattrs") == before
    assert "units" not in json.loads(store.get("long/.zattrs") or b"")
