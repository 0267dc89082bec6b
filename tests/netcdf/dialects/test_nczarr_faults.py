"""What contradicts itself in an NCZarr dataset is shown as well as may be, and named."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from omnizarr import netcdf
from omnizarr.store import MemoryStore


def sample(zarr_format: int) -> MemoryStore:
    store = MemoryStore()
    with netcdf.Dataset(store, "w", zarr_format=zarr_format) as dataset:
        dataset.title = "sample"
        dataset.createDimension("x", 3)
        dataset.createDimension("t", None)
        dataset.createVariable("v", "i4", ("x",))[:] = [1, 2, 3]
        dataset.createVariable("w", "i4", ("t", "x"), fill_value=np.int32(-1))[:2] = 7
        dataset.createVariable("/g/u", "f8", ("x",))[:] = 2
        dataset.createVariable("s", "i4")[...] = 5
    return store


class Edit:
    """The documents of a dataset, to be damaged."""

    def __init__(self, store: MemoryStore, zarr_format: int) -> None:
        self.store = store
        self.zarr_format = zarr_format

    def document(self, key: str, change: Callable[[Any], None]) -> None:
        data = self.store.get(key)
        assert data is not None, key
        content = json.loads(data)
        change(content)
        self.store.set(key, json.dumps(content).encode())

    def attributes(self, path: str, change: Callable[[Any], None]) -> None:
        name = ".zattrs" if self.zarr_format == 2 else "zarr.json"
        inner = change if self.zarr_format == 2 else lambda content: change(content["attributes"])
        self.document(f"{path}/{name}".lstrip("/"), inner)

    def array(self, path: str, change: Callable[[Any], None]) -> None:
        self.document(f"{path}/{'.zarray' if self.zarr_format == 2 else 'zarr.json'}", change)

    def open(self) -> netcdf.Dataset:
        """Open the dataset; there is one warning for each fault."""
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            dataset = netcdf.Dataset(self.store)
        assert len(told) == len(dataset.as_dataset().faults)
        return dataset


@pytest.fixture(params=[2, 3])
def edit(request: pytest.FixtureRequest) -> Iterator[Edit]:
    yield Edit(sample(request.param), request.param)


def faults(dataset: netcdf.Dataset) -> list[tuple[str, str]]:
    return [(fault.name, fault.path) for fault in dataset.as_dataset().faults]


def test_a_sound_dataset_has_no_faults(edit: Edit) -> None:
    assert faults(edit.open()) == []


def test_a_dimension_that_does_not_exist_is_made(edit: Edit) -> None:
    edit.attributes("v", lambda a: a["_nczarr_array"].update(dimension_references=["/g/new"]))
    edit.attributes("g/u", lambda a: a["_nczarr_array"].update(dimension_references=["/none/such"]))
    dataset = edit.open()
    assert faults(dataset) == [("dangling-dimension", "/v"), ("dangling-dimension", "/g/u")]
    assert dataset["v"].as_model().dimensions == ("/new",) and dataset["v"][:].tolist() == [1, 2, 3]
    assert dataset["g/u"].as_model().dimensions == ("/g/such",) and dataset["g/u"].shape == (3,)


@pytest.mark.parametrize("size", [-1, "3", None, 2.5, {"unlimited": 1}])
def test_a_dimension_without_a_size_gets_that_of_its_variables(size: Any, edit: Edit) -> None:
    if edit.zarr_format == 2:
        edit.attributes("", lambda a: a["_nczarr_group"]["dimensions"].update(x=size))
    else:
        edit.attributes("", lambda a: a["_nczarr_group"]["dimensions"][0].update(size=size))
    dataset = edit.open()
    assert ("dimension-conflict", "/") in faults(dataset)
    assert len(dataset.dimensions["x"]) == 3 and dataset["v"].dimensions == ("x",)


def test_an_axis_of_another_length_gets_a_dimension_of_its_own(edit: Edit) -> None:
    edit.array("v", lambda a: a.update(shape=[5]))
    edit.array("g/u", lambda a: a.update(shape=[5]))
    dataset = edit.open()
    assert faults(dataset) == [("shape-mismatch", "/v"), ("shape-mismatch", "/g/u")]
    assert dataset["v"].as_model().dimensions == ("/x_5",) and dataset["v"].shape == (5,)
    assert dataset["v"][:3].tolist() == [1, 2, 3]
    assert dataset["g/u"].as_model().dimensions == ("/g/x_5",)
    assert len(dataset.dimensions["x"]) == 3 and dataset["w"].shape == (2, 3)


@pytest.mark.parametrize("references", [[], ["/x", "/x"], None, "x", [1]])
def test_references_that_are_not_as_many_as_axes(references: Any, edit: Edit) -> None:
    edit.attributes("v", lambda a: a["_nczarr_array"].update(dimension_references=references))
    dataset = edit.open()
    # The names of the axes are known all the same.
    assert dataset["v"].dimensions == ("x",) and dataset["v"][:].tolist() == [1, 2, 3]
    assert faults(dataset) == ([("dimension-conflict", "/v")] if isinstance(references, list) else [])


def test_an_array_without_any_names_has_anonymous_dimensions(edit: Edit) -> None:
    def forget(attributes: Any) -> None:
        del attributes["_nczarr_array"]
        attributes.pop("_ARRAY_DIMENSIONS", None)

    edit.attributes("v", forget)
    if edit.zarr_format == 3:
        edit.array("v", lambda a: a.pop("dimension_names"))
    dataset = edit.open()
    assert faults(dataset) == [("dimension-conflict", "/v")]
    assert dataset["v"].as_model().dimensions == ("/_Anonymous_Dim_3",)


def test_an_array_without_axes_is_a_scalar(edit: Edit) -> None:
    edit.array("v", lambda a: a.update(shape=[]))
    if edit.zarr_format == 2:
        edit.array("v", lambda a: a.update(chunks=[]))
    else:
        edit.array("v", lambda a: a["chunk_grid"]["configuration"].update(chunk_shape=[]))
        edit.array("v", lambda a: a.update(dimension_names=[]))
    dataset = edit.open()
    assert faults(dataset) == [("dimension-conflict", "/v")]
    assert dataset["v"].dimensions == ()


def test_nodes_that_are_listed_and_not_there_are_left_out(edit: Edit) -> None:
    groups = "groups" if edit.zarr_format == 2 else "subgroups"
    edit.attributes(
        "", lambda a: a["_nczarr_group"].update({"arrays": ["v", "no", "v", "../v", "g/u", "", "g"]})
    )
    edit.attributes("", lambda a: a["_nczarr_group"].update({groups: ["none", "w"]}))
    dataset = edit.open()
    assert list(dataset.variables) == ["v"] and list(dataset.groups) == []
    assert {path for _, path in faults(dataset)} == {"/no", "/../v", "/g/u", "/", "/g", "/none", "/w"}
    assert {name for name, _ in faults(dataset)} <= {"missing-node", "unreadable"}


def test_a_group_without_lists_is_looked_through(edit: Edit) -> None:
    edit.attributes("", lambda a: a["_nczarr_group"].pop("arrays"))
    dataset = edit.open()
    assert faults(dataset) == []
    assert sorted(dataset.variables) == ["s", "v", "w"] and list(dataset.groups) == ["g"]
    edit.attributes("g", lambda a: a.pop("_nczarr_group"))
    dataset = edit.open()
    assert faults(dataset) == [] and dataset["g/u"][:].tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    ("value", "code", "kind", "shown"),
    [
        ("text", "<i4", "char", "text"),
        (300, "<i1", "int", (300,)),
        (1.5, "<i2", "double", (1.5,)),
        ([1, "a"], "<i4", "char", '[1,"a"]'),
        ({"a": 1}, "<f8", "char", '{"a": 1}'),
        (5, "nonsense", "int", (5,)),
        (5, 7, "int", (5,)),
        (5, "/no_type", "int", (5,)),
    ],
)
def test_attributes_that_are_not_of_their_type(
    value: Any, code: Any, kind: str, shown: Any, edit: Edit
) -> None:
    def damage(attributes: Any) -> None:
        attributes["a"] = value
        if edit.zarr_format == 2:
            attributes["_nczarr_attr"]["types"]["a"] = code
        else:
            entry = {"name": "a", "configuration": {"type": code}}
            attributes["_nczarr_attrs"]["attribute_types"].append(entry)

    edit.attributes("", damage)
    dataset = edit.open()
    assert faults(dataset) == [("attribute-type", "/")]
    [found] = [a for a in dataset.as_model().attributes if a.name == "a"]
    assert (found.type.name, found.value) == (kind, shown)


@pytest.mark.parametrize(("value", "kind", "shown"), [([], "double", ()), ([1, "a"], "char", '[1,"a"]')])
def test_attributes_that_end_netcdf_c_are_read(value: Any, kind: str, shown: Any, edit: Edit) -> None:
    edit.attributes("v", lambda a: a.update(a=value))
    dataset = edit.open()
    [found] = dataset["v"].as_model().attributes
    assert (found.type.name, found.value) == (kind, shown) and faults(dataset) == []


def test_a_fill_value_of_another_type(edit: Edit) -> None:
    def damage(attributes: Any, value: Any, code: str) -> None:
        attributes["_FillValue"] = value
        if edit.zarr_format == 2:
            attributes["_nczarr_attr"]["types"]["_FillValue"] = code
        else:
            entries = attributes["_nczarr_attrs"]["attribute_types"]
            entries[:] = [entry for entry in entries if entry["name"] != "_FillValue"]
            entries.append({"name": "_FillValue", "configuration": {"type": code}})

    edit.attributes("w", lambda a: damage(a, -1.0, "<f8"))
    dataset = edit.open()
    assert faults(dataset) == [("type-mismatch", "/w")]
    assert dataset["w"]._FillValue == -1 and dataset["w"]._FillValue.dtype == "i4"
    edit.attributes("w", lambda a: damage(a, "text", ">S1"))
    dataset = edit.open()
    assert faults(dataset) == [("type-mismatch", "/w")] and "_FillValue" not in dataset["w"].ncattrs()
    edit.attributes("w", lambda a: damage(a, [7, 8], "<i4"))
    dataset = edit.open()
    assert faults(dataset) == [("type-mismatch", "/w")] and "_FillValue" not in dataset["w"].ncattrs()
    assert dataset["w"][:].tolist() == [[7] * 3] * 2


@pytest.mark.parametrize(
    ("kind", "name"), [("char", "type-mismatch"), ("string", "type-mismatch"), ("/none", "dangling-type")]
)
def test_a_type_that_the_array_cannot_hold(kind: str, name: str, edit: Edit) -> None:
    edit.attributes("v", lambda a: a["_nczarr_array"].update(type=kind))
    dataset = edit.open()
    assert faults(dataset) == [(name, "/v")] and dataset["v"][:].tolist() == [1, 2, 3]


def test_loose_json_is_read(edit: Edit) -> None:
    name = ".zattrs" if edit.zarr_format == 2 else "zarr.json"
    data = edit.store.get(name)
    assert data is not None
    loose = data.replace(
        b'"sample"', b'"sample", "nan": NaN, "inf": -Infinity, "point": 0., "list": [NaN, 1.]'
    )
    edit.store.set(name, loose + b"]} junk")
    dataset = edit.open()
    assert faults(dataset) == []
    assert (
        np.isnan(dataset.nan) and dataset.inf == -np.inf and dataset.point == 0 and dataset.title == "sample"
    )


def test_one_broken_variable_keeps_nothing_from_opening(edit: Edit) -> None:
    edit.array("v", lambda a: a.update(shape="three"))
    dataset = edit.open()
    assert faults(dataset) == [("unreadable", "/v")]
    assert dataset["w"][:].tolist() == [[7] * 3] * 2 and "v" not in dataset.variables


@pytest.mark.parametrize("content", [None, 5, [], "text", {"dimensions": 5, "arrays": {}, "groups": "g"}])
def test_annotations_that_are_none(content: Any, edit: Edit) -> None:
    edit.attributes("", lambda a: a.update(_nczarr_group=content))
    edit.attributes("", lambda a: a.update(_nczarr_attr=content, _nczarr_attrs=content))
    dataset = edit.open()
    assert sorted(dataset.variables) == ["s", "v", "w"] and dataset["v"].shape == (3,)


def test_a_dataset_with_faults_can_be_changed(edit: Edit) -> None:
    edit.array("v", lambda a: a.update(shape=[5]))
    edit.attributes("g/u", lambda a: a["_nczarr_array"].update(dimension_references=["/none"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with netcdf.Dataset(edit.store, "r+") as dataset:
            dataset["v"][3:] = 9
            dataset["v"].units = "m"
            dataset["w"][4] = 8
    dataset = edit.open()
    assert dataset["v"][:].tolist() == [1, 2, 3, 9, 9] and dataset["v"].units == "m"
    assert dataset["w"].shape == (5, 3) and dataset["g/u"].dimensions == ("none",)
