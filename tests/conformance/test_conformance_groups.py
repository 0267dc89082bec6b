"""Hierarchies of others, and ours read by them: groups, attributes, consolidated metadata."""

from __future__ import annotations

import numpy as np
import pytest
import zarr
import zarrista
from zarrista.store import FilesystemStore

import omnizarr

pytestmark = pytest.mark.filterwarnings(
    "ignore::zarr.errors.UnstableSpecificationWarning", "ignore::zarr.errors.ZarrUserWarning"
)
EXPECTED = {"": {"title": "é"}, "g": {"n": 1}, "g/x": {}, "g/inner": {}, "y": {"units": "m"}}


def fill(root, create_group, create_array):
    """Make the same hierarchy by any library of these names."""
    inner = create_group(root, "g", {"n": 1})
    create_group(inner, "inner", {})
    create_array(inner, "x", {})[...] = np.arange(4, dtype="f4")
    create_array(root, "y", {"units": "m"})[...] = np.arange(4, dtype="f4")


def named(group, name, attributes):
    return group.create_group(name, attributes=attributes)


def array_in(group, name, attributes):
    return group.create_array(name, shape=(4,), chunks=(2,), dtype="f4", attributes=attributes)


def contents(root):
    """Return the attributes of every node, by path, as both faces of the same names give them."""
    return {"": dict(root.attrs)} | {path: dict(node.attrs) for path, node in root.members(max_depth=None)}


@pytest.mark.parametrize("consolidated", [False, True])
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_zarr_python_both_ways(tmp_path, zarr_format, consolidated):
    for library, other in ((omnizarr, zarr), (zarr, omnizarr)):
        place = str(tmp_path / library.__name__)
        root = library.create_group(place, zarr_format=zarr_format, attributes={"title": "é"})
        fill(root, named, array_in)
        if consolidated:
            library.consolidate_metadata(place)
        found = (other.open_consolidated if consolidated else other.open_group)(place, mode="r")
        assert contents(found) == EXPECTED
        np.testing.assert_array_equal(found["g/x"][...], np.arange(4))


def test_ours_by_zarrista(tmp_path):
    root = omnizarr.create_group(str(tmp_path), zarr_format=3, attributes={"title": "é"})
    fill(root, named, array_in)
    omnizarr.consolidate_metadata(str(tmp_path))
    group = zarrista.Group.open(FilesystemStore(tmp_path))
    found = {node.path.lstrip("/"): dict(node.attrs) for node in group.traverse()}
    assert found | {"": dict(group.attrs)} == EXPECTED
    kept = group.consolidated_metadata
    assert kept is not None
    assert sorted(kept["metadata"]) == ["g", "g/inner", "g/x", "y"]
    array = zarrista.Array.open(FilesystemStore(tmp_path), "/g/x")
    np.testing.assert_array_equal(array[...].to_numpy(), np.arange(4))


def test_what_zarrista_changes_in_our_groups(tmp_path):
    omnizarr.create_group(str(tmp_path), zarr_format=3, attributes={"title": "é"})
    group = zarrista.Group.open(FilesystemStore(tmp_path))
    group.with_attrs({**group.attrs, "more": [None]}).store_metadata()
    found = dict(omnizarr.open_group(str(tmp_path), mode="r").attrs)
    assert {key: value for key, value in found.items() if key != "_zarrs"} == {"title": "é", "more": [None]}
