"""Models of xarray's convention refuse what xarray itself refuses or warns of, and nothing else."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from convention_documents import keys_of
from pydantic import TypeAdapter, ValidationError

from omnizarr import open_group
from omnizarr.errors import ConversionError, MetadataError
from omnizarr.hierarchy.group import Group
from omnizarr.store import MemoryStore
from omnizarr.zom import from_json, from_node, v2, v3
from omnizarr.zom.conventions import CONVENTIONS, convention
from omnizarr.zom.conventions.xarray import ArrayV2, ArrayV3, DatasetV2, DatasetV3
from omnizarr.zom.faults import findings

UNNAMED = "unnamed"  # an array that says no names at all
NAMES = {2: "attributes._ARRAY_DIMENSIONS", 3: "dimension_names"}


def array(number: int, shape: tuple[int, ...], names: Any, attributes: Any = None, dtype: str = "i4") -> Any:
    """Return the document of an array whose axes have these names."""
    found: dict[str, Any] = dict(attributes or {})
    kind = np.dtype(dtype)
    if number == 2:
        own = {} if names == UNNAMED else {"_ARRAY_DIMENSIONS": names}
        return {
            "zarr_format": 2,
            "shape": list(shape),
            "chunks": [max(1, size) for size in shape],
            "dtype": kind.str,
            "fill_value": None,
            "order": "C",
            "compressor": None,
            "filters": None,
            "attributes": {**found, **own},
        }
    own = {} if names == UNNAMED else {"dimension_names": names}
    configuration = {"chunk_shape": [max(1, size) for size in shape]}
    endian = {"configuration": {"endian": "little"}} if kind.itemsize > 1 else {}
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(shape),
        "data_type": kind.name,
        "chunk_grid": {"name": "regular", "configuration": configuration},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": [0.0, 0.0] if kind.kind == "c" else False if kind.kind == "b" else 0,
        "codecs": [{"name": "bytes", **endian}],
        "attributes": found,
        **own,
    }


def group(number: int, nodes: dict[str, Any], attributes: Any = None) -> Any:
    """Return the document of a group: of tuples are arrays made, of dictionaries groups."""
    members = {
        name: array(number, *node) if isinstance(node, tuple) else group(number, node)
        for name, node in nodes.items()
    }
    head = {"zarr_format": 3, "node_type": "group"} if number == 3 else {"zarr_format": 2}
    return {**head, "attributes": attributes or {}, "members": members}


def store(document: Any, place: Path) -> None:
    for key, value in keys_of(document).items():
        (place / key).parent.mkdir(parents=True, exist_ok=True)
        (place / key).write_bytes(value)


def xarray_opens(place: Path) -> bool:
    """Say whether xarray opens and reads a tree, and warns of nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            with xr.open_datatree(place, engine="zarr", consolidated=False) as tree:
                tree.load()
        except Exception:
            return False
    return True


def faults(document: Any) -> list[tuple[str, str]]:
    """Return the path and the place of all that the model finds wrong, in the order of paths."""
    model = convention("xarray", document["zarr_format"])
    try:
        model.model_validate(document)
    except ValidationError as error:
        found = findings(error, document)
        assert len(found) == error.error_count()
        return sorted((one.path, one.at) for one in found)
    return []


