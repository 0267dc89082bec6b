"""Models of NCZarr: what libnetcdf and we write is valid; what contradicts itself is told at its place."""

from __future__ import annotations

import copy
import json
import lzma
import random
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from convention_documents import keys_of
from pydantic import ValidationError

from omnizarr import netcdf, open_group
from omnizarr.errors import MetadataError
from omnizarr.netcdf.validate import validate_dataset
from omnizarr.store import MemoryStore
from omnizarr.store.base import Store
from omnizarr.store.layers.wrap import FaultStore
from omnizarr.zom import from_node
from omnizarr.zom.conventions import convention
from omnizarr.zom.conventions.nczarr import ArrayV2, DatasetV2, DatasetV3
from omnizarr.zom.faults import findings

OLD = Path(__file__).parents[2] / "netcdf" / "dialects" / "data"
LIBRARIES = ("1.6.2", "1.6.5", "1.7.1.post2")


@pytest.fixture(params=[2, 3])
def number(request: pytest.FixtureRequest) -> int:
    return int(request.param)


def is_valid(store: Store | Path, name: str = "nczarr") -> bool:
    """Say whether a dataset is as its model has it; and it says nothing else than the plain model then."""
    root = open_group(store, mode="r")
    model = convention(name, int(root.zarr_format))
    try:
        found = model.from_node(root)
    except MetadataError:
        return False
    assert found.to_json() == from_node(root).to_json()
    assert model.from_json(found.to_json()) == found
    return True


# --- what libnetcdf writes

_PEER = """
import sys, warnings, netCDF4
import numpy as np
warnings.simplefilter('ignore')

def types(d):
    d.createDimension('x', 4)
    d.createDimension('t', None)
    for code in ('i1', 'u1', 'i2', 'u2', 'i4', 'u4', 'i8', 'u8', 'f4', 'f8'):
        setattr(d, 'a_' + code, np.array([1, 2], code))
        setattr(d, 'b_' + code, np.array(3, code))
        v = d.createVariable('v_' + code, code, ('t', 'x'), zlib=True, fletcher32=True)
        v[1:3] = np.arange(8).reshape(2, 4)
        v.attribute = np.array(7, code)
        d.createVariable('s_' + code, code)[...] = 5
        d.createVariable('fill_' + code, code, ('x',), fill_value=np.array(9, code))[1:2] = 1
        d.createVariable('off_' + code, code, ('x',), fill_value=False)[:] = 1
        d.createVariable('one_' + code, code, ('x',), contiguous=True)[:] = 1
    d.createVariable('c', 'S1', ('x',))[:] = np.array(list('abcd'), 'S1')
    d.createVariable('s', str, ('x',))[:] = np.array(['a', '', 'b', 'd' * 100], object)
    d.createVariable('s_filled', str, ('x',), fill_value='none')
    d.createVariable('nan', 'f8', ('x',), fill_value=np.nan)

def attributes(d):
    d.text = 'text'
    d.empty = ''
    d.json = '{"a": 1, "b": [1,2]}'
    d.setncattr_string('string', 'one')
    d.setncattr_string('strings', ['one', 'two'])
    d.floats = np.array([1.5, np.nan, np.inf, -np.inf])
    d.big = np.array([2**63, 2**64 - 1], 'u8')
    d.nothing = np.zeros(0, 'i4')

def groups(d):
    d.createDimension('x', 2)
    d.createDimension('t', None)
    g = d.createGroup('a').createGroup('b')
    g.createDimension('x', 3)
    g.createVariable('v', 'i2', ('t', 'x'))[4] = [1, 2, 3]
    d['a'].createVariable('w', 'i2', ('x', 't'))[:] = [[1, 2, 3, 4, 5]] * 2
    d.createGroup('empty')

for make in types, attributes, groups:
    with netCDF4.Dataset('file://' + sys.argv[1] + '/' + make.__name__ + '#mode=nczarr,file', 'w') as d:
        make(d)
"""


def test_what_libnetcdf_writes_is_valid(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PEER, str(tmp_path)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-2000:]
    written = sorted(tmp_path.iterdir())
    assert len(written) == 3
    for place in written:
        assert is_valid(place), place.name


