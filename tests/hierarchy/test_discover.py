"""Discovery: every node, nothing else, and few store operations."""

import threading

import pytest

import omnizarr
from omnizarr.errors import MetadataError
from omnizarr.hierarchy.discover import walk
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.store import CountingStore, DirectoryStore, MemoryStore, WrappedStore

GROUPS, ARRAYS = 4, 5


@pytest.fixture(params=[2, 3])
def zarr_format(request):
    return request.param


@pytest.fixture(params=["directory", "memory"])
def group(request, tmp_path, zarr_format):
    inner = MemoryStore() if request.param == "memory" else DirectoryStore(tmp_path)
    root = omnizarr.create_group(CountingStore(inner), zarr_format=zarr_format)
    for g in range(GROUPS):
        child = root.create_group(f"g{g}")
        for a in range(ARRAYS):
            child.create_array(f"a{a}", shape=(4,), chunks=2, attributes={"n": a})[:] = 1
    root.store.reset()
    return root


def test_everything_is_found(group):
    expected = {f"g{g}" for g in range(GROUPS)} | {f"g{g}/a{a}" for g in range(GROUPS) for a in range(ARRAYS)}
    found = [path for path, _ in group.walk()]
    assert set(found) == expected and len(found) == len(expected)
    assert all(path.rpartition("/")[0] in ("", *found[:i]) for i, path in enumerate(found))


def test_operations_of_a_store_that_lists_cheaply(group, zarr_format):
    if not group.store.lists_cheaply:
        return
    list(group.walk())
    # v2: two documents for an array with attributes, one for a group without.
    documents = GROUPS + ARRAYS * GROUPS * (2 if zarr_format == 2 else 1)
    assert group.store.counts == {"list_prefix": 1, "get": documents}


def test_operations_of_a_directory(group, zarr_format):
    if group.store.lists_cheaply:
        return
    list(group.walk())
    listings, arrays = 1 + GROUPS, GROUPS * ARRAYS
    if zarr_format == 3:
        assert group.store.counts == {"list_dir": listings, "get": GROUPS + arrays}
    else:  # a group's .zarray is looked for in vain; its .zattrs is not, as the listing does not show it
        assert group.store.counts == {"list_dir": listings, "get": 2 * GROUPS + 2 * arrays}


class Paged(WrappedStore):
    """A store that lists by pages, as object stores do; it tells how many keys it has listed."""

    listed = 0

    def __init__(self, inner) -> None:
        super().__init__(inner)
        self.lists_cheaply = False
        self.listed_at_once = 20

    def list_prefix(self, prefix=""):
        for key in super().list_prefix(prefix):
            self.listed += 1
            yield key


@pytest.mark.parametrize(
    ("chunks", "listed", "operations"),
    [
        (1, 25, {"list_prefix": 1, "get": 14}),
        (30, 40, {"list_prefix": 1, "list_dir": 5, "get": 14}),
    ],
)
def test_one_listing_by_pages_is_given_up_where_few_keys_are_documents(chunks, listed, operations):
    store = Paged(counted := CountingStore(MemoryStore()))
    root = omnizarr.create_group(store)
    for g in range(2):
        child = root.create_group(f"g{g}")
        for a in range(5):
            child.create_array(f"a{a}", shape=(30,), chunks=30 // chunks, data=None)[:] = 1
        child.create_group(f"empty{g}")
    counted.reset()
    assert len(list(root.walk())) == 14
    assert (store.listed, counted.counts) == (listed, operations)


def test_operations_for_the_children_alone(group, zarr_format):
    assert len(group.members()) == GROUPS
    assert group.store.counts == {"list_dir": 1, "get": GROUPS if zarr_format == 3 else 3 * GROUPS}
    group.store.reset()
    assert len(list(group.keys())) == GROUPS  # list(group) would ask for len(group) first
    assert group.store.counts == {"list_dir": 1, "exists": GROUPS if zarr_format == 3 else 2 * GROUPS}


def test_what_is_no_node_is_passed_over(group, zarr_format):
    before = [path for path, _ in group.walk()]
    array = ".zarray" if zarr_format == 2 else "zarr.json"
    document = group.store.get(f"g0/a0/{array}")
    group.store.set("notes.txt", b"hello")
    group.store.set("raw/data.bin", b"\0" * 9)
    group.store.set("raw/deep/er/data.bin", b"\0" * 9)
    group.store.set(f"raw/deep/{array}", document)  # no group above it
    group.store.set(f"g0/a0/inside/{array}", document)  # below an array
    group.store.set("lonely/.zattrs", b"{}")
    group.store.set("other/zarr.json" if zarr_format == 2 else "other/.zgroup", b"{}")
    assert [path for path, _ in group.walk()] == before
    assert list(group) == [f"g{g}" for g in range(GROUPS)]


def test_a_broken_node_is_located(group, zarr_format):
    name = ".zarray" if zarr_format == 2 else "zarr.json"
    group.store.set(f"g1/a2/{name}", b'{"zarr_format": 7}')
    with pytest.raises(MetadataError, match=r"zarr_format.*found 7") as caught:
        list(group.walk())
    assert caught.value.path == "g1/a2" and group.store.name in str(caught.value)


def test_broken_nodes_are_reported_on_demand(group, zarr_format):
    array, other = (".zarray", ".zgroup") if zarr_format == 2 else ("zarr.json", "zarr.json")
    group.store.set(f"g1/a2/{array}", b"{nonsense")
    group.store.set(f"g2/{other}", b"[]")
    errors = {}
    found = walk(group.store, group.format, on_error=lambda path, error: errors.update({path: error}))
    paths = {path for path, _ in found}
    assert set(errors) == {"g1/a2", "g2"} and all(isinstance(e, MetadataError) for e in errors.values())
    # What lies below a broken group cannot be told from what does not belong to the hierarchy.
    assert len(paths) == GROUPS + GROUPS * ARRAYS - 2 - ARRAYS
    assert "g1/a3" in paths and not any(path.startswith("g2") for path in paths)


def test_walking_from_an_inner_group(group):
    assert [path for path, _ in group["g1"].walk()] == [f"a{a}" for a in range(ARRAYS)]
    assert all(isinstance(metadata, ArrayMetadata) for _, metadata in group["g1"].walk())


def test_an_array_beside_a_group_document_is_an_array(tmp_path):
    root = omnizarr.create_group(tmp_path, zarr_format=2)
    root.create_array("x", shape=2)
    (tmp_path / "x" / ".zgroup").write_text('{"zarr_format": 2}')
    assert [type(metadata) for _, metadata in root.walk()] == [ArrayMetadata]
    assert root["x"].shape == (2,)


class Distant(WrappedStore):
    """A store that says that requests wait; it remembers how many were under way at once."""

    def __init__(self, inner, barrier):
        super().__init__(inner)
        self.requests = 4
        self.lists_cheaply = False
        self.barrier = barrier

    def get(self, key, part=None):
        if key.startswith("w") and key.count("/") == 1:
            self.barrier.wait(timeout=20)
        return super().get(key, part)


def test_documents_of_distant_stores_are_read_at_once(zarr_format):
    root = omnizarr.create_group(MemoryStore(), zarr_format=zarr_format)
    for i in range(4):
        root.create_array(f"w{i}", shape=1)
    # Each get waits until four are under way: asked for one by one this would never end.
    distant = omnizarr.open_group(Distant(root.store, threading.Barrier(4)), zarr_format=zarr_format)
    assert sorted(path for path, _ in distant.walk()) == ["w0", "w1", "w2", "w3"]
