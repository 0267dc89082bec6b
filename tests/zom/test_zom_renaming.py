"""The property `members` of a group's metadata has another name in its model, and gets its own back."""

from __future__ import annotations

import json
from itertools import chain, combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import omnizarr
from omnizarr import zom
from omnizarr.errors import MetadataError
from omnizarr.store import MemoryStore
from omnizarr.zom import renaming

COUNTS = range(5)
NAMES = [f"{'_' * count}members" for count in COUNTS]
OTHERS = ["foo", "_member", "members_", "Members", " members", "_members_", "members\n", "xmembers", "_"]
KEYS = {2: ".zgroup", 3: "zarr.json"}
HEADS: dict[int, dict[str, Any]] = {
    2: {"zarr_format": 2},
    3: {"zarr_format": 3, "node_type": "group", "attributes": {}},
}

sets_of_names = st.sets(st.sampled_from(NAMES + OTHERS) | st.builds("{}members".format, st.text("_")))


def properties_of(names: Any) -> dict[str, Any]:
    return {name: f"value of {name}" for name in names}


def every_set_of_names() -> list[tuple[str, ...]]:
    return list(chain.from_iterable(combinations(NAMES, size) for size in range(len(NAMES) + 1)))


@given(sets_of_names)
def test_names_come_back(names: set[str]) -> None:
    properties = properties_of(names)
    assert renaming.from_model(renaming.to_model(properties)) == properties


@given(sets_of_names.filter(lambda names: "members" not in names))
def test_every_model_is_of_some_group(names: set[str]) -> None:
    properties = properties_of(names)
    assert renaming.to_model(renaming.from_model(properties)) == properties


@given(sets_of_names)
def test_the_name_of_the_nodes_is_free(names: set[str]) -> None:
    assert "members" not in renaming.to_model(properties_of(names))


@given(sets_of_names, sets_of_names)
def test_groups_that_differ_have_models_that_differ(one: set[str], other: set[str]) -> None:
    models = [set(renaming.to_model(properties_of(names))) for names in (one, other)]
    assert (models[0] == models[1]) == (one == other)


@given(sets_of_names)
def test_at_most_one_name_changes_and_order_stays(names: set[str]) -> None:
    properties = properties_of(names)
    renamed = renaming.to_model(properties)
    assert list(renamed.values()) == list(properties.values())
    assert len(renamed.keys() - properties.keys()) <= 1
    assert {name for name in names if name.lstrip("_") != "members"} <= renamed.keys()


@given(sets_of_names)
def test_a_value_keeps_its_name_where_it_can_mean_nothing_else(names: set[str]) -> None:
    """The names of others than of the one with most underscores, or of `members` itself, stay."""
    renamed = renaming.to_model(properties_of(names))
    changed = {name for name in names if renamed.get(name) != f"value of {name}"}
    likes = [name for name in names if name.lstrip("_") == "members"]
    assert changed == ({"members"} & names or {max(likes, key=len)} if likes else set())


def test_every_small_set_has_a_model_of_its_own() -> None:
    models = [frozenset(renaming.to_model(properties_of(names))) for names in every_set_of_names()]
    assert len(set(models)) == len(models) == 2 ** len(NAMES)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([], []),
        (["members"], ["_members"]),
        (["members", "_members"], ["__members", "_members"]),
        (["_members", "members"], ["_members", "__members"]),
        (["_members"], ["__members"]),
        (["members", "__members"], ["___members", "__members"]),
        (["members", "_members", "__members"], ["___members", "_members", "__members"]),
        (["Members", "member", "members_"], ["Members", "member", "members_"]),
    ],
)
def test_the_cases_that_the_document_names_and_those_it_does_not(
    names: list[str], expected: list[str]
) -> None:
    renamed = renaming.to_model(properties_of(names))
    assert list(renamed) == expected
    assert list(renamed.values()) == [f"value of {name}" for name in names]


def test_neither_way_changes_what_it_was_given() -> None:
    properties = {"members": 1, "_members": 2}
    renaming.to_model(properties)
    renaming.from_model({"_members": 2, "__members": 1})
    assert properties == {"members": 1, "_members": 2}


