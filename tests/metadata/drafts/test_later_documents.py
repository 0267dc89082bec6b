"""The documents and keys of the drafts of 2020 to 2022."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pytest

from omnizarr.errors import ConversionError, MetadataError, UnsupportedError
from omnizarr.geometry.grid import RegularGrid
from omnizarr.jsontypes import Problems
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.chunk_keys import DEFAULT
from omnizarr.metadata.chunk_keys_draft import DraftChunkKeys
from omnizarr.metadata.convert import as_v3, to_v2, to_v3
from omnizarr.metadata.dtype import PLAIN
from omnizarr.metadata.extension import Extension
from omnizarr.metadata.formats import format_of
from omnizarr.metadata.formats.drafts import data_types
from omnizarr.metadata.formats.drafts.data_types import StoredType, TypeExtension
from omnizarr.metadata.formats.drafts.detect import draft_at
from omnizarr.metadata.formats.drafts.draft2019 import Draft2019
from omnizarr.metadata.formats.drafts.later import DRAFT_2020, DRAFT_2022, LaterDraft
from omnizarr.metadata.group import GroupMetadata

CORE = "https://purl.org/zarr/spec/protocol/core/3.0"
# As zarrita and zarr-python 2 write it, and as the last draft has it.
BOOTSTRAP_2020 = {
    "zarr_format": CORE,
    "metadata_encoding": CORE,
    "metadata_key_suffix": ".json",
    "extensions": [],
}
BOOTSTRAP_2022 = {
    "zarr_format": "https://purl.org/zarr/spec/core/3.0",
    "metadata_encoding": {"type": "json", "metadata_key_suffix": ".json"},
    "extensions": [],
}
ARRAY: dict[str, Any] = {
    "shape": [5, 10],
    "data_type": "<i4",
    "chunk_grid": {"type": "regular", "chunk_shape": [2, 5], "separator": "/"},
    "chunk_memory_layout": "C",
    "fill_value": None,
    "extensions": [],
    "attributes": {"question": "life", "answer": 42},
    "compressor": {"codec": "https://purl.org/zarr/spec/codec/gzip/1.0", "configuration": {"level": 1}},
}
SHARDS = {
    "extension": "https://purl.org/zarr/spec/storage_transformers/sharding/1.0",
    "type": "indexed",
    "configuration": {"chunks_per_shard": [2, 3]},
}
DATETIMES = "https://purl.org/zarr/spec/extensions/data-types/datetime/1.0"


def detected(document: dict[str, Any]) -> Any:
    problems = Problems()
    found = draft_at(json.dumps(document).encode(), problems)
    problems.check()
    return found


def read(format: LaterDraft = DRAFT_2020, **changes: Any) -> ArrayMetadata:
    """Read `ARRAY` with other fields; those that are `...` are left out."""
    document = {name: value for name, value in {**ARRAY, **changes}.items() if value is not ...}
    problems = Problems()
    key = format.document_keys("foo/baz")[0]
    found = format.read("foo/baz", {key: json.dumps(document).encode()}, problems)
    problems.check()
    assert isinstance(found, ArrayMetadata)
    return found


def read_group(document: Any) -> GroupMetadata:
    problems = Problems()
    key = DRAFT_2020.document_keys("foo")[1]
    found = DRAFT_2020.read("foo", {key: json.dumps(document).encode()}, problems)
    problems.check()
    assert isinstance(found, GroupMetadata)
    return found


# --- which draft


def test_the_bootstrap_document_tells_the_drafts_apart() -> None:
    assert detected(BOOTSTRAP_2020) == DRAFT_2020
    assert detected(BOOTSTRAP_2022) == DRAFT_2022
    of_march_2020 = {"zarr_format": CORE, "metadata_encoding": "application/json", "extensions": []}
    assert isinstance(detected(of_march_2020), Draft2019)


def test_the_bootstrap_document_stays_as_it_was() -> None:
    [(key, document)] = detected(BOOTSTRAP_2022).root_documents().items()
    assert (key, json.loads(document)) == ("zarr.json", BOOTSTRAP_2022)


def test_a_part_of_what_the_last_draft_changed_is_enough() -> None:
    assert detected({**BOOTSTRAP_2022, "zarr_format": CORE}) == DRAFT_2022
    named = {**BOOTSTRAP_2020, "zarr_format": BOOTSTRAP_2022["zarr_format"]}
    assert detected(named) == DRAFT_2022
    without_suffix = {name: value for name, value in BOOTSTRAP_2020.items() if name != "metadata_key_suffix"}
    assert detected(without_suffix) == DRAFT_2020


def test_documents_end_in_the_suffix_that_is_declared() -> None:
    found = detected({**BOOTSTRAP_2020, "metadata_key_suffix": ".txt"})
    assert found.document_keys("a/b") == ("meta/root/a/b.array.txt", "meta/root/a/b.group.txt")
    found = detected({**BOOTSTRAP_2022, "metadata_encoding": {"type": "json", "metadata_key_suffix": ""}})
    assert found.document_keys("") == ("meta/array", "meta/group")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"zarr_format": "https://purl.org/zarr/spec/protocol/core/4.0"}, "zarr_format: expected the URI"),
        ({"metadata_encoding": {"type": "cbor", "metadata_key_suffix": ".c"}}, 'the encoding "cbor"'),
        ({"metadata_encoding": {"type": "json"}}, "metadata_key_suffix: required, but missing"),
        ({"metadata_encoding": "application/cbor"}, 'the encoding "application/cbor"'),
        ({"metadata_key_suffix": "/x"}, "expected a suffix without a slash"),
        ({"shape": []}, "shape: unknown name"),
        ({"extensions": [{"extension": "http://example.org/x", "must_understand": True}]}, "example.org/x"),
    ],
)
def test_bootstrap_documents_that_cannot_be_read_say_why(changes: Any, message: str) -> None:
    with pytest.raises(MetadataError, match=message):
        detected({**BOOTSTRAP_2020, **changes})


def test_extensions_that_need_not_be_understood_are_passed_over() -> None:
    extension = {"extension": "http://example.org/x", "must_understand": False}
    assert detected({**BOOTSTRAP_2022, "extensions": [extension]}) == DRAFT_2022


# --- keys


@pytest.mark.parametrize("draft", [DRAFT_2020, DRAFT_2022])
@pytest.mark.parametrize("path", ["", "foo", "foo/bar", "array", "root", "a.group"])
def test_keys_lead_back_to_paths(draft: LaterDraft, path: str) -> None:
    assert [draft.node_path(key) for key in draft.document_keys(path)] == [path, path]


def test_keys_are_those_of_the_drafts() -> None:
    array = read()
    assert DRAFT_2020.document_keys("foo/baz")[0] == "meta/root/foo/baz.array.json"
    assert DRAFT_2020.document_keys("") == ("meta/root.array.json", "meta/root.group.json")
    assert DRAFT_2020.data_prefix("foo/baz", array) + array.chunk_keys.key((0, 1)) == "data/root/foo/baz/c0/1"
    assert DRAFT_2020.data_prefix("", array) == "data/root/"
    assert DRAFT_2022.document_keys("foo/baz")[0] == "meta/foo/baz.array.json"
    assert DRAFT_2022.document_keys("") == ("meta/array.json", "meta/group.json")
    assert DRAFT_2022.data_prefix("foo/baz", array) + array.chunk_keys.key((1, 0)) == "data/foo/baz/c1/0"
    assert DRAFT_2022.data_prefix("", array) == "data/"


@pytest.mark.parametrize(
    "key",
    ["zarr.json", "meta/root/foo.json", "data/root/foo/c0", "meta/root/foo.array", "meta/root/..array.json"],
)
def test_other_keys_are_of_no_node(key: str) -> None:
    assert DRAFT_2020.node_path(key) is None


def test_children_are_those_of_one_listing() -> None:
    found = ["meta/group.json", "meta/x.array.json", "meta/y.group.json"]
    assert DRAFT_2022.children("", found, ["meta/y/", "meta/z/"]) == {
        "x": ("meta/x.array.json",),
        "y": ("meta/y.group.json",),
        "z": (),
    }


def test_keys_of_a_node_move_with_it() -> None:
    assert DRAFT_2020.moved_key("meta/root/a.array.json", "a", "b/c") == "meta/root/b/c.array.json"
    assert DRAFT_2020.moved_key("meta/root/a/x.group.json", "a", "b") == "meta/root/b/x.group.json"
    assert DRAFT_2020.moved_key("data/root/a/c0/0", "a", "b") == "data/root/b/c0/0"


@pytest.mark.parametrize(
    ("key", "ndim", "coords"),
    [
        ("c1/23", 2, (1, 23)),
        ("c1", 1, (1,)),
        ("c", 0, ()),
        ("c0", 0, ()),
        ("c1/23", 1, None),
        ("c01/2", 2, None),
        ("c/1", 1, None),
        ("1/2", 2, None),
        ("cx", 1, None),
        ("c1", 0, None),
    ],
)
def test_chunk_keys_lead_back_to_coordinates(key: str, ndim: int, coords: Any) -> None:
    assert DraftChunkKeys().coords(key, ndim) == coords
    if coords:
        assert DraftChunkKeys().key(coords) == key


def test_both_spellings_of_the_one_chunk_of_a_scalar() -> None:
    assert DraftChunkKeys().as_found(lambda key: key == "c").key(()) == "c"
    assert DraftChunkKeys().as_found(lambda key: key == "c0").key(()) == "c0"


# --- arrays and groups


def test_an_array_of_zarrita() -> None:
    array = read()
    assert (array.shape, array.grid) == ((5, 10), RegularGrid((2, 5)))
    assert array.data_type.dtype == np.dtype("i4")
    assert array.codecs == (Extension("bytes", {"endian": "little"}), Extension("gzip", {"level": 1}))
    assert array.chunk_keys == DraftChunkKeys("/")
    assert array.fill_value is None
    assert array.attributes == {"question": "life", "answer": 42}


def test_an_array_of_the_last_draft() -> None:
    array = read(
        DRAFT_2022,
        data_type="float64",
        chunk_memory_layout=...,
        compressor=...,
        codecs=[
            {"type": "https://purl.org/zarr/spec/codecs/transpose/1.0", "configuration": {"order": [1, 0]}},
            {"type": "https://purl.org/zarr/spec/codecs/endian/1.0", "configuration": {"endian": "big"}},
            {"type": "https://purl.org/zarr/spec/codecs/gzip/1.0", "configuration": {"level": 1}},
        ],
        fill_value="0x7ff8000000000001",
        dimension_names=["rows", None],
    )
    assert array.codecs == (
        Extension("transpose", {"order": [1, 0]}),
        Extension("bytes", {"endian": "big"}),
        Extension("gzip", {"level": 1}),
    )
    assert array.dimension_names == ("rows", None)
    assert array.fill_value.tobytes() == (0x7FF8000000000001).to_bytes(8, "little")


def test_fortran_order_is_a_transposition() -> None:
    assert read(chunk_memory_layout="F").codecs[0] == Extension("transpose", {"order": [1, 0]})


def test_filters_among_the_attributes_are_codecs() -> None:
    filters = [{"id": "delta", "dtype": "<i4", "astype": "<i4"}]
    array = read(attributes={"filters": filters, "x": 1})
    assert [codec.name for codec in array.codecs] == ["numcodecs.delta", "bytes", "gzip"]
    assert array.attributes == {"x": 1}


@pytest.mark.parametrize("value", ["red", ["red", "green"], [], {"id": "delta"}, [{"name": "delta"}]])
def test_an_attribute_of_that_name_that_lists_no_codecs_is_the_users(value: Any) -> None:
    assert read(attributes={"filters": value}).attributes == {"filters": value}


def test_groups() -> None:
    assert read_group({"attributes": {"x": 1}}).attributes == {"x": 1}
    assert read_group({"extensions": [], "attributes": None}).attributes == {}  # zarrita's
    with pytest.raises(MetadataError, match="shape: unknown name"):
        read_group({"shape": []})


@pytest.mark.parametrize(
    ("name", "dtype", "order"),
    [
        ("bool", "bool", None),
        ("u1", "u1", None),
        (">f2", "f2", "big"),
        ("int8", "i1", None),
        ("uint16", "u2", "little"),
        ("complex128", "c16", "little"),
        ("r24", "V3", None),
    ],
)
def test_types_by_codes_and_by_names(name: str, dtype: str, order: str | None) -> None:
    array = read(data_type=name)
    assert array.data_type.dtype == np.dtype(dtype)
    assert array.codecs[0].configuration.get("endian") == order


@pytest.mark.parametrize(
    ("uri", "code", "dtype"),
    [
        (DATETIMES, "<M8[ns]", "M8[ns]"),
        ("https://purl.org/zarr/spec/protocol/extensions/datetime-dtypes/1.0", ">m8[D]", "m8[D]"),
        ("https://purl.org/zarr/spec/extensions/data-types/complex/1.0", "<c8", "c8"),
        ("TODO: unicode array protocol URL", "<U3", "U3"),
        ("TODO: structured array protocol URL", [["a", "<i4"], ["b", "<f8"]], [("a", "i4"), ("b", "f8")]),
        ("TODO: structured array protocol URL", [["", "|V3"]], "V3"),
    ],
)
def test_types_of_extensions(uri: str, code: Any, dtype: Any) -> None:
    assert read(data_type={"extension": uri, "type": code}).data_type.dtype == np.dtype(dtype)


def test_types_that_are_registered_by_uri(monkeypatch: pytest.MonkeyPatch) -> None:
    uri = "http://example.org/angles/1.0"
    angles = StoredType(PLAIN["float32"], "big")
    extension = TypeExtension(
        uri, lambda name: angles if name == "angle" else None, lambda data_type, order: None, lambda *_: ""
    )
    monkeypatch.setattr(data_types, "_KNOWN", [extension])
    array = read(data_type={"extension": uri, "type": "angle"}, fill_value=1.5)
    assert (array.data_type, array.codecs[0].configuration) == (PLAIN["float32"], {"endian": "big"})
    with pytest.raises(UnsupportedError, match="not known here"):
        read(data_type={"extension": uri, "type": "length"})


def test_the_first_fallback_that_is_known_stands_in() -> None:
    unknown = {"extension": "http://example.org/types/1.0", "type": "strange"}
    with pytest.warns(UserWarning, match='the type "strange" of http://example.org/types/1.0 is not known'):
        found = read(data_type={**unknown, "fallback": ["stranger", "r32", "<i4"]})
    assert found.data_type.name == "r32"
    with pytest.warns(UserWarning, match='read as "<M8.s.'):
        found = read(
            data_type={**unknown, "fallback": {"extension": DATETIMES, "type": "<M8[s]"}}, fill_value=0
        )
    assert found.data_type.dtype == np.dtype("M8[s]")


@pytest.mark.parametrize("fallback", [..., None, [], ["stranger"], "stranger"])
def test_without_a_fallback_a_type_is_unsupported(fallback: Any) -> None:
    document = {"extension": "http://example.org/types/1.0", "type": "<f8", "fallback": fallback}
    kept = {name: value for name, value in document.items() if value is not ...}
    with warnings.catch_warnings(), pytest.raises(UnsupportedError, match="names no fallback that is"):
        read(data_type=kept)


@pytest.mark.parametrize(
    ("name", "fill", "value"),
    [
        ("<f4", "+Infinity", np.float32(np.inf)),
        ("<f4", "Infinity", np.float32(np.inf)),
        (">f8", "-Infinity", np.float64(-np.inf)),
        ("<f4", "0x3fc00000", np.float32(1.5)),
        ("<f2", "0b0011110000000000", np.float16(1)),
        ("<i2", "0xfffe", np.int16(-2)),
        (">u2", "0xfffe", np.uint16(65534)),
        ("i1", "0b11111111", np.int8(-1)),
        ("bool", "0x01", np.True_),
        ("bool", "0b00000000", np.False_),
        ("<i8", 2**62 + 1, np.int64(2**62 + 1)),
        ("r24", "0x010203", np.void(b"\1\2\3")),
        ("complex64", ["0x3fc00000", "+Infinity"], np.complex64(complex(1.5, np.inf))),
    ],
)
def test_fill_values(name: str, fill: Any, value: Any) -> None:
    found = read(data_type=name, fill_value=fill).fill_value
    assert found == value
    assert found.tobytes() == value.tobytes()


def test_a_nan_keeps_its_bits() -> None:
    found = read(data_type=">f4", fill_value="0x7fc00123").fill_value
    assert found.tobytes()[::-1] == bytes.fromhex("7fc00123")


@pytest.mark.parametrize(
    ("name", "fill", "message"),
    [
        ("<i2", "0x10000", "fill_value: expected 16 bits"),
        ("bool", "0x02", "fill_value: expected true or false"),
        ("<i4", "+Inf", "fill_value: expected an integer"),
        ("<f8", "0b2", "fill_value: expected a number"),
    ],
)
def test_fill_values_that_do_not_fit(name: str, fill: Any, message: str) -> None:
    with pytest.raises(MetadataError, match=message):
        read(data_type=name, fill_value=fill)


# --- shards


def test_sharding_is_the_codec() -> None:
    array = read(storage_transformers=[SHARDS], chunk_memory_layout="F")
    assert array.grid == RegularGrid((4, 15))
    [codec] = array.codecs
    assert codec == Extension(
        "sharding_indexed",
        {
            "chunk_shape": [2, 5],
            "codecs": [
                {"name": "transpose", "configuration": {"order": [1, 0]}},
                {"name": "bytes", "configuration": {"endian": "little"}},
                {"name": "gzip", "configuration": {"level": 1}},
            ],
            "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
            "index_location": "end",
        },
    )


def test_counts_that_are_left_out_are_one() -> None:
    shards = {**SHARDS, "configuration": {"chunks_per_shard": 2}}
    assert read(storage_transformers=[shards]).grid == RegularGrid((4, 5))


def test_no_transformers_are_no_shards() -> None:
    assert read(storage_transformers=[]) == read()


@pytest.mark.parametrize(
    ("transformers", "message"),
    [
        ([SHARDS, SHARDS], "more than one storage transformer"),
        ([{**SHARDS, "type": "morton"}], "the storage transformer .morton. of"),
        ([{**SHARDS, "extension": "http://example.org"}], "of .http://example.org. is not known"),
        ([{**SHARDS, "configuration": {}}], "chunks_per_shard: required, but missing"),
        ([{**SHARDS, "configuration": {"chunks_per_shard": [2, 0]}}], r"chunks_per_shard\[1\]: expected"),
        ([{**SHARDS, "configuration": {"chunks_per_shard": [2, 2, 2]}}], "expected 2 counts"),
        ({}, "storage_transformers: expected a list"),
    ],
)
def test_transformers_that_cannot_be_read(transformers: Any, message: str) -> None:
    with pytest.raises(MetadataError, match=message):
        read(storage_transformers=transformers)


# --- faults


def test_every_fault_is_told_where_it_is() -> None:
    with pytest.raises(MetadataError) as caught:
        read(
            shape=[5, -1],
            data_type="<f3",
            chunk_grid={"type": "regular", "chunk_shape": [2], "separator": "-"},
            chunk_memory_layout="X",
            compressor={"codec": "gzip"},
            attributes=[],
            extra=1,
        )
    places = [problem.at for problem in caught.value.problems]
    assert set(places) == {
        *("shape[1]", "data_type", "chunk_grid.chunk_shape", "chunk_grid.separator"),
        *("chunk_memory_layout", "compressor.codec", "attributes", "extra"),
    }
    assert len(places) == 8


@pytest.mark.parametrize("name", ["shape", "data_type", "chunk_grid", "fill_value"])
def test_what_is_missing_is_told_once(name: str) -> None:
    with pytest.raises(MetadataError) as caught:
        read(**{name: ...})
    assert [problem.at for problem in caught.value.problems] == [name]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"chunk_grid": {"extension": "http://example.org", "type": "uneven"}}, "the grid"),
        ({"chunk_grid": {"type": "uneven", "chunk_shape": [2, 5]}}, "chunk_grid.type"),
        ({"compressor": {"codec": "http://example.org/gzip"}}, "the codec"),
        ({"codecs": [{"type": "http://example.org/gzip"}]}, r"codecs\[0\].type: the codec"),
        ({"dimension_names": ["x"]}, "dimension_names: expected a list of 2"),
        ({"dimension_names": ["x", 1]}, r"dimension_names\[1\]: expected a string or null"),
        ({"extensions": [{"extension": "http://a.b/c", "must_understand": True}]}, "http://a.b/c"),
        (
            {
                "data_type": {
                    "extension": "TODO: structured array protocol URL",
                    "type": [["a", "<i4"], ["b", ">i4"]],
                }
            },
            "fields of different byte orders",
        ),
        (
            {"data_type": {"extension": "TODO: object array protocol URL", "type": "|O"}},
            "attributes.filters: an object array needs a filter",
        ),
    ],
)
def test_what_cannot_be_read_says_why(changes: Any, message: str) -> None:
    with pytest.raises(MetadataError, match=message):
        read(**changes)


@pytest.mark.parametrize("document", [b"", b"[]", b"{", b"null", b'{"shape": {}}'])
def test_documents_that_are_none(document: bytes) -> None:
    problems = Problems()
    DRAFT_2020.read("a", {"meta/root/a.array.json": document}, problems)
    assert problems


# --- writing, and other formats


def test_nothing_is_written() -> None:
    for name in ("3-2020", "3-2022"):
        draft = format_of(name)
        with pytest.raises(ConversionError, match=f"{name}.*read only: omnizarr copy brings it to Zarr v3.1"):
            draft.write("x", GroupMetadata())


def test_arrays_become_those_of_other_formats() -> None:
    array = read(storage_transformers=[SHARDS])
    v3 = to_v3(array)
    assert v3.same_bytes
    assert not v3.losses
    assert isinstance(v3.metadata, ArrayMetadata)
    assert (v3.metadata.codecs, v3.metadata.chunk_keys) == (array.codecs, DEFAULT)
    assert as_v3(array).chunk_keys == DEFAULT
    v2 = to_v2(array)
    assert isinstance(v2.metadata, ArrayMetadata)
    assert v2.metadata.grid == RegularGrid((2, 5))
    assert v2.losses == (
        "codec sharding_indexed: Zarr v2 has no shards, and each chunk gets a key of its own",
    )
