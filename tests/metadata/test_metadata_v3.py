"""Zarr v3 documents: legal ones are read and repeated, illegal ones are refused with every fault."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from omnizarr.errors import ConversionError, MetadataError, UnsupportedError
from omnizarr.geometry.grid import RectilinearGrid, RegularGrid
from omnizarr.jsontypes import Problems
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.chunk_keys import ChunkKeys
from omnizarr.metadata.extension import Extension
from omnizarr.metadata.formats import FORMATS, format_of
from omnizarr.metadata.formats.v3 import V3
from omnizarr.metadata.group import GroupMetadata

ABSENT = object()
V3_FORMAT = V3()


def array_document(**changes: Any) -> dict[str, Any]:
    """Return a legal document, changed; a field that is ABSENT is left out."""
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [10, 20],
        "data_type": "int32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [5, 6]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "attributes": {},
    }
    return {name: value for name, value in (document | changes).items() if value is not ABSENT}


def group_document(**changes: Any) -> dict[str, Any]:
    return {"zarr_format": 3, "node_type": "group", "attributes": {}} | changes


def read(document: Any) -> Any:
    problems = Problems()
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    node = V3_FORMAT.read("a/b", {"a/b/zarr.json": data}, problems)
    problems.check(path="a/b")
    return node


def written(node: Any) -> Any:
    documents = V3_FORMAT.write("a/b", node)
    assert list(documents) == ["a/b/zarr.json"]
    return json.loads(documents["a/b/zarr.json"])


def rectilinear(*chunk_shapes: Any) -> dict[str, Any]:
    return {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": list(chunk_shapes)}}


# What stands in the specification and in the wild: (changes, attribute of the model, its value).
LEGAL: dict[str, tuple[dict[str, Any], str, Any]] = {
    "plain": ({}, "grid", RegularGrid((5, 6))),
    "bare codec": ({"codecs": ["bytes"], "data_type": "int8"}, "codecs", (Extension("bytes"),)),
    "bare codecs": (
        {"codecs": ["bytes", "crc32c"], "data_type": "uint8"},
        "codecs",
        (Extension("bytes"), Extension("crc32c")),
    ),
    "empty configuration": (
        {"codecs": [{"name": "vlen-utf8", "configuration": {}}], "data_type": "string", "fill_value": ""},
        "codecs",
        (Extension("vlen-utf8"),),
    ),
    "bare key encoding": ({"chunk_key_encoding": "default"}, "chunk_keys", ChunkKeys()),
    "bare v2 key encoding": ({"chunk_key_encoding": "v2"}, "chunk_keys", ChunkKeys("v2", ".")),
    "keys by name": ({"chunk_key_encoding": {"name": "default"}}, "chunk_keys", ChunkKeys()),
    "keys with points": (
        {"chunk_key_encoding": {"name": "default", "configuration": {"separator": "."}}},
        "chunk_keys",
        ChunkKeys("default", "."),
    ),
    "v2 keys with slashes": (
        {"chunk_key_encoding": {"name": "v2", "configuration": {"separator": "/"}}},
        "chunk_keys",
        ChunkKeys("v2", "/"),
    ),
    "data type as object": ({"data_type": {"name": "int32"}}, "fill_value", np.int32(0)),
    "data type with nothing to configure": (
        {"data_type": {"name": "int32", "configuration": {}, "must_understand": True}},
        "fill_value",
        np.int32(0),
    ),
    "whole float as integer": ({"fill_value": 7.0}, "fill_value", np.int32(7)),
    "unknown codec that may be ignored": (
        {"codecs": ["bytes", {"name": "acme.magic", "must_understand": False}]},
        "codecs",
        (Extension("bytes"), Extension("acme.magic", must_understand=False)),
    ),
    "codec named by a URI": (
        {"codecs": ["bytes", {"name": "https://example.org/codec/1.0", "must_understand": False}]},
        "codecs",
        (Extension("bytes"), Extension("https://example.org/codec/1.0", must_understand=False)),
    ),
    "dimension names null": ({"dimension_names": None}, "dimension_names", None),
    "dimension names": ({"dimension_names": ["x", None]}, "dimension_names", ("x", None)),
    "dimension names twice": ({"dimension_names": ["x", "x"]}, "dimension_names", ("x", "x")),
    "dimension names all null": ({"dimension_names": [None, None]}, "dimension_names", (None, None)),
    "no attributes": ({"attributes": ABSENT}, "attributes", {}),
    "no storage transformers": ({"storage_transformers": []}, "extra", {}),
    "unknown field that may be ignored": (
        {"acme": {"must_understand": False, "b": 1}},
        "extra",
        {"acme": {"must_understand": False, "b": 1}},
    ),
    "no dimensions": (
        {"shape": [], "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": []}}},
        "shape",
        (),
    ),
    "no elements": ({"shape": [0, 5]}, "shape", (0, 5)),
    "rectilinear": (
        {"chunk_grid": rectilinear([4, [3, 2]], 7)},
        "grid",
        RectilinearGrid(((4, 3, 3), 7)),
    ),
    "rectilinear spelled out": (
        {"chunk_grid": rectilinear([5, 5, 5], [[10, 1], [1, 10]])},
        "grid",
        RectilinearGrid(((5, 5, 5), (10,) + (1,) * 10)),
    ),
}


@pytest.mark.parametrize(("changes", "name", "value"), LEGAL.values(), ids=LEGAL)
def test_legal(changes: dict[str, Any], name: str, value: Any) -> None:
    document = array_document(**changes)
    node = read(document)
    assert isinstance(node, ArrayMetadata)
    assert getattr(node, name) == value
    assert written(node) == document
    assert list(written(node)) == list(document)


# One fault each: (changes, where, a part of what is said).
ILLEGAL: dict[str, tuple[dict[str, Any], str, str]] = {
    "no shape": ({"shape": ABSENT}, "shape", "required, but missing"),
    "no data type": ({"data_type": ABSENT}, "data_type", "required, but missing"),
    "no grid": ({"chunk_grid": ABSENT}, "chunk_grid", "required, but missing"),
    "no keys": ({"chunk_key_encoding": ABSENT}, "chunk_key_encoding", "required, but missing"),
    "no fill value": ({"fill_value": ABSENT}, "fill_value", "required, but missing"),
    "no codecs": ({"codecs": ABSENT}, "codecs", "required, but missing"),
    "empty codecs": ({"codecs": []}, "codecs", "one codec at least"),
    "codecs no list": ({"codecs": {"name": "bytes"}}, "codecs", "expected a list"),
    "codec a number": ({"codecs": ["bytes", 5]}, "codecs[1]", "expected a name or an object"),
    "codec without name": ({"codecs": [{"configuration": {}}]}, "codecs[0].name", "required, but missing"),
    "codec with number for name": ({"codecs": [{"name": 1}]}, "codecs[0].name", "expected a string, found 1"),
    "codec with bad name": ({"codecs": ["Bytes!"]}, "codecs[0]", 'found "Bytes!"'),
    "codec with list": (
        {"codecs": [{"name": "bytes", "configuration": []}]},
        "codecs[0].configuration",
        "expected an object, found []",
    ),
    "codec with id": ({"codecs": [{"name": "bytes", "id": 1}]}, "codecs[0].id", "unknown name"),
    "must_understand a number": (
        {"codecs": [{"name": "bytes", "must_understand": 0}]},
        "codecs[0].must_understand",
        "expected true or false, found 0",
    ),
    "shape a number": ({"shape": 10}, "shape", "expected a list, found 10"),
    "negative length": ({"shape": [10, -1]}, "shape[1]", "expected an integer of at least 0, found -1"),
    "length a float": ({"shape": [10.0, 20]}, "shape[0]", "found 10.0"),
    "length true": ({"shape": [10, True]}, "shape[1]", "found true"),
    "length too long": ({"shape": [2**63, 20]}, "shape[0]", "63 bits"),
    "grid null": ({"chunk_grid": None}, "chunk_grid", "found null"),
    "grid empty": ({"chunk_grid": {}}, "chunk_grid.name", "required, but missing"),
    "keys null": ({"chunk_key_encoding": None}, "chunk_key_encoding", "found null"),
    "data type of bad name": ({"data_type": "Int 32"}, "data_type", 'found "Int 32"'),
    "data type null": ({"data_type": None}, "data_type", "found null"),
    "chunk true": (
        {"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [5, True]}}},
        "chunk_grid.configuration.chunk_shape[1]",
        "found true",
    ),
    "zero chunk": (
        {"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [5, 0]}}},
        "chunk_grid.configuration.chunk_shape[1]",
        "expected an integer of at least 1, found 0",
    ),
    "chunks of other rank": (
        {"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [5]}}},
        "chunk_grid.configuration.chunk_shape",
        "expected 2 lengths, one for each dimension, found 1",
    ),
    "regular grid without chunks": (
        {"chunk_grid": {"name": "regular"}},
        "chunk_grid.configuration.chunk_shape",
        "required, but missing",
    ),
    "regular grid with more": (
        {"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [5, 6], "offset": 1}}},
        "chunk_grid.configuration.offset",
        "unknown name",
    ),
    "rectilinear too short": (
        {"chunk_grid": rectilinear([4, 3], 7)},
        "chunk_grid.configuration.chunk_shapes[0]",
        "expected lengths of 10 in sum, the length of the axis, found 7",
    ),
    "rectilinear zero": (
        {"chunk_grid": rectilinear([4, 0, 6], 7)},
        "chunk_grid.configuration.chunk_shapes[0][1]",
        "found 0",
    ),
    "rectilinear zero for all": (
        {"chunk_grid": rectilinear(0, 7)},
        "chunk_grid.configuration.chunk_shapes[0]",
        "found 0",
    ),
    "rectilinear run of none": (
        {"chunk_grid": rectilinear([4, [3, 0], 6], 7)},
        "chunk_grid.configuration.chunk_shapes[0][1][1]",
        "found 0",
    ),
    "rectilinear run of three": (
        {"chunk_grid": rectilinear([[3, 2, 2]], 7)},
        "chunk_grid.configuration.chunk_shapes[0][0]",
        "a length and a count",
    ),
    "rectilinear text": (
        {"chunk_grid": rectilinear("x", 7)},
        "chunk_grid.configuration.chunk_shapes[0]",
        'found "x"',
    ),
    "rectilinear of other rank": (
        {"chunk_grid": rectilinear(3)},
        "chunk_grid.configuration.chunk_shapes",
        "expected a list of 2",
    ),
    "rectilinear of other kind": (
        {"chunk_grid": {"name": "rectilinear", "configuration": {"kind": "file", "chunk_shapes": [5, 6]}}},
        "chunk_grid.configuration.kind",
        'expected one of "inline", found "file"',
    ),
    "separator": (
        {"chunk_key_encoding": {"name": "default", "configuration": {"separator": "-"}}},
        "chunk_key_encoding.configuration.separator",
        'found "-"',
    ),
    "keys with more": (
        {"chunk_key_encoding": {"name": "v2", "configuration": {"prefix": "c"}}},
        "chunk_key_encoding.configuration.prefix",
        "unknown name",
    ),
    "data type a number": ({"data_type": 4}, "data_type", "found 4"),
    "data type with configuration": (
        {"data_type": {"name": "int32", "configuration": {"endian": "big"}}},
        "data_type.configuration.endian",
        "unknown name",
    ),
    "fill value too big": (
        {"data_type": "uint8", "fill_value": 300},
        "fill_value",
        "from 0 to 255, found 300",
    ),
    "fill value not whole": ({"fill_value": 7.5}, "fill_value", "found 7.5"),
    "fill value text": ({"fill_value": "0"}, "fill_value", 'found "0"'),
    "fill value null": ({"fill_value": None}, "fill_value", "found null"),
    "fill value true": ({"fill_value": True}, "fill_value", "found true"),
    "dimension names of other rank": ({"dimension_names": ["x"]}, "dimension_names", "a list of 2"),
    "dimension name a number": ({"dimension_names": ["x", 1]}, "dimension_names[1]", "found 1"),
    "dimension names text": ({"dimension_names": "xy"}, "dimension_names", 'found "xy"'),
    "attributes a list": ({"attributes": []}, "attributes", "expected an object, found []"),
    "storage transformers text": ({"storage_transformers": "x"}, "storage_transformers", "expected a list"),
    "format 4": ({"zarr_format": 4}, "zarr_format", "expected 3, found 4"),
    "format true": ({"zarr_format": 3.0}, "zarr_format", "expected 3, found 3.0"),
    "no format": ({"zarr_format": ABSENT}, "zarr_format", "required, but missing"),
    "no node type": ({"node_type": ABSENT}, "node_type", "required, but missing"),
    "other node type": ({"node_type": "table"}, "node_type", 'found "table"'),
}


@pytest.mark.parametrize(("changes", "at", "message"), ILLEGAL.values(), ids=ILLEGAL)
def test_illegal(changes: dict[str, Any], at: str, message: str) -> None:
    with pytest.raises(MetadataError) as caught:
        read(array_document(**changes))
    assert not isinstance(caught.value, UnsupportedError)
    (problem,) = caught.value.problems
    assert problem.at == at
    assert message in problem.message
    assert "node '/a/b'" in str(caught.value)


# Legal documents that ask for what is not known here: (changes, where, the name).
UNSUPPORTED: dict[str, tuple[dict[str, Any], str, str]] = {
    "data type": ({"data_type": "acme.type"}, "data_type", "acme.type"),
    "data type with configuration": (
        {"data_type": {"name": "acme.type", "configuration": {"a": 1}}},
        "data_type",
        "acme.type",
    ),
    "grid": ({"chunk_grid": {"name": "acme.grid"}}, "chunk_grid", "acme.grid"),
    "keys": ({"chunk_key_encoding": "spiral"}, "chunk_key_encoding", "spiral"),
    "storage transformer": (
        {"storage_transformers": [{"name": "acme.box"}]},
        "storage_transformers[0]",
        "acme.box",
    ),
    "field": ({"acme": 1}, "acme", "unknown name"),
    "field that must be understood": ({"acme": {"must_understand": True}}, "acme", "unknown name"),
    "too many dimensions": (
        {
            "shape": [1] * 65,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1] * 65}},
        },
        "shape",
        "65 dimensions",
    ),
    "endless run": (
        {"chunk_grid": rectilinear([[1, 10**12]], 7)},
        "chunk_grid.configuration.chunk_shapes[0][0]",
        "chunks along one axis",
    ),
}


@pytest.mark.parametrize(("changes", "at", "message"), UNSUPPORTED.values(), ids=UNSUPPORTED)
def test_unsupported(changes: dict[str, Any], at: str, message: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        read(array_document(**changes))
    (problem,) = caught.value.problems
    assert problem.at == at
    assert message in problem.message


def test_every_fault_at_once() -> None:
    document = array_document(
        shape=[10, -1],
        data_type="acme.type",
        chunk_grid={"name": "regular", "configuration": {"chunk_shape": [0, 6]}},
        codecs=[],
        acme=1,
    )
    with pytest.raises(MetadataError) as caught:
        read(document)
    assert not isinstance(caught.value, UnsupportedError)
    assert [problem.at for problem in caught.value.problems] == [
        "shape[1]",
        "data_type",
        "chunk_grid.configuration.chunk_shape[0]",
        "codecs",
        "acme",
    ]
    assert str(caught.value).startswith("5 problems:\n  - shape[1]: expected")


def test_a_faulty_array_is_returned_so_that_its_codecs_can_be_checked() -> None:
    problems = Problems()
    data = json.dumps(array_document(data_type="acme.type")).encode()
    node = V3_FORMAT.read("", {"zarr.json": data}, problems)
    assert isinstance(node, ArrayMetadata)
    assert node.codecs == (Extension("bytes", {"endian": "little"}),)
    assert problems


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "expected JSON"),
        (b"{", "expected JSON"),
        (b"\xff\xfe", "expected JSON"),
        (b"[1]", "expected an object, found [1]"),
        (b"[" * 100_000, "expected JSON"),
    ],
)
def test_no_document(data: bytes, message: str) -> None:
    with pytest.raises(MetadataError, match=r"zarr\.json: ") as caught:
        read(data)
    assert message in str(caught.value)


def test_a_draft_of_v3_is_no_node() -> None:
    draft = {
        "zarr_format": "http://purl.org/zarr/spec/protocol/core/3.0",
        "metadata_encoding": "application/json",
        "extensions": [],
    }
    assert read(draft) is None
    assert V3_FORMAT.read("x", {}, Problems()) is None


def test_tolerant_reading() -> None:
    data = json.dumps(array_document(data_type="float64", fill_value=float("nan"))).encode()
    assert b"NaN" in data
    node = read(data + b"}]junk")
    assert np.isnan(node.fill_value)
    assert np.isnan(json.loads(V3_FORMAT.write("", node)["zarr.json"])["fill_value"])


@pytest.mark.parametrize(
    "document",
    [
        group_document(),
        {"zarr_format": 3, "node_type": "group"},
        group_document(attributes={"a": [1, None, {"b": "ü"}]}),
        group_document(consolidated_metadata=None),
        group_document(acme={"must_understand": False}),
        group_document(consolidated_metadata={"kind": "inline", "must_understand": False, "metadata": {}}),
        group_document(consolidated_metadata={"kind": "inline", "metadata": {}}),
        group_document(consolidated_metadata={"kind": "elsewhere", "must_understand": False, "url": "x"}),
        group_document(
            consolidated_metadata={
                "kind": "inline",
                "must_understand": False,
                "metadata": {
                    "g": group_document(
                        consolidated_metadata={"kind": "inline", "must_understand": False, "metadata": {}}
                    ),
                    "g/a": array_document(chunk_key_encoding="v2"),
                },
            }
        ),
    ],
)
def test_groups(document: dict[str, Any]) -> None:
    node = read(document)
    assert isinstance(node, GroupMetadata)
    assert written(node) == document
    assert list(written(node)) == list(document)


def test_faults_of_groups() -> None:
    document = group_document(
        attributes=None,
        acme=1,
        consolidated_metadata={
            "kind": "inline",
            "metadata": {
                "a": array_document(shape=[10, "x"]),
                "../b": group_document(),
                "c": {"zarr_format": 2},
                "d": group_document(consolidated_metadata=5),
            },
        },
    )
    with pytest.raises(MetadataError) as caught:
        read(document)
    assert sorted(problem.at for problem in caught.value.problems) == [
        "acme",
        "attributes",
        'consolidated_metadata.metadata["../b"]',
        'consolidated_metadata.metadata["a"].shape[1]',
        'consolidated_metadata.metadata["c"].zarr_format',
        'consolidated_metadata.metadata["d"].consolidated_metadata',
    ]


@pytest.mark.parametrize(
    "block", [{"kind": "acme"}, {"kind": "inline"}, {"kind": "inline", "metadata": []}, 1]
)
def test_faults_of_consolidated_metadata(block: Any) -> None:
    with pytest.raises(MetadataError, match="consolidated_metadata"):
        read(group_document(consolidated_metadata=block))


def test_changes_are_written_and_the_rest_stays() -> None:
    document = array_document(
        codecs=["bytes"], chunk_key_encoding="default", data_type={"name": "int8"}, fill_value=1.0
    )
    node = read(document)
    assert written(node.with_shape((11, 20))) == document | {"shape": [11, 20]}
    assert written(node.with_attributes({"a": 1})) == document | {"attributes": {"a": 1}}
    assert written(node.with_attributes({"a": 1}).with_attributes({})) == document


def test_attributes_stay_when_the_last_one_goes() -> None:
    document = {"zarr_format": 3, "node_type": "group"}
    node = read(document).with_attributes({"a": True})
    assert written(node) == document | {"attributes": {"a": True}}
    assert written(node.with_attributes({})) == document | {"attributes": {}}


def test_attribute_that_is_equal_but_of_another_type() -> None:
    node = read(group_document(attributes={"a": 1})).with_attributes({"a": True})
    assert written(node)["attributes"]["a"] is True


def test_new_consolidated_metadata_replace_those_of_another_kind() -> None:
    other = {"kind": "elsewhere", "must_understand": False}
    node = read(group_document(consolidated_metadata=other)).with_consolidated({"g": GroupMetadata()})
    assert written(node)["consolidated_metadata"]["metadata"] == {"g": group_document()}
    assert "consolidated_metadata" not in written(read(group_document()).with_consolidated(None))


def test_keys_and_paths() -> None:
    assert V3_FORMAT.document_keys("") == ("zarr.json",)
    assert V3_FORMAT.document_keys("a/b") == ("a/b/zarr.json",)
    assert V3_FORMAT.attributes_key("a") == "a/zarr.json"
    assert V3_FORMAT.consolidated_key("a") is None
    assert V3_FORMAT.node_path("zarr.json") == ""
    assert V3_FORMAT.node_path("a/b/zarr.json") == "a/b"
    assert V3_FORMAT.node_path("a/bzarr.json") is None
    assert V3_FORMAT.node_path("a/c/0") is None
    assert V3_FORMAT.data_prefix("", read(array_document())) == ""
    assert V3_FORMAT.data_prefix("a/b", read(array_document())) == "a/b/"


def test_formats_by_number() -> None:
    assert format_of(3).zarr_format == 3
    assert [format.zarr_format for format in FORMATS.values()] == list(FORMATS) == [3, 2]
    with pytest.raises(ConversionError, match="expected one of 3, 2, '3-2019', '3-2020', '3-2022', found 4"):
        format_of(4)