@cache
def stored(library: str) -> dict[str, dict[str, str]]:
    with lzma.open(OLD / f"nczarr-netcdf4-{library}.json.xz", "rt") as file:
        return dict(json.load(file)["keys"])


@pytest.mark.parametrize(
    ("library", "name"), [(library, name) for library in LIBRARIES for name in sorted(stored(library))]
)
def test_what_older_libraries_wrote_is_valid_and_named(library: str, name: str) -> None:
    keys = {key: text.encode("latin-1") for key, text in stored(library)[name].items()}
    assert is_valid(MemoryStore(keys), "nczarr2")
    with pytest.raises(MetadataError) as caught:
        DatasetV2.from_node(open_group(MemoryStore(keys), mode="r"))
    [problem] = caught.value.problems
    superblock = "_NCZARR_SUPERBLOCK" if library == "1.6.2" else "_nczarr_superblock"
    writer = "4.8.1 to 4.9.0" if library == "1.6.2" else "4.9.1 to 4.9.3-development"
    assert f"found {superblock} beside the attributes: netCDF-C {writer} wrote this" in problem.message
    assert "the convention 'nczarr2'" in problem.message


# --- what we write


def sample(number: int) -> MemoryStore:
    store = MemoryStore()
    with warnings.catch_warnings(), netcdf.Dataset(store, "w", zarr_format=number) as d:
        warnings.filterwarnings("ignore", "netCDF-C does not see variable")
        d.title, d.count, d.factors = "sample", np.int32(5), np.array([1.5, 2.5])
        d.texts = ["a", "b"]
        cloud = d.createEnumType("u1", "cloud", {"clear": 0, "cumulus": 1})
        pair = d.createCompoundType(np.dtype([("a", "i4"), ("b", "f8")]), "pair")
        d.createDimension("x", 3)
        d.createDimension("t", None)
        d.createVariable("v", "i4", ("t", "x"), fill_value=np.int32(-1))[:2] = 1
        d.createVariable("s", "f8")[...] = 5
        d.createVariable("c", "S1", ("x",))
        d.createVariable("text", str, ("x",))[0] = "text"
        d.createVariable("clouds", cloud, ("x",))
        d.createVariable("pairs", pair, ("x",))
        d.createVariable("nan", "f4", ("x",), fill_value=np.nan)
        d.createVariable("off", "f4", ("x",), fill_value=False)
        inner = d.createGroup("g")
        inner.createDimension("y", 4)
        inner.createVariable("u", "f8", ("x", "y"))[:] = 2
        inner.createGroup("h").createVariable("w", "u1", ("t", "y"))[:2] = 3
    return store


@cache
def sound(number: int) -> Any:
    return from_node(open_group(sample(number), mode="r")).to_json()


def test_what_we_write_is_valid(number: int) -> None:
    assert is_valid(sample(number))


class Died(Exception):
    """The writer is gone."""


def test_datasets_are_valid_wherever_growth_is_interrupted(number: int) -> None:
    def make(store: Store) -> None:
        with netcdf.Dataset(store, "w", zarr_format=number) as d:
            d.createDimension("t", None)
            d.createVariable("v", "i4", ("t",))[:] = [1, 2]
            d.createVariable("/g/w", "f8", ("t",))[:] = [3, 4]

    for left in range(20):
        inner, writes = MemoryStore(), left
        make(inner)

        def die(operation: str, key: str) -> None:
            nonlocal writes
            writes -= operation in ("set", "set_if_absent", "update")
            if writes < 0:
                raise Died

        dataset = netcdf.Dataset(FaultStore(inner, die), "r+")
        try:
            dataset["v"][2:5] = 7
            dataset.close()
        except Died:
            dataset._session.is_open = False
        assert is_valid(inner)
        if writes >= 0:
            return
    raise AssertionError("growing took more than 20 writes")


# --- what contradicts itself


