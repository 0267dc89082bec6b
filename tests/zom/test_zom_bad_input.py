"""Models of what is no model: every fault is told, once, with its path."""

from __future__ import annotations

import datetime
import json
from typing import Any

import numpy as np
import pytest
from pydantic import Field, ValidationError
from typing_extensions import TypedDict

from omnizarr import zom
from omnizarr.errors import MetadataError
from omnizarr.hierarchy.open import open_group
from omnizarr.store import MemoryStore
from omnizarr.zom import v2, v3
from omnizarr.zom.version import DEEPEST

VERSIONS = pytest.mark.parametrize("number", [2, 3])
GROUPS: dict[int, dict[str, Any]] = {2: {"zarr_format": 2}, 3: {"zarr_format": 3, "node_type": "group"}}
ARRAYS = {
    version.ArraySpec.version.number: version.ArraySpec.from_array(
        [1, 2, 3], dtype="int32", chunks=(3,)
    ).to_json()
    for version in (v2, v3)
}
MODELS: dict[int, Any] = {2: v2, 3: v3}
TOO_DEEP = "expected 200 lists and objects within one another at most, found more"
TOO_MANY = "expected 100 groups within one another at most, found more"


def told(document: Any, model: Any = zom) -> list[str]:
    with pytest.raises(MetadataError) as caught:
        model.from_json(document)
    return [str(problem) for problem in caught.value.problems]


def array(number: int = 3, **fields: Any) -> dict[str, Any]:
    return {**ARRAYS[number], **fields}


def group(number: int = 3, **fields: Any) -> dict[str, Any]:
    return {**GROUPS[number], **fields}


# --- text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"zarr_format": 3,}',
            "Expecting property name enclosed in double quotes: line 1 column 19 (char 18)",
        ),
        ("", "Expecting value: line 1 column 1 (char 0)"),
        ('{\n  "a": nul\n}', "Expecting value: line 2 column 8 (char 9)"),
        ('{"a": 1}}', "Extra data: line 1 column 9 (char 8)"),
        (b'{"a" 1}', "Expecting ':' delimiter: line 1 column 6 (char 5)"),
    ],
)
def test_malformed_text_is_told_with_the_position(text: str | bytes, message: str) -> None:
    assert told(text) == told(text, v2.GroupSpec) == [f"expected JSON: {message}"]


@pytest.mark.parametrize("text", [b"\xff\xfe", b'{"a": "\xe9"}', '{"a": ' + "1" * 5000 + "}"])
def test_text_that_python_cannot_read(text: str | bytes) -> None:
    (message,) = told(text)
    assert message.startswith("expected JSON: ")


@pytest.mark.parametrize("value", ["[1]", '"x"', "5", "null", 5, None, [1]])
def test_what_is_no_object(value: Any) -> None:
    found = json.loads(value) if isinstance(value, str) else value
    assert told(value) == [f"expected an object, found {json.dumps(found)}"]
    assert told(value, v3.GroupSpec) == [f"/: expected an object, found {json.dumps(found)}"]


@pytest.mark.parametrize("text", ['\ufeff{"zarr_format": 2}', b'\xef\xbb\xbf{"zarr_format": 2}'])
def test_byte_order_marks_do_no_harm(text: str | bytes) -> None:
    assert zom.from_json(text) == v2.GroupSpec()


def test_memory_is_text_too() -> None:
    assert zom.from_json(memoryview(b'{"zarr_format": 2}')) == v2.GroupSpec()  # type: ignore[arg-type]


def test_repeated_names_are_told_with_their_places() -> None:
    text = """{"zarr_format": 2, "zarr_format": 2, "members": {
        "a": {"zarr_format": 2},
        "a": {"zarr_format": 2, "attributes": {"x.y": [{"q": 1, "q": 2, "q": 3}]}}}}"""
    assert sorted(told(text)) == [
        'members.a.attributes.x.y[0]: the name "q" is there more than once',
        'members.a.attributes.x.y[0]: the name "q" is there more than once',
        'members: the name "a" is there more than once',
        'the name "zarr_format" is there more than once',
    ]


# --- nesting