SOUND: dict[str, dict[str, Any]] = {
    "one array": {"a": ((3,), ["x"])},
    "nothing": {},
    "a scalar": {"a": ((), [])},
    "no element": {"a": ((0,), ["x"]), "b": ((0, 2), ["x", "y"])},
    "names that are odd": {"a": ((3, 4), ["", "a/b"])},
    "a coordinate": {"a": ((3,), ["x"]), "x": ((3,), ["x"])},
    "a coordinate of two axes": {"a": ((3,), ["x"]), "x": ((3, 4), ["x", "y"])},
    "a variable that has the name of a dimension of others": {"a": ((3,), ["x"]), "x": ((4,), ["y"])},
    "coordinates that are not there": {"a": ((3,), ["x"], {"coordinates": "lat lon"})},
    "a mapping that is not there": {"a": ((3,), ["x"], {"grid_mapping": "crs"})},
    "scaled": {"a": ((3,), ["x"], {"scale_factor": 0.5, "add_offset": [2]})},
    "scaled by nothing": {"a": ((3,), ["x"], {"scale_factor": None, "add_offset": True})},
    "units of no time": {"a": ((3,), ["x"], {"units": 5})},
    "names among the attributes of the other version": {"a": ((3,), ["x"], {"dimension_names": ["y", "z"]})},
    "groups": {"g": {"a": ((3,), ["x"])}, "h": {"a": ((4,), ["x"])}},
    "a dimension in the group above": {"x": ((3,), ["x"]), "g": {"a": ((3,), ["x"])}},
    "a scalar above": {"x": ((), []), "g": {"a": ((4,), ["x"])}},
    "a scalar below": {"a": ((3,), ["x"]), "g": {"x": ((), [])}},
    "the same sizes far below": {"a": ((3,), ["x"]), "g": {"h": {"i": {"a": ((3, 2), ["x", "y"])}}}},
}

FAULTY: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "a name twice": ({"a": ((3, 3), ["x", "x"])}, [("a", "{names}[1]")]),
    "a name twice, of two lengths": ({"a": ((3, 4), ["x", "x"])}, [("a", "shape[1]"), ("a", "{names}[1]")]),
    "no names": ({"a": ((3,), UNNAMED)}, [("a", "{names}")]),
    "two lengths": ({"a": ((3,), ["x"]), "b": ((4,), ["x"])}, [("b", "shape[0]")]),
    "the length of one is other than that of two": (
        {"a": ((4,), ["x"]), "b": ((2, 3), ["y", "x"]), "c": ((3,), ["x"])},
        [("a", "shape[0]")],
    ),
    "a scalar that has the name of a dimension": (
        {"a": ((3,), ["x"]), "x": ((), [])},
        [("x", "shape")],
    ),
    "coordinates that are no text": (
        {"a": ((3,), ["x"], {"coordinates": ["lat"]})},
        [("a", "{a}coordinates")],
    ),
    "coordinates that are null": ({"a": ((3,), ["x"], {"coordinates": None})}, [("a", "{a}coordinates")]),
    "scaled by text": ({"a": ((3,), ["x"], {"scale_factor": "2"})}, [("a", "{a}scale_factor")]),
    "scaled by two": ({"a": ((3,), ["x"], {"add_offset": [1.0, 2.0]})}, [("a", "{a}add_offset")]),
    "another length below": ({"a": ((3,), ["x"]), "g": {"a": ((4,), ["x"])}}, [("g/a", "shape[0]")]),
    "another length below a coordinate": (
        {"x": ((3,), ["x"]), "g": {"b": ((2, 4), ["y", "x"])}},
        [("g/b", "shape[1]")],
    ),
    "another length two groups below": (
        {"x": ((3,), ["x"]), "g": {"h": {"a": ((4,), ["x"]), "b": ((4,), ["x"])}}},
        [("g/h/a", "shape[0]"), ("g/h/b", "shape[0]")],
    ),
    "another length below, and the same below that": (
        {"a": ((3,), ["x"]), "g": {"b": ((4,), ["x"]), "h": {"c": ((4,), ["x"])}}},
        [("g/b", "shape[0]")],
    ),
    "another length below, and the first again below that": (
        {"a": ((3,), ["x"]), "g": {"b": ((4,), ["x"]), "h": {"c": ((3,), ["x"])}}},
        [("g/b", "shape[0]"), ("g/h/c", "shape[0]")],
    ),
}