class Edit:
    """The documents of a dataset, to be damaged."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.document = copy.deepcopy(sound(number))
        self.groups = "groups" if number == 2 else "subgroups"
        self.names = "attributes._ARRAY_DIMENSIONS" if number == 2 else "dimension_names"

    def node(self, path: str) -> Any:
        found = self.document
        for name in path.split("/") if path else ():
            found = found["members"][name]
        return found

    def attributes(self, path: str) -> Any:
        return self.node(path)["attributes"]

    def group(self, path: str = "") -> Any:
        return self.attributes(path)["_nczarr_group"]

    def array(self, path: str) -> Any:
        return self.attributes(path)["_nczarr_array"]

    def resize(self, path: str, *shape: int) -> None:
        node = self.node(path)
        node["shape"] = list(shape)
        if self.number == 2:
            node["chunks"] = [1] * len(shape)
        else:
            node["chunk_grid"]["configuration"]["chunk_shape"] = [1] * len(shape)

    def name_axes(self, path: str, *names: str) -> None:
        owner = self.attributes(path) if self.number == 2 else self.node(path)
        owner[self.names.rpartition(".")[2]] = list(names)

    def dimension(self, name: str, size: Any) -> str:
        """Set the size of a dimension of the root, and return the place of that."""
        dimensions = self.group()["dimensions"]
        at = "attributes._nczarr_group.dimensions"
        if self.number == 2:
            dimensions[name] = {**dimensions[name], "size": size} if name == "t" else size
            return f"{at}.{name}.size" if name == "t" else f"{at}.{name}"
        [i] = [i for i, entry in enumerate(dimensions) if entry["name"] == name]
        dimensions[i]["size"] = size
        return f"{at}[{i}].size"

    def code(self, path: str, name: str, code: Any) -> tuple[str, str]:
        """Note the type of an attribute; return the place of the name and that of the code."""
        if self.number == 2:
            self.attributes(path)["_nczarr_attr"]["types"][name] = code
            return (f"attributes._nczarr_attr.types.{name}",) * 2
        entries = self.attributes(path)["_nczarr_attrs"]["attribute_types"]
        entries[:] = [entry for entry in entries if entry["name"] != name]
        entries.append({"name": name, "configuration": {"type": code}})
        at = f"attributes._nczarr_attrs.attribute_types[{len(entries) - 1}]"
        return f"{at}.name", f"{at}.configuration.type"

    def found(self) -> list[tuple[str, str]]:
        """Return the path and the place of all that the model finds wrong."""
        try:
            convention("nczarr", self.number).model_validate(self.document)
        except ValidationError as error:
            told = findings(error, self.document)
            assert len(told) == error.error_count()
            return sorted((one.path, one.at) for one in told)
        return []

    def found_by_netcdf(self) -> set[tuple[str, str]]:
        """Return the path and the kind of all that the data model of netCDF finds wrong."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            root = open_group(MemoryStore(keys_of(self.document)), mode="r")
            return {(one.path, one.kind) for one in validate_dataset(root)}


Places = list[tuple[str, str]]
MUTATIONS: dict[str, Callable[[Edit], Places]] = {}
REFERENCES = "attributes._nczarr_array.dimension_references"
GROUP = "attributes._nczarr_group"


def mutation(change: Callable[[Edit], Places]) -> Callable[[Edit], Places]:
    MUTATIONS[change.__name__] = change
    return change


@mutation
def nothing(edit: Edit) -> Places:
    return []


@mutation
def a_dimension_that_does_not_exist(edit: Edit) -> Places:
    edit.array("v")["dimension_references"] = ["/t", "/none"]
    edit.name_axes("v", "t", "none")
    return [("v", f"{REFERENCES}[1]")]


@mutation
def a_dimension_of_a_group_below(edit: Edit) -> Places:
    edit.array("nan")["dimension_references"] = ["/g/y"]
    edit.name_axes("nan", "y")
    return [("nan", f"{REFERENCES}[0]")]


@mutation
def too_many_references(edit: Edit) -> Places:
    edit.array("g/u")["dimension_references"] = ["/x", "/g/y", "/x"]
    return [("g/u", REFERENCES)]


@mutation
def too_few_references(edit: Edit) -> Places:
    edit.array("g/u")["dimension_references"] = ["/x"]
    return [("g/u", REFERENCES)]


@mutation
def references_of_another_type(edit: Edit) -> Places:
    edit.array("g/u")["dimension_references"] = "/x"
    return [("g/u", REFERENCES)]


@mutation
def a_reference_of_another_type(edit: Edit) -> Places:
    edit.array("nan")["dimension_references"] = [1]
    return [("nan", f"{edit.names}[0]"), ("nan", f"{REFERENCES}[0]")]


