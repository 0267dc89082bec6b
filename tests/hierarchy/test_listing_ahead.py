"""Stores that are consistent in the end: their listings show keys before they can be read, or after."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import pytest

import omnizarr
from omnizarr import Group
from omnizarr.errors import MetadataError
from omnizarr.hierarchy import discover
from omnizarr.store import ByteRange, Listing, MemoryStore
from omnizarr.store.layers.wrap import WrappedStore

FORMATS: list[int | str] = [2, 3, "3-2019"]


class Late(WrappedStore):
    """A store in which some keys are listed, and can be read only after so many attempts.

    Attributes
    ----------
    late
        How many attempts to read a key find nothing.
    unlisted
        Keys that can be read and are not listed.
    """

    def __init__(self, inner: MemoryStore, *, cheap: bool) -> None:
        super().__init__(inner)
        self.lists_cheaply = cheap
        self.late: dict[str, int] = {}
        self.unlisted: set[str] = set()
        self.asked: Counter[str] = Counter()

    def get(self, key: str, part: ByteRange | None = None) -> bytes | None:
        self.asked[key] += 1
        return None if self.asked[key] <= self.late.get(key, 0) else super().get(key, part)

    def list_prefix(self, prefix: str = "") -> Any:
        return (key for key in super().list_prefix(prefix) if key not in self.unlisted)

    def list_dir(self, prefix: str = "") -> Listing:
        shown = [key for key in super().list_prefix(prefix) if key not in self.unlisted]
        rests = {key: key[len(prefix) :] for key in shown}
        return Listing(
            sorted(key for key, rest in rests.items() if "/" not in rest),
            sorted({f"{prefix}{rest.split('/')[0]}/" for rest in rests.values() if "/" in rest}),
        )


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discover, "_DELAYS", (0.0, 0.0, 0.0))


def example(zarr_format: int | str, *, cheap: bool) -> Late:
    inner = MemoryStore()
    root = omnizarr.create_group(inner, zarr_format=zarr_format)
    root.create_array("a", shape=1, attributes={"x": 1})
    root.create_group("g", attributes={"y": 2})
    root.create_array("g/b", shape=1)
    return Late(inner, cheap=cheap)


def key_of(zarr_format: int | str, path: str, *, group: bool = False) -> str:
    if zarr_format == "3-2019":
        return f"meta/root/{path}.{'group' if group else 'array'}"
    if zarr_format == 3:
        return f"{path}/zarr.json"
    return f"{path}/.zgroup" if group else f"{path}/.zarray"


def is_listed_first(zarr_format: int | str, cheap: bool) -> bool:
    """Say whether keys are listed before documents are asked for; of v3 directories alone are."""
    return cheap or zarr_format == "3-2019"


@pytest.mark.parametrize("cheap", [True, False])
@pytest.mark.parametrize("zarr_format", FORMATS)
@pytest.mark.parametrize(("path", "group"), [("a", False), ("g", True), ("g/b", False)])
def test_what_can_be_read_a_moment_later_is_there(
    zarr_format: int | str, path: str, group: bool, cheap: bool
) -> None:
    if not is_listed_first(zarr_format, cheap):
        return  # what is not there and what cannot be read yet are the same
    store = example(zarr_format, cheap=cheap)
    store.late[key_of(zarr_format, path, group=group)] = 3
    root = omnizarr.open_group(store, mode="r")
    found = dict(root.members(max_depth=None))
    assert list(found) == ["a", "g", "g/b"]
    assert (found["a"].attrs["x"], found["g"].attrs["y"]) == (1, 2)


@pytest.mark.parametrize("cheap", [True, False])
@pytest.mark.parametrize("zarr_format", FORMATS)
def test_what_cannot_be_read_is_told_of_and_the_rest_is_there(zarr_format: int | str, cheap: bool) -> None:
    if not is_listed_first(zarr_format, cheap):
        return
    store = example(zarr_format, cheap=cheap)
    key = key_of(zarr_format, "a")
    store.late[key] = 1000
    root = omnizarr.open_group(store, mode="r")
    told: dict[str, MetadataError] = {}
    found = [path for path, _ in root.walk(on_error=told.__setitem__)]
    assert found == ["g", "g/b"]
    assert list(told) == ["a"]
    assert f"{key}: is listed, but cannot be read" in str(told["a"])
    assert store.asked[key] == 4  # bounded
    with pytest.warns(UserWarning, match="/a is left out .* is listed, but cannot be read"):
        assert [path for path, _ in root.members(max_depth=None)] == ["g", "g/b"]


@pytest.mark.parametrize("cheap", [True, False])
def test_a_late_group_of_a_draft_is_one_without_attributes(cheap: bool) -> None:
    store = example("3-2019", cheap=cheap)
    store.late["meta/root/g.group"] = 1000
    told: dict[str, MetadataError] = {}
    root = omnizarr.open_group(store, mode="r")
    found = dict(root.walk(on_error=told.__setitem__))
    assert list(found) == ["a", "g", "g/b"]
    assert (list(told), found["g"].attributes) == (["g"], {})


@pytest.mark.parametrize("cheap", [True, False])
@pytest.mark.parametrize("zarr_format", FORMATS)
def test_a_node_that_was_deleted_meanwhile_is_not_told_of(zarr_format: int | str, cheap: bool) -> None:
    store = example(zarr_format, cheap=cheap)
    root = omnizarr.open_group(store, mode="r")

    def get(key: str, part: ByteRange | None = None) -> bytes | None:
        if "a" in key.replace(".", "/").split("/"):
            for gone in list(store.inner.list_prefix()):
                if key.rpartition("/")[0] + "/" in gone and ("/a." in gone or gone.startswith("a/")):
                    store.inner.delete(gone)
        return store.inner.get(key, part)

    store.get = get  # type: ignore[method-assign]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [path for path, _ in root.members(max_depth=None)] == ["g", "g/b"]


@pytest.mark.parametrize("zarr_format", FORMATS)
def test_what_is_not_listed_yet_is_opened_by_its_path(zarr_format: int | str) -> None:
    store = example(zarr_format, cheap=True)
    store.unlisted.add(key_of(zarr_format, "a"))
    root = omnizarr.open_group(store, mode="r")
    assert [path for path, _ in root.members(max_depth=None)] == ["g", "g/b"]
    assert root["a"].attrs["x"] == 1
    assert "a" in root


def test_validate_tells_of_it() -> None:
    store = example("3-2019", cheap=True)
    store.late["meta/root/a.array"] = 1000
    report = omnizarr.validate(store, level="documents")
    assert [(found.path, found.at) for found in report.findings] == [("a", "meta/root/a.array")]


def test_a_listing_without_its_values_is_no_crash_anywhere() -> None:
    store = example("3-2019", cheap=False)
    for key in list(store.inner.list_prefix("meta/")):
        store.late[key] = 10**6
    root = omnizarr.open_group(store, mode="r")
    assert isinstance(root, Group)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert [path for path, _ in root.members(max_depth=None)] == ["g"]
        assert list(root.keys()) == ["a", "g"]
        assert str(root.tree()) == "/\n└── g"
    assert len(told) >= 3
    omnizarr.validate(store)