def lists(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def objects(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


def groups(levels: int, number: int) -> dict[str, Any]:
    value = group(number)
    for _ in range(levels):
        value = group(number, members={"a": value})
    return value


def test_deep_text() -> None:
    head, tail = '{"zarr_format": 2, "attributes": {"x": ', "}}"
    assert told(head + "[" * 10_000 + "]" * 10_000 + tail) == ["the document is nested too deeply"]
    assert told("[" * 10_000) == ["the document is nested too deeply"]
    members = '{"zarr_format": 2, "members": {"a": ' * 10_000
    assert told(members) == ["the document is nested too deeply"]
    assert told(head + "[" * 300 + "]" * 300 + tail) == [f"/: attributes: {TOO_DEEP}"]


@pytest.mark.parametrize("nest", [lists, objects])
def test_deep_attributes(nest: Any) -> None:
    assert zom.from_json(group(attributes={"x": nest(199)})).to_json()["attributes"] == {"x": nest(199)}
    for levels in (200, 600, 10_000):
        assert told(group(attributes={"x": nest(levels)})) == [f"/: attributes: {TOO_DEEP}"]
        with pytest.raises(ValidationError, match=TOO_DEEP):
            v2.GroupSpec(attributes={"x": nest(levels)})


@pytest.mark.parametrize(
    ("number", "field"),
    [
        *(
            (3, name)
            for name in ("shape", "data_type", "codecs", "fill_value", "chunk_grid", "node_type", "x")
        ),
        *((2, name) for name in ("shape", "dtype", "filters", "compressor", "fill_value", "order", "_x")),
    ],
)
def test_any_field_may_be_deep(number: int, field: str) -> None:
    for nest in (lists, objects):
        assert told(array(number, **{field: nest(10_000)})) == [f"/: {field}: {TOO_DEEP}"]


def test_deep_values_where_there_should_be_others() -> None:
    deep = lists(10_000)
    assert told({"zarr_format": deep}) == ["zarr_format: expected 2 or 3, found list, nested too deeply"]
    assert told(group(members=deep)) == ["/: members: expected an object, found list, nested too deeply"]
    assert told(group(members={"x": deep})) == [
        "/x: expected an array or a group, found list, nested too deeply"
    ]


@VERSIONS
def test_deep_members(number: int) -> None:
    assert zom.from_json(groups(DEEPEST, number)).to_json() != {}
    for levels in (DEEPEST + 1, 10_000):
        assert told(groups(levels, number)) == [f"/: {TOO_MANY}"]


def test_models_composed_to_deep_ones() -> None:
    model = v3.GroupSpec()
    for _ in range(DEEPEST):
        model = v3.GroupSpec(members={"g": model})
    with pytest.raises(ValidationError, match=TOO_MANY):
        v3.GroupSpec(members={"g": model})


def test_values_in_themselves() -> None:
    attributes: dict[str, Any] = {}
    attributes["a"] = [attributes, attributes]
    twice: list[Any] = []
    twice += [twice, twice]
    for value in (attributes, {"x": twice}):
        assert told(group(attributes=value)) == [f"/: attributes: {TOO_DEEP}"]
    members: dict[str, Any] = group(members={})
    members["members"] |= {"a": members, "b": members}
    assert told(members) == [f"/: {TOO_MANY}"]


def test_deep_attributes_in_a_store() -> None:
    store = MemoryStore()
    text = '{"zarr_format": 3, "node_type": "group", "attributes": {"x": ' + "[" * 600 + "]" * 600 + "}}"
    store.set("zarr.json", json.dumps(group()).encode())
    store.set("a/zarr.json", text.encode())
    with pytest.raises(MetadataError, match=r"^/a: .*the document is nested too deeply"):
        zom.from_node(open_group(store, mode="r"))
    with pytest.raises(MetadataError, match="the document is nested too deeply"):
        zom.from_node(open_group(store, path="a", mode="r"))


# --- names


def test_illegal_names_of_members() -> None:
    names = {"": "is empty", ".": "is all dots", "a/b": "holds a slash", "n\0": "holds a NUL character"}
    reserved = {"zarr.json": "is the name of a document", "__x": "starts with __, which Zarr v3 reserves"}
    assert told(group(members={name: group() for name in (*names, *reserved)})) == [
        f"/: members: a node's name {fault}: {name!r}" for name, fault in (names | reserved).items()
    ]
    of_v2 = dict.fromkeys((".zarray", ".zgroup", ".zattrs", ".zmetadata"), "is the name of a document")
    assert told(group(2, members={name: group(2) for name in (*names, *of_v2)})) == [
        f"/: members: a node's name {fault}: {name!r}" for name, fault in (names | of_v2).items()
    ]
    assert told(group(members={1: group()})) == ["/: members: expected a string, found 1"]


def test_odd_names_of_members_are_told_as_they_are() -> None:
    names = [
        "a.b",
        "a b",
        "[0]",
        "é",
        "a[1].b",
        "array",
        "group",
        "members",
        "shape",
        "0",
        "attributes",
        "{x}",
    ]
    bad = array(shape=[-1])
    assert told(group(members=dict.fromkeys(names, bad))) == [
        f"/{name}: shape[0]: expected an integer of at least 0, found -1" for name in names
    ]
    assert told(group(members={"array": group(members={"group": bad})})) == [
        "/array/group: shape[0]: expected an integer of at least 0, found -1"
    ]


@pytest.mark.parametrize("field", ["array", "group", "members", "other"])
def test_fields_that_are_called_as_kinds_of_nodes(field: str) -> None:
    bad = array(shape=[-1], **{field: {"array": 1}})
    assert [message.rpartition(":")[0] for message in told(group(members={"x": bad}))] == [
        "/x: shape[0]",
        f"/x: {field}: unknown name, and no object with must_understand",
    ]


class _Typed(zom.Attributes):
    a: dict[str, int]
    b: list[dict[str, int]] = Field(default_factory=list)


@pytest.mark.parametrize(
    ("name", "place"),
    [("x.y", ".x.y"), ("[0]", '["[0]"]'), ("a[1].b", ".a[1].b"), ("", '[""]'), ("1", ".1"), ("é ü", ".é ü")],
)
def test_odd_names_of_attributes(name: str, place: str) -> None:
    (message,) = told(group(attributes={name: object()}))
    assert message.startswith(f"/: attributes{place}: expected a JSON value, found object <object")
    (message,) = told(group(attributes={"a": {name: "x"}, "b": [{}, {}]}), v3.GroupSpec[_Typed])
    assert message.startswith(f"/: attributes.a{place}: expected a valid integer") and message.endswith(
        'found "x"'
    )
    (message,) = told(group(attributes={"a": {}, "b": [{}, {name: "x"}]}), v3.GroupSpec[_Typed])
    assert message.startswith(f"/: attributes.b[1]{place}: expected a valid integer")


# --- versions and kinds


def test_versions_and_kinds() -> None:
    assert told({}) == ["zarr_format: expected 2 or 3, found null"]
    assert told({"zarr_format": "3"}) == ['zarr_format: expected 2 or 3, found "3"']
    assert told({"zarr_format": True}, v3.GroupSpec) == ["/: zarr_format: expected 3, found true"]
    assert told(group(node_type="x")) == ['/: node_type: expected "array" or "group", found "x"']
    assert told(array(), v3.GroupSpec) == ["/: expected a group, found an array"]
    assert told(group(), v3.ArraySpec) == ["/: expected an array, found a group"]
    other = "expected Zarr 3, found Zarr 2; convert maps one to the other"
    assert told(group(members={"a": group(2), "b": array(2)})) == [f"/a: {other}", f"/b: {other}"]
    assert told(group(members={"a": 3})) == ["/a: expected an array or a group, found 3"]
    assert told({"zarr_version": 2}, v3.GroupSpec) == [f"/: {other}"]


@VERSIONS
def test_contradicting_version_numbers(number: int) -> None:
    bad = group(number, zarr_version=5 - number)
    message = f"zarr_version: expected {number}, as zarr_format is, found {5 - number}"
    assert told(bad) == [f"/: {message}"]
    assert told(group(number, members={"a": bad})) == [f"/a: {message}"]


def test_consolidated_metadata_are_no_part_of_models() -> None:
    (message,) = told(group(consolidated_metadata={}))
    assert message == "/: consolidated_metadata: no part of a model; from_consolidated reads it"


# --- unknown fields


@pytest.mark.parametrize("make", [array, group])
def test_unknown_fields(make: Any) -> None:
    assert told(
        make(3, foo=1, bar={"must_understand": True}, baz={"must_understand": False}, members_=1)
    ) == [
        f"/: {name}: unknown name, and no object with must_understand: false"
        for name in ("foo", "bar", "members_")
    ]
    assert told(make(2, foo=1, _bar=1)) == [
        "/: foo: unknown name; those of conventions start with an underscore"
    ]
    assert zom.from_json(make(2, _bar=1)).to_json()["_bar"] == 1
    known = {"name": "x", "must_understand": False}
    assert zom.from_json(make(3, baz=known)).to_json()["baz"] == known


def test_arrays_have_no_members() -> None:
    assert told(array(members={})) == ["/: members: unknown name, and no object with must_understand: false"]


def test_what_stores_have_is_kept() -> None:
    store = MemoryStore()
    store.set(".zgroup", b'{"zarr_format": 2, "foo": 1, "_bar": [NaN]}')
    model = zom.from_node(open_group(store, mode="r"))
    assert model.to_json() == {
        "zarr_format": 2,
        "attributes": {},
        "foo": 1,
        "_bar": [pytest.approx(np.nan, nan_ok=True)],
        "members": {},
    }


def test_names_that_are_no_strings() -> None:
    assert told({**group(), 5: 1}) == ["/: expected strings for names, found 5"]


# --- attributes


@VERSIONS
def test_keys_of_attributes(number: int) -> None:
    assert told(group(number, attributes={1: 2, "a": {None: 1, (1, 2): 3}})) == [
        "/: attributes: expected strings for keys, found 1",
        "/: attributes.a: expected strings for keys, found null",
        "/: attributes.a: expected strings for keys, found [1, 2]",
    ]


@pytest.mark.parametrize("value", [[1], None, "x", 5])
def test_attributes_that_are_no_object(value: Any) -> None:
    assert told(group(attributes=value)) == [f"/: attributes: expected an object, found {json.dumps(value)}"]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (np.float32(1.5), 1.5),
        (np.bool_(True), True),
        (np.int64(3), 3),
        (np.str_("x"), "x"),
        (np.array([[1, 2]]), [[1, 2]]),
        (np.array(["a"]), ["a"]),
        ((1, (2,)), [1, [2]]),
        ({3, 1, 2}, [1, 2, 3]),
        (frozenset({"b", "a", 1}), [1, "a", "b"]),
        (datetime.datetime(2020, 1, 2), "2020-01-02T00:00:00"),
        (datetime.date(2020, 1, 2), "2020-01-02"),
        (2**70, 2**70),
    ],
)
def test_values_that_have_a_json(value: Any, found: Any) -> None:
    model = v3.GroupSpec(attributes={"x": value})
    assert model.to_json()["attributes"] == {"x": found}
    assert (
        zom.from_json(model.to_json()) == v3.GroupSpec.model_validate_json(model.model_dump_json()) == model
    )


