"""Models as nodes by path, and back."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic_zarr.v2 import GroupSpec as PeerGroup
from pydantic_zarr.v2 import from_flat as peer_from_flat
from typing_extensions import TypedDict

from omnizarr import zom
from omnizarr.errors import MetadataError
from omnizarr.zom import v2, v3
from omnizarr.zom.version import DEEPEST

VERSIONS = pytest.mark.parametrize("version", [v2, v3])


def array(version: Any, length: int = 3, **attributes: Any) -> Any:
    return version.ArraySpec.from_array([0] * length, dtype="int32", chunks=(2,), attributes=attributes)


def problems(nodes: Any, model: Any = zom) -> list[str]:
    with pytest.raises(MetadataError) as caught:
        model.from_flat(nodes)
    return [str(problem) for problem in caught.value.problems]


def hierarchy(version: Any) -> Any:
    inner = version.GroupSpec(attributes={"n": 1}, members={"b": array(version), "a": array(version, 5)})
    members = {"z": array(version), "inner": inner, "empty": version.GroupSpec()}
    return version.GroupSpec(attributes={"title": "x"}, members=members)


@VERSIONS
def test_a_hierarchy_goes_there_and_back(version: Any) -> None:
    group = hierarchy(version)
    flat = group.to_flat()
    assert list(flat) == ["", "/z", "/inner", "/inner/b", "/inner/a", "/empty"]
    assert all(flat[path].members is None for path in ("", "/inner", "/empty"))
    assert flat["/z"] is group.members["z"]
    for back in (zom.from_flat(flat), version.GroupSpec.from_flat(flat)):
        assert back == group
        assert list(back.members["inner"].members) == ["b", "a"]


@VERSIONS
def test_documents_stand_for_models(version: Any) -> None:
    flat = {path: node.to_json() for path, node in hierarchy(version).to_flat().items()}
    assert zom.from_flat(flat) == hierarchy(version)


def test_the_root_path_goes_before_all_others() -> None:
    assert list(hierarchy(v3).to_flat("/x/")) == [
        "/x",
        "/x/z",
        "/x/inner",
        "/x/inner/b",
        "/x/inner/a",
        "/x/empty",
    ]
    assert list(zom.to_flat(hierarchy(v3), "/"))[:2] == ["", "/z"]


@VERSIONS
def test_an_array_alone(version: Any) -> None:
    assert zom.from_flat(zom.to_flat(array(version))) == array(version)
    assert zom.from_flat({"/": array(version)}) == array(version)
    assert problems({"": array(version)}, version.GroupSpec) == ["/: expected a group, found an array"]


@VERSIONS
def test_groups_on_the_way_are_made_in_the_order_given(version: Any) -> None:
    found = zom.from_flat({"/b/x": array(version), "a": array(version), "b/c/d": array(version)})
    assert list(found.to_flat()) == ["", "/b", "/b/x", "/b/c", "/b/c/d", "/a"]
    assert found.members["b"] == version.GroupSpec(members=found.members["b"].members)
    assert version.GroupSpec.from_flat({}) == version.GroupSpec()


def test_the_keys_are_those_of_pydantic_zarr() -> None:
    peer = PeerGroup.from_flat(
        {"": PeerGroup(attributes={"a": 1}, members=None), "/g": PeerGroup(attributes={}, members=None)}
    )
    assert list(peer.to_flat()) == list(v2.GroupSpec.from_json(peer.model_dump()).to_flat()) == ["", "/g"]
    ours = v2.GroupSpec.from_json(peer.model_dump()).to_flat()
    assert peer_from_flat({path: PeerGroup(**node.to_json()) for path, node in ours.items()}) == peer


# --- models remain what they are


class _Members(TypedDict):
    a: v3.ArraySpec


class _Typed(v3.GroupSpec[Any, Any]):
    members: _Members


class _Own(v3.ArraySpec):
    pass


def test_models_keep_their_classes() -> None:
    own = _Own.from_array([1, 2])
    typed = _Typed(members={"a": own})
    flat = v3.GroupSpec[Any, Any](members={"t": typed}).to_flat()
    assert type(flat["/t"]) is _Typed and flat["/t/a"] is own
    back = v3.GroupSpec[Any, Any].from_flat(flat)
    assert type(back.nodes["t"]) is _Typed
    assert back.nodes["t"].nodes["a"] is own
    assert type(zom.from_flat({"": flat["/t"], "/a": own})) is _Typed


def test_a_model_whose_members_do_not_fit_is_told_with_its_path() -> None:
    flat = v3.GroupSpec(members={"t": _Typed(members={"a": array(v3)})}).to_flat()
    assert problems({"/t": flat["/t"], "/t/b": array(v3)}) == ["/t/a: required, but missing"]


def test_a_group_with_members_and_nothing_below_stays_as_it_is() -> None:
    full = hierarchy(v3)
    found = zom.from_flat({"": v3.GroupSpec(), "/full": full})
    assert found.members["full"] is full
    assert zom.from_flat({"": full}) is full


def test_members_that_were_not_read_are_those_of_the_paths() -> None:
    group = v3.GroupSpec(members=None)
    assert zom.from_flat({"": group}).members == {}
    assert zom.from_flat({"": {"zarr_format": 3, "node_type": "group", "members": None}}).members == {}


@VERSIONS
def test_members_that_are_given_twice_must_be_the_same(version: Any) -> None:
    group = version.GroupSpec(
        members={"a": array(version), "g": version.GroupSpec(members={"b": array(version)})}
    )
    more = {"/h": group, "/h/a": array(version).to_json(), "/h/g/c": array(version)}
    found = zom.from_flat(more)
    assert list(found.to_flat()) == ["", "/h", "/h/a", "/h/g", "/h/g/c", "/h/g/b"]
    told = problems({**more, "/h/a": array(version, 9), "/h/g": version.GroupSpec(attributes={"x": 1})})
    assert told == [
        "/h/a: not the same as in the members of the group /h",
        "/h/g: not the same as in the members of the group /h",
    ]


# --- what is refused


@VERSIONS
def test_every_clash_is_told_at_once(version: Any) -> None:
    other = v3 if version is v2 else v2
    number, convert = version.ArraySpec.version.number, "convert maps one to the other"
    assert problems(
        {
            "/a/b": array(version),
            "/a/b/c/d": array(version),
            "a": array(version),
            "a/": version.GroupSpec(),
            "//a": array(version),
            "/x/../y": array(version),
            "/n\0": array(version),
            "/q": 3,
            "/r": other.GroupSpec(),
            "/s": {"zarr_format": number, "shape": [1]} | ({"node_type": "array"} if number == 3 else {}),
            4: array(version),
        }
    )[:10] == [
        '/a: given twice, as "a" and as "a/"',
        '/a: given twice, as "a" and as "//a"',
        "/x/../y: a node's name is all dots: '..'",
        "/n\0: a node's name holds a NUL character: 'n\\x00'",
        "/q: expected a model or a document, found 3",
        f"/r: expected Zarr {number} as of the other nodes, found Zarr {5 - number}; {convert}",
        "expected paths as strings, found 4",
        "/a/b: lies in /a, which is an array",
        "/a/b/c/d: lies in /a/b, which is an array",
        "/a/b/c/d: lies in /a, which is an array",
    ]


def test_faults_of_documents_are_told_with_those_of_paths() -> None:
    bad = {**array(v2).to_json(), "shape": [-1], "fill_value": "x"}
    told = problems({"/a": bad, "/b": v2.GroupSpec(), "b": v2.GroupSpec()})
    assert [text.partition(":")[0] for text in told] == ["/b", "/a", "/a"]
    assert [text.split(": ")[1] for text in told[1:]] == ["shape[0]", "fill_value"]
    assert [text.split(": ")[1] for text in problems({"/a": bad})] == ["shape[0]", "fill_value"]


@pytest.mark.parametrize(
    ("version", "name"), [(v2, ".zarray"), (v3, "zarr.json"), (v3, "__x"), (v2, "."), (v3, "...")]
)
def test_illegal_names(version: Any, name: str) -> None:
    (told,) = problems({f"/g/{name}": array(version)})
    assert told.startswith(f"/g/{name}: a node's name ") and repr(name) in told


def test_names_that_are_legal_though_odd() -> None:
    names = ["a.b", "a b", "[0]", "é", "a[1].b", "zarr", ".hidden"]
    flat = {f"/{name}/x": array(v3) for name in names}
    assert list(zom.from_flat(flat).members) == names


@VERSIONS
def test_as_deep_as_is_allowed(version: Any) -> None:
    deepest = "/g" * DEEPEST
    assert deepest in zom.from_flat({deepest: version.GroupSpec()}).to_flat()
    for levels in (DEEPEST + 1, 10_000):
        (told,) = problems({"/g" * levels: version.GroupSpec()})
        assert told.endswith(f"lies in more than {DEEPEST} groups within one another") and len(told) < 300


def test_versions() -> None:
    assert problems({"/a": {"shape": [1]}}) == [
        "zarr_format: expected 2 or 3 in one of the nodes at least, found none"
    ]
    (told,) = problems({"/a": array(v3), "": v2.GroupSpec()})
    assert told.startswith("/a: expected Zarr 2 as of the other nodes, found Zarr 3")
    assert zom.from_flat({"": {"zarr_version": 2}}) == v2.GroupSpec()


@pytest.mark.parametrize("value", [3, None, [1]])
def test_what_is_no_mapping(value: Any) -> None:
    for model in (zom, v2.GroupSpec):
        (told,) = problems(value, model)
        assert told.startswith("expected nodes by path, found ")


def test_a_typed_model_checks_what_the_paths_give() -> None:
    assert _Typed.from_flat({"/a": array(v3)}) == v3.GroupSpec(members={"a": array(v3)})
    assert problems({"/b": array(v3)}, _Typed) == ["/a: required, but missing"]


def test_documents_are_no_models_to_be_flattened():
    with pytest.raises(TypeError, match="expected a model, found"):
        zom.to_flat({"zarr_format": 3, "node_type": "group"})
