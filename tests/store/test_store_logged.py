"""What is logged of stores: each request where it is asked for, no credentials, nothing else."""

from __future__ import annotations

import logging
import pickle
from pathlib import Path

import numpy as np
import pytest

import omnizarr
from omnizarr.errors import StoreError
from omnizarr.store import FaultStore, LoggedStore, MemoryStore, Span, Store
from omnizarr.store.urls.open import open_store
from omnizarr.testing.store import StoreContract


class TestLoggedStore(StoreContract):
    def make_store(self, tmp_path: Path) -> Store:
        return LoggedStore(MemoryStore())


@pytest.fixture
def debugging(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.DEBUG, "omnizarr.store")
    return caplog


def messages(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what was logged, without the times."""
    return [record.getMessage().rpartition(" (")[0] for record in caplog.records]


def test_the_package_has_a_handler_that_shows_nothing() -> None:
    handlers = logging.getLogger("omnizarr").handlers
    assert any(isinstance(handler, logging.NullHandler) for handler in handlers)
    assert logging.getLogger("omnizarr").propagate


def test_every_request_is_told(debugging: pytest.LogCaptureFixture) -> None:
    store = LoggedStore(MemoryStore(name="memory://m"))
    store.set("a/k", b"12345")
    store.get("a/k")
    store.get("a/k", Span(1, 2))
    store.get_buffer("a/k")
    store.get_into("a/k", memoryview(bytearray(3)), 1)
    store.get_ranges("a/k", [(0, 1), (2, 2)])
    store.get("none")
    with store.reading("a/k") as reader:
        assert reader is not None
        reader.get()
        reader.get(Span(0, 2))
        reader.get_into(memoryview(bytearray(9)))
        reader.get_ranges([(0, 1)])
    with store.reading("none") as reader:
        assert reader is None
    store.size("a/k")
    store.exists("a/k")
    store.facts("a/k")
    store.set_if_absent("a/k", b"1")
    store.update("a/k", lambda old: None)
    list(store.list_prefix())
    list(store.list_sizes("a/"))
    store.list_dir()
    store.delete("a/k")
    store.delete_many(["x", "y"])
    store.delete_prefix("a/")
    assert messages(debugging) == [
        "set 5 bytes memory://m/a/k",
        "get memory://m/a/k: 5 bytes",
        "get Span(start=1, length=2) memory://m/a/k: 2 bytes",
        "get memory://m/a/k: 5 bytes",
        "get 3 from 1 memory://m/a/k: 4 bytes",
        "get 2 parts memory://m/a/k: 3 bytes",
        "get memory://m/none: absent",
        "open memory://m/a/k",
        "read memory://m/a/k: 5 bytes",
        "read Span(start=0, length=2) memory://m/a/k: 2 bytes",
        "read 9 from 0 memory://m/a/k: 5 bytes",
        "read 1 parts memory://m/a/k: 1 bytes",
        "open memory://m/none: absent",
        "size memory://m/a/k: 5 bytes",
        "exists memory://m/a/k: True",
        "facts memory://m/a/k: 5 bytes",
        "set if absent 1 bytes memory://m/a/k: False",
        "update memory://m/a/k",
        "list all below memory://m/: 0 keys",
        "list sizes below memory://m/a/: 0 keys",
        "list memory://m/: 0 keys, 0 prefixes",
        "delete memory://m/a/k",
        "delete 2 keys memory://m/",
        "delete below memory://m/a/",
    ]


def test_failures_are_told_and_raised(debugging: pytest.LogCaptureFixture) -> None:
    inner = FaultStore(MemoryStore(name="memory://m"), lambda operation, key: StoreError("no network"))
    with pytest.raises(StoreError, match="no network"):
        LoggedStore(inner).get("k")
    assert messages(debugging) == ["get memory://m/k: StoreError"]


def test_what_fails_while_a_value_is_held_is_raised(debugging: pytest.LogCaptureFixture) -> None:
    store = LoggedStore(MemoryStore())
    store.set("k", b"1")
    with pytest.raises(ZeroDivisionError), store.reading("k"):
        raise ZeroDivisionError


def test_places_are_logged_where_the_logger_is_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    omnizarr.create_array(tmp_path / "a", data=np.arange(4))
    assert not isinstance(open_store(tmp_path / "a", mode="r"), LoggedStore)
    caplog.set_level(logging.DEBUG, "omnizarr")
    array = omnizarr.open_array(tmp_path / "a", mode="r")
    assert isinstance(array.store, LoggedStore)
    assert array[:].tolist() == [0, 1, 2, 3]
    assert any("c/0" in message for message in messages(caplog))
    # Where it is written, its kind matters.
    assert not isinstance(open_store(tmp_path / "a", mode="r+"), LoggedStore)
    assert not isinstance(open_store({}, mode="a"), LoggedStore)


def test_archives_and_paths_in_them_open_the_same_when_logged(
    tmp_path: Path, debugging: pytest.LogCaptureFixture
) -> None:
    with omnizarr.store.ZipStore(tmp_path / "a.zip", mode="w") as store:
        omnizarr.create_group(store).create_array("g/x", data=[1, 2])
    for place in (f"{tmp_path}/a.zip/g/x", f"{tmp_path}/a.zip|zip:g/x", f"file://{tmp_path}/a.zip/g/x"):
        array = omnizarr.open_array(place, mode="r")
        assert array[:].tolist() == [1, 2]
        array.store.close()


def test_no_credentials_are_logged(debugging: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("obstore")
    secret = "very-secret-value"
    options = {"access_key_id": "id", "secret_access_key": secret, "retry_config": {"max_retries": 0}}
    place = "http://user:very-secret-value@127.0.0.1:9/bucket/a#mode=s3"
    with pytest.raises(StoreError):
        omnizarr.open(place, mode="r", storage_options=options)
    with pytest.raises(StoreError):
        omnizarr.open("http://127.0.0.1:9/a?sig=very-secret-value", mode="r")
    assert debugging.records
    assert secret not in debugging.text


def test_it_is_pickled_with_what_it_logs() -> None:
    assert isinstance(
        pickle.loads(pickle.dumps(LoggedStore(omnizarr.store.DirectoryStore(".")))).inner,
        omnizarr.store.DirectoryStore,
    )


def test_what_pays_off_is_as_of_the_inner_store() -> None:
    inner = MemoryStore()
    inner.requests, inner.deletes_at_once = 7, 9
    store = LoggedStore(inner)
    assert (store.requests, store.deletes_at_once, store.lists_cheaply) == (7, 9, True)


# What the library tells beside its stores


def test_repairs_and_deletions_are_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "omnizarr")
    group = omnizarr.create_group(tmp_path / "a")
    group.create_array("x", data=[1, 2, 3, 4], chunks=2)
    (tmp_path / "a" / "x" / "c" / "7").write_bytes(b"orphan")
    omnizarr.repair(tmp_path / "a")
    omnizarr.consolidate_metadata(tmp_path / "a")
    omnizarr.copy(tmp_path / "a", tmp_path / "b")
    omnizarr.delete(tmp_path / "a")
    told = [(record.name, record.levelname) for record in caplog.records]
    assert told == [
        ("omnizarr.hierarchy.validating.plan", "INFO"),
        ("omnizarr.hierarchy.consolidate", "INFO"),
        ("omnizarr.hierarchy.copying.plan", "INFO"),
        ("omnizarr.hierarchy.copying.plan", "INFO"),
        ("omnizarr.hierarchy.removal", "INFO"),
    ]
    assert "removed 1 keys, ['x/c/7']" in caplog.records[0].getMessage()
