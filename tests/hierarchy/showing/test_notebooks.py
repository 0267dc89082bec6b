"""Arrays, groups and models in notebooks: whole, escaped, bounded, and asked for by few operations."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

import omnizarr
from omnizarr import zom
from omnizarr.errors import StoreError
from omnizarr.hierarchy.group import Group
from omnizarr.store import CountingStore, FaultStore, MemoryStore

MOST = 100_000


def parsed(text: str) -> ET.Element:
    assert len(text.encode()) < MOST
    return ET.fromstring(text.replace(" open>", ' open="">'))


def words(text: str) -> str:
    return " ".join(part.strip() for part in parsed(text).itertext() if part.strip())


@pytest.fixture(params=[2, 3])
def group(request: pytest.FixtureRequest) -> Group:
    store = MemoryStore()
    root = omnizarr.create_group(store, zarr_format=request.param, attributes={"title": "<i>", "n": [1, 2]})
    names = {"dimension_names": ["t", None]} if request.param == 3 else {}
    root.create_array("a<b>", shape=(4, 6), chunks=(2, 3), dtype="i2", attributes={"units": "m"}, **names)
    root.create_group("g").create_array("inner", data=np.arange(3))
    return omnizarr.open_group(CountingStore(store))


def test_an_array(group: Group) -> None:
    array = group["a<b>"]
    assert isinstance(group.store, CountingStore)
    group.store.reset()
    text = array._repr_html_()
    assert sum(group.store.counts.values()) == 0
    shown = words(text)
    for part in ("a<b>", "(4, 6) int16", "Chunk shape (2, 3)", "1 attribute units m", "4 × 6"):
        assert part in shown
    if group.zarr_format == 3:
        assert "(t, ·)" in shown
    assert len(text) < 5000


def test_a_group_by_one_listing(group: Group) -> None:
    assert isinstance(group.store, CountingStore)
    group.store.reset()
    text = group._repr_html_()
    assert group.store.counts["list_dir"] == 1
    assert set(group.store.counts) == {"list_dir", "get"} and group.store.counts["get"] <= 6
    shown = words(text)
    for part in ("a<b>", "(4, 6) int16", "g/", "2 attributes title <i> n [1, 2]", "Zarr format"):
        assert part in shown
    assert "inner" not in shown


def test_of_consolidated_metadata_all_is_shown_and_nothing_asked(group: Group) -> None:
    store = group.store
    assert isinstance(store, CountingStore)
    omnizarr.consolidate_metadata(store.inner)
    known = omnizarr.open_group(store)
    store.reset()
    assert "inner (3,) int64" in words(known._repr_html_())
    assert sum(store.counts.values()) == 0


def test_large_groups_are_cut() -> None:
    store = MemoryStore()
    root = omnizarr.create_group(store, attributes={f"k{n}" * 30: "<&>" * 1000 for n in range(500)})
    attributes = {"a": "&" * 5000} | {str(n): n for n in range(99)}
    for number in range(60):
        root.create_array(f"{number:03}" + "n" * 150, shape=(1,), dtype="u1", attributes=attributes)
    counted = CountingStore(store)
    opened = omnizarr.open_group(counted)
    counted.reset()
    shown = words(opened._repr_html_())
    assert "000nnn" in shown and "more" in shown
    assert counted.counts == {"list_dir": 1, "get": 40}
    omnizarr.consolidate_metadata(store)
    assert "more" in words(omnizarr.open_group(store)._repr_html_())
    assert "more" in words(zom.from_node(root)._repr_html_())


def test_broken_nodes_and_stores_are_told(group: Group) -> None:
    store = group.store
    assert isinstance(store, CountingStore)
    store.inner.set("g/zarr.json" if group.zarr_format == 3 else "g/.zgroup", b"{")
    assert "g cannot be read" in words(group._repr_html_())

    def fault(operation: str, key: str) -> Exception | None:
        return StoreError("no <answer>") if operation == "list_dir" else None

    failing = omnizarr.open_group(FaultStore(store.inner, fault))
    assert "members cannot be listed: no <answer>" in words(failing._repr_html_())


@pytest.mark.parametrize(
    "options",
    [
        {"shape": (), "dtype": "f4"},
        {"shape": (0, 5), "dtype": "f4"},
        {"shape": (7,), "chunks": (2,), "dtype": "f4"},
        {"shape": (10**9, 1, 3), "chunks": (10, 1, 3), "dtype": "f4"},
        {"shape": (2, 3, 4, 5, 6), "chunks": (1, 1, 2, 2, 2), "dtype": "f4"},
        {"shape": (30, 40), "chunks": (5, 5), "shards": (10, 20), "dtype": "f4"},
        {"shape": (30, 40), "chunks": [[10, 20], [40]], "dtype": "f4"},
        {"shape": (1, 10**6), "chunks": (1, 10), "dtype": "f4"},
    ],
)
def test_drawings_of_chunks_are_small(options: dict[str, Any]) -> None:
    array = omnizarr.create_array(MemoryStore(), **options)
    text = array._repr_html_()
    found = list(parsed(text).iter("svg"))
    assert len(text) < 6000 and len(found) == (0 if array.size == 0 or not array.shape else 1)
    for part in found:
        assert 0 < float(part.attrib["width"]) < 250 and 0 < float(part.attrib["height"]) < 250


def test_lines_of_a_drawing_are_where_chunks_meet() -> None:
    array = omnizarr.create_array(MemoryStore(), shape=(50, 100), chunks=(25, 40), dtype="f4")
    paths = [part.attrib["d"] for part in parsed(array._repr_html_()).iter("path")]
    assert paths == ["M48.0 0.0v60.0M96.0 0.0v60.0M0.0 30.0h120.0"]


def test_models(group: Group) -> None:
    model = zom.from_node(group)
    shown = words(model._repr_html_())
    for part in ("GroupSpec", "2 attributes title <i>", "a<b>", "g/", "inner (3,) int64"):
        assert part in shown
    array = model.members["a<b>"]._repr_html_()
    assert "Shape (4, 6)" in words(array) and "<svg" in array


def test_models_that_were_not_checked_are_shown_too() -> None:
    model = zom.v3.GroupSpec.model_construct(members={"a": 5})
    parsed(model._repr_html_())


def test_trees_are_whole(group: Group) -> None:
    assert "a<b> (4, 6) int16" in words(group.tree()._repr_html_())