@mutation
def an_axis_of_another_length(edit: Edit) -> Places:
    edit.resize("g/u", 3, 5)
    return [("g/u", "shape[1]")]


@mutation
def an_unlimited_dimension_of_another_length(edit: Edit) -> Places:
    edit.dimension("t", 1)
    return [("g/h/w", "shape[0]"), ("v", "shape[0]")]


@mutation
def a_dimension_of_another_length(edit: Edit) -> Places:
    edit.dimension("x", 7)
    arrays = ("c", "clouds", "g/u", "nan", "off", "pairs", "text")
    return [*((path, "shape[0]") for path in arrays), ("v", "shape[1]")]


@mutation
def a_negative_size(edit: Edit) -> Places:
    arrays = ("c", "clouds", "g/u", "nan", "off", "pairs", "text")
    at = edit.dimension("x", -1)
    return [("", at), *((path, f"{REFERENCES}[0]") for path in arrays), ("v", f"{REFERENCES}[1]")]


@mutation
def a_size_that_is_no_number(edit: Edit) -> Places:
    at = edit.dimension("t", "2")
    return [("", at), ("g/h/w", f"{REFERENCES}[0]"), ("v", f"{REFERENCES}[0]")]


@mutation
def a_name_of_a_dimension_with_a_slash(edit: Edit) -> Places:
    dimensions = edit.group("g")["dimensions"]
    if edit.number == 2:
        dimensions["a/b"] = 1
        return [("g", f"{GROUP}.dimensions.a/b")]
    dimensions.append({"name": "a/b", "size": 1, "unlimited": 0})
    return [("g", f"{GROUP}.dimensions[1]")]


@mutation
def other_names_of_axes(edit: Edit) -> Places:
    edit.name_axes("g/u", "x", "z")
    return [("g/u", f"{edit.names}[1]")]


@mutation
def an_array_that_is_not_there(edit: Edit) -> Places:
    edit.group("g")["arrays"] = ["u", "none"]
    return [("g", f"{GROUP}.arrays[1]")]


@mutation
def a_group_that_is_not_there(edit: Edit) -> Places:
    edit.group()[edit.groups] = ["none", "g"]
    return [("", f"{GROUP}.{edit.groups}[0]")]


@mutation
def an_array_among_the_groups(edit: Edit) -> Places:
    edit.group()[edit.groups] = ["g", "v"]
    return [("", f"{GROUP}.{edit.groups}[1]")]


@mutation
def an_array_listed_twice(edit: Edit) -> Places:
    edit.group("g")["arrays"] = ["u", "u"]
    return [("g", f"{GROUP}.arrays[1]")]


@mutation
def an_array_that_is_not_listed(edit: Edit) -> Places:
    edit.node("g")["members"]["stranger"] = copy.deepcopy(edit.node("g/u"))
    return [("g/stranger", "")]


@mutation
def a_group_that_is_not_listed(edit: Edit) -> Places:
    edit.group()[edit.groups] = []
    return [("g", "")]


@mutation
def a_stranger_without_notes(edit: Edit) -> Places:
    stranger = copy.deepcopy(edit.node("nan"))
    stranger["attributes"] = {}
    edit.node("g")["members"]["stranger"] = stranger
    return [("g/stranger", ""), ("g/stranger", "attributes._nczarr_array")]


@mutation
def a_group_without_lists(edit: Edit) -> Places:
    del edit.group("g")["arrays"]
    return [("g", f"{GROUP}.arrays")]


@mutation
def an_array_without_notes(edit: Edit) -> Places:
    del edit.attributes("nan")["_nczarr_array"]
    entry = edit.code("nan", "_nczarr_array", "|J0")[0]
    return [("nan", "attributes._nczarr_array"), ("nan", entry)]


@mutation
def no_superblock(edit: Edit) -> Places:
    del edit.attributes("")["_nczarr_superblock"]
    entry = edit.code("", "_nczarr_superblock", "|J0")[0]
    return [("", "attributes._nczarr_superblock"), ("", entry)]


@mutation
def a_superblock_of_a_group(edit: Edit) -> Places:
    edit.attributes("g")["_nczarr_superblock"] = {"version": "2.0.0"}
    return [("g", "attributes._nczarr_superblock")]


