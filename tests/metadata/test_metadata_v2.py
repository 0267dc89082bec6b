"""Zarr v2 documents: legal ones are read and repeated, illegal ones are refused with every fault."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from omnizarr.errors import ConversionError, MetadataError, UnsupportedError
from omnizarr.geometry.grid import RectilinearGrid, RegularGrid
from omnizarr.jsontypes import Problems
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.chunk_keys import ChunkKeys
from omnizarr.metadata.convert import to_v2
from omnizarr.metadata.dtype import PLAIN, DataType
from omnizarr.metadata.dtype_v2 import loose_dtype, write_dtype
from omnizarr.metadata.extension import Extension
from omnizarr.metadata.formats.v2 import V2
from omnizarr.metadata.group import GroupMetadata

ABSENT = object()
V2_FORMAT = V2()
BYTES = Extension("bytes")
ZLIB = {"id": "zlib", "level": 1}


def array_document(**changes: Any) -> dict[str, Any]:
    """Return a legal document, changed; a field that is ABSENT is left out."""
    document = {
        "zarr_format": 2,
        "shape": [10, 20],
        "chunks": [5, 6],
        "dtype": "<i4",
        "compressor": None,
        "fill_value": 0,
        "order": "C",
        "filters": None,
    }
    return {name: value for name, value in (document | changes).items() if value is not ABSENT}


def read(array: Any = None, *, group: Any = None, attributes: Any = None) -> Any:
    named = {".zarray": array, ".zgroup": group, ".zattrs": attributes}
    documents = {f"a/{name}": json.dumps(d).encode() for name, d in named.items() if d is not None}
    problems = Problems()
    node = V2_FORMAT.read("a", documents, problems)
    problems.check(path="a")
    return node


def written(node: Any) -> dict[str, Any]:
    return {key: json.loads(data) for key, data in V2_FORMAT.write("a", node).items()}


VLEN = {"id": "vlen-utf8"}

# (changes, attribute of the model, its value)
LEGAL: dict[str, tuple[dict[str, Any], str, Any]] = {
    "plain": ({}, "codecs", (BYTES,)),
    "grid": ({}, "grid", RegularGrid((5, 6))),
    "no separator": ({}, "chunk_keys", ChunkKeys("v2", ".")),
    "points": ({"dimension_separator": "."}, "chunk_keys", ChunkKeys("v2", ".")),
    "slashes": ({"dimension_separator": "/"}, "chunk_keys", ChunkKeys("v2", "/")),
    "separator null": ({"dimension_separator": None}, "chunk_keys", ChunkKeys("v2", ".")),
    "F": ({"order": "F"}, "codecs", (Extension("transpose", {"order": [1, 0]}), BYTES)),
    "F of one dimension": ({"shape": [3], "chunks": [3], "order": "F"}, "codecs", (BYTES,)),
    "empty filters": ({"filters": []}, "codecs", (BYTES,)),
    "compressor": ({"compressor": ZLIB}, "codecs", (BYTES, Extension("numcodecs.zlib", {"level": 1}))),
    "compressor among the filters": (
        {"filters": [ZLIB]},
        "codecs",
        (BYTES, Extension("numcodecs.zlib", {"level": 1})),
    ),
    "filter as compressor, as netCDF-C writes": (
        {"compressor": {"id": "shuffle", "elementsize": 0}},
        "codecs",
        (BYTES, Extension("numcodecs.shuffle", {"elementsize": 0})),
    ),
    "filters and compressor": (
        {"filters": [{"id": "delta", "dtype": "<i4"}, {"id": "shuffle"}], "compressor": ZLIB, "order": "F"},
        "codecs",
        (
            Extension("transpose", {"order": [1, 0]}),
            BYTES,
            Extension("numcodecs.delta", {"dtype": "<i4"}),
            Extension("numcodecs.shuffle"),
            Extension("numcodecs.zlib", {"level": 1}),
        ),
    ),
    "strings": (
        {"dtype": "|O", "filters": [VLEN], "fill_value": ""},
        "codecs",
        (Extension("vlen-utf8"),),
    ),
    "strings with fill 0": ({"dtype": "|O", "filters": [VLEN], "fill_value": 0}, "fill_value", ""),
    "strings with fill null": ({"dtype": "|O", "filters": [VLEN], "fill_value": None}, "fill_value", None),
    "strings in F": (
        {"dtype": "|O", "filters": [VLEN], "order": "F", "compressor": ZLIB},
        "codecs",
        (
            Extension("transpose", {"order": [1, 0]}),
            Extension("vlen-utf8"),
            Extension("numcodecs.zlib", {"level": 1}),
        ),
    ),
    "bytes": (
        {"dtype": "|O", "filters": [{"id": "vlen-bytes"}], "fill_value": "aGk="},
        "fill_value",
        b"hi",
    ),
    "arrays": (
        {"dtype": "|O", "filters": [{"id": "vlen-array", "dtype": "<i4"}], "fill_value": None},
        "codecs",
        (Extension("numcodecs.vlen-array", {"dtype": "<i4"}),),
    ),
    "objects": (
        {"dtype": "|O", "filters": [{"id": "json2"}], "fill_value": {"a": [1]}},
        "fill_value",
        {"a": [1]},
    ),
    "categories": (
        {"dtype": "|O", "filters": [{"id": "categorize", "labels": ["a"], "dtype": "|O", "astype": "|u1"}]},
        "codecs",
        (Extension("numcodecs.categorize", {"labels": ["a"], "dtype": "|O", "astype": "|u1"}),),
    ),
    "fill null": ({"fill_value": None}, "fill_value", None),
    "fill in a list, as netCDF-C 4.8 writes": ({"fill_value": [7]}, "fill_value", np.int32(7)),
    "no elements and no chunk": ({"shape": [0, 20], "chunks": [0, 6]}, "grid", RegularGrid((1, 6))),
    "no dimensions": ({"shape": [], "chunks": []}, "shape", ()),
    "type with needless order": ({"dtype": "<i1"}, "data_type", PLAIN["int8"]),
    "char of netCDF": (
        {"dtype": ">S1", "fill_value": "x"},
        "fill_value",
        np.bytes_(b"x"),
    ),
    "more fields": (
        {"_NCZARR_ARRAY": {"dimrefs": ["/x"]}, "note": 1},
        "extra",
        {"_NCZARR_ARRAY": {"dimrefs": ["/x"]}, "note": 1},
    ),
    "field called attributes": ({"attributes": {"a": 1}}, "extra", {"attributes": {"a": 1}}),
    "boolean with fill 0": ({"dtype": "|b1"}, "fill_value", np.False_),
}


@pytest.mark.parametrize(("changes", "name", "value"), LEGAL.values(), ids=LEGAL)
def test_legal(changes: dict[str, Any], name: str, value: Any) -> None:
    document = array_document(**changes)
    node = read(document)
    assert isinstance(node, ArrayMetadata)
    assert getattr(node, name) == value
    assert type(getattr(node, name)) is type(value)
    assert written(node) == {"a/.zarray": document}
    assert list(written(node)["a/.zarray"]) == list(document)


@pytest.mark.parametrize("attributes", [{}, {"a": 1}, {"n": {"b": [None, "ü"]}}])
def test_attributes_are_repeated(attributes: dict[str, Any]) -> None:
    node = read(array_document(), attributes=attributes)
    assert node.attributes == attributes
    assert written(node) == {"a/.zattrs": attributes, "a/.zarray": array_document()}
    assert list(written(node)) == ["a/.zattrs", "a/.zarray"]


def test_attributes_are_written_when_the_last_one_goes() -> None:
    node = read(group={"zarr_format": 2})
    assert written(node) == {"a/.zgroup": {"zarr_format": 2}}
    changed = node.with_attributes({"a": 1})
    assert written(changed) == {"a/.zattrs": {"a": 1}, "a/.zgroup": {"zarr_format": 2}}
    assert written(changed.with_attributes({}))["a/.zattrs"] == {}


# One fault each: (changes, where, a part of what is said).
ILLEGAL: dict[str, tuple[dict[str, Any], str, str]] = {
    **{
        f"no {name}": ({name: ABSENT}, f".zarray.{name}", "required, but missing")
        for name in (
            "shape",
            "chunks",
            "dtype",
            "compressor",
            "fill_value",
            "order",
            "filters",
            "zarr_format",
        )
    },
    "format 3": ({"zarr_format": 3}, ".zarray.zarr_format", "expected 2, found 3"),
    "negative length": ({"shape": [10, -1]}, ".zarray.shape[1]", "at least 0, found -1"),
    "zero chunk": ({"chunks": [0, 6]}, ".zarray.chunks[0]", "at least 1, found 0"),
    "negative chunk": ({"chunks": [-5, 6]}, ".zarray.chunks[0]", "found -5"),
    "chunks of other rank": ({"chunks": [5]}, ".zarray.chunks", "expected 2 lengths"),
    "chunks null": ({"chunks": None}, ".zarray.chunks", "expected a list, found null"),
    "order": ({"order": "K"}, ".zarray.order", 'expected "C" or "F", found "K"'),
    "separator": ({"dimension_separator": "-"}, ".zarray.dimension_separator", 'found "-"'),
    "type": ({"dtype": "int32"}, ".zarray.dtype", 'found "int32"'),
    "type without order": ({"dtype": "i4"}, ".zarray.dtype", 'found "i4"'),
    "type of odd size": ({"dtype": "<i3"}, ".zarray.dtype", 'found "<i3"'),
    "type of no size": ({"dtype": "|S0"}, ".zarray.dtype", 'found "|S0"'),
    "type of bad unit": ({"dtype": "<M8[x]"}, ".zarray.dtype", 'found "<M8[x]"'),
    "type a number": ({"dtype": 4}, ".zarray.dtype", "found 4"),
    "no fields": ({"dtype": []}, ".zarray.dtype", "one field at least"),
    "field a text": ({"dtype": ["a"]}, ".zarray.dtype[0]", 'found "a"'),
    "field without a name": ({"dtype": [["", "<i4"]]}, ".zarray.dtype[0][0]", "not empty"),
    "field twice": ({"dtype": [["a", "<i4"], ["a", "<i4"]]}, ".zarray.dtype[1][0]", "is taken"),
    "field of bad type": ({"dtype": [["a", "i"]]}, ".zarray.dtype[0][1]", 'found "i"'),
    "field of bad type within": (
        {"dtype": [["a", [["b", "<i4"], ["c", 1]]]]},
        ".zarray.dtype[0][1][1][1]",
        "found 1",
    ),
    "field of objects without a codec": ({"dtype": [["a", "|O"]]}, ".zarray.filters", "encodes objects"),
    "field of bad shape": ({"dtype": [["a", "<i4", [2, 0]]]}, ".zarray.dtype[0][2][1]", "found 0"),
    "objects without a codec": ({"dtype": "|O"}, ".zarray.filters", "encodes objects"),
    "filters an object": ({"filters": ZLIB}, ".zarray.filters", "expected a list"),
    "filter a text": ({"filters": ["zlib"]}, ".zarray.filters[0]", 'found "zlib"'),
    "filter without id": ({"filters": [{"level": 1}]}, ".zarray.filters[0].id", "required, but missing"),
    "compressor with number": ({"compressor": {"id": 5}}, ".zarray.compressor.id", "found 5"),
    "compressor a text": ({"compressor": "zlib"}, ".zarray.compressor", 'found "zlib"'),
    "fill out of range": ({"fill_value": 2**31}, ".zarray.fill_value", "found 2147483648"),
    "fill text": ({"fill_value": "x"}, ".zarray.fill_value", 'found "x"'),
    "fill of two": ({"fill_value": [1, 2]}, ".zarray.fill_value", "found [1, 2]"),
    "fill too long": ({"dtype": "|S2", "fill_value": "!!!"}, ".zarray.fill_value", 'found "!!!"'),
    "string fill a number": (
        {"dtype": "|O", "filters": [VLEN], "fill_value": 5},
        ".zarray.fill_value",
        "expected text, found 5",
    ),
    "structure's fill": (
        {"dtype": [["a", "<i4"]], "fill_value": "AAAA"},
        ".zarray.fill_value",
        "expected 4 bytes in base64",
    ),
}


def test_records_with_objects_in_them_are_objects_and_keep_their_fields() -> None:
    fields = [["start", "<i4"], ["inner", [["target", "|O"]]]]
    document = array_document(dtype=fields, filters=[{"id": "pickle", "protocol": 5}], fill_value="gAVLAC4=")
    found = read(document)
    assert (found.data_type.name, found.data_type.dtype) == ("object", np.dtype(object))
    assert write_dtype(found.data_type) == fields
    assert written(found) == {"a/.zarray": document}


@pytest.mark.parametrize(("changes", "at", "message"), ILLEGAL.values(), ids=ILLEGAL)
def test_illegal(changes: dict[str, Any], at: str, message: str) -> None:
    with pytest.raises(MetadataError) as caught:
        read(array_document(**changes))
    (problem,) = caught.value.problems
    assert problem.at == at
    assert message in problem.message


def test_every_fault_at_once() -> None:
    with pytest.raises(MetadataError) as caught:
        read(array_document(shape=[-1, 20], dtype="i4", order="K", compressor={}), attributes=[])
    assert sorted(problem.at for problem in caught.value.problems) == [
        ".zarray.compressor.id",
        ".zarray.dtype",
        ".zarray.order",
        ".zarray.shape[0]",
        ".zattrs",
    ]


def test_documents_that_are_no_json() -> None:
    problems = Problems()
    V2_FORMAT.read("", {".zgroup": b"{", ".zattrs": b""}, problems)
    assert [problem.at for problem in problems.found] == [".zgroup", ".zattrs"]


@pytest.mark.parametrize("data", [b"", b'{"zarr_format": 2, ', b"[1, 2]", b"null"])
@pytest.mark.parametrize("name", [".zarray", ".zgroup", ".zmetadata"])
def test_what_is_no_object_is_one_fault(name: str, data: bytes) -> None:
    group = {".zgroup": b'{"zarr_format": 2}'} if name == ".zmetadata" else {}
    problems = Problems()
    assert V2_FORMAT.read("", {**group, name: data}, problems) is not None
    (problem,) = problems.found
    assert problem.at == name
    assert problem.message.startswith(("expected JSON", "expected an object"))


def test_what_makes_a_node() -> None:
    assert read(attributes={"a": 1}) is None
    assert isinstance(read(group={"zarr_format": 2}), GroupMetadata)
    assert isinstance(read(array_document(), group={"zarr_format": 2}), ArrayMetadata)
    with pytest.raises(MetadataError, match=r"\.zgroup\.zarr_format: expected 2, found 3"):
        read(group={"zarr_format": 3})
    with pytest.raises(MetadataError, match=r"\.zgroup: expected an object"):
        read(group=[])


def test_groups_keep_what_is_not_known() -> None:
    group = {"zarr_format": 2, "_NCZARR_GROUP": {"dims": {"x": 1}}, "consolidated_metadata": {"metadata": {}}}
    node = read(group=group, attributes={})
    assert node.extra == {"_NCZARR_GROUP": {"dims": {"x": 1}}}
    assert written(node) == {"a/.zattrs": {}, "a/.zgroup": group}


def test_tolerant_reading() -> None:
    data = json.dumps(array_document(dtype="<f8")).encode().replace(b'"fill_value": 0', b'"fill_value": NaN')
    problems = Problems()
    node = V2_FORMAT.read(
        "", {".zarray": data + b"\0\0junk", ".zattrs": b'{"a": 0., "b": -Infinity} x'}, problems
    )
    problems.check()
    assert isinstance(node, ArrayMetadata)
    assert np.isnan(node.fill_value)
    assert node.attributes == {"a": 0.0, "b": -np.inf}
    again = V2_FORMAT.write("", node)
    assert b"NaN" in again[".zarray"] and b"-Infinity" in again[".zattrs"]


def test_changes_are_written_and_the_rest_stays() -> None:
    document = array_document(dtype="<i1", filters=[ZLIB], fill_value=[3])
    node = read(document)
    assert written(node.with_shape((11, 20)))["a/.zarray"] == document | {"shape": [11, 20]}
    changed = replace(node, codecs=(*node.codecs, Extension("numcodecs.crc32c")))
    assert written(changed)["a/.zarray"] == document | {
        "filters": [ZLIB, {"id": "crc32c"}],
        "compressor": None,
    }
    assert written(replace(node, fill_value=np.int8(4)))["a/.zarray"] == document | {"fill_value": 4}


def test_a_new_array_can_ask_for_a_spelling() -> None:
    node = ArrayMetadata(
        shape=(3,),
        data_type=DataType("null_terminated_bytes", np.dtype("S1"), {"length_bytes": 1}),
        grid=RegularGrid((3,)),
        chunk_keys=ChunkKeys("v2", "."),
        codecs=(BYTES,),
        fill_value=np.bytes_(b""),
    )
    assert written(node)["a/.zarray"]["dtype"] == "|S1"
    assert written(replace(node, spelling={"dtype": ">S1"}))["a/.zarray"]["dtype"] == ">S1"
    assert written(replace(node, spelling={"dtype": ">S2"}))["a/.zarray"]["dtype"] == "|S1"


def v3_array(**changes: Any) -> ArrayMetadata:
    node = ArrayMetadata(
        shape=(10, 20),
        data_type=PLAIN["int32"],
        grid=RegularGrid((5, 6)),
        chunk_keys=ChunkKeys("v2", "/"),
        codecs=(Extension("bytes", {"endian": "big"}), Extension("zstd", {"level": 3, "checksum": True})),
        fill_value=np.int32(1),
    )
    return replace(node, **changes)


def test_arrays_of_v3_are_written() -> None:
    assert written(v3_array())["a/.zarray"] == array_document(
        dtype=">i4",
        fill_value=1,
        compressor={"id": "zstd", "level": 3, "checksum": True},
        dimension_separator="/",
    )


def test_every_reason_why_an_array_cannot_be_written() -> None:
    node = v3_array(
        chunk_keys=ChunkKeys(),
        grid=RectilinearGrid(((5, 5), 6)),
        dimension_names=("x", "y"),
        codecs=(Extension("transpose", {"order": [0]}), Extension("bytes"), Extension("acme")),
    )
    with pytest.raises(ConversionError) as caught:
        V2_FORMAT.write("", node)
    for reason in ("chunk grid", "codec transpose", "codec acme", "chunk keys", "dimension names"):
        assert reason in str(caught.value)


def test_keys_and_paths() -> None:
    assert V2_FORMAT.document_keys("") == (".zarray", ".zgroup", ".zattrs")
    assert V2_FORMAT.document_keys("a/b") == ("a/b/.zarray", "a/b/.zgroup", "a/b/.zattrs")
    assert V2_FORMAT.attributes_key("") == ".zattrs"
    assert V2_FORMAT.attributes_key("a") == "a/.zattrs"
    assert V2_FORMAT.consolidated_key("") == ".zmetadata"
    assert V2_FORMAT.consolidated_key("a") == "a/.zmetadata"
    assert V2_FORMAT.node_path(".zgroup") == ""
    assert V2_FORMAT.node_path("a/b/.zarray") == "a/b"
    assert V2_FORMAT.node_path("a/.zattrs") is None
    assert V2_FORMAT.node_path("a/0.0") is None
    assert V2_FORMAT.data_prefix("", v3_array()) == ""
    assert V2_FORMAT.data_prefix("a", v3_array()) == "a/"
    assert V2_FORMAT.zarr_format == 2


@pytest.mark.parametrize("codec", ["json2", "msgpack2"])
def test_codecs_that_store_the_shape_know_no_order(codec: str) -> None:
    """numcodecs stores elements and shape in C order, whatever the array's order is."""
    document = array_document(dtype="|O", filters=[{"id": codec}], order="F")
    node = read(document)
    assert node.codecs == (Extension(f"numcodecs.{codec}"),)
    assert written(node)["a/.zarray"] == document
    turned = replace(node, codecs=(Extension("transpose", {"order": [1, 0]}), *node.codecs), spelling={})
    assert written(turned)["a/.zarray"]["order"] == "C" and not to_v2(turned).same_bytes


