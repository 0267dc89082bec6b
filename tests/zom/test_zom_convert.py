"""Models between Zarr v2 and v3: what a copy makes, what is lost, and what comes back as it was."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import zarr
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from zarr.errors import ZarrUserWarning

import omnizarr
from omnizarr import zom
from omnizarr.cli import cli
from omnizarr.errors import ConversionError, MetadataError
from omnizarr.hierarchy.copying.check import plan_copy
from omnizarr.hierarchy.group import Group
from omnizarr.metadata.formats import FORMATS
from omnizarr.store import DirectoryStore, MemoryStore
from omnizarr.zom.convert import Conversion, convert
from omnizarr.zom.node import NodeSpec

NUMBERS = np.arange(24).reshape(6, 4)


def v2_array(dtype: Any = "<i4", **fields: Any) -> NodeSpec[Any]:
    return zom.v2.ArraySpec(**{"shape": (6, 4), "chunks": (3, 2), "dtype": dtype, "fill_value": 0, **fields})


def v3_array(data_type: Any = "int32", **fields: Any) -> NodeSpec[Any]:
    usual = {
        "shape": (6, 4),
        "data_type": data_type,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [3, 2]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "fill_value": 0,
    }
    return zom.v3.ArraySpec(**{**usual, **fields})


def told(conversion: Conversion) -> list[str]:
    return [str(loss) for loss in conversion.losses]


# --- what it is


def test_a_hierarchy_becomes_one_of_the_other_version() -> None:
    model = zom.v2.GroupSpec(
        attributes={"title": "é"},
        members={
            "g": zom.v2.GroupSpec(
                members={"t": v2_array(">f4", attributes={"_ARRAY_DIMENSIONS": ["y", "x"]})}
            ),
            "not read": zom.v2.GroupSpec(members=None),
        },
    )
    found = convert(model, 3)
    assert found.exact and str(found) == "group of Zarr 3, exact"
    assert found.model == zom.v3.GroupSpec(
        attributes={"title": "é"},
        members={
            "g": zom.v3.GroupSpec(
                members={
                    "t": v3_array(
                        "float32",
                        dimension_names=("y", "x"),
                        codecs=[{"name": "bytes", "configuration": {"endian": "big"}}],
                    )
                }
            ),
            "not read": zom.v3.GroupSpec(members=None),
        },
    )
    assert isinstance(found.model, zom.v3.GroupSpec) and found.model.nodes["not read"].members is None
    assert convert(found.model, 2) == Conversion(model)
    assert zom.from_json(found.model.to_json()) == found.model


def test_the_same_version_is_returned_as_it_is() -> None:
    model = zom.v3.GroupSpec(members={"a": v3_array()})
    assert convert(model, 3).model is model
    assert convert(model.nodes["a"], 3).model is model.nodes["a"]


@pytest.mark.parametrize("number", [4, "3", None, True, "3-2019"])
def test_unknown_versions_are_refused(number: Any) -> None:
    with pytest.raises(ConversionError, match="zarr_format: expected 2 or 3, found"):
        convert(v3_array(), number)


class Units(BaseModel):
    units: str


class Measured(zom.v3.GroupSpec[dict[str, Any], zom.v3.ArraySpec[Units]]):
    pass


def test_into_a_users_model() -> None:
    model = zom.v2.GroupSpec(members={"t": v2_array(attributes={"units": "K"})})
    found = convert(model, 3, into=Measured)
    assert type(found.model) is Measured
    assert found.model.members is not None
    assert found.model.members["t"].attributes == Units(units="K")
    assert found.model == convert(model, 3).model
    assert type(convert(convert(model, 3).model, 3, into=Measured).model) is Measured
    assert convert(found.model, 3, into=Measured).model is found.model
    back = convert(found.model, 2)
    assert back.model == model and type(back.model) is zom.v2.GroupSpec


def test_into_says_every_fault_with_its_path() -> None:
    model = zom.v2.GroupSpec(members={"t": v2_array(), "g": zom.v2.GroupSpec()})
    with pytest.raises(MetadataError) as caught:
        convert(model, 3, into=Measured)
    assert [problem.at for problem in caught.value.problems] == ["/t: attributes.units", "/g"]
    with pytest.raises(ConversionError, match="into: expected a model of Zarr 2, found Measured, of Zarr 3"):
        convert(model, 2, into=Measured)


# --- losses, and what cannot be


def test_losses_have_paths() -> None:
    shards = {
        "name": "sharding_indexed",
        "configuration": {"chunk_shape": [3, 1], "codecs": [{"name": "bytes"}], "index_codecs": ["crc32c"]},
    }
    shards["configuration"]["codecs"] = [{"name": "bytes", "configuration": {"endian": "little"}}]
    shards["configuration"]["index_codecs"] = [{"name": "bytes", "configuration": {"endian": "little"}}]
    model = zom.v3.GroupSpec(
        members={
            "sharded": v3_array(codecs=[shards]),
            "half": v3_array(dimension_names=("y", None)),
            "g": zom.v3.GroupSpec(members={"half": v3_array(dimension_names=("y", None))}),
        }
    )
    found = convert(model, 2)
    assert not found.exact
    assert told(found) == [
        "/sharded: codec sharding_indexed: Zarr v2 has no shards, and each chunk gets a key of its own",
        "/half: dimension names: Zarr v2 names all dimensions or none",
        "/g/half: dimension names: Zarr v2 names all dimensions or none",
    ]
    assert str(found).splitlines() == [
        "group of Zarr 2, not exact:",
        "/sharded: codec sharding_indexed: Zarr v2 has no shards, and each chunk gets a key of its own",
        "/half, /g/half: dimension names: Zarr v2 names all dimensions or none",
    ]


def test_what_would_not_come_back_is_told() -> None:
    found = convert(
        v2_array("<f4", fill_value=None, dimension_separator="/", compressor={"id": "gzip", "level": 1}), 3
    )
    assert told(found) == [
        "/: fill_value: null would come back as 0.0",
        '/: dimension_separator: "/" would come back as "."',
    ]
    named = v3_array(dimension_names=("y", "x"), attributes={"_ARRAY_DIMENSIONS": ["y", "x"], "a.b": 1})
    assert told(convert(named, 2)) == [
        '/: attributes._ARRAY_DIMENSIONS: ["y", "x"] would come back as nothing'
    ]


RECTILINEAR = {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[2, 4], [4]]}}


def test_what_cannot_be_held_is_listed_whole() -> None:
    model = zom.v3.GroupSpec(
        members={
            "a": v3_array(chunk_grid=RECTILINEAR),
            "g": zom.v3.GroupSpec(members={".zarray": v3_array(), "fine": v3_array()}),
            "t": v3_array(chunk_grid=RECTILINEAR),
        }
    )
    with pytest.raises(ConversionError) as caught:
        convert(model, 2)
    message = str(caught.value)
    assert message.startswith("Zarr 2 cannot hold 3 things of the source:")
    assert "/a, /t: " in message and "/g/.zarray: a node's name is the name of a document" in message
    assert "fine" not in message


def test_names_that_v3_reserves_are_refused() -> None:
    model = zom.v2.GroupSpec(members={"__a": v2_array(), "zarr.json": zom.v2.GroupSpec(), "b": v2_array()})
    with pytest.raises(ConversionError) as caught:
        convert(model, 3)
    assert "/__a: a node's name starts with __" in str(caught.value)
    assert "/zarr.json: a node's name is the name of a document" in str(caught.value)


def test_types_of_one_version_alone_are_refused() -> None:
    objects = v2_array("|O", fill_value=None, filters=[{"id": "pickle"}])
    with pytest.raises(ConversionError, match="Zarr v3 has no type for objects"):
        convert(objects, 3)
    blocks = v2_array([["z", "<f4", [2]]], fill_value=None)
    with pytest.raises(ConversionError, match=r"Zarr 3 cannot hold /: .*no fields that are arrays"):
        convert(blocks, 3)


# --- there and back

V2_TYPES: dict[str, Any] = {
    "|b1": False, "<i4": 7, ">i4": -7, "|u1": 255, "<f8": "NaN", ">f2": "-Infinity", "<c8": [1.0, "NaN"],
    "<U3": "é", ">U3": "", "|S4": "YWJjZA==", "|V5": "AAAAAAA=", ">M8[s]": 5, "<m8[2h]": 0,
}  # fmt: skip
V2_CODECS = st.sampled_from(
    [
        {"id": "zlib", "level": 3},
        {"id": "gzip", "level": 2},
        {"id": "gzip"},
        {"id": "zstd", "level": -1},
        {"id": "zstd", "level": 1, "checksum": True},
        {"id": "bz2", "level": 1},
        {"id": "lz4", "acceleration": 1},
        {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0},
        {"id": "blosc", "cname": "zstd", "clevel": 1, "shuffle": -1, "blocksize": 0},
        {"id": "crc32c"},
        {"id": "shuffle", "elementsize": 4},
        {"id": "shuffle", "elementsize": 0},
    ]
)
DIMENSIONS = st.sampled_from([{}, {"_ARRAY_DIMENSIONS": ["y", "x"]}, {"_ARRAY_DIMENSIONS": ["y"], "a": None}])


@st.composite
def v2_arrays(draw: st.DrawFn) -> NodeSpec[Any]:
    dtype, fill = draw(st.sampled_from(list(V2_TYPES.items())))
    return v2_array(
        dtype,
        fill_value=draw(st.sampled_from([fill, None])),
        order=draw(st.sampled_from("CF")),
        dimension_separator=draw(st.sampled_from("./")),
        filters=draw(st.none() | st.lists(V2_CODECS, max_size=2)),
        compressor=draw(st.none() | V2_CODECS),
        attributes=draw(DIMENSIONS),
    )


V3_TYPES: dict[str, Any] = {
    "bool": True, "int8": -1, "int32": 7, "uint64": 2**64 - 1, "float16": "NaN", "float64": 1.5,
    "complex64": [0.0, "Infinity"],
}  # fmt: skip
V3_CODECS = st.sampled_from(
    [
        {"name": "gzip", "configuration": {"level": 2}},
        {"name": "zstd", "configuration": {"level": 3, "checksum": True}},
        {"name": "zstd", "configuration": {"level": 3, "checksum": False}},
        {"name": "crc32c"},
        {"name": "numcodecs.zlib", "configuration": {"level": 1}},
        {"name": "numcodecs.zstd", "configuration": {"level": 1}},
        {
            "name": "blosc",
            "configuration": {
                "cname": "lz4", "clevel": 1, "shuffle": "bitshuffle", "typesize": 4, "blocksize": 0,
            },
        },
    ]
)  # fmt: skip


@st.composite
def v3_arrays(draw: st.DrawFn) -> NodeSpec[Any]:
    data_type, fill = draw(st.sampled_from(list(V3_TYPES.items())))
    transpose = draw(st.sampled_from([None, [1, 0], [0, 1]]))
    order = [] if transpose is None else [{"name": "transpose", "configuration": {"order": transpose}}]
    endian = draw(st.sampled_from(["little", "big"]))
    names = st.sampled_from([None, ("y", "x"), (None, None), ("y", None)])
    return v3_array(
        data_type,
        fill_value=fill,
        chunk_key_encoding={
            "name": draw(st.sampled_from(["default", "v2"])),
            "configuration": {"separator": draw(st.sampled_from("./"))},
        },
        codecs=[
            *order,
            {"name": "bytes", "configuration": {"endian": endian}},
            *draw(st.lists(V3_CODECS, max_size=2)),
        ],
        dimension_names=draw(names),
        attributes=draw(DIMENSIONS),
    )


def back_again(model: NodeSpec[Any], there: Literal[2, 3], back: Literal[2, 3]) -> None:
    found = convert(model, there)
    assert zom.from_json(found.model.to_json()) == found.model
    again = convert(zom.from_json(found.model.to_json()), back).model
    assert found.exact == (again == model)
    lost = {loss.what.partition(":")[0] for loss in found.losses}
    ours, theirs = model.canonical(), again.canonical()
    if not lost & {"dimension names", "codec transpose"}:
        changed = {name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name)}
        assert changed == {name.partition(".")[0] for name in lost}


@settings(max_examples=60)
@given(v2_arrays())
def test_v2_to_v3_and_back(model: NodeSpec[Any]) -> None:
    back_again(model, 3, 2)


@settings(max_examples=60)
@given(v3_arrays())
def test_v3_to_v2_and_back(model: NodeSpec[Any]) -> None:
    back_again(model, 2, 3)


@pytest.mark.parametrize("dtype", V2_TYPES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_what_is_usual_comes_back(dtype: str, order: str) -> None:
    compressor = {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}
    attributes = {"_ARRAY_DIMENSIONS": ["y", "x"]}
    model = v2_array(
        dtype, fill_value=V2_TYPES[dtype], order=order, compressor=compressor, attributes=attributes
    )
    assert convert(model, 3).losses == ()


# --- as copies do

HIERARCHY: dict[str, dict[str, Any]] = {
    "plain": {"dtype": "<i4", "compressors": None},
    "g/big": {"dtype": ">f8", "attributes": {"_ARRAY_DIMENSIONS": ["y", "x"], "units": "m"}},
    "g/fortran": {"dtype": "<i2", "order": "F"},
    "g/h/scalar": {"dtype": "<f4", "shape": (), "chunks": ()},
    "words": {"dtype": "str"},
    "text": {"dtype": ">U3"},
    "times": {"dtype": "<M8[s]"},
    "records": {"dtype": [("a", "<i2"), ("b", "S3")]},
    "slashes": {"dtype": "<i4", "dimension_separator": "/"},
}
COMPRESSORS: dict[str, dict[str, Any]] = {
    "zlib": {"level": 1},
    "gzip": {"level": 1},
    "zstd": {"level": 1},
    "bz2": {"level": 1},
    "lzma": {},
    "lz4": {"acceleration": 1},
    "blosc": {"cname": "zstd", "clevel": 3, "shuffle": 2, "blocksize": 0},
}
FILTERS: dict[str, dict[str, Any]] = {
    "delta": {"dtype": "<i4"},
    "fixedscaleoffset": {"offset": 0, "scale": 1, "dtype": "<i4", "astype": "<i2"},
    "shuffle": {"elementsize": 4},
    "crc32": {},
    "adler32": {},
    "fletcher32": {},
}


def filled_v2(store: Any) -> Group:
    """Create a Zarr v2 hierarchy with every codec, and values."""
    root = omnizarr.open_group(store, mode="w", zarr_format=2, attributes={"title": "all"})
    for path, options in HIERARCHY.items():
        made = root.create_array(path, **{"shape": (6, 4), "chunks": (3, 2), **options})
        values = NUMBERS.astype(str).astype(object) if options["dtype"] == "str" else NUMBERS
        if isinstance(options["dtype"], list):
            values = np.array([(n, b"x") for n in NUMBERS.flat], options["dtype"]).reshape(6, 4)
        made[...] = values if made.shape else 3
    usual: dict[str, Any] = {"shape": (6, 4), "chunks": (3, 2), "dtype": "<i4"}
    for name, options in COMPRESSORS.items():
        root.create_array(f"codecs/{name}", **usual, compressors={"id": name, **options})[...] = NUMBERS
    for name, options in FILTERS.items():
        filters = [{"id": name, **options}]
        root.create_array(f"codecs/{name}", **usual, filters=filters, compressors=None)[...] = NUMBERS
    return root


def equal_in_zarr_python(root: Group, copy: Path) -> None:
    """Compare the arrays of two hierarchies as zarr-python reads them, which has another name for records."""
    paths = [path for path, node in root.members(max_depth=None) if isinstance(node, omnizarr.Array)]
    place = Path(root.store.name.removeprefix("file://"))
    for path in set(paths) - {"records"}:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ZarrUserWarning)  # of codecs of numcodecs
            ours, theirs = (zarr.open_array(base / path, mode="r")[...] for base in (place, copy))
        np.testing.assert_array_equal(ours, theirs, err_msg=path)
    assert zarr.open_group(copy, mode="r").attrs.asdict() == dict(root.attrs)


@pytest.fixture(scope="module")
def v2_root(tmp_path_factory: pytest.TempPathFactory) -> Group:
    return filled_v2(DirectoryStore(tmp_path_factory.mktemp("v2") / "a.zarr"))


LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
V3_ARRAYS: dict[str, dict[str, Any]] = {
    "plain": {"dtype": "int32", "compressors": None},
    "g/big": {"dtype": "float64", "serializer": {"name": "bytes", "configuration": {"endian": "big"}}},
    "g/named": {"dtype": "int16", "dimension_names": ["y", "x"]},
    "half": {"dtype": "int16", "dimension_names": ["y", None]},
    "scalar": {"dtype": "float32", "shape": (), "chunks": ()},
    "words": {"dtype": "str"},
    "sharded": {"dtype": "int32", "shards": (6, 4)},
    "fortran": {"dtype": "int32", "filters": {"name": "transpose", "configuration": {"order": [1, 0]}}},
    "gzip": {"dtype": "int32", "compressors": {"name": "gzip", "configuration": {"level": 1}}},
    "zstd": {"dtype": "int32", "compressors": {"name": "zstd", "configuration": {"level": 1}}},
    "crc32c": {"dtype": "int32", "compressors": {"name": "crc32c"}},
    "dots": {"dtype": "int32", "chunk_key_encoding": {"name": "v2", "separator": "."}},
    "slashes": {"dtype": "int32", "chunk_key_encoding": {"name": "v2", "separator": "/"}},
}


@pytest.fixture(scope="module")
def v3_root(tmp_path_factory: pytest.TempPathFactory) -> Group:
    place = tmp_path_factory.mktemp("v3") / "a.zarr"
    root = omnizarr.open_group(place, mode="w", zarr_format=3, attributes={"title": "all"})
    for path, options in V3_ARRAYS.items():
        made = root.create_array(path, **{"shape": (6, 4), "chunks": (3, 2), **options})
        values = NUMBERS.astype(str).astype(object) if options["dtype"] == "str" else NUMBERS
        made[...] = values if made.shape else 3
    return root


def copied(root: Group, store: Any, number: int) -> Group:
    omnizarr.copy(root, store, zarr_format=number)
    found = omnizarr.open_group(store, mode="r")
    assert isinstance(found, Group)
    return found


def test_a_v2_model_becomes_what_a_copy_becomes(v2_root: Group, tmp_path: Path) -> None:
    copy = copied(v2_root, tmp_path / "b.zarr", 3)
    model = zom.from_node(v2_root)
    found = convert(model, 3)
    assert found.model == zom.from_node(copy)
    assert convert(zom.from_json(model.to_json()), 3) == found
    losses = plan_copy(v2_root, MemoryStore(), FORMATS[3]).losses
    assert losses == () and {loss.path for loss in found.losses} == {"slashes"}
    equal_in_zarr_python(v2_root, tmp_path / "b.zarr")


def test_a_v3_model_becomes_what_a_copy_becomes(v3_root: Group, tmp_path: Path) -> None:
    copy = copied(v3_root, tmp_path / "b.zarr", 2)
    found = convert(zom.from_node(v3_root), 2)
    assert found.model == zom.from_node(copy)
    losses = plan_copy(v3_root, MemoryStore(), FORMATS[2]).losses
    assert set(losses) < set(found.losses) and {loss.path for loss in losses} == {"half", "sharded"}
    equal_in_zarr_python(v3_root, tmp_path / "b.zarr")


@pytest.mark.parametrize("number", [2, 3])
def test_a_converted_model_can_be_created(
    number: Literal[2, 3], v2_root: Group, v3_root: Group, tmp_path: Path
) -> None:
    root = v3_root if number == 2 else v2_root
    made = convert(zom.from_node(root), number).model.to_store(tmp_path / "b.zarr")
    assert zom.from_node(made) == zom.from_node(copied(root, tmp_path / "c.zarr", number))
    assert isinstance(made, Group) and set(dict(made.members(None))) == set(dict(root.members(None)))


# --- chunks


def by_command(source: Group, target: Path, number: int) -> str:
    arguments = ["copy", str(source.store.name), str(target), "--zarr-format", str(number)]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def chunk_values(root: Group) -> dict[tuple[str, tuple[int, ...]], bytes]:
    """Return the stored bytes of every chunk, by array and place."""
    found = {}
    for path, array in root.members(max_depth=None):
        if isinstance(array, omnizarr.Array):
            for coords in np.ndindex(array.cdata_shape):
                found[path, coords] = array.store.get(array.layout.key(coords))
    return found


def test_chunks_move_without_decoding(v2_root: Group, tmp_path: Path) -> None:
    report = by_command(v2_root, tmp_path / "b.zarr", 3)
    before, after = chunk_values(v2_root), chunk_values(omnizarr.open_group(tmp_path / "b.zarr", mode="r"))
    assert before == after and None not in after.values()
    assert f"{len(before)} chunks" in report and "moved without decoding" in report
    assert "anew" not in report


def test_chunks_that_cannot_be_moved_are_recoded(tmp_path: Path) -> None:
    root = omnizarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=3)
    made = root.create_array("t", shape=(6, 4), chunks=(3, 2), shards=(6, 4), dtype="int32")
    made[...] = NUMBERS
    report = by_command(root, tmp_path / "b.zarr", 2)
    assert "encoded anew" in report and "moved" not in report
    copy = omnizarr.open_group(tmp_path / "b.zarr", mode="r")
    assert len(chunk_values(copy)) == 4
    np.testing.assert_array_equal(np.asarray(copy["t"]), NUMBERS)
    equal_in_zarr_python(root, tmp_path / "b.zarr")


def test_what_is_no_model_is_told():
    with pytest.raises(TypeError, match="expected a model, found null"):
        zom.convert(None, 2)
    with pytest.raises(TypeError, match="into: expected an ArraySpec or GroupSpec class, found 3"):
        zom.convert(zom.v3.GroupSpec(), 2, into=3)


def test_that_a_node_cannot_be_held_is_said_once():
    model = zom.from_json({"zarr_format": 2, "_mine": {"a": 1}})
    with pytest.raises(ConversionError, match=r"^Zarr 3 cannot hold /: _mine: Zarr v3 allows no other field"):
        zom.convert(model, 3)
