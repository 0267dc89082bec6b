"""Stores that somebody made to break the page: what is long is cut, and what no key can be is no failure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from serving import Asking, asking

import omnizarr
from omnizarr.serve.app import make_app
from omnizarr.serve.options import ServeOptions
from omnizarr.serve.roots import open_roots
from omnizarr.serve.spelling import LONGEST_NAME
from omnizarr.store import MemoryStore
from omnizarr.store.layers.wrap import CountingStore

LONG = "a" * 100_000


def described(store: Any, path: str = "a") -> tuple[Any, Any, bytes]:
    """Return what the page is told of the root, of a node, and a picture of that."""
    ask = asking(store)
    answers = [ask.get(f"/api/{name}?root=d&path={path}") for name in ("node", "picture")]
    assert [answer.status for answer in answers] == [200, 200], answers
    return ask.get("/api/members?root=d").json(), answers[0].json(), answers[1].body


def header_of(picture: bytes) -> Any:
    return json.loads(picture[4 : 4 + int.from_bytes(picture[:4], "little")])


@pytest.mark.parametrize("name", ["a\tb", "..", ".git", "/", "\ud800", LONG])
def test_dimensions_whose_names_no_key_can_have_are_shown(name: str, tmp_path: Path) -> None:
    group = omnizarr.open_group(tmp_path / "x.zarr", mode="w")
    group.create_array("a", data=np.arange(3), dimension_names=[name], attributes={"coordinates": name})
    roots = open_roots([str(tmp_path / "x.zarr")])
    ask = Asking(make_app(roots, ServeOptions()))
    [dimension] = ask.get("/api/node?root=x.zarr&path=a").json()["dimensions"]
    assert dimension["name"][: LONGEST_NAME - 1] == name[: LONGEST_NAME - 1]
    assert ask.get("/api/picture?root=x.zarr&path=a").status == 200
    roots[0].store.close()


def test_texts_that_should_be_short_are_cut() -> None:
    store = MemoryStore()
    group = omnizarr.open_group(store, mode="w")
    said = {"units": LONG, "long_name": LONG}
    for name in ("a", "x", "y"):
        group.create_array(name, data=np.arange(3.0), dimension_names=["x"], attributes=said)
    group.create_array("b", data=np.zeros((2, 2)), dimension_names=[LONG, None])
    store.set("broken/zarr.json", json.dumps({"zarr_format": 3, "node_type": LONG}).encode())
    members, node, picture = described(store)
    assert len(json.dumps(members)) < 10_000
    assert len(node["units"]) == len(node["long_name"]) == LONGEST_NAME
    assert len(picture) < 4000
    assert len(described(store, "b")[2]) < 2000


def test_fields_are_told_as_far_as_they_can_be_chosen_from() -> None:
    group = omnizarr.open_group(store := MemoryStore(), mode="w", zarr_format=2)
    dtype = np.dtype([(f"field number {i}", "u1") for i in range(10_000)])
    group.create_array("a", data=np.zeros(2, dtype))
    _, node, picture = described(store)
    assert len(node["fields"]) == len(header_of(picture)["fields"]) == 1000
    assert asking(store).get("/api/picture?root=d&path=a&field=field%20number%209999").status == 200


def test_names_of_coordinates_are_looked_for_as_far_as_anyone_has_them() -> None:
    store = CountingStore(MemoryStore())
    names = " ".join(f"c{i}" for i in range(10_000))
    group = omnizarr.open_group(store, mode="w")
    group.create_array("a", data=np.arange(3), dimension_names=["x"], attributes={"coordinates": names})
    store.reset()
    described(store)
    assert sum(store.counts.values()) < 200


def test_no_answer_says_where_a_store_is(tmp_path: Path) -> None:
    place = tmp_path / "secret" / "x.zarr"
    group = omnizarr.open_group(place, mode="w")
    group.create_array("a", data=np.arange(3))
    (place / "a" / "c" / "0").write_bytes(b"\1")
    (place / "bad").mkdir()
    (place / "bad" / "zarr.json").write_text("{}")
    roots = open_roots([f"x={place}"])
    roots[0].url = "x.zarr"
    ask = Asking(make_app(roots, ServeOptions()))
    answers = [
        ask.get(f"/api/{what}")
        for what in (
            "members?root=x",
            "find?root=x&text=bad",
            "node?root=x&path=bad",
            "picture?root=x&path=a",
            "node?root=x&path=no",
            "members?root=x&path=a",
        )
    ]
    assert [answer.status for answer in answers] == [200, 200, 422, 422, 404, 400]
    assert b"node '/bad'" in answers[2].body
    assert not [answer.body for answer in answers if b"secret" in answer.body]
    roots[0].store.close()