# By version, since the other's documents cannot say it, or say it rightly.
ONLY: dict[str, tuple[int, dict[str, Any], list[tuple[str, str]]]] = {
    "too few names": (2, {"a": ((3, 4), ["x"])}, [("a", "{names}")]),
    "too many names": (2, {"a": ((3,), ["x", "y"])}, [("a", "{names}")]),
    "a scalar without names on v2": (2, {"a": ((), UNNAMED)}, [("a", "{names}")]),
    "a scalar without names on v3": (3, {"a": ((), UNNAMED)}, []),
    "no list": (2, {"a": ((3, 4), "xy")}, [("a", "{names}")]),
    "a number for a list": (2, {"a": ((3,), 5)}, [("a", "{names}")]),
    "null for a list": (2, {"a": ((3,), None)}, [("a", "{names}")]),
    "a list within": (2, {"a": ((3,), [["x"]])}, [("a", "{names}[0]")]),
    "a null name on v3": (3, {"a": ((3, 4), ["x", None])}, []),
    "null names, which are one": (3, {"a": ((3,), [None]), "b": ((4,), [None])}, [("b", "shape[0]")]),
    "fill: any on v2": (2, {"a": ((3,), ["x"], {"_FillValue": 5.0}, "f8")}, []),
    "fill: a number": (3, {"a": ((3,), ["x"], {"_FillValue": 5})}, []),
    "fill: text of a number": (3, {"a": ((3,), ["x"], {"_FillValue": "5"})}, [("a", "{a}_FillValue")]),
    "fill: base64": (3, {"a": ((3,), ["x"], {"_FillValue": "AAAAAAAA+H8="}, "f4")}, []),
    "fill: a float": (3, {"a": ((3,), ["x"], {"_FillValue": 5.0}, "f4")}, [("a", "{a}_FillValue")]),
    "fill: four bytes": (3, {"a": ((3,), ["x"], {"_FillValue": "AADAfw=="}, "f4")}, [("a", "{a}_FillValue")]),
    "fill: complex": (3, {"a": ((3,), ["x"], {"_FillValue": ["AAAAAAAA+H8="] * 2}, "c8")}, []),
    "fill: one of two": (
        3,
        {"a": ((3,), ["x"], {"_FillValue": ["AAAAAAAA+H8="]}, "c8")},
        [("a", "{a}_FillValue")],
    ),
    "fill: anything is a boolean": (3, {"a": ((3,), ["x"], {"_FillValue": "foo"}, "bool")}, []),
}

TABLE = [
    *((name, number, nodes, []) for name, nodes in SOUND.items() for number in (2, 3)),
    *((name, number, nodes, found) for name, (nodes, found) in FAULTY.items() for number in (2, 3)),
    *((name, number, nodes, found) for name, (number, nodes, found) in ONLY.items()),
]


@pytest.mark.parametrize(("name", "number", "nodes", "expected"), TABLE)
def test_what_xarray_refuses_is_refused_at_its_place(
    name: str, number: int, nodes: dict[str, Any], expected: list[tuple[str, str]], tmp_path: Path
) -> None:
    document = group(number, nodes)
    at = {"names": NAMES[number], "a": "attributes."}
    assert faults(document) == sorted((path, place.format(**at)) for path, place in expected)
    store(document, tmp_path / "s")
    assert xarray_opens(tmp_path / "s") == (not expected)


@pytest.mark.parametrize("names", ["x", [1], [1.5], [True], [None], {"x": 1}])
def test_names_that_are_no_strings_are_refused_though_xarray_lets_them_pass(
    names: Any, tmp_path: Path
) -> None:
    document = group(2, {"a": ((3,), names)})
    [(path, at)] = faults(document)
    assert path == "a" and at.startswith(NAMES[2])
    store(document, tmp_path / "s")
    assert xarray_opens(tmp_path / "s")


@pytest.mark.parametrize("attributes", [{"units": "days since foo"}, {"missing_value": 5, "_FillValue": 6}])
def test_what_cf_says_is_left_to_cf(attributes: Any, tmp_path: Path) -> None:
    document = group(3, {"a": ((3,), ["x"], attributes)})
    assert faults(document) == []
    store(document, tmp_path / "s")
    assert not xarray_opens(tmp_path / "s")


# --- what xarray writes