@pytest.mark.parametrize(
    "value",
    [
        np.datetime64("2020-01-01"),
        np.datetime64("2020-01-01", "ns"),
        np.array(["2020-01-01"], dtype="M8[ns]"),
        np.timedelta64(1, "s"),
        b"x",
        bytearray(b"x"),
        np.bytes_(b"x"),
        np.array([b"x"]),
        1j,
        np.complex64(1j),
        np.void(b"ab"),
        np.dtype("f4"),
        object(),
        np.array(object()),
        range(3),
        iter([1]),
        (item for item in [1]),
        len,
        int,
    ],
)
def test_values_that_have_none(value: Any) -> None:
    messages = told(group(attributes={"b": 1, "a": [1, {"x": value}], "c": value}))
    assert [message.rpartition(" found ")[0] for message in messages] == [
        "/: attributes.a[1].x: expected a JSON value,",
        "/: attributes.c: expected a JSON value,",
    ]


# --- what has to fit together


@pytest.mark.parametrize("number", [2, 3])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([-3], "[0]: expected an integer of at least 0, found -3"),
        ([True], "[0]: expected an integer of at least 0, found true"),
        ([3.0], "[0]: expected an integer of at least 0, found 3.0"),
        ([10**30], f"[0]: expected an integer of 63 bits, found {10**30}"),
        ("3", ': expected a list, found "3"'),
        (3, ": expected a list, found 3"),
        (None, ": expected a list, found null"),
        ([None], "[0]: expected an integer of at least 0, found null"),
    ],
)
def test_shapes(number: int, value: Any, message: str) -> None:
    assert f"/: shape{message}" in told(array(number, shape=value))


