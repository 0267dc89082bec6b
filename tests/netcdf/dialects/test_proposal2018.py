"""NCZarr as it was proposed in 2018: nothing but this library writes it, so documents are compared."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

from omnizarr import netcdf
from omnizarr.errors import OmniZarrError
from omnizarr.netcdf.dialects.losses import losses_in
from omnizarr.netcdf.dialects.proposal2018 import Proposal2018


def _document(place: Path) -> Any:
    return json.loads(place.read_text())


def _make(place: Path) -> None:
    with netcdf.Dataset(place, "w", dialect="proposal2018") as dataset:
        dataset.title, dataset.short = "2018", np.int16(3)
        dataset.numbers = np.array([1.5, np.nan], "f4")
        dataset.createDimension("t", None)
        dataset.createDimension("x", 3)
        dataset.createVariable("i", "i4", ("t", "x"), zlib=True, fill_value=-1)[:2] = [[1, 2, 3], [4, 5, 6]]
        dataset.createVariable("c", "S1", ("x",), fill_value="q")[:2] = np.array(list("ab"), "S1")
        dataset.createVariable("u", "u1", ("x",))[:] = [1, 2, 3]
        dataset.createVariable("s", str, ("x",), fill_value="none")[:2] = np.array(["a", "äö"], object)
        dataset.createVariable("scalar", ">f8", ())[...] = 2
        dataset.createVariable("bare", "i2", ("x",), fill_value=False)[:] = 7
        group = dataset.createGroup("g")
        group.createDimension("y", 2)
        wide = group.createVariable("v", "u8", ("x", "y"))
        wide[:] = 2**63
        wide.units = "m"


def test_what_netcdf_adds_lies_under_keys_of_its_own(tmp_path: Path) -> None:
    _make(tmp_path / "d")
    root = tmp_path / "d"
    assert list(_document(root / ".zdataset")) == ["nczarr_version"]
    assert _document(root / ".zdims") == {"t": {"size": 2, "unlimited": 1}, "x": 3}
    assert _document(root / "g" / ".zdims") == {"y": 2}
    assert _document(root / ".zgroup") == {"zarr_format": 2}
    assert "_NCProperties" in _document(root / ".zattrs")
    types = {"title": "char", "short": "short", "numbers": "float", "_NCProperties": "char"}
    assert _document(root / ".zattr_type") == types
    assert _document(root / "g" / "v" / ".zattr_type") == {"units": "char"}
    array = _document(root / "c" / ".zarray")
    assert (array["dtype"], array["fill_value"], array["dimensions"]) == ("|u1", ord("q"), ["/x"])
    assert _document(root / "g" / "v" / ".zarray")["dimensions"] == ["/x", "/g/y"]
    assert _document(root / "i" / ".zarray")["dtype"] == "<i4"
    assert _document(root / "bare" / ".zarray")["fill_value"] is None


def _shown(place: Path) -> dict[str, Any]:
    dataset = netcdf.Dataset(place)
    assert dataset.as_dataset().dialect == "proposal2018" and dataset.as_dataset().faults == ()
    found: dict[str, Any] = {}
    for name in ("i", "c", "u", "s", "scalar", "bare", "g/v"):
        variable, model = dataset[name], dataset[name].as_model()
        values = np.ma.asarray(variable[...]).tolist()
        found[name] = (model.type.name, model.dimensions, model.endian, model.no_fill, values)
    return found


EXPECTED = {
    "i": ("int", ("/t", "/x"), "little", False, [[1, 2, 3], [4, 5, 6]]),
    "c": ("char", ("/x",), "little", False, [b"a", b"b", None]),
    "u": ("ubyte", ("/x",), "little", False, [1, 2, 3]),
    "s": ("string", ("/x",), "little", False, ["a", "äö", "none"]),
    "scalar": ("double", (), "big", False, 2.0),
    "bare": ("short", ("/x",), "little", True, [7, 7, 7]),
    "g/v": ("uint64", ("/x", "/g/y"), "little", False, [[2**63] * 2] * 3),
}


def test_all_is_read_back(tmp_path: Path) -> None:
    _make(tmp_path / "d")
    assert _shown(tmp_path / "d") == EXPECTED
    dataset = netcdf.Dataset(tmp_path / "d")
    assert dataset.ncattrs() == ["title", "short", "numbers"]
    assert dataset.short.dtype == "i2" and dataset.numbers.dtype == "f4" and np.isnan(dataset.numbers[1])
    assert dataset.dimensions["t"].isunlimited() and dataset["i"].filters()["zlib"]


def test_it_is_changed_in_place(tmp_path: Path) -> None:
    _make(tmp_path / "d")
    with netcdf.Dataset(tmp_path / "d", "a") as dataset:
        dataset["i"][3] = 9
        dataset.more = np.int64(1)
        dataset.createDimension("z", 1)
    dataset = netcdf.Dataset(tmp_path / "d")
    assert dataset["i"][2:].tolist() == [[None] * 3, [9, 9, 9]] and dataset.more.dtype == "i8"
    assert {d.name: d.size for d in dataset.dimensions.values()} == {"t": 4, "x": 3, "z": 1}
    assert _document(tmp_path / "d" / ".zdims")["t"] == {"size": 4, "unlimited": 1}


def test_a_table_that_counts_bits_is_read(tmp_path: Path) -> None:
    _make(tmp_path / "d")
    bits = {"i": "<i32", "u": "<u8", "scalar": ">f64", "bare": "<i16", "g/v": "<u64"}
    for name, dtype in bits.items():
        place = tmp_path / "d" / name / ".zarray"
        place.write_text(json.dumps({**_document(place), "dtype": dtype}))
    assert _shown(tmp_path / "d") == EXPECTED
    with netcdf.Dataset(tmp_path / "d", "a") as dataset:
        dataset["bare"][0] = 1
        dataset["bare"].units = "m"
    assert netcdf.Dataset(tmp_path / "d")["bare"][:].tolist() == [1, 7, 7]


@pytest.mark.parametrize("spelled", ["/_anonymous3", "/Anonymous3", None])
def test_dimensions_without_names_have_one_from_their_size(spelled: str | None, tmp_path: Path) -> None:
    _make(tmp_path / "d")
    place = tmp_path / "d" / "u" / ".zarray"
    document = _document(place)
    document["dimensions"] = [spelled]
    if spelled is None:
        del document["dimensions"]
    place.write_text(json.dumps(document))
    dataset = netcdf.Dataset(tmp_path / "d")
    name = (spelled or "/_anonymous3")[1:]
    assert dataset["u"].dimensions == (name,) and dataset.dimensions[name].size == 3
    assert dataset.as_dataset().faults == ()


def test_what_netcdf_did_not_write_is_read_only_unless_it_is_asked_for(tmp_path: Path) -> None:
    root = zarr.open_group(tmp_path, mode="w", zarr_format=2)
    root.create_array("a", shape=(4, 5), dtype="i4")[:] = 1
    dataset = netcdf.Dataset(tmp_path, dialect="proposal2018")
    assert dataset["a"].dimensions == ("_anonymous4", "_anonymous5") and dataset["a"][0, 0] == 1
    with pytest.raises(OmniZarrError, match="only read as that"):
        netcdf.Dataset(tmp_path, "r+", dialect="proposal2018")
    with netcdf.Dataset(tmp_path, "a", dialect="proposal2018") as dataset:
        assert dataset.as_dataset().dialect == "plain"
        dataset["a"].units = "m"
    assert dict(zarr.open_group(tmp_path)["a"].attrs) == {"units": "m"}
    assert not (tmp_path / ".zdims").exists()


def test_without_properties_it_is_not_netcdfs(tmp_path: Path) -> None:
    _make(tmp_path / "d")
    place = tmp_path / "d" / ".zattrs"
    document = _document(place)
    del document["_NCProperties"]
    place.write_text(json.dumps(document))
    assert netcdf.Dataset(tmp_path / "d").as_dataset().dialect == "plain"


def test_types_of_the_user(tmp_path: Path) -> None:
    with netcdf.Dataset(tmp_path / "d", "w", dialect="proposal2018") as dataset:
        dataset.createDimension("x", 2)
        cloud = dataset.createEnumType("u1", "cloud_t", {"clear": 0, "overcast": 3})
        pair = dataset.createCompoundType(np.dtype([("n", "i4"), ("r", "f8", (2,))]), "pair_t")
        dataset.createVariable("e", cloud, ("x",))[:] = [0, 3]
        dataset.createVariable("p", pair, ("x",))[0] = np.array((7, (1.5, 2.5)), pair.dtype)
    root = tmp_path / "d"
    assert _document(root / ".ztypedefs")["cloud_t"]["members"] == {"clear": 0, "overcast": 3}
    assert _document(root / "e" / ".zarray")["typedef"] == "/cloud_t"
    assert _document(root / "e" / ".zarray")["dtype"] == "|u1"
    assert _document(root / "p" / ".zarray")["dtype"] == [["n", "<i4"], ["r", "<f8", [2]]]
    dataset = netcdf.Dataset(root)
    assert dataset["e"].datatype.enum_dict == {"clear": 0, "overcast": 3} and dataset["e"][1] == 3
    assert dataset["p"][0]["n"] == 7 and dataset["p"][0]["r"].tolist() == [1.5, 2.5]
    assert list(dataset.cmptypes) == ["pair_t"] and list(dataset.enumtypes) == ["cloud_t"]


def test_sequences_are_a_loss_to_others(tmp_path: Path) -> None:
    with netcdf.Dataset(tmp_path / "d", "w") as dataset:
        dataset.createDimension("x", 2)
        rows = dataset.createVLType("i4", "rows_t")
        with pytest.warns(UserWarning):
            dataset.createVariable("v", rows, ("x",))
        losses = losses_in(Proposal2018(), dataset.as_dataset())
    assert [(loss.path, loss.reader) for loss in losses] == [("/v", "other readers of the proposal")]


def test_an_interrupted_growth_opens(tmp_path: Path) -> None:
    _make(tmp_path / "d")
    shutil.copy(tmp_path / "d" / ".zdims", tmp_path / "kept")
    with netcdf.Dataset(tmp_path / "d", "a") as dataset:
        dataset["i"][4] = 1
    shutil.copy(tmp_path / "kept", tmp_path / "d" / ".zdims")
    dataset = netcdf.Dataset(tmp_path / "d")
    assert dataset.dimensions["t"].size == 5 and dataset["i"][4].tolist() == [1, 1, 1]
