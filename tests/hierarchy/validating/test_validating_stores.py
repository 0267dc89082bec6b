"""What is told of stores themselves, and repairs in each of them."""

from __future__ import annotations

import fcntl
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import omnizarr
from omnizarr.errors import ReadOnlyError, StoreNotFoundError
from omnizarr.store import MemoryStore, OverlayStore, SQLiteStore, Store, ZipStore

PLACES = {"directory": "a.zarr", "zip": "a.zip", "sqlite": "sqlite://{}/a.sqlite", "lmdb": "lmdb://{}/a.lmdb"}


def place_in(folder: Path, kind: str) -> str:
    text = PLACES[kind]
    return text.format(folder) if "{}" in text else str(folder / text)


def filled(place: Any, **orphans: bytes) -> None:
    root = omnizarr.create_group(place)
    root.create_array("a", shape=(4,), chunks=(2,), dtype="u1", compressors=None)[:] = [1, 2, 3, 4]
    for key, value in {"a/c/9": b"12", "stray": b"?", **orphans}.items():
        root.store.set(key, value)
    root.store.close()


@pytest.mark.parametrize("kind", sorted(PLACES))
def test_found_and_repaired(tmp_path: Path, kind: str) -> None:
    place = place_in(tmp_path, kind)
    filled(place)
    kinds = [finding.kind for finding in omnizarr.validate(place, level="data").findings]
    assert kinds == ["orphan", "outside"]
    assert omnizarr.repair(place).removed == 2
    assert omnizarr.validate(place, level="data").findings == ()
    node = omnizarr.open_array(place, path="a", mode="r")
    assert node[:].tolist() == [1, 2, 3, 4]
    node.store.close()


