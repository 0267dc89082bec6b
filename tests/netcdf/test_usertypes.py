"""Types of the user: what defines them, what they take, how datasets keep them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from netcdf_peer import run_peer, url_of

from omnizarr import netcdf
from omnizarr.errors import ConversionError
from omnizarr.netcdf.model.names import DefinitionError, NameInUseError
from omnizarr.netcdf.model.types import STRING

UNSEEN = "netCDF-C does not see variable"


@pytest.fixture(params=[2, 3])
def ds(request: pytest.FixtureRequest) -> Iterator[netcdf.Dataset]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", UNSEEN)
        with netcdf.Dataset({}, "w", zarr_format=request.param) as dataset:
            dataset.createDimension("x", 3)
            dataset.createDimension("t", None)
            yield dataset


def reopened(dataset: netcdf.Dataset, **options: Any) -> netcdf.Dataset:
    """Return what another reader sees once this one is closed."""
    store = dataset._node.store
    dataset.close()
    return netcdf.Dataset(store, **options)


# --- definitions


def test_handles_say_what_they_stand_for(ds: netcdf.Dataset) -> None:
    opaque = ds.createOpaqueType(11, "o_t")
    assert (opaque.name, opaque.size, opaque.dtype) == ("o_t", 11, np.dtype("V11"))
    assert ds.opaquetypes == {"o_t": opaque}
    vlen = ds.createVLType(opaque, "v_t")
    assert repr(vlen) == "<class 'omnizarr.netcdf.usertypes.VLType'>: name = 'v_t', numpy dtype = |V11"
    enum = ds.createEnumType("i2", "e_t", {"A": 1})
    assert repr(enum).endswith("numpy dtype = int16, fields/values ={'A': 1}")
    group = ds.createGroup("g")
    record = group.createCompoundType([("e", enum), ("o", opaque, 2), ("s", str), ("v", vlen)], "r_t")
    assert record.dtype.names == ("e", "o", "s", "v") and record.nctype.path == "/g/r_t"
    again = reopened(ds)
    assert (again.opaquetypes, again.vltypes) == ({"o_t": opaque}, {"v_t": vlen})
    assert again.enumtypes == {"e_t": enum}
    assert again["g"].cmptypes == {"r_t": record} and not again.cmptypes


def test_str_makes_a_string_of_a_vlen(ds: netcdf.Dataset) -> None:
    handle = ds.createVLType(str, "text_t")
    assert handle.name == "text_t" and handle.dtype is str and "string type" in repr(handle)
    assert ds.createVariable("v", handle, ("x",)).dtype is str


def test_a_name_is_taken_once(ds: netcdf.Dataset) -> None:
    ds.createEnumType("i1", "taken", {"A": 1})
    for define in (
        lambda: ds.createOpaqueType(1, "taken"),
        lambda: ds.createVariable("taken", "i4", ()),
        lambda: ds.createGroup("taken"),
    ):
        with pytest.raises(NameInUseError, match="in use"):
            define()
    ds.createVariable("v", "i4", ())
    with pytest.raises(NameInUseError, match="in use"):
        ds.createVLType("i4", "v")


@pytest.mark.parametrize(
    ("define", "message"),
    [
        (lambda ds: ds.createEnumType("i1", "e", {}), "has members"),
        (lambda ds: ds.createEnumType("i1", "e", {"A": 1, "B": 1}), "value of its own"),
        (lambda ds: ds.createOpaqueType(0, "o"), "has bytes"),
        (lambda ds: ds.createCompoundType([], "c"), "has fields"),
        (lambda ds: ds.createCompoundType([("a", "i4"), ("a", "i4")], "c"), "name of its own"),
        (lambda ds: ds.createCompoundType([("a", "i4", (0,))], "c"), "axes of at least 1"),
        (lambda ds: ds.createCompoundType([("a", "V3")], "c"), "Unsupported compound type element"),
        (lambda ds: ds.createVLType(np.dtype(("i4", 2)), "v"), "an array of shape"),
    ],
)
def test_what_makes_no_type_is_refused(define: Any, message: str) -> None:
    with netcdf.Dataset({}, "w") as ds, pytest.raises(DefinitionError, match=message):
        define(ds)


def test_a_dtype_stands_for_the_nearest_type_that_fits(ds: netcdf.Dataset) -> None:
    dtype = np.dtype([("a", "i4"), ("n", "S1", (3,))])
    outer = ds.createCompoundType(dtype, "outer_t")
    group = ds.createGroup("g")
    assert group.createVariable("v", dtype, ("x",)).datatype == outer
    inner = group.createCompoundType(dtype, "inner_t")
    assert group.createVariable("w", dtype.newbyteorder(), ("x",)).datatype == inner
    assert group.createVariable("u", outer.dtype_view, ("x",)).datatype == inner
    assert ds.createVariable("v", dtype, ("x",)).datatype == outer


def test_a_type_of_another_dataset_is_refused(ds: netcdf.Dataset) -> None:
    with netcdf.Dataset({}, "w") as other:
        foreign = other.createEnumType("i1", "e_t", {"A": 1})
    with pytest.raises(DefinitionError, match="/e_t is not defined in this dataset"):
        ds.createVariable("v", foreign, ("x",))
    ds.createEnumType("i1", "e_t", {"A": 1})
    assert ds.createVariable("v", foreign, ("x",)).datatype == foreign


# --- values


def test_an_enum_takes_its_members_and_masks(ds: netcdf.Dataset) -> None:
    v = ds.createVariable("v", ds.createEnumType("i4", "e_t", {"A": 5, "B": -1}), ("t",))
    v[:] = np.ma.masked_array([5, 99, -1], [False, True, False])
    assert v[:].tolist() == [5, None, -1]
    v[0] = np.ma.masked
    assert v[0] is np.ma.masked
    with pytest.raises(ValueError, match=r"illegal value 6 .* it has A = 5, B = -1"):
        v[3:5] = [5, 6]
    with pytest.raises(ValueError, match=r"illegal value 5\.5"):
        v[0] = 5.5
    assert v.shape == (3,)
    assert reopened(ds)["v"][:].tolist() == [None, None, -1]


def test_records_are_given_in_many_ways(ds: netcdf.Dataset) -> None:
    kind = ds.createCompoundType([("a", "i4"), ("b", "f8", (2,)), ("n", "S3"), ("m", "S1", (2, 2))], "r_t")
    v = ds.createVariable("v", kind, ("x",))
    whole = (1, (2.0, 3.0), "ab", [["p", "q"], "rs"])
    v[0] = whole
    v[1:] = [whole, (2, [0, 0], b"", [b"tu", b"v"])]
    assert repr(v[0]) == repr(v[1])
    assert v[0]["n"] == b"ab" and v[0]["m"].tolist() == [b"pq", b"rs"] and v[2]["m"].tolist() == [b"tu", b"v"]
    v[:] = v[::-1]
    assert v[:]["a"].tolist() == [2, 1, 1]
    v[:] = v[1]
    assert v[:]["a"].tolist() == [1, 1, 1]
    short, long = (1, (2.0,), "ab", whole[3]), (1, (2.0, 3.0), "abcd", whole[3])
    for wrong in ((1, 2), short, long, 5, "text"):
        with pytest.raises(ConversionError):
            v[0] = wrong
    with pytest.raises(ConversionError):
        v[:] = np.arange(3)


def test_sequences_are_given_in_many_ways(ds: netcdf.Dataset) -> None:
    v = ds.createVariable("v", ds.createVLType("i2", "v_t"), ("t", "x"))
    v[0] = [[1, 2], [], (3,)]
    assert [part.tolist() for part in v[0]] == [[1, 2], [], [3]]
    v[1:3] = [[[1], None, [2]], [[], [], [4, 5]]]
    assert v[2, 2].tolist() == [4, 5] and v[1, 1].size == 0 and v[2, 2].dtype == np.int16
    v[0, 0] = np.array([7.0, 8.0])
    assert v[0, 0].tolist() == [7, 8]
    for wrong in ([1.5], [40000], ["a"], 5, [[1]]):
        with pytest.raises(ConversionError):
            v[0, 0] = wrong
    with pytest.raises(ValueError, match="axes of lists"):
        v[0] = 5
    with pytest.raises(IndexError, match="assigned to one element"):
        v[0] = np.arange(3)
    chars = ds.createVariable("chars", ds.createVLType("S1", "chars_t"), ("x",))
    chars[0] = "abc"
    assert b"".join(chars[0].tolist()) == b"abc" and chars[1].dtype == "S1"
    texts = ds.createVariable("texts", ds.createVLType(STRING, "texts_t"), ("x",))
    texts[0], texts[1:] = ["é", ""], [["x"], []]
    assert [list(part) for part in reopened(ds)["texts"][:]] == [["é", ""], ["x"], []]


def test_opaque_values_are_bytes_of_one_length(ds: netcdf.Dataset) -> None:
    v = ds.createVariable("v", ds.createOpaqueType(3, "o_t"), ("x",), fill_value=b"\0ab")
    v[1] = b"x\0\0"
    v[2:] = np.array([b"uvw"], "S3")
    assert [value.tobytes() for value in v[:]] == [b"\0ab", b"x\0\0", b"uvw"]
    assert v[0].tobytes() == v._FillValue.tobytes() == v.get_fill_value().tobytes()
    for wrong in (b"ab", b"abcd", 5, "abc"):
        with pytest.raises(ConversionError, match="o_t"):
            v[0] = wrong


def test_strings_in_records_widen_while_nothing_is_written(ds: netcdf.Dataset) -> None:
    kind = ds.createCompoundType([("k", "i1"), ("s", str), ("two", str, (2,))], "r_t")
    v = ds.createVariable("v", kind, ("x",))
    v[0] = (1, "ü" * 100, ["a", "b" * 150])
    assert v.as_model().max_string_length == 200
    with pytest.raises(ConversionError, match="201 bytes does not fit into the 200 bytes"):
        v[1] = (1, "", ["", "c" * 201])
    found = reopened(ds)["v"]
    assert found[0]["s"] == "ü" * 100
    assert found[0]["two"].tolist() == ["a", "b" * 150] and found[1]["s"] == ""


def test_complex_numbers(ds: netcdf.Dataset) -> None:
    with pytest.raises(ValueError, match="only supported with `auto_complex=True`"):
        ds.createVariable("v", "c16", ("x",))
    with reopened(ds, mode="r+", auto_complex=True) as own:
        v = own.createVariable("v", "c16", ("x",), fill_value=1j)
        v[1:] = [2, 3 + 4j]
        assert v[:].tolist() == [1j, 2, 3 + 4j] and v.dtype == "c16" and v.datatype.name == "_Complex128_t"
        pair = own.createCompoundType([("re", "f4"), ("im", "f4")], "pair_t")
        w = own.createVariable("w", pair, ("x",))
        w[:] = np.array([1j, 2, 3], "c8")
        assert w[0] == 1j and w[:].dtype == "c8"
    with netcdf.Dataset(ds._node.store) as plain:
        assert plain["v"][:].tolist() == [1j, 2, 3 + 4j]
        assert plain["w"][0].item() == (0.0, 1.0)


# --- attributes


def test_attributes_of_records_and_opaque_bytes(ds: netcdf.Dataset) -> None:
    kind = ds.createCompoundType([("a", "i4"), ("n", "S3")], "r_t")
    ds.createOpaqueType(2, "o_t")
    values = np.array([(1, b"abc"), (2, b"d")], kind.dtype_view)
    ds.several, ds.one = values, values[1]
    v = ds.createVariable("v", "i4", ("x",))
    v.raw = np.void(b"xy")
    with pytest.raises(TypeError, match="netCDF has no type"):
        v.other = np.zeros(1, [("zz", "i4")])
    again = reopened(ds)
    assert again.several.tolist() == values.tolist() and again.several.dtype == kind.dtype_view
    assert again.one.item() == (2, b"d") and again["v"].raw.tobytes() == b"xy"


def test_groups_and_types_are_renamed_together(ds: netcdf.Dataset) -> None:
    group = ds.createGroup("old")
    kind = group.createEnumType("i1", "e_t", {"A": 1})
    group.createVariable("v", group.createVLType(kind, "v_t"), ("x",))[0] = [1, 1]
    ds.renameGroup("old", "new")
    again = reopened(ds)
    assert again["new/v"].datatype.nctype.path == "/new/v_t"
    assert again["new/v"][0].tolist() == [1, 1] and not again.as_dataset().faults


# --- NCZarr


def test_netcdf_c_reads_what_lies_beside(tmp_path: Path) -> None:
    place = tmp_path / "typed"
    with netcdf.Dataset(place, "w") as ds:
        ds.createDimension("x", 3)
        ds.createDimension("t", None)
        kind = ds.createCompoundType([("a", "i4")], "c_t")
        enum = ds.createEnumType("i4", "e_t", {"A": 1, "B": 2, "no": 255})
        first = ds.createVariable("first", "f8", ("t",))
        with pytest.warns(UserWarning, match=f"{UNSEEN} 'records'") as told:
            records = ds.createVariable("records", kind, ("t",))
            ds.createVariable("bytes", ds.createOpaqueType(3, "o_t"), ("x",), fill_value=b"abc")
            ds.createGroup("g").createVariable("lists", ds.createVLType("i4", "v_t"), ("x",))[0] = [1]
        assert len(told) == 1
        clouds = ds.createVariable("clouds", enum, ("x",), fill_value=255)
        ds.createVariable("last", "i2", ("x",))[:] = 7
        first[:], records[0:2], clouds[1] = [1, 2], [(1,), (2,)], 2
        ds.note = records[1]
        first.setncattr("note", np.zeros(2, kind.dtype))
    run_peer(
        """
