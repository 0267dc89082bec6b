"""Hierarchies of any kind, damaged in any way: what is found is the damage, and a repair harms no value."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import omnizarr
from omnizarr.store import MemoryStore

KINDS = ("plain", "gzip", "checked", "sharded")
NAMES = ("a", "b", "c", "0", "deep", "x y", "ü")
Place = tuple[str, str, str]


@dataclass
class Damaged:
    """A hierarchy, and what has to be found in it."""

    store: MemoryStore
    zarr_format: int
    groups: list[str]
    arrays: dict[str, str]
    consolidated: bool
    expected: set[Place] = field(default_factory=set)
    orphans: set[str] = field(default_factory=set)
    hurt: set[str] = field(default_factory=set)

    def chunk(self, array: str, *at: int) -> str:
        encoded = "/".join(map(str, ("c", *at))) if self.zarr_format == 3 else ".".join(map(str, at))
        return f"{array}/{encoded}"

    def orphan(self, key: str, kind: str, path: str, value: bytes = b"?") -> None:
        self.store.set(key, value)
        self.orphans.add(key)
        self.expected.add((kind, path, key))


def _codecs(kind: str, zarr_format: int) -> dict[str, Any]:
    if kind == "gzip":
        return {"compressors": {"name": "gzip"} if zarr_format == 3 else {"id": "gzip"}}
    if kind == "plain" or zarr_format == 2:
        return {"compressors": None}
    checked = {"compressors": [{"name": "crc32c"}]}
    return {**checked, "shards": (4, 6)} if kind == "sharded" else checked


@st.composite
def hierarchies(draw: st.DrawFn) -> Damaged:
    zarr_format = draw(st.sampled_from([2, 3]))
    store = MemoryStore()
    root = omnizarr.create_group(store, zarr_format=zarr_format)
    groups, arrays = [""], {}
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=3)):
        parent = draw(st.sampled_from(groups))
        path = f"{parent}/{name}".lstrip("/")
        root.create_group(path)
        groups.append(path)
    for number in range(draw(st.integers(1, 3))):
        path = f"{draw(st.sampled_from(groups))}/v{number}".lstrip("/")
        kind = arrays[path] = draw(st.sampled_from(KINDS))
        made = root.create_array(path, shape=(7, 9), chunks=(2, 3), dtype="i2", **_codecs(kind, zarr_format))
        made[...] = np.arange(63).reshape(7, 9) + 1
    consolidated = draw(st.booleans())
    if consolidated:
        omnizarr.consolidate_metadata(store)
    return Damaged(store, zarr_format, groups, arrays, consolidated)


def stray_in_group(it: Damaged, draw: st.DrawFn) -> None:
    group = draw(st.sampled_from(it.groups))
    it.orphan(f"{group}/notes.txt".lstrip("/"), "orphan", "")


def chunk_without_array(it: Damaged, draw: st.DrawFn) -> None:
    group = draw(st.sampled_from(it.groups))
    it.orphan(it.chunk(f"{group}/gone".lstrip("/"), 0, 1), "orphan", "")


def stray_in_array(it: Damaged, draw: st.DrawFn) -> None:
    array = draw(st.sampled_from(sorted(it.arrays)))
    it.orphan(f"{array}/c/what", "orphan", array)


def outside(it: Damaged, draw: st.DrawFn) -> None:
    array = draw(st.sampled_from(sorted(it.arrays)))
    it.orphan(it.chunk(array, draw(st.integers(4, 9)), 0), "outside", array)


def leftover(it: Damaged, draw: st.DrawFn) -> None:
    array = draw(st.sampled_from(sorted(it.arrays)))
    it.orphan(f"{it.chunk(array, 0, 0)}.{'0' * 32}.partial", "partial", array)


def flipped_bits(it: Damaged, draw: st.DrawFn) -> None:
    array = draw(st.sampled_from(sorted(it.arrays)))
    kind = it.arrays[array]
    if array in it.hurt:
        return
    key = it.chunk(array, 0, 0)
    value = bytearray(it.store.get(key) or b"")
    checked = kind in ("checked", "sharded") and it.zarr_format == 3
    if kind == "plain" or not (checked or kind == "gzip"):
        del value[-1]  # nothing else of it can be wrong
    elif kind == "gzip":
        value[-8] ^= 1  # gzip's own checksum
    else:
        value[0] ^= 1
    it.store.set(key, bytes(value))
    it.hurt.add(array)
    it.expected.add(("checksum" if checked else "chunk", array, key))


def stale(it: Damaged, draw: st.DrawFn) -> None:
    array = draw(st.sampled_from(sorted(it.arrays)))
    omnizarr.open_array(it.store, path=array).attrs["new"] = 1
    if it.consolidated:
        it.expected.add(("consolidated", "", array))


DAMAGES: tuple[Callable[[Damaged, st.DrawFn], None], ...] = (
    stray_in_group,
    chunk_without_array,
    stray_in_array,
    outside,
    leftover,
    flipped_bits,
    stale,
)


@st.composite
def damaged(draw: st.DrawFn) -> Damaged:
    it = draw(hierarchies())
    for damage in draw(st.lists(st.sampled_from(DAMAGES), max_size=5)):
        damage(it, draw)
    return it


def found(it: Damaged, level: str = "data") -> set[Place]:
    report = omnizarr.validate(it.store, level=level)  # type: ignore[arg-type]
    return {(finding.kind, finding.path, finding.at) for finding in report.findings}


def values(it: Damaged) -> dict[str, Any]:
    root: Any = omnizarr.open_group(it.store, mode="r", use_consolidated=False)
    sound = [path for path in it.arrays if path not in it.hurt]
    return {path: (root[path][...].tolist(), dict(root[path].attrs)) for path in sound}


@given(hierarchies())
@settings(max_examples=40, deadline=None)
def test_nothing_is_found_in_what_is_sound(it: Damaged) -> None:
    for level in ("documents", "keys", "data"):
        assert found(it, level) == set()


@given(damaged())
@settings(max_examples=80, deadline=None)
def test_the_damage_is_found_and_repair_takes_exactly_the_orphans(it: Damaged) -> None:
    assert found(it) == it.expected
    before, keys = values(it), set(it.store.list_prefix())
    planned = omnizarr.repair(it.store, dry_run=True)
    assert (planned.agreed, planned.removed) == (False, 0)
    assert set(it.store.list_prefix()) == keys
    done = omnizarr.repair(it.store)
    assert done.removed == len(it.orphans)
    assert set(it.store.list_prefix()) == keys - it.orphans
    assert values(it) == before
    assert found(it) == {place for place in it.expected if place[0] in ("chunk", "checksum")}
    assert found(it, "keys") == set()


@given(hierarchies(), st.data())
@settings(max_examples=60, deadline=None)
def test_nothing_goes_where_a_document_was_lost(it: Damaged, data: st.DataObject) -> None:
    """Whatever document goes, of a group or of an array with consolidated metadata, no chunk goes with it."""
    choices = [path for path in it.groups if path] + (sorted(it.arrays) if it.consolidated else [])
    if not choices:
        return
    place = data.draw(st.sampled_from(choices))
    for name in (".zgroup", ".zarray", "zarr.json"):
        it.store.delete(f"{place}/{name}")
    keys = set(it.store.list_prefix())
    omnizarr.repair(it.store)
    assert set(it.store.list_prefix()) == keys
    if any(path.startswith(f"{place}/") or path == place for path in it.arrays):
        assert ("lost", place, "") in found(it)


@given(damaged(), st.integers(0, 10))
@settings(max_examples=40, deadline=None)
def test_a_repair_that_is_interrupted_harms_nothing_and_the_next_completes_it(
    it: Damaged, after: int
) -> None:
    def fault(operation: str, key: str) -> Exception | None:
        nonlocal after
        after -= operation in ("delete", "set", "update")
        return omnizarr.errors.StoreError("the network is down") if after < 0 else None

    before = values(it)
    try:
        omnizarr.repair(omnizarr.store.FaultStore(it.store, fault))
    except omnizarr.errors.StoreError:
        assert values(it) == before
    omnizarr.repair(it.store)
    assert values(it) == before
    assert found(it, "keys") == set()


def test_damage_of_every_sort_is_told_in_json() -> None:
    store = MemoryStore()
    omnizarr.create_array(store, path="a", shape=(4,), chunks=(2,), dtype="u1", compressors=None)[:] = 1
    store.set("a/c/7", b"12")
    (finding,) = omnizarr.validate(store).findings
    assert json.loads(json.dumps(finding.to_json())) == {
        "kind": "outside",
        "path": "/a",
        "at": "a/c/7",
        "message": "a chunk outside the array's shape (4,)",
    }