def test_an_entry_that_an_archive_has_twice(tmp_path: Path) -> None:
    place = tmp_path / "a.zip"
    with ZipStore(place, mode="w") as store:
        omnizarr.create_array(store, path="a", data=np.ones(3))
    with zipfile.ZipFile(place, "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr("a/c/0", archive.read("a/c/0"))
    (finding,) = omnizarr.validate(place, level="data").findings
    assert (finding.kind, finding.at) == ("store", "a/c/0")
    assert finding.message == "is in the archive 2 times, of which the last one counts"


def test_an_entry_of_an_archive_that_is_damaged(tmp_path: Path) -> None:
    place = tmp_path / "a.zip"
    with ZipStore(place, mode="w") as store:
        omnizarr.create_array(store, data=np.arange(64, dtype="u1"), compressors=None)
    data = place.read_bytes()
    place.write_bytes(data.replace(bytes(range(64)), bytes(63) + b"?"))
    assert omnizarr.validate(place).findings == ()
    (finding,) = omnizarr.validate(place, level="data").findings
    assert (finding.kind, finding.at) == ("store", "c/0")
    assert "CRC-32" in finding.message


def test_a_database_that_is_damaged(tmp_path: Path) -> None:
    place = tmp_path / "a.sqlite"
    with SQLiteStore(place, wal=False) as store:
        filled_array = omnizarr.create_array(store, shape=(200,), chunks=(1,), dtype="u1", compressors=None)
        filled_array[:] = 1
    assert omnizarr.validate(f"sqlite://{place}", level="data").findings == ()
    data = bytearray(place.read_bytes())
    data[36:40] = (5).to_bytes(4, "big")  # how many pages are free
    place.write_bytes(data)
    assert omnizarr.validate(f"sqlite://{place}").findings == ()
    (finding,) = omnizarr.validate(f"sqlite://{place}", level="data").findings
    assert finding.kind == "store" and finding.message.startswith("SQLite: ")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    place = tmp_path / "a.zarr"
    omnizarr.create_array(place, path="a", data=np.arange(3))
    return place


def test_files_of_writers_that_were_killed(directory: Path) -> None:
    left = directory / "a" / "c" / ".0.partial"
    left.write_bytes(b"half")
    (finding,) = omnizarr.validate(directory).findings
    assert (finding.kind, finding.at) == ("partial", "a/c/.0.partial")
    with left.open("rb") as held:  # by a writer that is at work
        fcntl.flock(held, fcntl.LOCK_EX)
        assert omnizarr.validate(directory).findings == ()
        assert omnizarr.repair(directory).removed == 0
    assert left.exists()
    assert omnizarr.repair(directory).removed == 1
    assert not left.exists() and omnizarr.validate(directory).findings == ()


def test_what_may_not_be_written_to_is_not_repaired(directory: Path) -> None:
    (directory / "stray").write_bytes(b"?")
    node = omnizarr.open_group(directory, mode="r")
    with pytest.raises(ReadOnlyError):
        omnizarr.repair(node)
    assert omnizarr.repair(node, dry_run=True).report.counts == {"orphan": 1}
    assert (directory / "stray").exists()
    with pytest.raises(StoreNotFoundError):
        omnizarr.repair(directory / "none")
    assert not (directory / "none").exists()


def test_marks_of_an_overlay_are_no_orphans() -> None:
    lower, upper = MemoryStore(), MemoryStore()
    filled(lower)
    overlay = OverlayStore(upper, lower)
    omnizarr.create_group(upper)
    del omnizarr.open_group(overlay, mode="r+")["a"]
    marks = set(upper.list_prefix(".overlay/"))
    assert marks
    omnizarr.repair(upper)
    assert set(upper.list_prefix(".overlay/")) == marks
    assert "a" not in omnizarr.open_group(overlay, mode="r")


def test_keys_that_are_to_stay(directory: Path) -> None:
    for name in ("stray", "notes/one", "notes/two"):
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_bytes(b"?")
    done = omnizarr.repair(directory, keep=["notes/*"])
    assert (done.removed, done.left) == (1, 2)
    assert {finding.at for finding in omnizarr.validate(directory).findings} == {"notes/one", "notes/two"}


def test_what_becomes_a_node_between_the_question_and_the_answer_stays(directory: Path) -> None:
    (directory / "b" / "c").mkdir(parents=True)
    (directory / "b" / "c" / "0").write_bytes(b"12")
    (directory / "stray").write_bytes(b"?")

    def meanwhile(change: Callable[[], object]) -> int:
        def agree(plan: object) -> bool:
            change()
            return True

        return omnizarr.repair(directory, agree=agree).removed

    root = omnizarr.open_group(directory, mode="r+")
    (directory / "a" / "c" / "1").write_bytes(b"x")
    made = meanwhile(
        lambda: (
            root.create_array("b", shape=(2,), dtype="u1", compressors=None),
            root["a"].resize((6,)),  # type: ignore[union-attr]
        )
    )
    assert made == 1
    assert (directory / "b" / "c" / "0").exists() and (directory / "a" / "c" / "1").exists()


def test_consolidated_metadata_that_know_more_than_the_store_are_not_written_anew(directory: Path) -> None:
    omnizarr.consolidate_metadata(directory)
    (directory / "a" / "zarr.json").unlink()
    before = (directory / "zarr.json").read_bytes()
    done = omnizarr.repair(directory)
    assert (done.removed, [one.group for one in done.refused]) == (0, [""])
    assert "they alone have the document of /a" in done.refused[0].refusal
    assert (directory / "zarr.json").read_bytes() == before
    assert done.left == 2


def test_consolidated_metadata_over_a_broken_node_are_not_written_anew(directory: Path) -> None:
    root = omnizarr.open_group(directory, mode="r+")
    root.create_group("b")
    omnizarr.consolidate_metadata(directory)
    omnizarr.open_group(directory, mode="r+", use_consolidated=False)["b"].attrs["new"] = 1
    (directory / "a" / "zarr.json").write_bytes(b"{")
    done = omnizarr.repair(directory)
    assert [one.refusal for one in done.refused] == ["the node /a below it cannot be read"]


@pytest.fixture
def remote() -> Iterator[Store]:
    store = MemoryStore()
    store.requests = 8
    yield store


def test_stores_that_wait_are_asked_for_many_at_once(remote: Store) -> None:
    filled_array = omnizarr.create_array(remote, shape=(64,), chunks=(1,), dtype="u1", compressors=None)
    filled_array[:] = 1
    remote.set("c/5", b"")
    told: list[tuple[int, int]] = []
    report = omnizarr.validate(remote, level="data", progress=lambda done, total: told.append((done, total)))
    assert [finding.at for finding in report.findings] == ["c/5"]
    assert told == [(number, 64) for number in range(1, 65)]
