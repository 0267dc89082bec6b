"""Options where one place is on this machine and the other on a network."""

from pathlib import Path

import pytest

import omnizarr
from omnizarr.errors import StoreError
from omnizarr.store import MemoryStore
from omnizarr.store.urls.both import options_of_both

OPTIONS = {"region": "eu-west-1"}
HERE = (
    "a.zarr",
    Path("a"),
    MemoryStore(name="memory://here"),
    {},
    "file:///a",
    "memory://a",
    "zip:///a.zip",
    "a.zip|zip:b",
    ["a", "b"],
)
THERE = (
    "s3://bucket/a",
    "https://host/a",
    "redis://host/0",
    "zip::s3://bucket/a.zip",
    ["a", "s3://bucket/b"],
)


@pytest.mark.parametrize("there", THERE, ids=str)
@pytest.mark.parametrize("here", HERE, ids=str)
def test_only_what_is_on_a_network_has_options(here: object, there: object) -> None:
    assert options_of_both(here, there, OPTIONS) == (None, OPTIONS)
    assert options_of_both(there, here, OPTIONS) == (OPTIONS, None)


def test_two_of_a_kind_have_the_same() -> None:
    assert options_of_both("s3://a/b", "s3://c/d", OPTIONS) == (OPTIONS, OPTIONS)
    assert options_of_both("a", "b", OPTIONS) == (OPTIONS, OPTIONS)
    assert options_of_both("a", "s3://a/b", None) == (None, None)


def test_options_of_nobody_are_an_error(tmp_path: Path) -> None:
    omnizarr.create_array(tmp_path / "a.zarr", shape=(1,), dtype="i4")
    with pytest.raises(StoreError, match="expected none for a local store, found region"):
        omnizarr.copy(tmp_path / "a.zarr", tmp_path / "b.zarr", storage_options=OPTIONS)
