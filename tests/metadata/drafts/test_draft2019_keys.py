"""Where the formats keep what belongs to a node, and what its keys are called elsewhere."""

from __future__ import annotations

import pytest

from omnizarr.metadata.formats import DRAFTS, FORMATS, format_of
from omnizarr.metadata.formats.base import Owned
from omnizarr.metadata.formats.drafts import keys
from omnizarr.metadata.formats.drafts.convert import to_draft
from omnizarr.metadata.formats.drafts.draft2019 import Draft2019
from omnizarr.metadata.group import GroupMetadata

FORMAT = Draft2019()


@pytest.mark.parametrize(
    ("key", "old", "new", "found"),
    [
        ("meta/root/x.array", "x", "y/z", "meta/root/y/z.array"),
        ("meta/root/x.group", "x", "", "meta/root.group"),
        ("meta/root.group", "", "x", "meta/root/x.group"),
        ("meta/root/x/a.array", "x", "y", "meta/root/y/a.array"),
        ("meta/root/x.array.group", "x.array", "y", "meta/root/y.group"),
        ("data/x/0.0", "x", "y", "data/y/0.0"),
        ("data/0.0", "", "y", "data/y/0.0"),
        ("data/x/0.0", "x", "", "data/0.0"),
        ("README", "", "y", "data/y/README"),
        ("README", "", "", "README"),
    ],
)
def test_keys_of_a_node_that_is_elsewhere(key: str, old: str, new: str, found: str) -> None:
    assert FORMAT.moved_key(key, old, new) == found
    if key != "README":
        assert FORMAT.moved_key(found, new, old) == key


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_the_same_for_formats_with_a_directory_for_each_node(zarr_format: int) -> None:
    format = FORMATS[zarr_format]
    assert format.moved_key("x/y/0.0", "x", "new/x") == "new/x/y/0.0"
    assert format.moved_key("x/0", "x", "") == "0"
    assert format.moved_key("x/0", "", "a") == "a/x/0"
    assert format.owned("x") == Owned((), ("x/",))
    assert format.consolidating("x") is format
    assert not format.implicit_groups


def test_what_belongs_to_a_node() -> None:
    assert FORMAT.owned("x") == Owned(("meta/root/x.array", "meta/root/x.group"), ("meta/root/x/", "data/x/"))
    assert FORMAT.owned("") == Owned((), ("",))


@pytest.mark.parametrize(
    ("key", "path"),
    [
        ("meta/root.array", ""),
        ("meta/root.group", ""),
        ("meta/root/a/b.array", "a/b"),
        ("meta/root/a.array.group", "a.array"),
        ("meta/root/.array", None),
        ("meta/root/a/.group", None),
        ("meta/root/...array", None),
        ("meta/roots.array", None),
        ("meta/a.array", None),
        ("data/a.array", None),
        ("meta/root/a.json", None),
    ],
)
def test_which_node_a_document_is_of(key: str, path: str | None) -> None:
    assert keys.node_path(key) == path
    assert FORMAT.node_path(key) == path


def test_consolidated_metadata_are_those_of_the_root() -> None:
    assert FORMAT.consolidated_key("") is None
    declaring = FORMAT.consolidating("")
    assert declaring is not None
    assert (declaring.consolidated_key(""), declaring.consolidated_key("x")) == ("meta/consolidated", None)
    assert declaring.consolidating("") == declaring
    assert FORMAT.consolidating("x") is None


def test_drafts_by_name() -> None:
    assert format_of("3-2019") is DRAFTS["3-2019"]
    assert "3-2019" not in FORMATS


def test_a_group_that_has_more_than_the_draft_knows() -> None:
    converted = to_draft(GroupMetadata(attributes={"a": 1}, extra={"x": {"must_understand": False}}))
    assert converted.metadata == GroupMetadata(attributes={"a": 1})
    assert converted.losses == ("x: the draft of 2019 has no other names",)
