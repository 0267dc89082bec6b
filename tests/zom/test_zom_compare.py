"""What differs between two models, and where."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omnizarr import zom
from omnizarr.hierarchy.create import create_array, create_group
from omnizarr.store import MemoryStore
from omnizarr.store.layers.wrap import CountingStore
from omnizarr.zom import v2, v3
from omnizarr.zom.compare import FIELDS, differences
from omnizarr.zom.difference import MISSING, Difference

VERSIONS = pytest.mark.parametrize("version", [v2, v3])


def array(version: Any = v3, **arguments: Any) -> Any:
    return version.ArraySpec.from_array([1, 2, 3], **{"dtype": "int32", "chunks": (3,), **arguments})


def group(version: Any = v3, attributes: Any = None, **members: Any) -> Any:
    return version.GroupSpec(attributes=attributes or {}, members=members)


def told(*sides: Any, **options: Any) -> list[str]:
    return [str(difference) for difference in zom.diff(*sides, **options)]


# --- places


@VERSIONS
def test_places_are_exact(version: Any) -> None:
    before = array(version, attributes={"units": "K", "x": {"a": [1, 2]}, "y": None})
    after = before.model_copy(
        update={"shape": (4,), "attributes": {"x": {"a": [1, 3, 4]}, "y": 0, "z": None}}
    )
    assert told(
        group(version, {"t": 1}, g=group(version, a=before)), group(version, g=group(version, a=after))
    ) == [
        "/: attributes.t: 1 was removed",
        '/g/a: attributes.units: "K" was removed',
        "/g/a: attributes.x.a[1]: 2 became 3",
        "/g/a: attributes.x.a[2]: 4 was added",
        "/g/a: attributes.y: null became 0",
        "/g/a: attributes.z: null was added",
        "/g/a: shape[0]: 3 became 4",
    ]


def test_codecs() -> None:
    gzip = {"name": "gzip", "configuration": {"level": 1}}
    one = array(compressors=[gzip])
    other = array(compressors=[{"name": "gzip", "configuration": {"level": 9}}])
    assert told(one, other) == ["/: codecs[1].configuration.level: 1 became 9"]
    assert told(array(compressors=[]), one) == [
        '/: codecs[1]: {"name": "gzip", "configuration": {"level": 1}} was added'
    ]
    transposed = array(compressors=[gzip], filters=[{"name": "transpose", "configuration": {"order": [0]}}])
    assert told(transposed, one) == [
        '/: codecs[0]: {"name": "transpose", "configuration": {"order": [0]}} was removed'
    ]


@pytest.mark.parametrize(
    ("one", "other", "places"),
    [
        ([1, 2, 3], [1, 3], ["[1]"]),
        ([], [1, 1], ["[0]", "[1]"]),
        ([1, 1], [1, 1, 1], ["[2]"]),
        ([1, 2], [2, 1, 2], ["[0]"]),
        ([[1], {"a": 1}], [[2], {"a": 1, "b": 2}], ["[0][0]", "[1].b"]),
        ({"a": 1}, [1], [""]),
        (True, 1, [""]),
        (1, 1.0, []),
        (float("nan"), float("nan"), []),
        ({"a.b": {"": 1}}, {"a.b": {"": 2}}, ['.a.b[""]']),
    ],
)
def test_values(one: Any, other: Any, places: list[str]) -> None:
    found = zom.diff(group(attributes={"x": one}), group(attributes={"x": other}))
    assert [difference.at.removeprefix("attributes.x") for difference in found] == places


def test_values_of_any_depth() -> None:
    deep: Any = 1
    for _ in range(99):
        deep = [{"a": deep}]
    other = copy.deepcopy(deep)
    inner = other
    for _ in range(98):
        inner = inner[0]["a"]
    inner[0]["a"] = 2
    (found,) = zom.diff(group(attributes={"x": deep}), group(attributes={"x": other}))
    assert found.at == "attributes.x" + "[0].a" * 99


# --- nodes


def test_nodes_on_one_side() -> None:
    one, other = group(a=array(), b=group(c=array())), group(b=group(), d=group(e=array()))
    assert told(one, other) == [
        "/a: an array was removed",
        "/b/c: an array was removed",
        "/d: a group was added",
    ]
    removed, _, added = zom.diff(one, other)
    assert removed.after is MISSING and zom.from_json(removed.before) == array()
    assert zom.from_json(added.after) == group(e=array())


def test_differences_as_json() -> None:
    assert [d.to_json() for d in zom.diff(group(attributes={"a": None}), group(attributes={"b": 1}))] == [
        {"path": "/", "at": "attributes.a", "kind": "removed", "before": None},
        {"path": "/", "at": "attributes.b", "kind": "added", "after": 1},
    ]
    assert Difference("x", "shape[0]", "changed", 1, 2).to_json() == {
        "path": "/x",
        "at": "shape[0]",
        "kind": "changed",
        "before": 1,
        "after": 2,
    }


def test_other_kinds_and_versions_are_one_difference() -> None:
    assert told(group(a=array()), group(a=group())) == ['/a: node_type: "array" became "group"']
    assert told(group(v2, a=array(v2)), group(v3, {"x": 1})) == ["/: zarr_format: 2 became 3"]
    assert told(group(v2), array(v3)) == [
        "/: zarr_format: 2 became 3",
        '/: node_type: "group" became "array"',
    ]
    both = group(v2, {"x": 1}, a=array(v2)), group(v3, {"x": 2}, a=array(v3))
    assert told(*both, include=["attributes"]) == ["/: attributes.x: 1 became 2"]


def test_members_that_were_not_read() -> None:
    unread, none = v3.GroupSpec(members=None), v3.GroupSpec(members={})
    assert told(unread, none) == ["/: members: not read became {}"]
    assert told(group(g=none), group(g=unread)) == ["/g: members: {} became not read"]
    assert told(unread, unread) == told(unread, none, exclude={"members"}) == []


# --- fields


def test_fields_are_those_of_the_models() -> None:
    kinds = (v2.ArraySpec, v2.GroupSpec, v3.ArraySpec, v3.GroupSpec)
    assert set(FIELDS) == {name for kind in kinds for name in kind.model_fields}


def test_include_and_exclude() -> None:
    one = group(attributes={"x": 1}, a=array(attributes={"u": 1}))
    other = group(attributes={"x": 2}, a=array(dtype="int16", attributes={"u": 2}), b=array())
    attributes = ["/: attributes.x: 1 became 2", "/a: attributes.u: 1 became 2"]
    added, changed = "/b: an array was added", '/a: data_type: "int32" became "int16"'
    assert told(one, other) == [*attributes, changed, added]
    assert told(one, other, include={"attributes"}) == [*attributes, added]
    assert told(one, other, include="data_type") == [changed, added]
    assert told(one, other, exclude=["attributes"]) == [changed, added]
    assert told(one, other, exclude={"members"}) == attributes[:1]
    assert told(one, other, include={"members"}) == [added]
    assert told(one, other, include={"attributes"}, exclude={"members"}) == attributes[:1]
    assert one.like(other, include={"shape"}, exclude={"members"}) and not one.like(other)


def test_unknown_fields() -> None:
    with pytest.raises(ValueError, match=r"expected names of fields \(zarr_format, .*, found 'shap', 'x'"):
        zom.diff(group(), group(), include=["x", "shape"], exclude=["shap"])
    one, other = v2.GroupSpec(_note=1), v2.GroupSpec(_note=2)  # type: ignore[call-arg]
    assert told(one, other) == ["/: _note: 1 became 2"]
    assert told(group(v2, g=one), group(v2, g=other), exclude={"_note"}) == []


@pytest.mark.parametrize("value", [3, None, {"zarr_format": 3}, "a.zarr"])
def test_what_is_no_model(value: Any) -> None:
    for sides in ((value, group()), (group(), value)):
        with pytest.raises(TypeError, match="expected a model, or an array or group that is open, found"):
            zom.diff(*sides)
    assert group() != value


def test_one_is_enough_for_like() -> None:
    one, other = group(attributes={"a": 1, "b": 2}), group()
    assert len(differences(one, other)) == 2
    assert len(differences(one, other, first=True)) == 1


# --- open nodes


@pytest.fixture(params=[2, 3])
def stored(request: pytest.FixtureRequest) -> Any:
    root = create_group(MemoryStore(), zarr_format=request.param, attributes={"t": 1})
    root.create_array("g/h/a", shape=(3,), dtype="f4", fill_value=float("nan"))
    root.create_array("b", shape=(3,), dtype="i2")
    return root


def test_open_nodes(stored: Any) -> None:
    model = zom.from_node(stored)
    assert told(model, stored) == told(stored, model) == told(stored, stored) == []
    assert model.like(stored)
    stored.create_group("new", attributes={"u": 1})
    assert told(model, stored) == ["/new: a group was added"]
    assert told(stored, model) == ["/new: a group was removed"]
    (found,) = zom.diff(stored, model)
    assert zom.from_json(found.before) == zom.from_node(stored["new"])


@pytest.mark.parametrize("depth", [0, 1, 2, None])
def test_models_that_were_not_read_to_the_end(stored: Any, depth: int | None) -> None:
    model = zom.from_node(stored, depth=depth)
    assert told(model, stored) == told(stored, model) == []
    assert model.like(stored)


def test_nodes_are_read_only_as_deep_as_the_model() -> None:
    root = create_group(counted := CountingStore(MemoryStore()))
    root.create_group("g/h/i")
    models = {depth: zom.from_node(root, depth=depth) for depth in (0, 1, None)}
    counted.reset()
    assert told(models[0], root) == told(models[None], root, exclude="members") == []
    assert counted.counts == {}
    assert told(models[1], root) == []
    assert counted.counts == {"list_dir": 1, "get": 1}
    counted.reset()
    assert told(root, models[None]) == []
    assert counted.counts == {"list_dir": 4, "get": 3}


def test_arrays_of_a_store() -> None:
    one = create_array(MemoryStore(), shape=(3,), dtype="f4", zarr_format=2)
    other = create_array(MemoryStore(), shape=(3,), dtype="f4", zarr_format=3)
    assert told(one, other) == ["/: zarr_format: 2 became 3"]
    assert told(one, one) == []


# --- equality


def test_subclasses_are_compared_by_structure() -> None:
    class Own(v3.ArraySpec[dict[str, int]]):
        extra: int = 0

    class Typed(v3.ArraySpec[dict[str, int]]):
        pass

    plain, typed = array(attributes={"a": 1}), Typed.from_array([1, 2, 3], dtype="int32", attributes={"a": 1})
    assert plain.like(typed) and typed.like(plain)
    assert plain == typed and hash(plain) == hash(typed)


def test_spelling_makes_no_difference() -> None:
    document = array(dtype="int8", compressors=[]).to_json()
    short = zom.from_json({**document, "codecs": ["bytes"], "chunk_key_encoding": "default"})
    long = zom.from_json({**document, "codecs": [{"name": "bytes", "configuration": {}}]})
    assert short.to_json() != long.to_json()
    assert short == long and hash(short) == hash(long) and told(short, long) == []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(width=16) | st.text("ab.", max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab.[", max_size=2), inner, max_size=3)
    ),
    max_leaves=6,
)
attributes = st.dictionaries(st.text("abc", max_size=1), json_values, max_size=3)


@st.composite
def arrays(draw: Any, version: Any = v3) -> Any:
    shape = draw(st.lists(st.integers(0, 3), max_size=2))
    dtype = draw(st.sampled_from(["int8", "float32"]))
    return version.ArraySpec.from_array(
        None if False else _Like(tuple(shape), dtype),
        attributes=draw(attributes),
        fill_value=draw(st.integers(0, 1)),
    )


class _Like:
    def __init__(self, shape: tuple[int, ...], dtype: str) -> None:
        self.shape, self.dtype = shape, np.dtype(dtype)


def groups(version: Any) -> Any:
    names = st.sampled_from(["a", "b", "c"])
    return st.recursive(
        arrays(version),
        lambda inner: st.builds(
            lambda attributes, members: version.GroupSpec(attributes=attributes, members=members),
            attributes,
            st.none() | st.dictionaries(names, inner, max_size=3),
        ),
        max_leaves=4,
    )


@VERSIONS
@settings(max_examples=40)
@given(data=st.data())
def test_models_are_equal_where_nothing_differs(version: Any, data: Any) -> None:
    one, other = data.draw(groups(version)), data.draw(groups(version))
    there, back = zom.diff(one, other), zom.diff(other, one)
    assert (one == other) == (not there) == one.like(other)
    assert one != other or hash(one) == hash(other)
    mirrored = {"added": "removed", "removed": "added", "changed": "changed"}
    assert sorted((d.path, d.at, mirrored[d.kind]) for d in there) == sorted(
        (d.path, d.at, d.kind) for d in back
    )


@VERSIONS
@settings(max_examples=40)
@given(data=st.data())
def test_a_model_is_equal_to_its_copies(version: Any, data: Any) -> None:
    one = data.draw(groups(version))
    for other in (copy.deepcopy(one), zom.from_json(one.to_json()), one.model_copy()):
        assert one == other and hash(one) == hash(other) and not zom.diff(one, other)


@VERSIONS
def test_models_are_no_other_values(version: Any) -> None:
    assert array(version) != array(version).to_json() and array(version) != group(version)
    assert group(v2) != group(v3)
    assert {array(version), array(version)} == {array(version)}
