"""Types of the user in NCZarr, on Zarr v2 and v3."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from netcdf_peer import peer_describes, url_of

from omnizarr import netcdf
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.opening.formats import format_of
from omnizarr.netcdf.dialects.base import Dialect
from omnizarr.netcdf.dialects.detect import dialect_for
from omnizarr.netcdf.dialects.sidecars import store_sidecars
from omnizarr.netcdf.model.nodes import (
    AttributeModel,
    DatasetModel,
    DimensionModel,
    GroupModel,
    VariableModel,
    join,
)
from omnizarr.netcdf.model.types import (
    BYTE,
    CHAR,
    DOUBLE,
    INT,
    SHORT,
    STRING,
    Compound,
    Enum,
    Field,
    Opaque,
    Vlen,
)
from omnizarr.store import MemoryStore
from omnizarr.store.base import Store
from omnizarr.store.directories.directory import DirectoryStore

CLOUD = Enum("/cloud_t", BYTE, (("Clear", 0), ("Cumulus", 2), ("Missing", 127)))
RAW = Opaque("/raw_t", 3)
LIST = Vlen("/list_t", INT)
POINT = Compound("/point_t", (Field("x", DOUBLE), Field("n", SHORT, (2,)), Field("c", CHAR)))
DEEP = Compound("/g/deep_t", (Field("p", POINT), Field("e", CLOUD)))
WORDS = Vlen("/words_t", STRING)
TYPES = (CLOUD, RAW, LIST, POINT, WORDS)

ATTRIBUTES = (
    AttributeModel("cloud", CLOUD, (2,)),
    AttributeModel("clouds", CLOUD, (0, 127)),
    AttributeModel("raw", RAW, (b"\x00\xff\x01",)),
    AttributeModel("list", LIST, ((1, 2), ())),
    AttributeModel("point", POINT, ((1.5, (1, 2), b"c"),)),
    AttributeModel("words", WORDS, (("a", "ä"),)),
    AttributeModel("int", INT, (5,)),
)


def model(*variables: VariableModel) -> GroupModel:
    inner = GroupModel(
        name="g", types=(DEEP,), attributes=(AttributeModel("d", DEEP, (((1.0, (0, 0), b"x"), 2),)),)
    )
    return GroupModel(
        name="/",
        types=TYPES,
        dimensions=(DimensionModel("x", 2),),
        attributes=ATTRIBUTES,
        variables=variables,
        groups=(inner,),
    )


def store_model(dialect: Dialect, root: GroupModel, store: Store) -> None:
    form = format_of(dialect.zarr_format)
    node = Group(store, form, "", dialect.group_metadata(root, "version=2"))
    for path, group in root.walk():
        for variable in group.variables:
            array = dialect.array_metadata(variable, root.shape(variable))
            where = join(path, variable.name).strip("/")
            for key, data in form.write(where, array).items():
                store.set(key, data)
            store_sidecars(node, where, dialect.sidecars(variable, None))
        metadata = dialect.group_metadata(group, "version=2" if path == "/" else None)
        for key, data in form.write(path.strip("/"), metadata).items():
            store.set(key, data)


ENUM_VARIABLE = VariableModel(
    name="e",
    type=CLOUD,
    dimensions=("/x",),
    chunks=(2,),
    attributes=(AttributeModel("_FillValue", CLOUD, (127,)), AttributeModel("valid", CLOUD, (0, 2))),
)
VARIABLES = (
    ENUM_VARIABLE,
    VariableModel(name="r", type=RAW, dimensions=("/x",), chunks=(2,)),
    VariableModel(name="l", type=LIST, dimensions=("/x",), chunks=(2,)),
    VariableModel(name="p", type=POINT, dimensions=("/x",), chunks=(2,)),
    VariableModel(name="w", type=WORDS, dimensions=("/x",), chunks=(2,)),
    VariableModel(name="d", type=DEEP, dimensions=(), chunks=None),
)


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_types_variables_and_attributes_come_back(zarr_format: int) -> None:
    store, root = MemoryStore(), model(*VARIABLES)
    store_model(dialect_for("nczarr", zarr_format), root, store)
    found: DatasetModel = netcdf.Dataset(store).as_dataset()
    assert found.faults == () and found.root.types == TYPES
    assert found.root.attributes == root.attributes
    assert found.root.groups == root.groups
    kinds = {variable.name: variable.type for variable in found.root.variables}
    assert kinds == {variable.name: variable.type for variable in VARIABLES}
    assert found.root.variables[0].attributes == ENUM_VARIABLE.attributes


def test_netcdf_c_reads_what_it_can(tmp_path: Path) -> None:
    store_model(dialect_for("nczarr"), model(ENUM_VARIABLE), DirectoryStore(tmp_path / "d"))
    theirs = peer_describes(url_of(tmp_path / "d"), tmp_path)
    shown: dict[str, Any] = {name: (number, value) for name, (number, value) in theirs["attributes"].items()}
    assert shown["cloud"][0] == 1 and shown["cloud"][1].tolist() == [2]
    assert shown["clouds"][1].tolist() == [0, 127]
    assert shown["raw"][0] == CHAR.number and json.loads(shown["raw"][1]) == ["00ff01"]
    assert json.loads(shown["list"][1]) == [[1, 2], []]
    assert json.loads(shown["point"][1]) == [[1.5, [1, 2], "c"]]
    assert shown["int"][1].tolist() == [5]
    variable = theirs["variables"]["e"]
    assert variable["values"].tolist() == [127, 127]
    assert {name: number for name, (number, _) in variable["attributes"].items()} == {
        "_FillValue": 1,
        "valid": 1,
    }


def damaged(zarr_format: int, **changes: Any) -> MemoryStore:
    store = MemoryStore()
    store_model(dialect_for("nczarr", zarr_format), model(*VARIABLES[:2]), store)
    key = ".zattrs" if zarr_format == 2 else "zarr.json"
    data = store.get(key)
    assert data is not None
    document = json.loads(data)
    attributes = document if zarr_format == 2 else document["attributes"]
    attributes["_nczarr_group"]["types"] |= changes
    store.set(key, json.dumps(document).encode())
    return store


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.filterwarnings("ignore")
def test_types_that_make_no_sense(zarr_format: int) -> None:
    dataset = netcdf.Dataset(damaged(zarr_format, raw_t=5, cloud_t={"class": "enum", "base": "no"}))
    names = {(fault.name, fault.path) for fault in dataset.as_dataset().faults}
    assert {("type-mismatch", "/raw_t"), ("dangling-type", "/cloud_t"), ("dangling-type", "/e")} <= names
    assert dataset["e"].as_model().type is BYTE
    dataset = netcdf.Dataset(damaged(zarr_format, raw_t={"class": "opaque", "size": 7}))
    names = {(fault.name, fault.path) for fault in dataset.as_dataset().faults}
    assert ("type-mismatch", "/r") in names and ("attribute-type", "/") in names
    assert np.asarray(dataset["e"][:]).shape == (2,)
