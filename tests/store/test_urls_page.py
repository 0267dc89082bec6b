"""Each row of the tables of docs/urls.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import omnizarr
from omnizarr.netcdf.dialects.modes import asked_of
from omnizarr.store import DirectoryStore, MemoryStore, SQLiteStore, Store, ZipStore
from omnizarr.store.layers.wrap import ReadOnlyStore
from omnizarr.store.urls.grammar import parse_url
from omnizarr.store.urls.open import open_place
from omnizarr.store.urls.services import addressed

_PAGE = Path(__file__).parents[2] / "docs" / "urls.md"
_BAR = "\0"


def rows(head: str) -> list[list[str]]:
    """Return the cells of the table whose first cells are these, without backquotes."""
    text = _PAGE.read_text(encoding="utf-8").replace("\\|", _BAR)
    table = text.split(f"\n| {head} |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    cells = [
        [cell.strip().strip("`").replace(_BAR, "|") for cell in row.strip("|").split("|")] for row in table
    ]
    assert cells, head
    return cells


def as_parameters(head: str) -> list[tuple[str, ...]]:
    return [tuple(row) for row in rows(head)]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("lmdb")
    from omnizarr.store import LMDBStore

    folder = tmp_path_factory.mktemp("data")
    stores: list[Store] = [
        DirectoryStore(folder / "a.zarr"),
        ZipStore(folder / "a.zip", mode="w"),
        ZipStore(folder / "inner.zip", mode="w"),
        SQLiteStore(folder / "a.sqlite"),
        LMDBStore(folder / "env"),
    ]
    for store in stores:
        with store:
            omnizarr.create_array(store, name="group/array", shape=(1,), dtype="i4", zarr_format=3)
    with ZipStore(folder / "outer.zip", mode="w") as outer:
        outer.set("inner.zip", (folder / "inner.zip").read_bytes())
    with open_place("memory://name", mode="a").store as named:
        assert isinstance(named, MemoryStore)
    return folder


@pytest.mark.parametrize(("place", "kind", "path"), as_parameters("place | store | path in it"))
def test_places_on_this_machine(place: str, kind: str, path: str, data: Path) -> None:
    there = place.replace("/data", str(data))
    with open_place(there, mode="r").store as store:
        inner = store.inner if isinstance(store, ReadOnlyStore) else store
        assert type(inner).__name__ == kind
    assert open_place(there, mode="r").path == path


@pytest.fixture
def nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_REGION", "NCRCENV_RC"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.mark.usefixtures("nobody")
@pytest.mark.parametrize(("url", "meant", "options"), as_parameters("URL | is | options"))
def test_addresses_of_services(url: str, meant: str, options: str) -> None:
    place, said = addressed(parse_url(url), {})
    assert place == meant
    assert {name: str(value) for name, value in said.items()} == dict(
        item.split("=", 1) for item in options.split()
    )


@pytest.mark.parametrize(
    ("fragment", "number", "consolidated", "dialect"),
    as_parameters("fragment | format | consolidated | dialect of netCDF"),
)
def test_fragments(fragment: str, number: str, consolidated: str, dialect: str) -> None:
    for place in ("file:///d", "/d", "s3://bucket/d"):
        asked = asked_of(place + fragment)
        assert asked.zarr_format == (int(number) if number else None)
        assert asked.consolidated is (consolidated == "yes")
        assert asked.dialect == (dialect or None)
        url = parse_url(place + fragment)
        assert (url.zarr_format, url.consolidated) == (asked.zarr_format, asked.consolidated)


def test_every_scheme_of_the_page_is_known() -> None:
    from omnizarr.store.urls.open import OPENERS

    cells = [row[0] for row in rows("scheme | store | page") if row[1] != "FsspecStore"]
    named = {scheme for cell in cells for scheme in re.findall(r"[a-z0-9+]+", cell)}
    assert len(named) > 10
    assert named <= set(OPENERS)
