"""Keys in a temporary file; drafts of Zarr v3, whose documents and chunks lie apart."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import omnizarr
from omnizarr.hierarchy.validating import listing
from omnizarr.hierarchy.validating.listing import KeyFile, Listed
from omnizarr.metadata.formats import FORMATS
from omnizarr.store import MemoryStore, WrappedStore


@pytest.mark.parametrize("in_memory", [1, 2**20])
def test_keys_come_back_as_they_were(in_memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "_IN_MEMORY", in_memory)
    keys = ["c/0/0", "ü/é", "a b", "x" * 5000, "🜁/c"]
    file = KeyFile()
    for key in keys:
        file.add(key)
    assert list(file) == keys and list(file) == keys and len(file) == 5
    file.close()


class Endless(WrappedStore):
    """A store with more chunks than it holds."""

    def list_prefix(self, prefix: str = "") -> Iterator[str]:
        yield from self.inner.list_prefix(prefix)
        yield from (f"a/c/{number}" for number in range(1000))


def test_only_documents_are_held() -> None:
    store = MemoryStore()
    omnizarr.create_array(store, path="a", shape=(1000,), chunks=(1,), dtype="u1")
    listed = Listed()
    listed.take(Endless(store), [FORMATS[3]], "")
    assert listed.documents == {"zarr.json", "a/zarr.json"} and not listed.marks
    assert (len(listed.others), listed.count) == (1000, 1002)
    listed.others.close()


def draft() -> MemoryStore:
    store = MemoryStore()
    root = omnizarr.create_group(store, zarr_format="3-2019")
    for path in ("g/a", "b"):
        root.create_array(path, shape=(4,), chunks=(2,), dtype="i2")[:] = 1
    return store


def test_a_draft_is_sound() -> None:
    store = draft()
    assert "meta/root/g.group" not in store.list_prefix()  # a group that is implied
    for level in ("documents", "keys", "data"):
        assert omnizarr.validate(store, level=level).findings == ()
    assert omnizarr.validate(store, path="g", level="data").chunks == 2


def test_a_draft_is_repaired() -> None:
    store = draft()
    sound = set(store.list_prefix())
    for key in ("data/g/a/9", "data/none/0", "stray", "meta/stray"):
        store.set(key, b"1")
    kinds = [(one.kind, one.at) for one in omnizarr.validate(store).findings]
    assert kinds == [
        ("orphan", "data/none/0"),
        ("orphan", "meta/stray"),
        ("orphan", "stray"),
        ("outside", "data/g/a/9"),
    ]
    assert omnizarr.repair(store).removed == 4
    assert set(store.list_prefix()) == sound


def test_chunks_of_a_draft_whose_document_is_broken_stay() -> None:
    store = draft()
    store.set("meta/root/b.array", b"{")
    store.set("data/b/77", b"1")
    assert {one.kind for one in omnizarr.validate(store).findings} == {"metadata"}
    assert omnizarr.repair(store).removed == 0


def test_a_node_below_an_array_of_a_draft_is_lost() -> None:
    store = draft()
    store.set("meta/root/b/inner.array", store.get("meta/root/b.array") or b"")
    store.set("data/b/inner/0", b"1")
    assert [(one.kind, one.path) for one in omnizarr.validate(store).findings] == [("lost", "b/inner")]
    assert omnizarr.repair(store).removed == 0