def dataset() -> xr.Dataset:
    """Return a dataset with something of everything: scalars, texts, times, encodings."""
    return xr.Dataset(
        {
            "values": (("x", "y"), np.arange(6.0).reshape(2, 3), {"units": "m"}),
            "scalar": ((), 5),
            "text": (("x",), np.array(["a", "bc"])),
            "texts": (("x",), np.array(["a", "bc"], object)),
            "bytes": (("x",), np.array([b"a", b"bc"])),
            "flags": (("y",), np.array([True, False, True])),
            "complex": (("y",), np.array([1j, 2, 3])),
            "packed": (("x",), np.array([1.5, np.nan])),
            "duration": (("x",), np.array([1, 2], "m8[s]").astype("m8[ns]")),
        },
        coords={
            "x": np.array(["2020-01-01", "2020-01-02"], "M8[ns]"),
            "y": [1, 2, 3],
            "lat": (("x", "y"), np.zeros((2, 3))),
            "reference": 7,
        },
        attrs={"title": "example", "nested": {"a": [1, 2]}},
    )


ENCODING = {
    "packed": {"dtype": "i2", "scale_factor": 0.5, "add_offset": 1.0, "_FillValue": -9},
    "values": {"_FillValue": np.nan},
    "complex": {"_FillValue": complex(np.nan, 0)},
    "y": {"_FillValue": -1},
}


