"""Models of several kinds of groups, parameters of models, and what sets and pickles make of them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from typing import Any, NotRequired

import pytest
from typing_extensions import TypedDict

from omnizarr.errors import MetadataError
from omnizarr.jsontypes import hash_json, same_json
from omnizarr.zom import v2, v3

both = pytest.mark.parametrize("version", [v2, v3])


class HasA(TypedDict):
    a: int


class HasB(TypedDict):
    b: int


class One(v3.GroupSpec[HasA, Any]):
    members: dict[str, One | Other]


class Other(v3.GroupSpec[HasB, Any]):
    members: dict[str, One | Other]


One.model_rebuild()


def nested_deep(innermost: dict[str, int], depth: int) -> dict[str, Any]:
    document: dict[str, Any] = {"zarr_format": 3, "attributes": innermost, "members": {}}
    for _ in range(depth):
        document = {"zarr_format": 3, "attributes": {"b": 1}, "members": {"x": document}}
    return document


def test_a_union_of_groups_in_one_another_is_looked_at_once():
    """Each level twice would be 2**90 of them."""
    model = Other.from_json(nested_deep({"a": 1}, 90))
    *_, (_, innermost) = model.walk()
    assert type(innermost) is One


def test_of_a_union_in_unions_the_nearest_is_told():
    with pytest.raises(MetadataError) as caught:
        Other.from_json(nested_deep({"c": 1}, 90))
    (problem,) = caught.value.problems
    assert problem.at.endswith("/x: attributes.a") and problem.message == "required, but missing"


class Named3(TypedDict):
    t: v3.ArraySpec
    u: NotRequired[v3.GroupSpec]


def models() -> list[v3.GroupSpec[Any, Any]]:
    array = v3.ArraySpec[HasA].from_array([1, 2], attributes={"a": 1})
    return [
        v3.GroupSpec(members={"t": array}),
        v3.GroupSpec[HasA, v3.ArraySpec](attributes={"a": 1}, members={"t": array}),
        v3.GroupSpec[dict[str, Any], Named3](members={"t": array}),  # type: ignore[dict-item]
        v3.GroupSpec[dict[str, Any], Mapping[str, v3.ArraySpec]](members={"t": array}),  # type: ignore[dict-item]
    ]


@pytest.mark.parametrize("number", range(4))
def test_models_for_certain_members_are_pickled_and_copied(number):
    model = models()[number]
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert again == model and type(again) is type(model) and hash(again) == hash(model)
        assert type(again.members["t"]) is type(model.members["t"])


def test_a_typed_dict_as_parameter_says_which_members_there_are():
    model = v3.GroupSpec[dict[str, Any], Named3]
    with pytest.raises(MetadataError) as caught:
        model.from_json({"zarr_format": 3, "members": {"u": {"zarr_format": 3, "shape": []}}})
    assert {problem.at for problem in caught.value.problems} == {"/t", "/u"}
    array = v3.ArraySpec.from_array([1])
    more = model.from_json({"zarr_format": 3, "members": {"t": array.to_json(), "more": array.to_json()}})
    assert more.members is not None and type(more.members["more"]) is v3.ArraySpec


@both
def test_models_that_differ_have_different_hashes(version):
    groups = [version.GroupSpec(attributes={"n": number}) for number in range(300)]
    arrays = [version.ArraySpec.from_array([0] * number, dtype="u1", chunks=(1,)) for number in range(1, 30)]
    assert len({hash(model) for model in (*groups, *arrays)}) > 320


@both
def test_what_is_equal_has_one_hash(version):
    pairs = [
        ({"a": 1}, {"a": 1.0}),
        ({"a": float("nan")}, {"a": -float("nan")}),
        ({"a": 1, "b": [None]}, {"b": [None], "a": 1}),
    ]
    for one, other in pairs:
        assert same_json(one, other) and hash_json(one) == hash_json(other)
        models = version.GroupSpec(attributes=one), version.GroupSpec(attributes=other)
        assert models[0] == models[1] and hash(models[0]) == hash(models[1])


def test_check_may_return_nothing_and_yield_plain_tuples():
    class Silent(v3.GroupSpec):
        def check(self):
            return None

    class Plain(v3.GroupSpec):
        def check(self):
            return [("attributes.a", "expected another")]

    class Wrong(v3.GroupSpec):
        def check(self):
            return ["wrong"]

    assert Silent().members == {}
    with pytest.raises(ValueError, match="expected another"):
        Plain()
    with pytest.raises(TypeError, match=r"Wrong.check: expected violations"):
        Wrong()
