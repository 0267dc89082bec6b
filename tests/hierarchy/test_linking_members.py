"""Members of a group that links lead to."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import omnizarr
from omnizarr import Group
from omnizarr.errors import MetadataError, NodeNotFoundError
from omnizarr.hierarchy.linking import members as listing
from omnizarr.hierarchy.linking.links import add_link
from omnizarr.store import MemoryStore

FORMATS = pytest.mark.parametrize("zarr_format", [2, 3])


def filled(zarr_format: int = 2) -> Group:
    root = omnizarr.open_group(MemoryStore(), mode="w", zarr_format=zarr_format)
    root["a/b/c"] = np.arange(6)
    x = root.create_group("x")
    add_link(x, "l", "/a")
    return root


def names(group: Group, max_depth: int | None = None) -> list[str]:
    return [path for path, _ in group.members(max_depth, follow_links=True)]


@FORMATS
@pytest.mark.parametrize("consolidated", [False, True])
def test_links_are_members_only_when_asked(zarr_format: int, consolidated: bool) -> None:
    root = filled(zarr_format)
    if consolidated:
        root = omnizarr.consolidate_metadata(root.store)
    x = root["x"]
    assert isinstance(x, Group)
    assert x.members(None) == ()
    assert names(root) == ["a", "a/b", "a/b/c", "x", "x/l", "x/l/b", "x/l/b/c"]
    assert names(x) == ["l", "l/b", "l/b/c"]
    assert dict(x.members(None, follow_links=True))["l/b/c"] == root["a/b/c"]


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_links_are_as_deep_as_their_paths(depth: int) -> None:
    root = filled()
    everything = names(root)
    assert names(root, depth) == [path for path in everything if path.count("/") <= depth]


def test_links_within_what_links_lead_to_are_followed(tmp_path: Path) -> None:
    one, two = (omnizarr.open_group(tmp_path / name, mode="w") for name in ("one.zarr", "two.zarr"))
    two["data"] = np.arange(3)
    group = two.create_group("g")
    add_link(group, "d", two["data"])
    add_link(one, "far", group)
    members = dict(one.members(None, follow_links=True))
    assert list(members) == ["far", "far/d"]
    assert members["far/d"] == two["data"]


def test_a_link_with_the_name_of_a_member_is_an_error() -> None:
    root = filled()
    root.attrs["zarr_link"] = [{"name": "a", "path": "/x", "source": "."}]
    with pytest.raises(MetadataError, match=r"another name for a link than 'a', which a member has"):
        names(root, 0)


def test_a_link_to_nothing_is_an_error() -> None:
    root = filled()
    add_link(root, "y", "/none")
    with pytest.raises(NodeNotFoundError, match=r"the link 'y' points at /none: "):
        names(root, 0)


@pytest.mark.parametrize("target", ["/", "/x", "/x/up"])
def test_a_link_to_where_it_lies_has_no_end_unless_one_is_set(target: str) -> None:
    root = filled()
    x = root["x"]
    assert isinstance(x, Group)
    add_link(x, "up", target)
    with pytest.raises(MetadataError, match=r"no end to it; max_depth sets one|links in a circle"):
        names(root)
    with pytest.raises(MetadataError, match=r"no end to it; max_depth sets one|links in a circle"):
        names(x)


def test_circles_of_groups_can_be_listed_to_a_depth() -> None:
    root = filled()
    add_link(root["a"], "x", "/x")
    assert "x/l/x/l/x" in names(root, 4)
    with pytest.raises(MetadataError, match=r"the link '[lx]' points at /[ax], in which it lies"):
        names(root)


def test_links_of_links_of_links_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MOST_MEMBERS", 1000)
    root = filled()
    for number in range(30):
        group = root.create_group(f"g{number}")
        for name in ("l", "r"):
            add_link(group, name, f"/g{number + 1}" if number < 29 else "/a")
    with pytest.raises(MetadataError, match=r"more than 1000 members, as links lead to groups with links"):
        names(root)


def test_links_out_of_what_was_consolidated_are_followed() -> None:
    root = filled()
    omnizarr.consolidate_metadata(root.store, "x")
    x = omnizarr.open_group(root.store, mode="r", path="x", use_consolidated=True)
    assert names(x) == ["l", "l/b", "l/b/c"]
    found = x.get("l", follow_links=True)
    assert isinstance(found, Group)
    assert [path for path, _ in found.members(None)] == ["b", "b/c"]
