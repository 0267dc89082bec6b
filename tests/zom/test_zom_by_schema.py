"""Models checked by any JSON Schema: what is told, of which node, and what a bad schema is answered."""

from __future__ import annotations

import sys
import threading
from typing import Any

import pytest

from omnizarr import zom
from omnizarr.errors import MetadataError
from omnizarr.hierarchy.validate import Finding
from omnizarr.zom.schema.check import check_by_schema


def told(document: Any, schema: Any) -> list[str]:
    return [str(finding) for finding in check_by_schema(document, schema)]


def group(**members: Any) -> dict[str, Any]:
    return {"zarr_format": 2, "attributes": {}, "members": members}


def array(**fields: Any) -> dict[str, Any]:
    return {"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<f4", "fill_value": 0, **fields}


def test_nothing_is_told_of_what_is_valid() -> None:
    assert check_by_schema(group(a=array()), zom.json_schema(2)) == []
    assert check_by_schema({}, True) == []


def test_findings_have_the_path_of_the_node_and_the_place_in_it() -> None:
    document = group(a=group(b=array(shape=[-1], chunks=["2"])))
    found = check_by_schema(document, zom.json_schema(2))
    assert found == [
        Finding("model", "a/b", "shape[0]", "expected 0 at least, found -1"),
        Finding("model", "a/b", "chunks[0]", 'expected an integer, found "2"'),
    ]
    assert str(found[0]) == "/a/b: shape[0]: expected 0 at least, found -1"


def test_of_alternatives_the_nearest_is_told() -> None:
    document = group(a=array(stray=1), g=group(x=array(order="K")), n={"zarr_format": 2, "stray": 1})
    del document["members"]["a"]["dtype"]
    assert sorted(told(document, zom.json_schema(2))) == [
        "/a: dtype: required, but missing",
        "/a: stray: unknown name",
        '/g/x: order: expected one of "C", "F", found "K"',
        "/n: stray: unknown name",
    ]


def test_alternatives_that_are_equally_far_are_told_together() -> None:
    schema = {"properties": {"a": {"oneOf": [{"type": "integer"}, {"type": "null"}, {"enum": ["x", "y"]}]}}}
    assert told({"a": "z"}, schema) == ['/: a: expected an integer or null or one of "x", "y", found "z"']


def test_members_that_are_missing_or_unknown_are_told_by_their_paths() -> None:
    members = {"properties": {"a": {}}, "required": ["a"], "additionalProperties": False}
    schema = {"properties": {"members": {"properties": {"g": {"properties": {"members": members}}}}}}
    assert told(group(g=group(b=array())), schema) == [
        "/g/a: required, but missing",
        "/g/b: unknown name",
    ]


def test_attributes_called_members_are_no_nodes() -> None:
    schema = {
        "properties": {"attributes": {"properties": {"members": {"properties": {"x": {"type": "null"}}}}}}
    }
    document = {"attributes": {"members": {"x": 1}}}
    assert told(document, schema) == ["/: attributes.members.x: expected null, found 1"]


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"const": 3}, 4, "expected 3, found 4"),
        ({"enum": ["a"]}, "b", 'expected "a", found "b"'),
        ({"type": ["string", "null"]}, 3, "expected a string or null, found 3"),
        ({"type": "boolean"}, 1, "expected true or false, found 1"),
        ({"minimum": 2}, 1, "expected 2 at least, found 1"),
        ({"exclusiveMinimum": 2}, 2, "expected more than 2, found 2"),
        ({"maximum": 2}, 3, "expected 2 at most, found 3"),
        ({"exclusiveMaximum": 2}, 2, "expected less than 2, found 2"),
        ({"multipleOf": 2}, 3, "expected a multiple of 2, found 3"),
        ({"pattern": "^a"}, "b", 'expected text that matches ^a, found "b"'),
        ({"minLength": 2}, "b", 'expected 2 characters at least, found "b"'),
        ({"maxLength": 1}, "bb", 'expected 1 characters at most, found "bb"'),
        ({"minItems": 1}, [], "expected a list of 1 at least, found []"),
        ({"maxItems": 1}, [1, 2], "expected a list of 1 at most, found [1, 2]"),
        ({"uniqueItems": True}, [1, 1], "expected items that differ, found [1, 1]"),
        ({"minProperties": 1}, {}, "expected an object of 1 names at least, found {}"),
        ({"maxProperties": 0}, {"a": 1}, 'expected an object of 0 names at most, found {"a": 1}'),
        ({"not": {"type": "null"}}, None, 'expected nothing that fits {"type": "null"}, found null'),
        ({"contains": {"const": 1}}, [2], 'expected an item that fits {"const": 1}, found [2]'),
        ({"not": {}}, 3, "expected nothing here, found 3"),
        (
            {"oneOf": [{"type": "integer"}, {"minimum": 0}]},
            1,
            "expected one alternative alone to fit, several do: 1",
        ),
        ({"propertyNames": {"pattern": "^a"}}, {"b": 1}, 'expected text that matches ^a, found the name "b"'),
        ({"propertyNames": False}, {"b": 1}, 'expected another name, found the name "b"'),
        (
            {"propertyNames": {"pattern": "^a", "description": "A name in a."}},
            {"b": 1},
            'expected a name in a, found the name "b"',
        ),
        ({"if": {"type": "integer"}, "then": {"minimum": 5}}, 3, "expected 5 at least, found 3"),
    ],
)
def test_violations_are_told_in_the_words_of_this_library(schema: Any, value: Any, message: str) -> None:
    assert told({"v": value}, {"properties": {"v": schema}}) == [f"/: v: {message}"]