@pytest.fixture(params=[2, 3])
def number(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.mark.filterwarnings("ignore:The data type")
@pytest.mark.filterwarnings("ignore:.*not part of the Zarr V3 specification")
@pytest.mark.filterwarnings("ignore:Times can't be serialized")
def test_what_xarray_writes_is_valid(number: int, tmp_path: Path) -> None:
    encoding: Any = ENCODING if number == 3 else {k: v for k, v in ENCODING.items() if k != "complex"}
    dataset().to_zarr(tmp_path / "d", zarr_format=number, consolidated=False, encoding=encoding)
    found = open_group(tmp_path / "d", mode="r")
    model = convention("xarray", number).from_node(found)
    assert model == from_node(found)
    assert model.to_json() == from_node(found).to_json()
    assert model.from_json(model.to_json()) == model


@pytest.mark.filterwarnings("ignore:The data type")
@pytest.mark.filterwarnings("ignore:.*not part of the Zarr V3 specification")
@pytest.mark.parametrize("inherited", [True, False])
def test_trees_that_xarray_writes_are_valid(number: int, inherited: bool, tmp_path: Path) -> None:
    above = dataset()
    below = above[["values"]].rename(values="more").assign(z=("z", [1, 2]))
    tree = xr.DataTree.from_dict({"/": above, "/g/h": below, "/g": above[["scalar"]], "/i": xr.Dataset()})
    tree.to_zarr(
        tmp_path / "d",
        zarr_format=number,
        consolidated=False,
        write_inherited_coords=inherited,
    )
    model = convention("xarray", number).from_node(open_group(tmp_path / "d", mode="r"))
    assert {"g", "i"} < set(model.nodes)  # type: ignore[attr-defined]
    assert type(model) is type(model.nodes["g"].nodes["h"])  # type: ignore[attr-defined]


# --- the models


def test_all_faults_are_told_at_once(number: int) -> None:
    nodes = {
        "a": ((3,), ["x"]),
        "b": ((4,), ["x"], {"coordinates": 1}),
        "c": ((3, 3), ["y", "y"], {"scale_factor": "2"}),
        "n": ((2,), UNNAMED),
        "x": ((), []),
        "g": {"d": ((5,), ["x"])},
    }
    expected = [
        ("b", "attributes.coordinates"),
        ("b", "shape[0]"),
        ("c", "attributes.scale_factor"),
        ("c", f"{NAMES[number]}[1]"),
        ("g/d", "shape[0]"),
        ("n", NAMES[number]),
        ("x", "shape"),
    ]
    document = group(number, nodes)
    assert faults(document) == sorted(expected)
    with pytest.raises(MetadataError) as caught:
        convention("xarray", number).from_json(document)
    assert len(caught.value.problems) == 7
    told = {problem.at: problem.message for problem in caught.value.problems}
    assert told["/b: shape[0]"] == 'dimension "x" has size 4 here, and 3 in a'
    assert told["/g/d: shape[0]"] == 'dimension "x" has size 5 here, and 3 in a above'
    assert told["/x: shape"] == "expected an axis, since 'x' is a dimension of a, b"
    assert told["/b: attributes.coordinates"] == "expected a string, found 1"


def test_deep_trees_tell_each_fault_once(number: int) -> None:
    nodes: dict[str, Any] = {"a": ((4,), ["x"])}
    for _ in range(30):
        nodes = {"g": nodes}
    nodes["a"] = ((3,), ["x"])
    assert faults(group(number, nodes)) == [("/".join(["g"] * 30 + ["a"]), "shape[0]")]


def test_members_that_were_not_read_are_not_looked_for(number: int) -> None:
    document = {**group(number, {}), "members": None}
    assert convention("xarray", number).model_validate(document).members is None  # type: ignore[attr-defined]


def test_typed_attributes() -> None:
    made = ArrayV2.from_json(array(2, (3,), ["x"], {"coordinates": "lat", "units": "m", "scale_factor": 2}))
    assert made.attributes.array_dimensions == ("x",)
    assert made.attributes.coordinates == "lat"
    assert made.attributes.model_extra == {"units": "m"}
    expected = {"coordinates": "lat", "units": "m", "scale_factor": 2, "_ARRAY_DIMENSIONS": ["x"]}
    assert made.attributes_as_json() == expected
    plain = ArrayV3.from_json(array(3, (3,), ["x"], {"units": "m"}))
    assert plain.attributes_as_json() == {"units": "m"}


def test_other_nodes_than_datasets() -> None:
    with pytest.raises(MetadataError, match="expected a group, found an array"):
        DatasetV2.from_json(array(2, (3,), ["x"]))
    with pytest.raises(MetadataError, match="expected Zarr 3, found Zarr 2"):
        DatasetV3.from_json(group(2, {}))
    root = open_group(MemoryStore(), mode="w", zarr_format=2)
    with pytest.raises(ConversionError, match="expected Zarr 3, found Zarr 2"):
        DatasetV3.from_node(root)


def test_models_are_equal_to_plain_ones(number: int) -> None:
    document = group(number, {"a": ((3,), ["x"]), "g": {"b": ((2,), ["y"])}}, {"title": "t"})
    made = convention("xarray", number).from_json(document)
    assert made == from_json(document)
    assert isinstance(made, v2.GroupSpec | v3.GroupSpec) and not isinstance(from_json(document), type(made))


def test_json_schema_of_the_models(number: int) -> None:
    schema = TypeAdapter(convention("xarray", number)).json_schema()
    text = json.dumps(schema)
    assert "scale_factor" in text and ("_ARRAY_DIMENSIONS" in text) == (number == 2)


# --- the table of conventions


def test_conventions_by_name() -> None:
    assert convention("xarray", 2) is DatasetV2 and convention("xarray", 3) is DatasetV3
    for models in CONVENTIONS.values():
        assert models and all(model.version.number == number for number, model in models.items())


def test_conventions_that_are_not_there() -> None:
    with pytest.raises(ValueError, match=r"expected one of 'xarray', 'nczarr', .*found 'netcdf'"):
        convention("netcdf", 2)
    with pytest.raises(ConversionError, match="convention 'nczarr2': expected Zarr v2, found Zarr v3"):
        convention("nczarr2", 3)


def test_a_group_below_the_root_of_a_store(number: int, tmp_path: Path) -> None:
    store(group(number, {"g": {"a": ((3,), ["x"]), "b": ((4,), ["x"])}}), tmp_path / "s")
    below = open_group(tmp_path / "s", mode="r")["g"]
    assert isinstance(below, Group)
    with pytest.raises(MetadataError, match=r"^/g/b: shape\[0\]: "):
        convention("xarray", number).from_node(below)
