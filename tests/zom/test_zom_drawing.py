"""Models drawn as trees, and their `repr`."""

from __future__ import annotations

from typing import Any

import pytest

import omnizarr
from omnizarr import zom
from omnizarr.store import MemoryStore


def array(**fields: Any) -> zom.v2.ArraySpec:
    return zom.v2.ArraySpec(**{"shape": (6, 4), "chunks": (3, 2), "dtype": "<i4", "fill_value": 0, **fields})


def group(**members: Any) -> zom.v2.GroupSpec:
    return zom.v2.GroupSpec(members=members)


def test_a_tree() -> None:
    model = group(g=group(a=array(), h=group()), b=array(dtype="|S3"))
    assert str(model.tree()) == (
        "/\n"
        "├── b (6, 4) |S3\n"
        "└── g\n"
        "    ├── a (6, 4) int32\n"
        "    └── h"
    )  # fmt: skip
    assert str(model.tree(1)) == "/\n├── b (6, 4) |S3\n└── g"
    assert str(model.tree(0)) == str(group().tree()) == "/"
    assert str(model.tree(max_nodes=1)).endswith("\n…")
    assert str(array().tree()) == "/ (6, 4) int32"


def test_the_tree_is_that_of_the_open_group() -> None:
    root = omnizarr.open_group(MemoryStore(), mode="w", zarr_format=2)
    root.create_array("g/words", shape=(3,), dtype="str")
    root.create_array("a", shape=(), dtype="f4")
    assert str(zom.from_node(root).tree()) == str(root.tree())


@pytest.mark.parametrize("arguments", [{"level": -1}, {"max_nodes": -1}])
def test_a_tree_of_a_negative_size_is_refused(arguments: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"(level|max_nodes): expected at least 0, found -1"):
        group().tree(**arguments)  # type: ignore[arg-type]


def test_notebooks_show_nested_lists() -> None:
    text = zom.v3.GroupSpec(members={"<b>": zom.v3.GroupSpec()})._repr_html_()
    assert "<li><b>&lt;b&gt;/</b></li>" in text


def test_small_models_are_shown_as_pydantic_shows_them() -> None:
    model = group(a=array())
    assert repr(model) == f"GroupSpec(zarr_format=2, attributes={{}}, members={{'a': {array()!r}}})"
    assert str(model) == f"zarr_format=2 attributes={{}} members={{'a': {array()!r}}}"
    assert repr(zom.v2.GroupSpec(members=None)).endswith("members=None)")
    twenty = group(**{f"a{number}": array() for number in range(20)})
    assert repr(twenty).count("ArraySpec(") == 20


def test_large_models_are_shown_in_short() -> None:
    members = {f"a{number}": array() for number in range(30)}
    text = repr(group(g=group(one=array()), h=group(**members), **members))
    assert text.startswith(
        "GroupSpec(zarr_format=2, attributes={}, members={'g': <GroupSpec, 1 node below>, "
        "'h': <GroupSpec, 30 nodes below>, 'a0': <ArraySpec (6, 4) int32>, "
    )
    assert text.endswith("… 22 more})")
    assert len(text) < 500


def test_a_model_that_was_not_checked_is_shown() -> None:
    loose = zom.v2.GroupSpec.model_construct(members=[1, 2])
    assert "members=[1, 2]" in repr(loose)
