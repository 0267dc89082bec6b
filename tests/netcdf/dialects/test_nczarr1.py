"""NCZarr of netCDF-C 4.8.0: documents beside those of Zarr."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pytest

from omnizarr import netcdf
from omnizarr.errors import ReadOnlyError
from omnizarr.store import MemoryStore
from omnizarr.store.base import Store


def array(dtype: str, shape: list[int], fill: Any = ..., **more: Any) -> dict[str, Any]:
    """Return a `.zarray` as 4.8.0 wrote it; without `fill_value` where there is none."""
    document = {"zarr_format": 2, "shape": shape, "dtype": dtype, "chunks": shape}
    document |= {} if fill is ... else {"fill_value": fill}
    return {**document, "order": "C", "compressor": None, "filters": None, **more}


def variable(*dimrefs: str, storage: str = "chunked") -> dict[str, Any]:
    return {"dimrefs": list(dimrefs), "storage": storage}


DATASET: dict[str, Any] = {
    ".nczarr": {"zarr_format": 2, "nczarr_version": "1.0.0"},
    ".zgroup": {"zarr_format": 2},
    ".nczgroup": {"dims": {"x": 2, "y": 3}, "vars": ["v", "c", "s", "e", "u"], "groups": ["g"]},
    ".zattrs": {"title": "root", "i": 1, "many": [1.5, 2], "b": 5, "_NCProperties": "version=2,netcdf=4.8.0"},
    ".nczattr": {"types": {"title": "2", "i": "4", "many": "5", "b": 1}},
    "v/.zarray": array("<i2", [2, 3], [-9]),
    "v/.zattrs": {"_FillValue": -9, "units": "m"},
    "v/.nczvar": variable("/x", "/y"),
    "v/.nczattr": {"types": {"_FillValue": "3", "units": "2"}},
    "v/0.0": np.arange(6, dtype="<i2").tobytes(),
    "c/.zarray": array("|S1", [3], [""]),
    "c/.nczvar": variable("/y"),
    "c/0": b"abc",
    "s/.zarray": array("<f8", [1], [9.96921e36]),
    "s/.nczvar": variable(storage="scalar"),
    "s/0": np.array([2.5], "<f8").tobytes(),
    "e/.zarray": array("<f4", [], 9.96921e36),
    "e/.nczvar": variable(),
    "u/.zarray": array("<i4", [2]),
    "u/.nczvar": variable("/x", storage="contiguous"),
    "g/.zgroup": {"zarr_format": 2},
    "g/.nczgroup": {"dims": {"x": 4}, "vars": ["w"], "groups": []},
    "g/w/.zarray": array("<u1", [4, 2], [255]),
    "g/w/.nczarray": variable("/g/x", "/x"),
    "g/w/.zattrs": {"a": [1, 2]},
    "g/w/.nczattrs": {"types": {"a": "8"}},
}


def stored(**changes: Any) -> MemoryStore:
    content = {**DATASET, **changes}
    return MemoryStore(
        {
            key: value if isinstance(value, bytes) else json.dumps(value).encode()
            for key, value in content.items()
            if value is not None
        }
    )


def types_of(owner: netcdf.Group | netcdf.Variable) -> dict[str, tuple[str, Any]]:
    return {a.name: (a.type.name, a.value) for a in owner.as_model().attributes}


def test_it_is_read() -> None:
    dataset = netcdf.Dataset(stored())
    assert dataset.as_dataset().dialect == "nczarr1" and dataset.as_dataset().faults == ()
    assert dataset.disk_format == "NCZARR"
    assert {d.name: len(d) for d in dataset.dimensions.values()} == {"x": 2, "y": 3}
    assert types_of(dataset) == {
        "title": ("char", "root"),
        "i": ("int", (1,)),
        "many": ("float", (1.5, 2.0)),
        "b": ("byte", (5,)),
    }
    assert types_of(dataset["v"]) == {"_FillValue": ("short", (-9,)), "units": ("char", "m")}
    assert dataset["v"][:].tolist() == [[0, 1, 2], [3, 4, 5]] and dataset["v"].dimensions == ("x", "y")
    assert dataset["c"][:].tolist() == [b"a", b"b", b"c"]
    assert dataset["s"].dimensions == () and dataset["s"][...] == 2.5
    assert dataset["e"].dimensions == () and dataset["e"][...] is np.ma.masked
    assert dataset["u"].as_model().no_fill and dataset["u"][:].tolist() == [0, 0]
    assert dataset["g/w"].as_model().dimensions == ("/g/x", "/x") and dataset["g/w"].shape == (4, 2)
    assert types_of(dataset["g/w"]) == {"a": ("ushort", (1, 2))}


@pytest.mark.parametrize("mode", ["a", "r+"])
def test_it_is_not_changed_in_place(mode: str) -> None:
    store = stored()
    before = {key: store.get(key) for key in store.list_prefix()}
    with pytest.raises(ReadOnlyError, match="omnizarr copy"):
        netcdf.Dataset(store, mode)
    assert {key: store.get(key) for key in store.list_prefix()} == before


def test_the_byte_order_of_big_endian_values_is_doubted() -> None:
    with pytest.warns(UserWarning, match=r"/u: .* written by netCDF-C 4.8.0"):
        dataset = netcdf.Dataset(stored(**{"u/.zarray": array(">i4", [2])}))
    assert [fault.name for fault in dataset.as_dataset().faults] == ["type-mismatch"]


BROKEN: list[tuple[str, Any, str]] = [
    (".nczgroup", b"{", "unreadable"),
    (".nczattr", [], "unreadable"),
    ("v/.nczvar", b"[1]", "unreadable"),
    ("v/.nczvar", {"dimrefs": ["/x"]}, "dimension-conflict"),
    ("v/.zarray", b"junk", "unreadable"),
    ("g/.zgroup", None, "missing-node"),
    (".nczattr", {"types": {"title": "99"}}, "attribute-type"),
]


@pytest.mark.parametrize(("key", "content", "name"), BROKEN)
def test_one_broken_document_keeps_nothing_from_opening(key: str, content: Any, name: str) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        dataset = netcdf.Dataset(stored(**{key: content}))
    assert name in [fault.name for fault in dataset.as_dataset().faults]
    assert len(told) == len(dataset.as_dataset().faults)
    assert dataset["c"][:].tolist() == [b"a", b"b", b"c"]


def test_a_store_without_its_documents_is_plain() -> None:
    store: Store = stored(**{".nczarr": None, "u/.zarray": None})
    assert netcdf.Dataset(store).disk_format == "ZARR"
