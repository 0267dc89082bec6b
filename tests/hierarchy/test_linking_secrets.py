"""References to places with credentials: kept where they are stored, and shown nowhere."""

from __future__ import annotations

import pytest

import omnizarr
from omnizarr.errors import OmniZarrError
from omnizarr.hierarchy.linking.links import add_link
from omnizarr.hierarchy.linking.reference import Link, Reference, RegionReference
from omnizarr.hierarchy.linking.region import Slices
from omnizarr.hierarchy.linking.resolve import resolve
from omnizarr.store import MemoryStore

_SECRET = "S3cr3t"
_SOURCE = f"nosuch://me:{_SECRET}@host/a.zarr?sig={_SECRET}#token={_SECRET}"


def test_references_are_shown_without_credentials() -> None:
    plain = Reference("/a", _SOURCE, "id")
    part = RegionReference("/a", _SOURCE, region=Slices(((0, 1, 1),)))
    for shown in (str(plain), repr(plain), repr(part), repr(Link("x", plain))):
        assert _SECRET not in shown
        assert "nosuch://host/a.zarr" in shown
    assert plain.to_json()["source"] == _SOURCE
    shown = repr(Reference("/a"))
    assert shown == "Reference(path='/a', source='.', object_id=None, source_object_id=None)"


def test_messages_about_references_show_no_credentials() -> None:
    group = omnizarr.open_group(MemoryStore(), mode="w")
    with pytest.raises(OmniZarrError, match=r"points at /a in nosuch://host/a\.zarr") as caught:
        resolve(Reference("/a", _SOURCE), group)
    assert _SECRET not in f"{caught.value} {caught.value!r}"
    add_link(group, "x", Reference("/a", _SOURCE))
    with pytest.raises(OmniZarrError) as followed:
        dict(group.members(follow_links=True))
    assert _SECRET not in f"{followed.value} {followed.value!r}"
