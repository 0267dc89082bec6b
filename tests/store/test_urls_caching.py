"""Caches that places are opened with: by options, by URLs, by settings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import omnizarr
from omnizarr.config import Settings, config
from omnizarr.errors import StoreError, UrlError
from omnizarr.store import CachedStore, CountingStore, MemoryStore
from omnizarr.store.base import Store
from omnizarr.store.layers.wrap import ReadOnlyStore, WrappedStore
from omnizarr.store.urls import open as opening
from omnizarr.store.urls.modes import Mode, Options


class Far(CountingStore):
    """A store that says it is on a network."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner)
        self.requests = 8


STORES: dict[str, Far] = {}
GIVEN: list[tuple[str, dict[str, object]]] = []


@pytest.fixture(autouse=True)
def far(monkeypatch: pytest.MonkeyPatch) -> Iterator[Far]:
    def opened(url: str, mode: Mode, options: Options) -> Store:
        GIVEN.append((url, dict(options)))
        store: Store = STORES.setdefault("far", Far(MemoryStore(name="far://store")))
        return ReadOnlyStore(store) if mode == "r" else store

    monkeypatch.setitem(opening.STORES.known, "far", opened)
    STORES.clear()
    GIVEN.clear()
    omnizarr.create_array("far://store", data=list(range(8)), chunks=4)
    STORES["far"].reset()
    GIVEN.clear()
    return iter([STORES["far"]])


def cache_of(place: str = "far://store", mode: Mode = "r", **options: Any) -> CachedStore | None:
    store = opening.open_store(place, mode=mode, storage_options=options)
    return store if isinstance(store, CachedStore) else None


@pytest.mark.usefixtures("far")
def test_nothing_is_kept_unless_it_is_asked_for() -> None:
    assert cache_of() is None
    assert cache_of(cache=False) is None
    assert cache_of(cache=None) is None
    assert cache_of(cache="") is None


@pytest.mark.parametrize("how", [{"cache": True}, {"cache": "memory"}, {"cache": {}}])
def test_what_was_read_is_not_asked_for_again(how: dict[str, Any]) -> None:
    array = omnizarr.open_array("far://store", mode="r", storage_options=how)
    first = array[:].tolist()
    asked = STORES["far"].counts.copy()
    assert array[:].tolist() == first == list(range(8))
    assert STORES["far"].counts == asked
    assert GIVEN == [("far://store", {})]


def test_a_directory_is_shared_and_outlives_the_store(tmp_path: Path) -> None:
    place = tmp_path / "kept"
    for how in (place, str(place), {"directory": place, "max_bytes": 10**6}):
        array = omnizarr.open_array("far://store", mode="r", storage_options={"cache": how})
        assert array[:].tolist() == list(range(8))
        STORES["far"].reset()
    assert place.is_dir()
    array = omnizarr.open_array("far://store", mode="r", storage_options={"cache": place})
    assert array[:].tolist() == list(range(8))
    assert not STORES["far"].counts.get("get")


def test_parts_of_the_wish() -> None:
    store = cache_of(cache={"max_bytes": 5, "check": True, "keep_absent": True})
    assert store is not None
    assert (store.max_bytes, store._check, store._keeps_absent) == (5, True, True)


@pytest.mark.parametrize(
    ("cache", "message"),
    [
        (5, "cache: expected True, False, 'memory', a directory, or a mapping of directory, .*; found int"),
        ({"size": 5}, "found 'size'"),
        ({"max_bytes": "5"}, "cache: max_bytes: expected int, found '5'"),
        ({"max_bytes": True}, "cache: max_bytes: expected int, found True"),
        ({"max_bytes": -1}, "cache: max_bytes: expected at least 0, found -1"),
        ({"check": 1}, "cache: check: expected bool, found 1"),
        ({"directory": 3}, "cache: directory: expected str or PathLike, found 3"),
    ],
)
def test_wrong_wishes_are_told(cache: object, message: str) -> None:
    with pytest.raises(StoreError, match=message):
        opening.open_store("far://store", mode="r", storage_options={"cache": cache})
    assert GIVEN == []


def test_a_directory_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError):
        cache_of(cache=tmp_path / "file" / "below")