@mutation
def a_superblock_without_a_version(edit: Edit) -> Places:
    edit.attributes("")["_nczarr_superblock"] = {}
    return [("", "attributes._nczarr_superblock.version")]


@mutation
def an_attribute_that_is_not_there(edit: Edit) -> Places:
    return [("v", edit.code("v", "none", "<i4")[0])]


@mutation
def an_attribute_of_another_type(edit: Edit) -> Places:
    edit.attributes("")["count"] = "text"
    return [("", "attributes.count")]


@mutation
def an_attribute_out_of_range(edit: Edit) -> Places:
    edit.attributes("g")["count"] = [1, 300]
    edit.code("g", "count", "int8")
    return [("g", "attributes.count")]


@mutation
def a_type_of_an_attribute_that_does_not_exist(edit: Edit) -> Places:
    return [("", edit.code("", "count", "nonsense")[1])]


@mutation
def a_type_of_an_attribute_that_nothing_defines(edit: Edit) -> Places:
    return [("", edit.code("", "count", "/no_type")[1])]


@mutation
def a_type_that_is_no_text(edit: Edit) -> Places:
    return [("", edit.code("", "count", 7)[1])]


@mutation
def a_fill_value_of_another_type(edit: Edit) -> Places:
    return [("v", edit.code("v", "_FillValue", "<f8")[1])]


@mutation
def a_fill_value_of_text(edit: Edit) -> Places:
    edit.attributes("v")["_FillValue"] = "text"
    return [("v", edit.code("v", "_FillValue", ">S1")[1])]


@mutation
def two_fill_values(edit: Edit) -> Places:
    edit.attributes("v")["_FillValue"] = [7, 8]
    return [("v", "attributes._FillValue")]


@mutation
def a_user_type_that_nothing_defines(edit: Edit) -> Places:
    edit.array("clouds")["type"] = "/none"
    return [("clouds", "attributes._nczarr_array.type")]


@mutation
def a_type_that_the_array_cannot_hold(edit: Edit) -> Places:
    edit.array("v")["type"] = "char"
    return [("v", "attributes._nczarr_array.type")]


@mutation
def an_unknown_storage(edit: Edit) -> Places:
    edit.array("v")["storage"] = "elsewhere"
    return [("v", "attributes._nczarr_array.storage")]


@mutation
def a_scalar_of_three_elements(edit: Edit) -> Places:
    edit.array("nan").update(dimension_references=[], scalar=1)
    return [("nan", "shape"), ("nan", f"{edit.names}")]


@mutation
def a_scalar_with_a_dimension(edit: Edit) -> Places:
    edit.array("s")["dimension_references"] = ["/x"]
    return [("s", REFERENCES)]


@mutation
def six_faults_at_once(edit: Edit) -> Places:
    edit.array("v")["dimension_references"] = ["/none", "/x"]
    edit.name_axes("v", "none", "x")
    edit.resize("g/u", 3, 5)
    edit.attributes("")["count"] = "text"
    edit.group("g")["arrays"] = ["u", "none"]
    edit.array("off")["storage"] = 5
    edit.attributes("g/h")["_nczarr_superblock"] = {}
    return [
        ("", "attributes.count"),
        ("g", f"{GROUP}.arrays[1]"),
        ("g/h", "attributes._nczarr_superblock"),
        ("g/u", "shape[1]"),
        ("off", "attributes._nczarr_array.storage"),
        ("v", f"{REFERENCES}[0]"),
    ]


@pytest.mark.parametrize("name", MUTATIONS)
def test_what_contradicts_itself_is_told_at_its_place(name: str, number: int) -> None:
    edit = Edit(number)
    expected = MUTATIONS[name](edit)
    found = edit.found()
    assert found == sorted(expected)
    paths = {path for path, _ in found}
    for path, kind in edit.found_by_netcdf():
        # A node that is not there is told of where it is listed.
        group = path.rpartition("/")[0]
        assert path in paths or (kind == "missing-node" and group in paths), (path, kind)


JUNK: list[Any] = [None, True, -1, 1.5, 10**30, "", "/", "//", "/x", "a/b", [], [1], ["x", "x"], [[]], {}]
JUNK += [{"size": 1}, {"name": "x"}, {"a": [1]}, {"types": 5}, {"attribute_types": [1, {"name": []}]}]


