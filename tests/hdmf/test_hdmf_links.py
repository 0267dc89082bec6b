"""Links and references that hdmf-zarr wrote; and the public names for them, which need no hdmf."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path

import pytest

import omnizarr
from omnizarr import Array, Group, hdmf
from omnizarr.hdmf import Link, Reference
from omnizarr.jsontypes import dump_json

WRITTEN = json.loads((Path(__file__).parent / "data" / "links.json").read_text(encoding="utf-8"))["values"]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Group, Group]:
    """The two files that hdmf-zarr wrote: one in a folder, and one beside it that points into the first."""
    for key, value in WRITTEN.items():
        path = tmp_path / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(value) if isinstance(value, str) else dump_json(value))
    one, two = (
        omnizarr.open_group(tmp_path / name, mode="r+") for name in ("sub/one.nwb.zarr", "two.nwb.zarr")
    )
    return one, two


def test_links_within_a_file(files: tuple[Group, Group]) -> None:
    one, _ = files
    same = one["acquisition/same"]
    assert isinstance(same, Group)
    assert hdmf.links(same) == {
        name: Link(name, Reference(f"/acquisition/ts/{name}")) for name in ("data", "timestamps")
    }
    assert same.get("data") is None
    data = same.get("data", follow_links=True)
    assert isinstance(data, Array)
    assert data[:].tolist() == [0, 1, 2]


def test_links_into_another_file(files: tuple[Group, Group]) -> None:
    one, two = files
    found = dict(two.members(None, follow_links=True))
    assert found["acquisition/other/data"] == found["acquisition/ts/data"] == one["acquisition/ts/data"]
    assert found["acquisition/ts"] == one["acquisition/ts"]
    ours = two["acquisition/other"]
    assert isinstance(ours, Group)
    assert hdmf.links(ours)["data"].reference == Reference("/acquisition/ts/data", "../sub/one.nwb.zarr")
    found["acquisition/other/data"][:]


def test_references_in_attributes(files: tuple[Group, Group]) -> None:
    one, _ = files
    index = one["intervals/epochs/timeseries_index"]
    target = hdmf.references(index)["target"]
    assert target.source_object_id == one.attrs["object_id"]
    assert hdmf.resolve(target, index) == one["intervals/epochs/timeseries"]


def test_every_link_and_reference_is_read(files: tuple[Group, Group]) -> None:
    resolver = hdmf.Resolver()
    count = 0
    for root in files:
        for _, node in [("", root), *root.members(None)]:
            found = [
                *hdmf.references(node).values(),
                *(hdmf.links(node).values() if isinstance(node, Group) else ()),
            ]
            count += len([resolver.resolve(one, node) for one in found])
    assert count == 6


def test_what_is_added_has_the_form_that_is_there(files: tuple[Group, Group]) -> None:
    one, two = files
    group = two["acquisition/other"]
    assert isinstance(group, Group)
    hdmf.add_link(group, "timestamps", one["acquisition/ts/timestamps"])
    theirs, ours = group.attrs["zarr_link"]
    assert {name: ours[name] for name in theirs} == {
        "name": "timestamps",
        "path": "/acquisition/ts/timestamps",
        "source": "../sub/one.nwb.zarr",
    }
    index = one["intervals/epochs/timeseries_index"]
    stored = index.attrs["target"]
    target = hdmf.add_reference(index, "target", one["intervals/epochs/timeseries"])
    assert hdmf.references(index)["target"] == target
    assert index.attrs["target"]["value"].keys() == stored["value"].keys()


WITHOUT = "import sys; sys.modules.update(dict.fromkeys(['hdmf', 'pynwb'])); "


def test_links_and_values_need_no_hdmf() -> None:
    program = f"{WITHOUT}from omnizarr.hdmf import links, resolve, read_values"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("name", ["ZarrIO", "NWBZarrIO", "ZarrDataIO"])
def test_the_backend_says_what_it_needs(name: str) -> None:
    program = f"{WITHOUT}from omnizarr.hdmf import {name}"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    said = run.stderr.strip().splitlines()[-1]
    assert said.startswith(f"ImportError: {name} needs the package ")
    assert said.endswith("""which belongs to the extra 'hdmf' (pip install "omnizarr[hdmf]")""")


def test_the_public_names_are_there() -> None:
    assert sorted(hdmf.__all__) == list(hdmf.__all__)
    pytest.importorskip("pynwb")
    assert set(hdmf.__all__) <= set(dir(hdmf))
    assert all(hasattr(hdmf, name) for name in hdmf.__all__)
    assert not hasattr(hdmf, "nothing")