def test_ranks() -> None:
    assert told(array(2, shape=[3, 4])) == ["/: chunks: expected 2 lengths, one for each dimension, found 1"]
    assert told(array(3, shape=[3, 4], dimension_names=["a"])) == [
        "/: chunk_grid.configuration.chunk_shape: expected 2 lengths, one for each dimension, found 1",
        '/: dimension_names: expected a list of 2, found ["a"]',
    ]


@VERSIONS
@pytest.mark.parametrize("value", ["hello", True, 1.5, 2**40, [1, 2], {}])
def test_fill_values_are_of_the_data_type(number: int, value: Any) -> None:
    (message,) = told(array(number, fill_value=value))
    assert message.startswith("/: fill_value: expected an integer from -2147483648 to 2147483647, found ")
    model = MODELS[number].ArraySpec
    with pytest.raises(ValidationError, match="fill_value"):
        model(**array(number, fill_value=value))


def test_what_pydantic_zarr_refuses_is_accepted() -> None:
    assert zom.from_json(array(chunk_key_encoding="v2")).metadata.chunk_keys is not None
    grid = {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[1, 2]]}}
    model = zom.from_json(array(chunk_grid=grid))
    assert model.to_json()["chunk_grid"] == grid


def test_every_fault_of_a_hierarchy_is_told_once() -> None:
    document = group(
        foo=1,
        attributes={1: 2},
        members={
            "__x": group(),
            "a": array(shape=[-1, True], fill_value="x", dimension_names=["a", 3], codecs=[]),
            "g": group(
                attributes=[],
                members={
                    "b": array(data_type="no such type!", chunk_grid={"name": "regular"}),
                    "c": 5,
                    "d": array(2),
                    "e": array(fill_value=float("nan")),
                },
            ),
        },
    )
    for messages in (told(document), told(json.dumps(document).replace('"1": 2', '"x": 2'))):
        assert len(messages) == len(set(messages))
    assert sorted(message.split(": expected")[0] for message in told(document)) == [
        "/: attributes",
        "/: foo: unknown name, and no object with must_understand: false",
        "/: members: a node's name starts with __, which Zarr v3 reserves: '__x'",
        "/a: chunk_grid.configuration.chunk_shape",
        "/a: codecs",
        "/a: dimension_names[1]",
        "/a: fill_value",
        "/a: shape[0]",
        "/a: shape[1]",
        "/g/b: chunk_grid.configuration.chunk_shape: required, but missing",
        "/g/b: data_type",
        "/g/c",
        "/g/d",
        "/g/e: fill_value",
        "/g: attributes",
    ]


