"""What users do with models: subclass them, type what they hold, check it, and make them of arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NotRequired, Self

import numpy as np
import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from typing_extensions import TypedDict

import omnizarr
from omnizarr import zom
from omnizarr.errors import ConversionError, MetadataError, UnsupportedError
from omnizarr.store import MemoryStore
from omnizarr.zom import v2, v3

both = pytest.mark.parametrize("number", [2, 3])
MODULES = {2: v2, 3: v3}


def document(**changes: Any) -> dict[str, Any]:
    """Return the document of a v3 array."""
    return {
        "zarr_format": 3,
        "node_type": "array",
        "attributes": {},
        "shape": [4, 6, 8],
        "data_type": "float32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3, 4]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0.0,
        "codecs": [
            {"name": "bytes", "configuration": {"endian": "little"}},
            {"name": "gzip", "configuration": {"level": 1}},
        ],
        **changes,
    }


def group(members: Any = None, **fields: Any) -> dict[str, Any]:
    found = {} if members is None else {"members": members}
    return {"zarr_format": 3, "node_type": "group", "attributes": {}, **found, **fields}


def faults(model: type[zom.NodeSpec[Any]], found: Any) -> list[str]:
    """Return what is wrong with a document, as `/path: place` and message."""
    with pytest.raises(MetadataError) as caught:
        model.from_json(found)
    return [f"{problem.at}: {problem.message}" for problem in caught.value.problems]


# --- narrower fields


class Cube(v3.ArraySpec):
    data_type: Literal["float32"]
    shape: tuple[int, int, int]


class Gzip(TypedDict):
    name: Literal["gzip"]
    configuration: dict[Literal["level"], int]


class LittleBytes(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: Literal["bytes"] = "bytes"
    configuration: dict[str, Literal["little"]]


class Zipped(v3.ArraySpec):
    codecs: tuple[LittleBytes, Gzip]


def test_fields_may_be_narrower() -> None:
    cube = Cube.from_json(document())
    assert cube.shape == (4, 6, 8)
    assert cube.data_type == "float32"
    assert cube == v3.ArraySpec.from_json(document())
    assert cube.to_json() == document()
    [fault] = faults(Cube, document(data_type="int32", fill_value=0))
    assert fault == "/: data_type: expected 'float32', found \"int32\""
    flat = document(shape=[4], chunk_grid={"name": "regular", "configuration": {"chunk_shape": [4]}})
    assert any(fault.startswith("/: shape") for fault in faults(Cube, flat))


def test_narrower_fields_do_not_loosen_the_specification() -> None:
    assert any("shape" in fault for fault in faults(Cube, document(shape=[4, -6, 8])))
    assert any("fill_value" in fault for fault in faults(Cube, document(fill_value="hello")))


def test_codecs_may_have_types_of_their_own() -> None:
    model = Zipped.from_json(document())
    assert isinstance(model.codecs[0], LittleBytes)
    assert model.to_json() == document()
    assert model == v3.ArraySpec.from_json(document())
    zstd = {"name": "zstd", "configuration": {"level": 1, "checksum": False}}
    found = faults(Zipped, document(codecs=[{"name": "bytes", "configuration": {"endian": "little"}}, zstd]))
    assert all(fault.startswith("/: codecs[1]") for fault in found)
    assert any("codecs[1].name: expected 'gzip'" in fault for fault in found)


def test_a_default_that_a_subclass_has_is_used() -> None:
    class Small(v2.ArraySpec):
        shape: tuple[int] = (3,)
        chunks: tuple[int] = (3,)
        dtype: Literal["<i4"] = "<i4"

    assert Small().metadata.shape == (3,)
    assert Small() == v2.ArraySpec(shape=[3], chunks=[3], dtype="int32")
    assert Small().to_json()["dtype"] == "<i4"


# --- attributes


class Units(BaseModel):
    model_config = ConfigDict(frozen=True, populate_by_name=True)

    units: str
    dimensions: list[str] = Field(alias="_ARRAY_DIMENSIONS")
    long_name: str | None = None
    scale: float = 1.0


class OpenUnits(zom.Attributes):
    units: str
    dimensions: list[str] = Field(default=["t"], alias="_ARRAY_DIMENSIONS")


class DictUnits(TypedDict):
    units: str
    scale: NotRequired[float]


@dataclass(frozen=True)
class DataUnits:
    units: str
    scale: float = 1.0


@both
def test_attributes_may_be_a_model(number: int) -> None:
    spec = MODULES[number].ArraySpec[Units]
    given = {"units": "m", "_ARRAY_DIMENSIONS": ["x"]}
    array = spec.from_array([1.0], attributes=given)
    assert array.attributes == Units(units="m", dimensions=["x"])
    assert array.attributes.dimensions == ["x"]
    assert array.to_json()["attributes"] == {**given, "scale": 1.0}
    assert spec.from_json(array.to_json()) == array
    bad = {**array.to_json(), "attributes": {"units": 3}}
    assert faults(spec, bad) == [
        "/: attributes.units: expected a string, found 3",
        "/: attributes._ARRAY_DIMENSIONS: required, but missing",
    ]


def test_a_null_that_was_given_is_not_left_out() -> None:
    given = {"units": "m", "_ARRAY_DIMENSIONS": ["x"], "long_name": None}
    spec = v3.GroupSpec[Units, Any]
    assert spec(attributes=Units.model_validate(given)).attributes_as_json() == {**given, "scale": 1.0}


def test_attributes_that_a_model_does_not_name() -> None:
    """A plain model of pydantic drops them; `zom.Attributes` keeps them."""
    given = {"units": "m", "history": ["a", {"b": 1}], "nothing": None}
    kept = v3.GroupSpec[OpenUnits, Any].from_json(group({}, attributes=given))
    assert kept.attributes_as_json() == {**given, "_ARRAY_DIMENSIONS": ["t"]}
    assert kept.attributes.units == "m"
    assert v3.GroupSpec[OpenUnits, Any].from_json(kept.to_json()) == kept


def test_what_is_missing_in_a_model_of_attributes_without_defaults_is_told_for_groups_too() -> None:
    with pytest.raises(ValidationError, match="required, but missing"):
        v3.GroupSpec[DictUnits, Any]()
    assert faults(v3.GroupSpec[DictUnits, Any], group({})) == ["/: attributes.units: required, but missing"]


@both
def test_attributes_may_be_a_typeddict(number: int) -> None:
    spec = MODULES[number].GroupSpec[DictUnits, Any]
    assert spec(attributes={"units": "m"}).attributes == {"units": "m"}
    assert spec(attributes={"units": "m", "scale": 2.0}).to_json()["attributes"] == {
        "units": "m",
        "scale": 2.0,
    }
    with pytest.raises(ValidationError, match=r"attributes\.units"):
        spec(attributes={"scale": 2.0})


@both
def test_attributes_may_be_a_dataclass(number: int) -> None:
    spec = MODULES[number].GroupSpec[DataUnits, Any]
    made = spec(attributes=DataUnits("m"))
    assert made.attributes.units == "m"
    assert made.to_json()["attributes"] == {"units": "m", "scale": 1.0}
    assert spec.from_json(made.to_json()).attributes == DataUnits("m")
    with pytest.raises(ValidationError, match=r"attributes\.units"):
        spec(attributes={"scale": 2.0})


# --- members


class Position(v3.GroupSpec):
    attributes: DictUnits


class Members(TypedDict):
    data: Cube
    position: NotRequired[Position]


class Image(v3.GroupSpec[dict[str, Any], Any]):
    members: Members


def test_members_may_be_a_typeddict() -> None:
    image = Image.from_json(group({"data": document()}))
    assert isinstance(image.members["data"], Cube)
    inner = group({}, attributes={"units": "m"})
    both_there = Image.from_json(group({"data": document(), "position": inner}))
    assert both_there.members["position"].attributes["units"] == "m"
    assert both_there.nodes.keys() == {"data", "position"}
    assert faults(Image, group({"position": inner})) == ["/data: required, but missing"] or faults(
        Image, group({"position": inner})
    ) == ["/: members.data: required, but missing"]
    assert faults(Image, group({"data": document(), "position": group({})})) == [
        "/position: attributes.units: required, but missing"
    ]
    assert any("/data" in fault for fault in faults(Image, group({"data": group({})})))


@both
def test_members_may_be_of_one_model(number: int) -> None:
    root = MODULES[number].GroupSpec[dict[str, Any], MODULES[number].ArraySpec[DictUnits]]
    array = MODULES[number].ArraySpec.from_array([1], attributes={"units": "m"})
    found = root(members={"a": array, "b": array})
    assert found.members["b"].attributes["units"] == "m"
    bare = MODULES[number].ArraySpec.from_array([1])
    with pytest.raises(ValidationError) as caught:
        root(members={"a": array, "b": bare, "c": bare})
    assert caught.value.error_count() == 2
    with pytest.raises(ValidationError, match="expected an array, found a group"):
        root(members={"a": MODULES[number].GroupSpec()})


class Left(v3.GroupSpec):
    attributes: dict[Literal["side"], Literal["left"]]
    members: Mapping[str, Cube]


class Right(v3.ArraySpec):
    attributes: DictUnits


def test_of_a_union_the_nearest_model_tells_its_errors() -> None:
    root = v3.GroupSpec[dict[str, Any], Left | Right]
    left = group({"cube": document()}, attributes={"side": "left"})
    good = root.from_json(group({"l": left, "r": document(attributes={"units": "m"})}))
    assert isinstance(good.members["l"], Left)
    assert isinstance(good.members["r"], Right)
    assert faults(root, group({"r": document()})) == ["/r: attributes.units: required, but missing"]
    wrong = group({"cube": document(data_type="float64")}, attributes={"side": "left"})
    assert faults(root, group({"l": wrong})) == ["/l/cube: data_type: expected 'float32', found \"float64\""]
    assert faults(root, group({"l": group({"cube": document()}, attributes={"side": "up"})})) == [
        "/l: attributes.side: expected 'left', found \"up\""
    ]


class OneOf(TypedDict):
    kind: Literal["one"]
    size: int


class Many(TypedDict):
    kind: Literal["many"]
    sizes: list[int]
    names: list[str]


def test_a_union_of_typeddicts_of_attributes() -> None:
    root = v3.GroupSpec[OneOf | Many, Any]
    assert root(attributes={"kind": "one", "size": 1}).attributes["kind"] == "one"
    assert root(attributes={"kind": "many", "sizes": [], "names": []}).attributes["kind"] == "many"
    found = faults(root, group({}, attributes={"kind": "one", "size": "x"}))
    assert any("attributes.size" in fault for fault in found)


class Stereo(TypedDict):
    left: v3.ArraySpec
    right: v3.ArraySpec


class Mono(TypedDict):
    middle: v3.ArraySpec


def test_a_union_of_typeddicts_of_members() -> None:
    class Sound(v3.GroupSpec[dict[str, Any], Any]):
        members: Stereo | Mono

    assert Sound.from_json(group({"middle": document()})).nodes.keys() == {"middle"}
    assert Sound.from_json(group({"left": document(), "right": document()})).nodes.keys() == {"left", "right"}
    found = faults(Sound, group({"left": document()}))
    assert any("right" in fault and "required, but missing" in fault for fault in found)
    assert faults(Sound, group({"other": document()}))


def test_members_none_is_not_read_and_no_members_is_none() -> None:
    assert v3.GroupSpec(members=None).members is None
    assert v3.GroupSpec(members=None).nodes == {}
    assert v3.GroupSpec().members == {}
    assert v3.GroupSpec(members=None) != v3.GroupSpec()
    assert v3.GroupSpec.from_json(group()).members == {}
    assert v3.GroupSpec.from_json(group(members=None) | {"members": None}).members is None
    assert list(v3.GroupSpec(members=None).walk()) == []


# --- checks


class Times(v3.ArraySpec):
    @field_validator("shape")
    @classmethod
    def _one_axis(cls, shape: tuple[int, ...]) -> tuple[int, ...]:
        if len(shape) != 1:
            raise ValueError(f"expected one axis, found {len(shape)}")
        return shape

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if "int" not in str(self.data_type):
            raise ValueError("expected whole numbers")
        return self

    def check(self) -> Iterator[zom.Violation]:
        if "units" not in self.metadata.attributes:
            yield zom.Violation("attributes.units", "required, but missing")


def test_validators_of_pydantic_and_check_work_together() -> None:
    grid = {"name": "regular", "configuration": {"chunk_shape": [4]}}
    good = document(
        shape=[4], chunk_grid=grid, data_type="int32", fill_value=0, attributes={"units": "days since 2000"}
    )
    assert Times.from_json(good).shape == (4,)
    assert faults(Times, {**good, "attributes": {}}) == ["/: attributes.units: required, but missing"]
    assert faults(Times, document(data_type="int32", fill_value=0)) == [
        "/: attributes.units: required, but missing",
        "/: shape: expected one axis, found 3",
    ]
    assert faults(Times, {**good, "data_type": "float32"}) == ["/: expected whole numbers"] or faults(
        Times, {**good, "data_type": "float32"}
    ) == ["/: : expected whole numbers"]


class Consistent(v3.GroupSpec):
    """All arrays have as many elements along their first axis."""

    def check(self) -> Iterator[zom.Violation]:
        lengths = {name: node.metadata.shape[0] for name, node in self.nodes.items() if node.kind == "array"}
        for name, length in lengths.items():
            if length != next(iter(lengths.values())):
                yield zom.Violation("shape[0]", f"expected the length of the first, found {length}", name)


def test_a_check_of_a_group_names_the_member() -> None:
    grid = {"name": "regular", "configuration": {"chunk_shape": [1, 1, 1]}}
    short = document(shape=[3, 6, 8], chunk_grid=grid)
    assert Consistent.from_json(group({"a": document(), "b": document()})).nodes.keys() == {"a", "b"}
    assert faults(Consistent, group({"a": document(), "b": short})) == [
        "/b: shape[0]: expected the length of the first, found 3"
    ]


# --- from untyped to typed and back


def test_untyped_models_become_typed_and_the_other_way() -> None:
    untyped = v3.GroupSpec.from_json(group({"data": document()}))
    typed = Image.model_validate(untyped)
    assert isinstance(typed.members["data"], Cube)
    assert typed == untyped
    assert type(v3.GroupSpec.model_validate(untyped)) is v3.GroupSpec
    with pytest.raises(ValidationError, match="data"):
        Image.model_validate(v3.GroupSpec())


def test_typed_instances_stay_within_untyped_groups() -> None:
    cube = Cube.from_json(document())
    root = v3.GroupSpec(members={"c": cube})
    assert root.members is not None
    assert root.members["c"] is cube
    image = Image(members={"data": cube})
    assert v3.GroupSpec(members={"i": image}).nodes["i"] is image


def test_a_store_is_read_into_typed_models() -> None:
    store = MemoryStore()
    root = omnizarr.create_group(store, zarr_format=3)
    root.create_array("data", shape=(4, 6, 8), dtype="float32")
    assert isinstance(Image.from_node(root).members["data"], Cube)
    root.create_array("position", shape=1, dtype="int8")
    with pytest.raises(MetadataError, match=r"/position: expected a group, found an array"):
        Image.from_node(root)
    with pytest.raises(ConversionError, match="expected Zarr 2, found Zarr 3"):
        v2.GroupSpec.from_node(root)


# --- frozen


@both
def test_models_are_frozen(number: int) -> None:
    for model, name in (
        (MODULES[number].GroupSpec(), "members"),
        (MODULES[number].ArraySpec.from_array([1]), "shape"),
    ):
        for field in (name, "attributes", "zarr_format", "unknown"):
            with pytest.raises(ValidationError, match="frozen"):
                setattr(model, field, None)
        with pytest.raises(ValidationError, match="frozen"):
            del model.attributes
        assert {model: 1}[model] == 1


def test_copies_with_changes_are_checked() -> None:
    cube = Cube.from_json(document())
    assert cube.model_copy(update={"shape": [8, 6, 8]}).shape == (8, 6, 8)
    with pytest.raises(ValidationError, match="shape"):
        cube.model_copy(update={"shape": [8]})
    assert cube.model_copy() == cube
    assert cube.model_copy(deep=True) == cube
    assert cube.shape == (4, 6, 8)


# --- models of arrays that are there


class Like:
    """An array-like with what h5py, dask and others have."""

    def __init__(self, **attributes: Any) -> None:
        self.shape: Any = (4, 6)
        self.dtype = np.dtype("int16")
        vars(self).update(attributes)


@both
def test_lists_and_numbers(number: int) -> None:
    spec = MODULES[number].ArraySpec
    assert spec.from_array([[1.5, 2], [3, 4]]).metadata.shape == (2, 2)
    assert spec.from_array(7).metadata.shape == ()
    assert spec.from_array([1, 2, 3], dtype="uint8", chunks=(2,), fill_value=9).metadata.fill_value == 9
    assert spec.from_array(["a", "bc"]).metadata.data_type.name.startswith(("string", "fixed_length_utf32"))
    with pytest.raises(MetadataError, match="expected strings, bytes"):
        spec.from_array(np.array([object()]))
    with pytest.raises(TypeError, match="no such argument: colour"):
        spec.from_array([1], colour="red")


@both
def test_of_numpys_arrays_values_are_not_looked_at(number: int) -> None:
    spec = MODULES[number].ArraySpec
    huge = np.broadcast_to(np.int32(1), (10**9, 10**9))
    assert spec.from_array(huge, chunks=(1000, 1000)).metadata.shape == (10**9, 10**9)
    masked = np.ma.masked_array([1, 2], mask=[0, 1], fill_value=-5)
    assert spec.from_array(masked).metadata.fill_value == -5
    record = np.zeros(3, [("a", "<i4"), ("b", "<f8")])
    assert spec.from_array(record).metadata.data_type.dtype == record.dtype


@both
@pytest.mark.parametrize("name", ["fill_value", "fillvalue"])
def test_array_likes_give_chunks_and_fill_value(number: int, name: str) -> None:
    like = Like(chunks=(2, 3), attrs={"units": "m", "n": np.float32(2)}, **{name: np.int16(-7)})
    found = MODULES[number].ArraySpec.from_array(like)
    assert found.metadata.fill_value == -7
    assert found.attributes == {"units": "m", "n": 2.0}
    assert found.metadata.grid.chunk_shape == (2, 3)
    other = MODULES[number].ArraySpec.from_array(like, dtype="uint8", attributes={}, chunks=(4, 6))
    assert other.metadata.fill_value == 0
    assert other.attributes == {}
    assert other.metadata.grid.chunk_shape == (4, 6)


def test_uneven_chunks_of_dask() -> None:
    even, uneven = Like(chunks=((2, 2), (4, 2))), Like(chunks=((1, 3), (6,)))
    assert v3.ArraySpec.from_array(even).metadata.grid.chunk_shape == (2, 4)  # type: ignore[union-attr]
    assert v2.ArraySpec.from_array(even).chunks == (2, 4)
    rectilinear = v3.ArraySpec.from_array(uneven).chunk_grid
    assert isinstance(rectilinear, dict)
    assert rectilinear["name"] == "rectilinear"
    assert v2.ArraySpec.from_array(uneven).metadata.shape == (4, 6)
    with pytest.raises(TypeError, match="shape: expected whole numbers"):
        v3.ArraySpec.from_array(Like(shape=(np.nan, 6)))


def test_attributes_that_are_no_json_are_told() -> None:
    like = Like(attrs={"DIMENSION_LIST": object()})
    with pytest.raises(TypeError, match="DIMENSION_LIST"):
        v3.ArraySpec.from_array(like)
    assert v3.ArraySpec.from_array(like, attributes={}).attributes == {}


@both
def test_arrays_of_omnizarr_give_all(number: int) -> None:
    source = omnizarr.create_array(
        None,
        shape=(4, 6),
        chunks=(2, 3),
        dtype=">i2",
        filters={"id": "delta", "dtype": ">i2"},
        compressors={"id": "zlib", "level": 3},
        order="F",
        chunk_key_encoding="/",
        fill_value=5,
        attributes={"units": "m"},
        zarr_format=2,
    )
    spec = MODULES[number].ArraySpec
    found = spec.from_array(source)
    assert found.attributes == {"units": "m"}
    assert found.metadata.fill_value == 5
    assert {codec.name for codec in found.metadata.codecs} >= {
        "transpose",
        "numcodecs.delta",
        "numcodecs.zlib",
    }
    if number == 2:
        assert found == zom.from_node(source)
        assert spec.from_array(source, fill_value=5) == found
    changed = spec.from_array(source, shape=(8, 8))
    assert changed.metadata.codecs == found.metadata.codecs
    assert changed.metadata.grid == found.metadata.grid
    plain = spec.from_array(source, dtype="float64", shape=10)
    assert "numcodecs.delta" not in {codec.name for codec in plain.metadata.codecs}
    assert plain.metadata.fill_value == 0.0


def test_shards_of_omnizarrs_arrays() -> None:
    source = omnizarr.create_array(
        None,
        shape=(8, 8),
        shards=(4, 4),
        chunks=(2, 2),
        dtype="int8",
        zarr_format=3,
        dimension_names=("y", "x"),
    )
    assert v3.ArraySpec.from_array(source) == zom.from_node(source)
    assert v3.ArraySpec.from_array(source, fill_value=0) == zom.from_node(source)
    assert v2.ArraySpec.from_array(source).chunks == (2, 2)
    assert v2.ArraySpec.from_array(source).attributes == {"_ARRAY_DIMENSIONS": ["y", "x"]}
    line = v3.ArraySpec.from_array(source, shape=20)
    assert line.dimension_names is None
    assert line.metadata.shape == (20,)
    assert v2.ArraySpec.from_array(source, shape=20).attributes == {}


@both
def test_arrays_of_xarray_name_their_dimensions(number: int) -> None:
    """In Zarr v3 by `dimension_names`, in v2 by the attribute that xarray reads."""
    xarray = pytest.importorskip("xarray")
    data = xarray.DataArray(np.zeros((2, 3), "float32"), dims=("y", "x"), attrs={"units": "m"})
    for source in (data, data.variable):
        found = MODULES[number].ArraySpec.from_array(source)
        if number == 3:
            assert found.dimension_names == ("y", "x")
            assert found.attributes == {"units": "m"}
        else:
            assert found.attributes == {"_ARRAY_DIMENSIONS": ["y", "x"], "units": "m"}
    renamed = v3.ArraySpec.from_array(data, dimension_names=("a", "b"), attributes={})
    assert renamed.dimension_names == ("a", "b")
    assert renamed.attributes == {}
    odd = data.rename({"x": 5})
    assert v3.ArraySpec.from_array(odd).dimension_names is None


@both
def test_arrays_of_xarray_are_read_by_it_again(number: int, tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    data = xarray.DataArray(np.zeros((2, 3), "float32"), dims=("y", "x"), attrs={"units": "m"})
    model = MODULES[number].GroupSpec(members={"t": MODULES[number].ArraySpec.from_array(data)})
    model.to_store(tmp_path / "a.zarr")
    found = xarray.open_zarr(tmp_path / "a.zarr", consolidated=False, chunks=None)
    assert found["t"].dims == ("y", "x")
    assert found["t"].attrs == {"units": "m"}
    assert found["t"].shape == (2, 3)
    assert zom.validate(model, "xarray") == []


def test_datasets_of_h5py(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        data = file.create_dataset("x", (4, 6), "int16", chunks=(2, 3), fillvalue=-7)
        data.attrs["units"] = "m"
        data.attrs["range"] = np.array([0, 5])
        found = v3.ArraySpec.from_array(data)
        assert found.attributes == {"units": "m", "range": [0, 5]}
        assert found.metadata.fill_value == -7
        assert found.metadata.grid.chunk_shape == (2, 3)  # type: ignore[union-attr]
        data.attrs["ref"] = file.ref
        with pytest.raises(TypeError, match="ref"):
            v3.ArraySpec.from_array(data)


@both
def test_arrays_of_zarr_python(number: int) -> None:
    zarr = pytest.importorskip("zarr")
    names = {"dimension_names": ("y", "x")} if number == 3 else {}
    source = zarr.create_array(
        {},
        shape=(4, 6),
        chunks=(2, 3),
        dtype="int16",
        fill_value=3,
        attributes={"a": 1},
        zarr_format=number,
        **names,
    )
    found = MODULES[number].ArraySpec.from_array(source)
    assert found.attributes == {"a": 1}
    assert found.metadata.fill_value == 3
    assert found.metadata.grid.chunk_shape == (2, 3)
    assert found.metadata.dimension_names == (("y", "x") if number == 3 else None)


def test_models_of_arrays_are_models_of_subclasses() -> None:
    assert isinstance(Cube.from_array(np.zeros((1, 2, 3), "float32")), Cube)
    with pytest.raises(MetadataError, match="data_type"):
        Cube.from_array(np.zeros((1, 2, 3), "float64"))
    with pytest.raises(UnsupportedError):
        v3.ArraySpec.from_array([1], compressors={"name": "no_such_codec"})