import sys, netCDF4
with netCDF4.Dataset(sys.argv[1]) as ds:
    assert list(ds.variables) == ["first", "clouds", "last"], list(ds.variables)
    assert ds["clouds"][:].tolist() == [None, 2, None] and ds["clouds"]._FillValue == 255
    assert ds["first"][:].tolist() == [1, 2] and ds["last"][:].tolist() == [7, 7, 7]
    assert ds.note == "[[2]]" and ds["first"].note == "[[0],[0]]", (ds.note, ds["first"].note)
    assert not ds["g"].variables
""",
        url_of(place),
    )
    with netcdf.Dataset(place, "r+") as ds:
        assert list(ds.variables) == ["first", "records", "bytes", "clouds", "last"]
        assert ds.note.item() == (2,) and ds["first"].ncattrs() == ["note"]
        ds["records"][4] = (5,)
    with netcdf.Dataset(place) as ds:
        assert ds["records"][:]["a"].tolist() == [1, 2, 0, 0, 5] and len(ds["first"]) == 5
        assert ds["g/lists"][0].tolist() == [1] and not ds.as_dataset().faults


def test_other_formats_and_dialects_do_not_warn() -> None:
    for options in ({"zarr_format": 3}, {"dialect": "plain"}, {"dialect": "proposal2018"}):
        with netcdf.Dataset({}, "w", **options) as ds:
            ds.createVariable("v", ds.createOpaqueType(3, "o_t"), ())


@pytest.mark.parametrize(
    ("change", "fault", "shown"),
    [
        (lambda notes: notes["types"].pop("r_t"), "dangling-type", "v_t"),
        (lambda notes: notes["types"]["r_t"].update({"class": "what"}), "type-mismatch", "v_t"),
        (lambda notes: notes["types"]["r_t"]["fields"][0].update(type="/none"), "dangling-type", "v_t"),
        (lambda notes: notes["types"]["r_t"]["fields"][0].update(type="/r_t"), "type-mismatch", "v_t"),
        (lambda notes: notes["types"]["r_t"]["fields"][0].update(type="double"), "type-mismatch", "v_t"),
    ],
)
def test_types_that_contradict_show_what_is_stored(change: Any, fault: str, shown: str) -> None:
    store: dict[str, bytes] = {}
    with pytest.warns(UserWarning, match=UNSEEN), netcdf.Dataset(store, "w") as ds:
        ds.createDimension("x", 2)
        v = ds.createVariable("v", ds.createCompoundType([("a", "i4")], "r_t"), ("x",))
        v[:] = [(1,), (2,)]
        ds.createVariable("plain", "i4", ("x",))[:] = 3
        group = ds._node
    notes = dict(group.attrs["_nczarr_group"])
    change(notes)
    group.attrs["_nczarr_group"] = notes
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = netcdf.Dataset(store)
    with found:
        names = [entry.name for entry in found.as_dataset().faults]
        assert fault in names and len(told) == len(names)
        assert found["v"].datatype.name == shown and found["v"][:]["a"].tolist() == [1, 2]
        assert found["plain"][:].tolist() == [3, 3]