def test_urls_ask_for_memory_only(tmp_path: Path) -> None:
    assert cache_of("far://store#cache") is not None
    assert cache_of("far://store#cache=memory") is not None
    checking = cache_of("far://store#cache=check")
    assert checking is not None
    assert checking._check
    assert cache_of("far://store#cache=no") is None
    assert [url for url, _ in GIVEN] == ["far://store"] * 4
    for word in (f"{tmp_path}/x", "yes", "memory,check", "secret"):
        with pytest.raises(UrlError, match="expected cache, cache=memory, cache=check or cache=no") as caught:
            cache_of(f"far://store#cache={word}")
        assert word not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_other_words_of_a_fragment_stay(tmp_path: Path) -> None:
    assert cache_of("far://store#mode=nczarr,s3&cache&aws.profile=x") is not None
    assert [url for url, _ in GIVEN] == ["far://store#mode=s3&aws.profile=x"]


def test_settings_are_for_reading_from_a_network(tmp_path: Path) -> None:
    with config.using(cache="memory", cache_bytes=123):
        store = cache_of()
        assert store is not None
        assert store.max_bytes == 123
        assert cache_of(mode="r+") is None
        assert cache_of(cache=False) is None
        assert cache_of("far://store#cache=no") is None
        assert cache_of("memory://near", "a") is None
        omnizarr.create_group(tmp_path / "a")
        assert cache_of(str(tmp_path / "a")) is None
    with config.using(cache=str(tmp_path / "kept")):
        assert cache_of() is not None
        assert cache_of("far://store#cache") is not None
        assert (tmp_path / "kept").is_dir()
        assert cache_of("far://store#cache=memory") is not None


def test_a_check_is_of_what_is_stored(tmp_path: Path) -> None:
    with config.using(cache=str(tmp_path / "kept")):
        assert omnizarr.open_array("far://store", mode="r")[:].tolist() == list(range(8))
        STORES["far"].set("zarr.json", b"broken")
        assert omnizarr.open_array("far://store", mode="r")[0] == 0
        assert omnizarr.validate("far://store").findings


def test_options_go_before_the_url() -> None:
    assert cache_of("far://store#cache", cache=False) is None
    store = cache_of("far://store#cache=no", cache={"max_bytes": 9})
    assert store is not None
    assert store.max_bytes == 9


def test_for_writing_it_is_used_where_asked_for() -> None:
    array = omnizarr.open_array("far://store", mode="r+", storage_options={"cache": True})
    assert array[0] == 0
    array[:4] = 9
    assert array[:].tolist() == [9, 9, 9, 9, 4, 5, 6, 7]
    assert omnizarr.open_array("far://store", mode="r")[0] == 9


def test_stores_on_this_machine_take_none(tmp_path: Path) -> None:
    omnizarr.create_group(tmp_path / "a")
    with pytest.raises(StoreError, match="expected none for a local store, found cache"):
        cache_of(str(tmp_path / "a"), cache=True)
    with pytest.raises(StoreError, match="found cache"):
        cache_of("memory://near", "a", cache=True)


def test_archives_on_a_network_are_kept_as_they_are_stored(tmp_path: Path) -> None:
    with omnizarr.store.ZipStore(tmp_path / "a.zip", mode="w") as store:
        omnizarr.create_array(store, data=[1, 2, 3])
    STORES["far"].set("a.zip", (tmp_path / "a.zip").read_bytes())
    for _ in range(2):
        STORES["far"].reset()
        options = {"cache": tmp_path / "kept"}
        array = omnizarr.open_array("far://store/a.zip|zip:", mode="r", storage_options=options)
        assert array[:].tolist() == [1, 2, 3]
    assert not STORES["far"].counts.keys() & {"get", "get_ranges", "reading"}


def test_chains_of_fsspec_take_one_too(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    filled = opening.open_store("dir::memory://kept", mode="a")
    filled.set("a", b"1")
    store = opening.open_store("dir::memory://kept", mode="r", storage_options={"cache": tmp_path / "kept"})
    assert isinstance(store, CachedStore)
    assert store.get("a") == b"1"
    with pytest.raises(StoreError, match="storage_options: cache"):
        opening.open_store("dir::memory://kept", mode="r", storage_options={"cache": 5})


def test_a_cache_deletes_as_many_at_once_as_what_it_keeps_of() -> None:
    inner = WrappedStore(MemoryStore())
    inner.deletes_at_once = 77
    assert CachedStore(inner).deletes_at_once == 77


def test_the_setting_is_a_text() -> None:
    assert Settings().cache == ""
    with pytest.raises(ValueError, match="cache: expected str, found True"):
        Settings(cache=True)  # type: ignore[arg-type]
