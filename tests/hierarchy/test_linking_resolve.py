"""Following links and references, within a file and into others."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import omnizarr
from omnizarr import Array, Group
from omnizarr.errors import (
    MetadataError,
    NodeNameError,
    NodeNotFoundError,
    NodeTypeError,
    SelectionError,
    StoreError,
)
from omnizarr.hierarchy.linking.links import add_link, links
from omnizarr.hierarchy.linking.making import reference_to, region_reference_to
from omnizarr.hierarchy.linking.reference import Reference, RegionReference
from omnizarr.hierarchy.linking.region import Slices
from omnizarr.hierarchy.linking.resolve import Resolver, resolve
from omnizarr.hierarchy.linking.sources import outer_places
from omnizarr.store import DirectoryStore, MemoryStore
from omnizarr.store.layers.wrap import CountingStore

FORMATS = pytest.mark.parametrize("zarr_format", [2, 3])


def filled(store: Any, zarr_format: int = 2, path: str | None = None) -> Group:
    root = omnizarr.open_group(store, mode="w", zarr_format=zarr_format, path=path)
    root["a/b"] = np.arange(6)
    return root


@FORMATS
def test_references_lead_to_arrays_groups_and_regions(zarr_format: int) -> None:
    root = filled(MemoryStore(), zarr_format)
    array = root["a/b"]
    assert isinstance(array, Array)
    assert resolve(Reference("/a/b"), root) == array
    assert resolve(Reference("a/./b/"), array) == array
    assert resolve(Reference("/a"), array) == root["a"]
    assert resolve(Reference("/"), array) == root
    found, selection = resolve(region_reference_to(array, slice(1, 6, 2), root), root)
    assert found[selection].tolist() == [1, 3, 5]
    found, selection = resolve(region_reference_to(array, [4, 0, 4], root), root)
    assert found[selection].tolist() == [4, 0, 4]


@FORMATS
def test_paths_may_lead_through_links(zarr_format: int) -> None:
    root = filled(MemoryStore(), zarr_format)
    x = root.create_group("x")
    add_link(x, "data", "/y/again/b")
    add_link(root, "y", "/z")
    root.create_group("z")
    add_link(root["z"], "again", root["a"])
    assert resolve(links(x)["data"], x) == root["a/b"]
    assert x.get("data", follow_links=True) == root.get("x/data", follow_links=True) == root["a/b"]
    assert x.get("data") is None
    assert x.get("nothing", follow_links=True) is None
    assert root.get("a/b/c", follow_links=True) is None


def test_the_same_link_twice_on_a_way_is_no_circle() -> None:
    root = filled(MemoryStore())
    add_link(root["a"], "up", "/")
    assert resolve(Reference("/a/up/a/up/a/b"), root) == root["a/b"]


@pytest.mark.parametrize(
    ("targets", "path"),
    [
        ({"x": "/x"}, "/x"),
        ({"x": "/y", "y": "/x"}, "/x"),
        ({"x": "/x/more"}, "/x"),
        ({"x": "/y/z", "y": "/x"}, "/y/b"),
    ],
)
def test_circles_are_told(targets: dict[str, str], path: str) -> None:
    root = filled(MemoryStore())
    for name, target in targets.items():
        add_link(root, name, target)
    with pytest.raises(MetadataError, match=r"links in a circle: .*/[xy] → "):
        resolve(Reference(path), root)


def test_chains_have_an_end() -> None:
    root = filled(MemoryStore())
    add_link(root, "l0", "/")
    for number in range(1, 20):
        add_link(root, f"l{number}", f"/l{number - 1}/l{number - 1}")
    assert resolve(Reference("/l3"), root) == root
    with pytest.raises(MetadataError, match=r"more than 40 links"):
        resolve(Reference("/l19"), root)


def test_what_dangles_is_told_with_what_is_there() -> None:
    root = filled(MemoryStore(name="memory://dangling"))
    add_link(root, "x", "/a/c")
    with pytest.raises(NodeNotFoundError, match=r"the link 'x' points at /a/c: .*the group /a holds.*b"):
        resolve(links(root)["x"], root)
    with pytest.raises(
        NodeNotFoundError, match=r"a reference points at /a/b/c: .*inside the array /a/b.*node '/a'"
    ):
        resolve(Reference("/a/b/c"), root["a"])


def test_a_path_out_of_the_file_is_refused() -> None:
    root = filled(MemoryStore())
    with pytest.raises(NodeNameError):
        resolve(Reference("/../../etc"), root)


def test_regions_are_of_arrays_and_fit() -> None:
    root = filled(MemoryStore())
    region = Slices(((0, 9, 1),))
    with pytest.raises(NodeTypeError, match=r"a region of /a: expected an array, found a group"):
        resolve(RegionReference("/a", region=region), root)
    with pytest.raises(
        SelectionError, match=r"a region of /a/b: region.slices\[0\]\[1\]: expected at most 6"
    ):
        resolve(RegionReference("/a/b", region=region), root)


@FORMATS
@pytest.mark.parametrize(
    "names", [("one.zarr", "sub/two.zarr"), ("one.zip", "two.zip"), ("one.zarr", "two.zip")]
)
def test_files_point_at_files_beside_them(tmp_path: Path, zarr_format: int, names: tuple[str, str]) -> None:
    places = [tmp_path / name for name in names]
    roots = [filled(place, zarr_format) for place in places]
    for here, there in (roots, roots[::-1]):
        add_link(here, "x", there["a/b"])
    for root in roots:
        root.store.close()
    for here, there in (places, places[::-1]):
        root = omnizarr.open_group(here, mode="r")
        assert not links(root)["x"].reference.source.startswith(("/", "file:"))
        found = resolve(links(root)["x"], root)
        assert isinstance(found, Array)
        assert found[:].tolist() == list(range(6))
        assert found.store.name == there.as_uri()
        assert found.read_only
        root.store.close()


def test_sources_may_be_urls_absolute_or_as_windows_has_them(tmp_path: Path) -> None:
    two = filled(tmp_path / "t w/two.zarr")
    root = filled(tmp_path / "one.zarr")
    for source in (
        two.store.name,
        str(tmp_path / "t w/two.zarr"),
        r"..\t w\two.zarr",
        "../one.zarr/../t w/two.zarr",
    ):
        assert resolve(Reference("/a/b", source), root) == two["a/b"]
    assert resolve(Reference("/a/b", "../one.zarr"), root) == root["a/b"]


def test_a_store_may_hold_several_files(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    for name in ("one.zarr", "in/two.zarr"):
        filled(folder / name)
    one, two = (omnizarr.open_group(folder, mode="r+", path=name) for name in ("one.zarr", "in/two.zarr"))
    assert reference_to(two["a/b"], one) == Reference("/a/b", "../in/two.zarr")
    assert resolve(Reference("/a/b", "../in/two.zarr"), one["a"]) == two["a/b"]
    assert resolve(Reference("/a/b"), two["a"]) == two["a/b"]
    archive = shutil.make_archive(str(tmp_path / "all"), "zip", folder)
    inner = omnizarr.open_group(archive, mode="r", path="in/two.zarr")
    assert resolve(Reference("/a/b"), inner["a"]) == inner["a/b"]
    root = filled(tmp_path / "one.zarr")
    add_link(root, "x", inner["a/b"])
    assert links(root)["x"].reference == Reference("/a/b", "../all.zip/in/two.zarr")
    found = resolve(links(root)["x"], root)
    assert isinstance(found, Array)
    assert found[1] == 1


def test_a_root_that_is_a_symbolic_link_is_left_by_name_or_by_the_system(tmp_path: Path) -> None:
    filled(tmp_path / "deep/real.zarr")
    filled(tmp_path / "deep/beside.zarr")
    (tmp_path / "link.zarr").symlink_to(tmp_path / "deep/real.zarr")
    two = filled(tmp_path / "two.zarr")
    root = omnizarr.open_group(tmp_path / "link.zarr", mode="r")
    assert resolve(Reference("/a", "../two.zarr"), root) == two["a"]
    assert isinstance(resolve(Reference("/a", "../beside.zarr"), root), Group)


def test_named_memory_stores_are_found() -> None:
    one = filled("memory://linking/one")
    two = filled("memory://linking/two")
    assert resolve(Reference("/a", "../two"), one) == two["a"]
    assert resolve(reference_to(two["a"], one), one) == two["a"]


def test_files_that_are_not_there_are_told(tmp_path: Path) -> None:
    root = filled(tmp_path / "one.zarr")
    add_link(root, "x", "/a", source="../none.zarr")
    with pytest.raises(
        NodeNotFoundError, match=r"the link 'x' points at /a in \.\./none\.zarr: there is no file"
    ):
        resolve(links(root)["x"], root)
    (tmp_path / "empty.zarr").mkdir()
    with pytest.raises(NodeNotFoundError, match=r"there is no file '\.\./empty\.zarr': no array or group"):
        resolve(Reference("/a", "../empty.zarr"), root)
    with pytest.raises(NodeNotFoundError, match=r"in \.\./\.\./\.\./\.\..*: there is no file"):
        resolve(Reference("/a", "../" * 40), root)
    with pytest.raises(StoreError, match=r"points at /a in gopher://x: unknown scheme gopher"):
        resolve(Reference("/a", "gopher://x"), root)
    with pytest.raises(NodeNotFoundError, match=r"no memory store"):
        resolve(Reference("/a", "../x.zarr"), filled(MemoryStore()))


class Remote(MemoryStore):
    """A store that says it is on a network."""

    def __init__(self, name: str) -> None:
        super().__init__(name=name)


@pytest.mark.parametrize(
    ("name", "source", "place"),
    [
        ("https://h/x/a.zarr", "../b.zarr", "https://h/x/b.zarr"),
        ("https://h/x/a.zarr/", "../b.zarr", "https://h/x/b.zarr"),
        ("https://h/x/a.zarr?key=1", "../b.zarr", "https://h/x/b.zarr?key=1"),
        ("s3://bucket/a.zarr", "../b.zarr", "s3://bucket/b.zarr"),
        ("s3://bucket/a.zarr", "gs://other/b.zarr", "gs://other/b.zarr"),
        ("file:///x/a.zarr", "https://h/b.zarr", "https://h/b.zarr"),
    ],
)
def test_sources_are_seen_from_the_url_of_the_file(name: str, source: str, place: str) -> None:
    assert outer_places(Remote(name), "", source) == [place]


@pytest.mark.parametrize(
    ("name", "source", "said"),
    [
        ("s3://bucket/a.zarr", "../../b.zarr", "above the top of its host"),
        ("https://h/a.zarr", "file:///etc", "of this machine, at which a file on a network may not point"),
        ("https://h/a.zarr", "memory://x", "of this machine"),
        ("s3://bucket/a.zarr", "sqlite:///etc/x", "of this machine"),
        ("s3://bucket/a.zarr", "zip://x::file:///etc/x.zip", "of this machine"),
        ("s3://bucket/a.zarr", "local:///etc", "neither on the web nor of its kind"),
        ("sftp://host/a.zarr", "file:///etc", "of this machine"),
        ("a store", "../b.zarr", "no place that"),
    ],
)
def test_sources_that_lead_nowhere_are_refused(name: str, source: str, said: str) -> None:
    root = filled(Remote(name))
    with pytest.raises(StoreError, match=rf"a reference points at /a in .*: .*{said}"):
        resolve(Reference("/a", source), root)


def test_what_cannot_be_pointed_at_is_refused(tmp_path: Path) -> None:
    nameless = filled(Remote("a store"))
    here = filled(tmp_path / "one.zarr")
    with pytest.raises(StoreError, match=r"can point at a store"):
        reference_to(nameless, here)
    with pytest.raises(StoreError, match=r"outside this machine"):
        reference_to(here, filled(Remote("s3://bucket/a")))
    assert reference_to(filled(Remote("s3://bucket/a")), here).source == "s3://bucket/a"
    assert (
        reference_to(filled(Remote("s3://bucket/a")), filled(Remote("s3://bucket/x/b"))).source == "../../a"
    )


def test_failures_of_the_other_store_are_no_dangling_links(tmp_path: Path) -> None:
    root = filled(tmp_path / "one.zarr")
    (tmp_path / "two.zip").write_bytes(b"no archive")
    with pytest.raises(StoreError, match=r"points at /a in \.\./two\.zip: ") as caught:
        resolve(Reference("/a", "../two.zip"), root)
    assert not isinstance(caught.value, NodeNotFoundError)


def test_following_costs_few_requests() -> None:
    inner = MemoryStore()
    filled(inner, 3)
    counted = CountingStore(inner)
    root = omnizarr.open_group(counted, mode="r")
    resolver = Resolver()
    counted.counts.clear()
    resolver.resolve(Reference("/a/b"), root)
    assert counted.counts == {"exists": 1, "get": 1}
    counted.counts.clear()
    resolver.resolve(Reference("/a/b"), root)
    assert counted.counts == {"get": 1}


@FORMATS
def test_consolidated_files_are_asked_nothing_more(tmp_path: Path, zarr_format: int) -> None:
    root = filled(tmp_path / "one.zarr", zarr_format)
    add_link(root, "x", "/a/b")
    omnizarr.consolidate_metadata(root.store)
    counted = CountingStore(DirectoryStore(tmp_path / "one.zarr", read_only=True))
    opened = omnizarr.open_group(counted, mode="r")
    counted.counts.clear()
    assert resolve(Reference("/a/b"), opened) == root["a/b"]
    assert not counted.counts
    other = filled(tmp_path / "two.zarr", zarr_format)
    found = resolve(Reference("/x", "../one.zarr"), other)
    assert found == root["a/b"]
