"""Hierarchies over plain HTTP: without listings, and from servers that answer in odd ways."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from odd_servers import OddServer

import omnizarr
from omnizarr.errors import MetadataError, OmniZarrError, StoreError
from omnizarr.store import InnerZipStore, Last, ObjectStore, Span

pytest.importorskip("obstore")

BRIEF = {"retry_config": {"max_retries": 1, "backoff": {"init_backoff": timedelta(milliseconds=1)}}}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[OddServer]:
    found = OddServer(tmp_path)
    yield found
    found.close()


def make(folder: Path, zarr_format: int, *, consolidated: bool = True) -> np.ndarray:
    """Make a hierarchy with arrays that miss chunks: `a/x` and the sharded or plain `y`, uncompressed."""
    root = omnizarr.open_group(folder / "data", mode="w", zarr_format=zarr_format)
    data = np.arange(200, dtype="i4").reshape(20, 10)
    array = root.create_array(
        "a/x", shape=(20, 10), chunks=(5, 10), dtype="i4", compressors=None, fill_value=-1
    )
    array[:10] = data[:10]
    data[10:] = -1
    root.create_array("y", shape=(3,), dtype="f8", attributes={"units": "m"})[:] = 1.5
    if consolidated:
        omnizarr.consolidate_metadata(root)
    return data


def opened(server: OddServer, way: str, **more):
    return omnizarr.open(server.url(way) + "/data", mode="r", storage_options=BRIEF, **more)


# Without listings


@pytest.mark.parametrize(("zarr_format", "requests"), [(2, 3), (3, 1)])
def test_consolidated_metadata_do_without_listings(
    server: OddServer, tmp_path: Path, zarr_format: int, requests: int
) -> None:
    data = make(tmp_path, zarr_format)
    root = opened(server, "plain")
    assert len(server.asked) <= requests
    del server.asked[:]
    assert sorted(dict(root.members(max_depth=None))) == ["a", "a/x", "y"]
    assert (sorted(root), root["y"].attrs["units"], "a/x" in root) == (["a", "y"], "m", True)
    assert server.asked == []
    np.testing.assert_array_equal(root["a/x"][:], data)
    assert len(server.asked) == 4
    assert all(line.startswith("GET ") for line in server.asked)
    assert root["y"][:].tolist() == [1.5] * 3


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_nodes_that_are_known_do_without_listings(
    server: OddServer, tmp_path: Path, zarr_format: int
) -> None:
    data = make(tmp_path, zarr_format, consolidated=False)
    root = opened(server, "plain")
    np.testing.assert_array_equal(root["a/x"][:], data)
    assert "a/none" not in root
    for ask in (lambda: dict(root.members()), lambda: list(root), lambda: root.tree(), lambda: len(root)):
        with pytest.raises(StoreError, match=r"tells no names.*consolidated.*by their paths") as caught:
            ask()
        assert server.url("plain") in str(caught.value)


def test_pages_of_links_are_not_listings(server: OddServer, tmp_path: Path) -> None:
    data = make(tmp_path, 3, consolidated=False)
    root = opened(server, "listing")
    np.testing.assert_array_equal(root["a/x"][:], data)
    with pytest.raises(StoreError, match="tells no names"):
        dict(root.members())
    with pytest.raises(StoreError, match="HTML page"):
        root.store.get("a/x")


# Pages instead of values


def test_pages_for_missing_values_are_told(server: OddServer, tmp_path: Path) -> None:
    data = make(tmp_path, 3)
    root = opened(server, "pages")
    np.testing.assert_array_equal(root["a/x"][:10], data[:10])
    with pytest.raises(StoreError, match=r"HTML page \(Content-Type text/html\).*'a/x/c/[23]/0'"):
        root["a/x"][10:]
    store = root.store
    for read in (
        lambda: store.get("none"),
        lambda: store.get("none", Span(1, 2)),
        lambda: store.get("none", Last(2)),
        lambda: store.get_into("none", memoryview(bytearray(8))),
        lambda: store.get_ranges("none", [(0, 4), (400, 4)]),
        lambda: store.reading("none"),
        lambda: store.size("none"),
        lambda: store.exists("none"),
    ):
        with pytest.raises(StoreError, match=r"HTML page.*'none'"):
            read()
    assert (store.get("page.html") or b"").startswith(b"<!doctype")


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_pages_for_documents_are_told(server: OddServer, tmp_path: Path, zarr_format: int) -> None:
    make(tmp_path, zarr_format)
    with pytest.raises(StoreError, match=r"HTML page.*zarr.json"):
        omnizarr.open(server.url("pages") + "/nothing", mode="r", storage_options=BRIEF)
    if zarr_format == 2:
        with pytest.raises(StoreError, match=r"HTML page.*\.zattrs"):
            opened(server, "pages", zarr_format=2)


def test_pages_that_do_not_say_so_are_no_documents(server: OddServer) -> None:
    for more in ({}, {"zarr_format": 2}):
        with pytest.raises(MetadataError, match="JSON"):
            omnizarr.open(server.url("sly") + "/nothing", mode="r", storage_options=BRIEF, **more)


def test_pages_that_do_not_say_so_are_no_chunks(server: OddServer, tmp_path: Path) -> None:
    """They have another size than an uncompressed chunk; a codec or checksum refuses them else."""
    root = omnizarr.open_group(tmp_path / "data", mode="w")
    for name, compressors in {"raw": None, "zstd": "auto", "sum": [{"name": "crc32c"}]}.items():
        root.create_array(name, shape=(40,), chunks=(20,), dtype="i4", compressors=compressors)[:20] = 1
    again = opened(server, "sly")
    for name in root:
        assert again[name][:20].tolist() == [1] * 20
        with pytest.raises(OmniZarrError, match="c/1"):
            again[name][20:]
        if name != "raw":  # of which a part has no checksum
            with pytest.raises(OmniZarrError, match="c/1"):
                again[name][20:21]


# Other ways


def test_forbidden_is_not_missing(server: OddServer, tmp_path: Path) -> None:
    make(tmp_path, 3)
    root = opened(server, "forbidding")
    assert root["y"][:].tolist() == [1.5] * 3
    with pytest.raises(StoreError, match=r"403.*'a/x/c/[23]/0'"):
        root["a/x"][:]


def test_refused_is_not_missing(server: OddServer) -> None:
    store = ObjectStore(server.url("refusing"), storage_options=BRIEF)
    for read in (lambda: store.get("k"), lambda: store.size("k"), lambda: store.get("k", Span(0, 1))):
        with pytest.raises(StoreError, match="405"):
            read()


@pytest.mark.parametrize("way", ["moved", "headless", "weak", "polite", "endless"])
def test_servers_that_have_their_own_ways(server: OddServer, tmp_path: Path, way: str) -> None:
    data = make(tmp_path, 3)
    (tmp_path / "empty").touch()
    (tmp_path / "large").write_bytes(bytes(range(200)) * 1000)
    np.testing.assert_array_equal(opened(server, way)["a/x"][:], data)
    store = ObjectStore(server.url(way), storage_options=BRIEF)
    assert (store.size("large"), store.size("empty"), store.size("none")) == (200_000, 0, None)
    assert (store.exists("large"), store.exists("none")) == (True, False)
    assert (store.get("large", Span(5, 3)), store.get("empty"), store.get("none")) == (b"\5\6\7", b"", None)
    with store.reading("large") as reader:
        assert reader is not None
        assert reader.get_ranges([(5, 3), (199_999, 1)]) == [b"\5\6\7", b"\xc7"]
    assert not any(line.startswith("HEAD") for line in server.asked)
    assert all(headers["accept-encoding"] == "identity" for headers in server.headers)


def test_a_weak_tag_tells_that_a_value_was_replaced(server: OddServer, tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(bytes(200_000))
    store = ObjectStore(server.url("weak"), storage_options=BRIEF)
    with store.reading("large") as reader:
        assert reader is not None
        (tmp_path / "large").write_bytes(b"\1" * 200_000)
        with pytest.raises(StoreError, match="was replaced"):
            reader.get(Span(0, 5))


def test_bytes_that_are_compressed_on_the_way_are_refused(server: OddServer, tmp_path: Path) -> None:
    (tmp_path / "k").write_bytes(bytes(1000))
    store = ObjectStore(server.url("compressing"), storage_options=BRIEF)
    for read in (lambda: store.get("k"), lambda: store.get("k", Span(0, 5)), lambda: store.size("k")):
        with pytest.raises(StoreError, match=r"Content-Encoding gzip.*'k'"):
            read()


def test_headers_of_ones_own_are_sent(server: OddServer, tmp_path: Path) -> None:
    (tmp_path / "k").write_bytes(b"1")
    more = {**BRIEF, "default_headers": {"X-Asked-By": "me"}}
    assert ObjectStore(server.url("plain"), storage_options=more).get("k") == b"1"
    assert server.headers[0]["x-asked-by"] == "me"
    assert server.headers[0]["accept-encoding"] == "identity"


def test_an_archive_from_a_server_that_moves_it(server: OddServer, tmp_path: Path) -> None:
    with omnizarr.store.ZipStore(tmp_path / "a.zip", mode="w") as archive:
        archive.set("large", bytes(range(200)) * 1000)
        archive.set("small", b"1")
    store = InnerZipStore(ObjectStore(server.url("moved"), storage_options=BRIEF), "a.zip")
    assert len(server.asked) == 2, "where it was, and where it is"
    assert (store.get("small"), len(store.get("large") or b"")) == (b"1", 200_000)
    assert len(server.asked) == 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no forks")
def test_a_forked_process_is_told_that_it_cannot_ask(server: OddServer, tmp_path: Path) -> None:
    """It would wait forever for the threads that it left behind."""
    (tmp_path / "k").write_bytes(b"1")
    store = ObjectStore(server.url("plain"), storage_options=BRIEF)
    assert store.get("k") == b"1"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
        child = os.fork()
    if child == 0:
        status = 1
        try:
            store.get("k")
        except StoreError as error:
            status = 0 if "it was forked" in str(error) else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert store.get("k") == b"1"


@pytest.mark.parametrize("mark", ["", "#mode=zip", "|zip:"])
def test_an_archive_with_a_signed_address(server: OddServer, tmp_path: Path, mark: str) -> None:
    with omnizarr.store.ZipStore(tmp_path / "a.zip", mode="w") as archive:
        root = omnizarr.open_group(archive, mode="w")
        root.create_array("x", shape=(50_000,), dtype="i4", compressors=None)[:] = 1
        root.create_array("y", shape=(50_000,), dtype="i4", compressors=None)[:] = 1
    place = server.url("signed") + "/a.zip"
    again = omnizarr.open(f"{place}?sig=abc{mark}", mode="r", storage_options=BRIEF)
    assert again["x"][:].sum() == 50_000
    assert "abc" not in repr(again.store)
    with pytest.raises(StoreError, match="403") as caught:
        omnizarr.open(f"{place}?sig=wrong{mark}", mode="r", storage_options=BRIEF)
    assert "wrong" not in str(caught.value)


@pytest.mark.parametrize("longer", [0, 1])
def test_an_archive_that_is_replaced_where_nothing_tells(
    server: OddServer, tmp_path: Path, longer: int
) -> None:
    """No ETag, and both of the same time; of the same size only checksums tell."""

    def put(sign: bytes, more: int) -> None:
        with omnizarr.store.ZipStore(tmp_path / "a.zip", mode="w") as archive:
            archive.set("a", sign * 1000)
            archive.set("end", bytes(100_000 + more))

    put(b"1", 0)
    outer = ObjectStore(server.url("plain"), storage_options=BRIEF)
    store, known = InnerZipStore(outer, "a.zip"), InnerZipStore(outer, "a.zip")
    assert known.get("a") == b"1" * 1000
    put(b"2", longer)
    for read in (lambda: store.get("a"), lambda: store.get("a", Span(5, 5)), lambda: known.get("a")):
        with pytest.raises(StoreError, match="was replaced" if longer else "another value|CRC-32"):
            read()


def test_an_archive_where_ranges_from_the_end_are_ignored(server: OddServer, tmp_path: Path) -> None:
    with omnizarr.store.ZipStore(tmp_path / "a.zip", mode="w") as archive:
        archive.set("large", bytes(range(200)) * 1000)
        archive.set("small", b"1")
    store = InnerZipStore(ObjectStore(server.url("endless"), storage_options=BRIEF), "a.zip")
    size = (tmp_path / "a.zip").stat().st_size
    assert [line.partition("=")[2] for line in server.asked] == [
        "-65536",
        "0-0",
        f"{size - 65536}-{size - 1}",
    ]
    assert (store.get("small"), len(store.get("large") or b"")) == (b"1", 200_000)
    assert len(server.asked) == 4
