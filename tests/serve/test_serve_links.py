"""HDMF's links: the page leads to what they name in the same file, and to nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from serving import asking

import omnizarr
from omnizarr.store import MemoryStore


def link(name: str, path: str, source: str = ".") -> dict[str, Any]:
    return {"name": name, "path": path, "source": source}


@pytest.mark.parametrize("top", ["", "day/"])
def test_links_lead_to_nodes_of_their_file(top: str) -> None:
    store = MemoryStore()
    root = omnizarr.open_group(store, mode="w", zarr_format=2)
    file = root.create_group("day") if top else root
    file.update_attributes({".specloc": "specifications"})
    file.create_group("ts").create_array("data", data=np.arange(3))
    found = [link("data", "/ts/data"), link("other", "/a", "../b.zarr")]
    file.create_group("linked", attributes={"zarr_link": found})
    node = asking(store).get(f"/api/node?root=d&path={top}linked").json()
    assert node["links"] == [
        {"name": "data", "path": f"{top}ts/data", "to": "/ts/data"},
        {"name": "other", "path": None, "to": "/a in ../b.zarr"},
    ]
    assert asking(store).get(f"/api/node?root=d&path={top}ts").json()["links"] == []


def test_links_that_are_said_wrong_are_attributes_alone() -> None:
    store = MemoryStore()
    omnizarr.open_group(store, mode="w", zarr_format=2, attributes={"zarr_link": [{"name": 1}]})
    assert asking(store).get("/api/node?root=d").json()["links"] == []


def test_very_many_links_are_cut() -> None:
    store = MemoryStore()
    many = [link(f"n{i}", "/x") for i in range(3000)]
    omnizarr.open_group(store, mode="w", zarr_format=2, attributes={"zarr_link": many})
    assert len(asking(store).get("/api/node?root=d").json()["links"]) == 500