# --- through whole models


def stored_group(document: dict[str, Any]) -> MemoryStore:
    store = MemoryStore()
    store.set(KEYS[document["zarr_format"]], json.dumps(document).encode())
    return store


def value_of(name: str) -> dict[str, Any]:
    return {"must_understand": False, "what": name}


@pytest.mark.parametrize("number", [2, 3])
@pytest.mark.parametrize("names", every_set_of_names()[:16], ids=lambda names: "+".join(names) or "none")
def test_documents_come_back_from_stores_through_json(number: int, names: tuple[str, ...]) -> None:
    document = {**HEADS[number], **{name: value_of(name) for name in names}}
    model = zom.from_node(omnizarr.open_group(stored_group(document), mode="r"))
    text = json.dumps(model.to_json())
    again = zom.from_json(text)
    assert again == model
    assert json.loads(text)["members"] == {}
    store = MemoryStore()
    again.to_store(store)
    written = store.get(KEYS[number])
    assert written is not None
    assert json.loads(written) == document


@pytest.mark.parametrize("number", [2, 3])
def test_the_model_has_both_the_property_and_the_nodes(number: int) -> None:
    store = stored_group({**HEADS[number], "members": value_of("a census")})
    omnizarr.open_group(store, mode="r+").create_array("a", shape=2, dtype="int8")
    model = zom.from_node(omnizarr.open_group(store, mode="r"))
    assert isinstance(model, zom.v2.GroupSpec | zom.v3.GroupSpec)
    assert list(model.nodes) == ["a"]
    document = model.to_json()
    assert document["_members"] == value_of("a census")
    assert isinstance(document["members"], dict)
    assert document["members"].keys() == {"a"}
    assert model.metadata.extra == {"members": value_of("a census")}


@pytest.mark.parametrize("number", [2, 3])
def test_groups_below_are_renamed_too(number: int) -> None:
    inner = {**HEADS[number], "_members": value_of("of the inner"), "members": {}}
    model = zom.from_json({**HEADS[number], "members": {"inner": inner}})
    assert isinstance(model, zom.v2.GroupSpec | zom.v3.GroupSpec)
    assert model.nodes["inner"].metadata.extra == {"members": value_of("of the inner")}
    assert model.metadata.extra == {}
    store = MemoryStore()
    model.to_store(store)
    written = store.get(f"inner/{KEYS[number]}")
    assert written is not None
    assert json.loads(written)["members"] == value_of("of the inner")


def test_a_property_that_must_be_understood_is_refused_by_its_name_in_the_document() -> None:
    with pytest.raises(MetadataError, match="unknown name"):
        zom.from_json({**HEADS[3], "_members": {"what": "no permission to ignore it"}, "members": {}})


@pytest.mark.parametrize("number", [2, 3])
def test_arrays_have_no_such_property(number: int) -> None:
    spec = {2: zom.v2.ArraySpec, 3: zom.v3.ArraySpec}[number]
    array = spec.from_array([1, 2]).to_json()
    with pytest.raises(MetadataError, match="members: unknown name"):
        spec.from_json({**array, "members": 1})


def test_an_array_keeps_a_property_of_that_name_that_may_be_ignored() -> None:
    document = {**zom.v3.ArraySpec.from_array([1, 2]).to_json(), "members": value_of("an array")}
    assert zom.from_json(document).to_json() == document


@given(st.sets(st.sampled_from(NAMES)), st.sampled_from([2, 3]))
def test_models_are_equal_where_groups_are(names: set[str], number: int) -> None:
    document = {**HEADS[number], **{name: value_of(name) for name in names}}
    model = zom.from_node(omnizarr.open_group(stored_group(document), mode="r"))
    other = zom.from_node(omnizarr.open_group(stored_group({**document, "foo_": value_of("x")}), mode="r"))
    assert model == zom.from_node(omnizarr.open_group(stored_group(document), mode="r"))
    assert model != other