def places_in(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for name, item in inner for place in places_in(item, (*at, name)))]


def test_anything_in_place_of_notes_is_told_and_not_stumbled_over(number: int) -> None:
    choose = random.Random(number)
    places = [place for place in places_in(sound(number)) if "attributes" in place]
    for _ in range(80):
        edit = Edit(number)
        place = choose.choice(places)
        owner = edit.document
        for part in place[:-1]:
            owner = owner[part]
        owner[place[-1]] = choose.choice(JUNK)
        edit.found()


def test_scalars_of_zarr_v2_have_one_axis() -> None:
    edit = Edit(2)
    edit.resize("s")
    edit.array("s").pop("scalar")
    assert edit.found() == [("s", "shape")]


def test_messages_say_what_was_found_and_what_was_expected(number: int) -> None:
    edit = Edit(number)
    edit.resize("g/u", 3, 5)
    edit.group("g")["arrays"] = []
    edit.array("nan")["dimension_references"] = ["/y"]
    edit.attributes("")["factors"] = [1.5, "a"]
    edit.name_axes("nan", "y")
    with pytest.raises(MetadataError) as caught:
        convention("nczarr", number).from_json(edit.document)
    code = '"<f8"' if number == 2 else '"float64"'
    assert {problem.at: problem.message for problem in caught.value.problems} == {
        "/g/u: shape[1]": 'expected 4, the size of dimension "/g/y", found 5',
        "/g/u": "its group does not list this array, and netCDF does not show it",
        f"/nan: {REFERENCES}[0]": 'there is no dimension "/y" in this group or above',
        "/: attributes.factors": f'expected values of type {code}, found "a"',
    }


def test_faults_of_older_datasets() -> None:
    keys = {key: text.encode("latin-1") for key, text in stored("1.6.2")["groups"].items()}
    document = from_node(open_group(MemoryStore(keys), mode="r")).to_json()
    damaged: Any = copy.deepcopy(document)
    name = next(name for name, node in damaged["members"].items() if "shape" not in node)
    damaged["_NCZARR_GROUP"]["vars"].append("none")
    damaged["_NCZARR_GROUP"]["dims"]["wrong"] = "4"
    damaged["members"][name]["_NCZARR_SUPERBLOCK"] = {"version": "2.0.0"}
    with pytest.raises(ValidationError) as caught:
        convention("nczarr2", 2).model_validate(damaged)
    found = sorted((one.path, one.at) for one in findings(caught.value, damaged))
    last = len(damaged["_NCZARR_GROUP"]["vars"]) - 1
    assert found == [
        ("", "_NCZARR_GROUP.dims.wrong"),
        ("", f"_NCZARR_GROUP.vars[{last}]"),
        (name, "_NCZARR_SUPERBLOCK"),
    ]
    del damaged["_NCZARR_SUPERBLOCK"]
    with pytest.raises(MetadataError, match=r"/: _nczarr_superblock: required, but missing"):
        convention("nczarr2", 2).from_json(damaged)


def test_typed_notes() -> None:
    document = sound(2)
    model = DatasetV2.from_json(document)
    assert model.attributes.nczarr_superblock.version == "2.0.0"
    assert model.attributes.nczarr_group.groups == ("g",)
    assert model.attributes.nczarr_group.dimensions["x"] == 3
    assert model.attributes.nczarr_group.dimensions["t"].size == 2  # type: ignore[union-attr]
    variable = model.nodes["v"]
    assert isinstance(variable, ArrayV2)
    assert variable.attributes.nczarr_array.dimension_references == ("/t", "/x")
    later = DatasetV3.from_json(sound(3))
    assert [d.name for d in later.attributes.nczarr_group.dimensions] == ["x", "t"]
    assert later.attributes.nczarr_superblock.format == 3


def test_members_that_were_not_read_are_not_missed(number: int) -> None:
    root = open_group(sample(number), mode="r")
    model = convention("nczarr", number)
    assert model.from_node(root, depth=0).members is None  # type: ignore[attr-defined]
    assert model.from_node(root, depth=1).nodes["g"].members is None  # type: ignore[attr-defined]