def test_pattern_properties_are_no_unknown_names() -> None:
    schema = {"properties": {"a": {}}, "patternProperties": {"^_": {}}, "additionalProperties": False}
    assert told({"a": 1, "_b": 1, "c": 1, "d": 1}, schema) == ["/: c: unknown name", "/: d: unknown name"]


def test_a_schema_that_nothing_fits_is_told() -> None:
    assert told({"a": 1}, False) == ['/: expected nothing here, found {"a": 1}']


def test_what_other_keywords_say_is_told_as_it_is() -> None:
    assert "b" in told({"a": 1}, {"dependentRequired": {"a": ["b"]}})[0]


# --- bad schemas


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (3, "JSON Schema: expected an object, found 3"),
        ({"zarr_format": 2}, "JSON Schema: expected one, found the JSON of a node or a model"),
        ([], r"JSON Schema: expected an object, found \[\]"),
        ({"type": "foo"}, 'JSON Schema: type: expected one of .*, found "foo"'),
        (
            {"properties": {"a": {"minimum": "x"}}},
            'JSON Schema: properties.a.minimum: expected a number, found "x"',
        ),
        ({"pattern": "["}, "JSON Schema: pattern: .* is not a 'regex'"),
        ({"$schema": "https://example.com/x"}, r"JSON Schema: \$schema: expected a draft of JSON Schema"),
        ({"$schema": 3}, r"JSON Schema: \$schema: expected a draft of JSON Schema, .* found 3"),
        ({"$ref": "#/$defs/none"}, "what it refers to is not in it, and is not fetched: .*/\\$defs/none"),
        ({"$ref": "#"}, "it refers to itself without end"),
    ],
)
def test_a_bad_schema_is_refused(schema: Any, message: str) -> None:
    with pytest.raises(MetadataError, match=message):
        check_by_schema(group(), schema)


@pytest.mark.parametrize("address", ["http://example.com/x.json", "file:///etc/passwd", "x.json#/a"])
def test_nothing_is_fetched(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("something was opened")

    monkeypatch.setattr("urllib.request.urlopen", refuse)
    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(MetadataError, match="is not fetched"):
        check_by_schema(group(), {"$ref": address})


def test_other_drafts_are_taken_by_their_names() -> None:
    schema = {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {"type": "null"}}}
    assert told({"x": 1}, {**schema, "properties": {"x": {"$ref": "#/definitions/a"}}}) == [
        "/: x: expected null, found 1"
    ]


def test_without_the_package_the_error_says_how_it_is_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    monkeypatch.setitem(sys.modules, "jsonschema.exceptions", None)
    with pytest.raises(ImportError, match=r'pip install "omnizarr\[schema\]"'):
        check_by_schema(group(), {})


# --- deep and big documents


def nested(count: int, inner: Any) -> Any:
    for _ in range(count):
        inner = group(a=inner)
    return inner


def test_as_many_groups_as_a_model_may_have_are_checked() -> None:
    before = sys.getrecursionlimit(), threading.stack_size()
    assert told(nested(100, array(dtype="nope", fill_value=0)), zom.json_schema(2))[0].startswith(
        "/" + "/".join("a" * 100) + ": dtype: expected text that matches"
    )
    assert (sys.getrecursionlimit(), threading.stack_size()) == before


def test_what_is_deeper_is_told_and_not_checked() -> None:
    message = "/: more than 400 lists and objects within one another"
    assert told(nested(100_000, group()), zom.json_schema(2)) == [message]
    deep: Any = []
    for _ in range(1000):
        deep = [deep]
    assert told({"attributes": {"a": deep}}, {}) == [message]
    with pytest.raises(MetadataError, match="JSON Schema: more than 400"):
        check_by_schema({}, {"default": deep})


def test_big_documents_are_checked() -> None:
    document = group(**{f"g{i}": group(**{f"a{j}": array() for j in range(5)}) for i in range(20)})
    document["members"]["g7"]["members"]["a3"]["shape"] = None
    assert told(document, zom.json_schema(2)) == ["/g7/a3: shape: expected a list, found null"]


def test_many_threads_may_check_at_once() -> None:
    found: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda: found.append(told(nested(20, array(order="K")), zom.json_schema(2))))
        for _ in range(4)
    ]
    limit = sys.getrecursionlimit()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and len(set(map(tuple, found))) == 1
    assert sys.getrecursionlimit() == limit