class _Members(TypedDict):
    t: v3.ArraySpec


class _Strict(v3.GroupSpec[_Typed, Any]):
    members: _Members


def test_faults_of_types_and_of_the_specification_are_told_together() -> None:
    bad = group(attributes={"a": {"x": "y"}}, members={"t": array(shape=[-1])}, foo=1)
    assert [message.split(": expected")[0] for message in told(bad, _Strict)] == [
        "/: foo: unknown name, and no object with must_understand: false",
        "/: attributes.a.x",
        "/t: shape[0]",
    ]


def test_codecs_that_are_missing_are_told_once() -> None:
    bad = array(data_type="float64")
    del bad["codecs"]
    assert told(bad) == ["/: codecs: required, but missing"]


@pytest.mark.parametrize(
    ("given", "found"),
    [("a.zarr", '"a.zarr"'), (None, "null"), (v3.GroupSpec(), "omnizarr.zom.v3.GroupSpec")],
)
@pytest.mark.parametrize("read", [zom.from_node, v3.GroupSpec.from_node, v3.ArraySpec.from_node])
def test_what_was_not_opened_is_no_node(read: Any, given: Any, found: str) -> None:
    with pytest.raises(TypeError, match="expected an array or group that omnizarr") as caught:
        read(given)
    assert str(caught.value).endswith(f"found {found}")


def test_depths_are_integers() -> None:
    node = v3.GroupSpec().to_store()
    with pytest.raises(TypeError, match='depth: expected an integer or None, found "1"'):
        zom.from_node(node, depth="1")  # type: ignore[arg-type]
    assert zom.from_node(node, depth=np.int64(0)).to_json()["members"] is None  # type: ignore[arg-type]
