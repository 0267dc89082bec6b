"""Stores as other processes get them: pickled, and named by tokens."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import fsspec
import pytest

from omnizarr.errors import StoreError
from omnizarr.store import (
    CachedStore,
    CountingStore,
    DirectoryStore,
    FaultStore,
    MemoryStore,
    OverlayStore,
    ReadOnlyStore,
    Store,
    ZipStore,
)
from omnizarr.store.databases.lmdb import LMDBStore
from omnizarr.store.databases.redis import RedisStore
from omnizarr.store.databases.sqlite import SQLiteStore
from omnizarr.store.filesystems.fsspec import FsspecStore
from omnizarr.store.layers.below import BelowStore
from omnizarr.store.layers.wrap import WrappedStore
from omnizarr.store.objects.objects import ObjectStore
from omnizarr.store.zips.inside import InnerZipStore
from omnizarr.store.zips.values import ZipValues

SECRET = "hunter2-secret"
WAYS = (pickle, cloudpickle)


def a_zip(folder: Path) -> Path:
    with ZipStore(folder / "a.zip", mode="w") as store:
        store.set("k", b"1")
    return folder / "a.zip"


def a_zip_inside(folder: Path) -> Store:
    outer = DirectoryStore(folder)
    a_zip(folder)
    return InnerZipStore(outer, "a.zip")


def with_value(store: Store) -> Store:
    store.set("k", b"1")
    return store


def below(store: Store) -> Store:
    store.set("p/k", b"1")
    return BelowStore(store, "p")


def fails_at_k(operation: str, key: str) -> BaseException | None:
    return StoreError("on purpose", key=key) if key == "fails" else None


READABLE: dict[str, Callable[[Path], Store]] = {
    "directory": lambda folder: with_value(DirectoryStore(folder / "d")),
    "zip": lambda folder: ZipStore(a_zip(folder), mode="r"),
    "zip inside": a_zip_inside,
    "sqlite": lambda folder: with_value(SQLiteStore(folder / "a.sqlite")),
    "lmdb": lambda folder: with_value(LMDBStore(folder / "a.lmdb")),
    "fsspec": lambda folder: with_value(FsspecStore(fsspec.filesystem("file"), str(folder))),
    "wrapped": lambda folder: WrappedStore(with_value(DirectoryStore(folder))),
    "read-only": lambda folder: ReadOnlyStore(with_value(DirectoryStore(folder))),
    "counting": lambda folder: CountingStore(with_value(DirectoryStore(folder))),
    "failing": lambda folder: FaultStore(with_value(DirectoryStore(folder)), fails_at_k),
    "failing in turn": lambda folder: FaultStore(with_value(DirectoryStore(folder)), [None, None]),
    "below": lambda folder: below(DirectoryStore(folder)),
    "cached": lambda folder: CachedStore(with_value(DirectoryStore(folder)), 1000),
    "cached on disk": lambda folder: CachedStore(
        with_value(DirectoryStore(folder / "d")), 1000, directory=folder / "c"
    ),
    "overlay": lambda folder: OverlayStore(
        DirectoryStore(folder / "u"), with_value(DirectoryStore(folder / "l"))
    ),
}
REMOTE: dict[str, Callable[[], Store]] = {
    "s3": lambda: ObjectStore(
        "s3://bucket/path",
        storage_options={
            "endpoint": "http://127.0.0.1:9",
            "allow_http": True,
            "access_key_id": "me",
            "secret_access_key": SECRET,
        },
    ),
    "http": lambda: ObjectStore("http://127.0.0.1:9/a"),
    "redis": lambda: RedisStore(f"redis://user:{SECRET}@127.0.0.1:9/3/prefix"),
    "redis, options": lambda: RedisStore(
        "redis://127.0.0.1:9/3/prefix", storage_options={"password": SECRET}
    ),
}


@pytest.fixture(params=READABLE)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with READABLE[request.param](tmp_path) as made:
        yield made


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_pickled_store_reads_the_same(store: Store, way: Any) -> None:
    image = way.dumps(store)
    with way.loads(image) as again:
        assert type(again) is type(store)
        assert again.get("k") == b"1"
        assert again.read_only == store.read_only
        assert again.name == store.name
        assert again.__dask_tokenize__() == store.__dask_tokenize__()


def test_a_pickle_is_small_and_does_not_grow(store: Store) -> None:
    if not store.read_only and not isinstance(store, CachedStore):
        before = len(pickle.dumps(store))
        for number in range(40):
            store.set(f"some/directory/{number}/key", bytes(1000))
        assert len(pickle.dumps(store)) <= before + 8
    assert len(pickle.dumps(store)) < 1500


@pytest.mark.parametrize("kind", REMOTE)
def test_what_is_at_a_server_is_pickled_without_asking_it(kind: str) -> None:
    store = REMOTE[kind]()
    image = pickle.dumps(store)
    assert len(image) < 1500
    again = pickle.loads(image)
    assert again.identity == store.identity
    assert again.__dask_tokenize__() == store.__dask_tokenize__()


@pytest.mark.parametrize("kind", REMOTE)
def test_tokens_show_no_secrets_and_do_not_depend_on_them(kind: str) -> None:
    assert SECRET not in repr(REMOTE[kind]().__dask_tokenize__())
    if kind == "redis, options":
        assert REMOTE["redis"]().__dask_tokenize__() == REMOTE[kind]().__dask_tokenize__()


def test_values_in_memory_are_of_one_process() -> None:
    store = MemoryStore()
    for way in WAYS:
        with pytest.raises(TypeError, match="values in memory are of one process"):
            way.dumps(store)
        with pytest.raises(TypeError, match="values in memory are of one process"):
            way.dumps(CountingStore(store))


def test_an_archive_that_is_written_is_of_one_process(tmp_path: Path) -> None:
    with ZipStore(tmp_path / "a.zip", mode="w") as store, pytest.raises(TypeError, match="open for writing"):
        pickle.dumps(store)


def test_tokens_tell_places_apart(tmp_path: Path) -> None:
    stores = [MemoryStore(), MemoryStore(), *(make() for make in REMOTE.values())]
    stores += [DirectoryStore(tmp_path / "a"), DirectoryStore(tmp_path / "b")]
    stores += [
        ObjectStore(
            "s3://bucket/path",
            storage_options={"endpoint": "http://127.0.0.1:10", "allow_http": True, "skip_signature": True},
        )
    ]
    tokens = {repr(store.__dask_tokenize__()) for store in stores}
    assert len(tokens) == len(stores) - 1  # Redis twice


def test_what_is_around_a_store_leaves_its_token_alone(tmp_path: Path) -> None:
    inner = DirectoryStore(tmp_path)
    for outer in (
        ReadOnlyStore(inner),
        CountingStore(inner),
        CachedStore(inner, 1000),
        DirectoryStore(tmp_path),
    ):
        assert outer.__dask_tokenize__() == inner.__dask_tokenize__()


IN_ANOTHER = """
import sys
from pathlib import Path
from test_store_pickles import tokens_below
print(*tokens_below(Path(sys.argv[1])), sep="\\n")
"""


def tokens_below(folder: Path) -> Iterator[object]:
    """Yield the token of each kind of store, which is made in the folder unless it is there."""
    for kind, make in READABLE.items():
        (folder / kind).mkdir(exist_ok=True)
        with make(folder / kind) as store:
            yield store.__dask_tokenize__()
    for remote in REMOTE.values():
        yield remote().__dask_tokenize__()


def test_tokens_are_the_same_in_every_process(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", IN_ANOTHER, str(tmp_path)],
        env={**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": str(Path(__file__).parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.splitlines() == [repr(token) for token in tokens_below(tmp_path)]


def test_no_kind_of_store_is_forgotten(tmp_path: Path) -> None:
    def kinds(kind: type[Store]) -> Iterator[type[Store]]:
        for below in kind.__subclasses__():
            if below.__module__.startswith("omnizarr.store"):
                yield below
                yield from kinds(below)

    seen: set[type[Store]] = {type(make()) for make in REMOTE.values()} | {MemoryStore, ZipValues}
    for name, make in READABLE.items():
        (tmp_path / name).mkdir()
        with make(tmp_path / name) as store:
            seen.add(type(store))
    for kind in {*kinds(Store)} - seen:
        assert issubclass(kind, WrappedStore), f"no test of {kind.__name__} in another process"
        assert pickle.loads(pickle.dumps(kind(with_value(DirectoryStore(tmp_path))))).get("k") == b"1"
