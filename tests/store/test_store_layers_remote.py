"""Caches and overlays of a real S3 server, with requests counted; and overlays that processes share."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from object_servers import KEY, SECRET, Front, s3_front

import omnizarr
from omnizarr.errors import StoreError
from omnizarr.store import CachedStore, DirectoryStore, MemoryStore, ObjectStore, OverlayStore, Span
from omnizarr.store.layers.parts import BLOCK

DATA = np.random.default_rng(3).integers(0, 2**60, (512, 512))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    with s3_front(tmp_path_factory.mktemp("layers")) as front:
        yield front


@pytest.fixture
def s3(server: Front, request: pytest.FixtureRequest) -> Iterator[tuple[Front, ObjectStore]]:
    """A store with one shard of 2 MiB, on a server that has heard of nothing yet."""
    server.reset()
    options = {
        "endpoint": f"http://127.0.0.1:{server.port}", "allow_http": True, "region": "us-east-1",
        "access_key_id": KEY, "secret_access_key": SECRET, "retry_config": {"max_retries": 1},
    }  # fmt: skip
    store = ObjectStore(f"s3://bucket/{request.node.name}", storage_options=options)
    array = omnizarr.create_array(
        store, shape=DATA.shape, chunks=(32, 32), shards=DATA.shape, dtype="i8", compressors=None
    )
    array[:] = DATA
    server.reset()
    yield server, store
    server.reset()


def test_a_part_of_a_shard_is_asked_for_once_whatever_happens_between(
    s3: tuple[Front, ObjectStore], tmp_path: Path
) -> None:
    front, inner = s3
    plain = omnizarr.open_array(inner, mode="r")
    front.reset()
    np.testing.assert_array_equal(plain[40:50, 70:90], DATA[40:50, 70:90])
    without = len(front.asked)
    array = omnizarr.open_array(CachedStore(inner, directory=tmp_path), mode="r")
    front.reset()
    np.testing.assert_array_equal(array[40:50, 70:90], DATA[40:50, 70:90])
    assert len(front.asked) == without == 2
    again = CachedStore(inner, directory=tmp_path)
    front.reset()
    array = omnizarr.open_array(again, mode="r")
    np.testing.assert_array_equal(array[40:50, 70:90], DATA[40:50, 70:90])
    assert front.asked == []
    front.reset(always=503)  # what is kept needs no server, and what is not fails
    np.testing.assert_array_equal(array[42, 70:90], DATA[42, 70:90])
    with pytest.raises(StoreError):
        array[500, 0]


def test_a_check_is_one_head(s3: tuple[Front, ObjectStore], tmp_path: Path) -> None:
    front, inner = s3
    store = CachedStore(inner, directory=tmp_path, check=True)
    inner.set("k", b"old")
    for expected in (b"old", b"new"):
        inner.set("k", expected)
        front.reset()
        assert store.get("k") == expected
        assert [asked.split()[0] for asked in front.asked] == ["HEAD", "GET", "HEAD"]
        front.reset()
        assert store.get("k") == expected
        assert [asked.split()[0] for asked in front.asked] == ["HEAD"]


def test_a_shard_that_was_replaced_is_told_by_its_etag(s3: tuple[Front, ObjectStore]) -> None:
    _, inner = s3
    store = CachedStore(inner)
    old = store.get("c/0/0", Span(0, 8))
    new = bytes(8) + bytes(8 * 512 * 512)
    with store.reading("c/0/0") as reader:
        assert reader is not None
        assert reader.get(Span(0, 8)) == old
        inner.set("c/0/0", new)
        with pytest.raises(StoreError, match="replaced"):
            reader.get(Span(BLOCK, 8))
    with store.reading("c/0/0") as reader:
        assert reader is not None
        assert reader.get(Span(BLOCK, 8)) == bytes(8)
        assert reader.get(Span(0, 8)) == bytes(8)


def test_scratch_edits_over_a_public_dataset(s3: tuple[Front, ObjectStore]) -> None:
    front, inner = s3
    upper = MemoryStore()
    array = omnizarr.open_array(OverlayStore(upper, CachedStore(inner)), mode="r+")
    array[10:20, 10:20] = 0
    expected = DATA.copy()
    expected[10:20, 10:20] = 0
    np.testing.assert_array_equal(array[:], expected)
    assert {asked.split()[0] for asked in front.asked} <= {"GET", "HEAD"}
    np.testing.assert_array_equal(omnizarr.open_array(inner, mode="r")[:], DATA)
    assert list(upper.list_prefix()) == ["c/0/0"]


# Processes

WRITE = """
import sys
from pathlib import Path
from omnizarr.store import DirectoryStore, OverlayStore
root, name = Path(sys.argv[1]), int(sys.argv[2])
store = OverlayStore(DirectoryStore(root / "upper"), DirectoryStore(root / "lower"))
print("ready", flush=True)
sys.stdin.readline()
won = 0
for n in range(40):
    store.set(f"own/{name}/{n}", b"%d %d" % (name, n))
    store.update("n", lambda old: b"%d" % (int(old) + 1))
    won += store.set_if_absent(f"once/{n}", b"")
    store.delete(f"gone/{name}/{n}")
store.delete_prefix(f"below/{name}/")
print(won, flush=True)
"""


def test_eight_processes_lose_nothing_in_an_overlay(tmp_path: Path) -> None:
    lower = DirectoryStore(tmp_path / "lower")
    lower.set("n", b"1000")
    lower.set("once/7", b"lower")
    for name in range(8):
        lower.set(f"below/{name}/x", b"")
        for n in range(40):
            lower.set(f"gone/{name}/{n}", b"")
    command = [sys.executable, "-c", WRITE, str(tmp_path)]
    writers = [
        subprocess.Popen([*command, str(name)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for name in range(8)
    ]
    try:
        assert {writer.stdout.readline() for writer in writers if writer.stdout} == {"ready\n"}
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write("\n")
            writer.stdin.flush()
        won = [int(writer.communicate(timeout=60)[0]) for writer in writers]
    finally:
        for writer in writers:
            writer.kill()
            writer.wait()
    store = OverlayStore(DirectoryStore(tmp_path / "upper"), lower)
    assert sum(won) == 39
    assert store.get("n") == b"1320"
    own = {f"own/{name}/{n}": b"%d %d" % (name, n) for name in range(8) for n in range(40)}
    once = {f"once/{n}": b"lower" if n == 7 else b"" for n in range(40)}
    assert dict(store.mapping()) == {**own, **once, "n": b"1320"}
