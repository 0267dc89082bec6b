"""What every store must do; a store's tests derive from `StoreContract`.

>>> class TestMyStore(StoreContract):  # doctest: +SKIP
...     def make_store(self, tmp_path):
...         return MyStore(tmp_path)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from omnizarr.errors import OmniZarrError, ReadOnlyError
from omnizarr.store.base import Store
from omnizarr.store.layers.wrap import ReadOnlyStore
from omnizarr.testing.store_changes import ChangeContract
from omnizarr.testing.store_values import VALUE, ValueContract


class StoreContract(ValueContract, ChangeContract, ABC):
    """Tests that every store passes; `make_store` returns an empty one that may be written to."""

    @abstractmethod
    def make_store(self, tmp_path: Path) -> Store:
        """Return a new, empty, writable store."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        with self.make_store(tmp_path) as store:
            yield store

    def test_it_names_itself(self, store: Store) -> None:
        assert store.name
        assert store.name in repr(store)
        assert str(store) == store.name
        assert store.requests >= 1

    def test_reading_only(self, store: Store) -> None:
        store.set("k", VALUE)
        reader = ReadOnlyStore(store)
        assert not store.read_only
        assert reader.read_only
        assert reader.get("k") == VALUE
        writes: tuple[Callable[[], object], ...] = (
            lambda: reader.set("k", b""),
            lambda: reader.set_if_absent("n", b""),
            lambda: reader.update("k", lambda old: b""),
            lambda: reader.delete("k"),
            lambda: reader.delete_prefix(""),
        )
        for write in writes:
            with pytest.raises(ReadOnlyError):
                write()
        assert store.get("k") == VALUE

    def test_the_mapping_view(self, store: Store) -> None:
        mapping = store.mapping()
        mapping["a/b"] = VALUE
        mapping.update({"c": b"1", "d": b""})
        assert store.get("a/b") == VALUE
        assert dict(mapping) == {"a/b": VALUE, "c": b"1", "d": b""}
        assert len(mapping) == 3
        assert "c" in mapping
        assert "a" not in mapping
        assert "../c" not in mapping
        assert mapping.get("x", b"default") == b"default"
        assert mapping.pop("c") == b"1"
        with pytest.raises(KeyError):
            mapping["c"]
        with pytest.raises(KeyError):
            del mapping["c"]
        with pytest.raises(OmniZarrError):
            mapping["../c"] = b""
        mapping.clear()
        assert list(mapping) == []