@pytest.mark.parametrize("unit", ["0s", "00s", "s/0", "0", "", "99999999999s"])
def test_units_that_numpy_does_not_survive(unit: str) -> None:
    """`np.dtype("M8[0s]")` ends the process."""
    for dtype in (f"<M8[{unit}]", [["a", f"<m8[{unit}]"]]):
        with pytest.raises(MetadataError, match="expected a numpy type string"):
            read(array_document(dtype=dtype))
    assert loose_dtype(f"M8[{unit}]") is None


def test_loose_types() -> None:
    assert loose_dtype(">f4") == np.dtype(">f4") and loose_dtype("float32") == np.dtype("f4")
    assert loose_dtype("M8[25μs]") == np.dtype("M8[25us]") and loose_dtype("?") == np.dtype(bool)
    assert loose_dtype("i4,i4") is None and loose_dtype("nope") is None and loose_dtype(["i4"]) is None


@pytest.mark.parametrize("dtype", ["<f16", ">f16", "<f12", "<c32", "<g"])
def test_long_doubles_are_not_portable(dtype: str) -> None:
    with pytest.raises(UnsupportedError, match=r"\.zarray\.dtype: .*long double"):
        read(array_document(dtype=dtype, fill_value=0.0))


def test_times_without_a_unit_are_none() -> None:
    assert np.isnat(read(array_document(dtype="<M8", fill_value="NaT")).fill_value)
    assert np.isnat(read(array_document(dtype="<M8", fill_value=-(2**63))).fill_value)
    assert read(array_document(dtype="<m8", fill_value=5)).fill_value.astype("i8") == 5
    with pytest.raises(MetadataError, match=r'fill_value: expected "NaT", .* found 0'):
        read(array_document(dtype="<M8", fill_value=0))


def test_places_of_the_model_in_the_document() -> None:
    filters = [{"id": "delta", "dtype": "<i4"}, {"id": "shuffle", "elementsize": 4}]
    node = read(array_document(filters=filters, compressor=ZLIB, order="F"))
    places = [V2_FORMAT.document_place(node, f"codecs[{i}].configuration.x") for i in range(5)]
    assert places == [
        ".zarray.order",
        ".zarray.dtype",
        ".zarray.filters[0].x",
        ".zarray.filters[1].x",
        ".zarray.compressor.x",
    ]
    assert V2_FORMAT.document_place(node, "chunk_grid") == ".zarray.chunks"
    assert V2_FORMAT.document_place(node, "codecs") == ".zarray.filters"
    made = replace(node, spelling={})
    assert V2_FORMAT.document_place(made, "codecs[4]") == ".zarray.compressor"
