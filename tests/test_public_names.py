"""The names that users see; a change here is a change of the interface."""

import inspect

import pytest

import omnizarr

NAMES = {
    "Array",
    "Group",
    "OmniZarrError",
    "Processes",
    "__version__",
    "array",
    "config",
    "consolidate_metadata",
    "copy",
    "create",
    "create_array",
    "create_group",
    "create_hierarchy",
    "delete",
    "empty",
    "empty_like",
    "from_array",
    "full",
    "full_like",
    "group",
    "load",
    "move",
    "ones",
    "ones_like",
    "open",
    "open_array",
    "open_consolidated",
    "open_group",
    "open_like",
    "repair",
    "save",
    "save_array",
    "save_group",
    "tree",
    "validate",
    "zeros",
    "zeros_like",
}

OF_A_GROUP = {
    "array_keys",
    "array_values",
    "arrays",
    "attrs",
    "basename",
    "create_array",
    "create_group",
    "create_hierarchy",
    "empty",
    "empty_like",
    "full",
    "full_like",
    "get",
    "group_keys",
    "group_values",
    "groups",
    "info",
    "items",
    "keys",
    "members",
    "metadata",
    "move",
    "name",
    "nmembers",
    "ones",
    "ones_like",
    "path",
    "read_only",
    "refresh",
    "require_array",
    "require_group",
    "require_groups",
    "store",
    "store_path",
    "tree",
    "update_attributes",
    "values",
    "walk",
    "zarr_format",
    "zeros",
    "zeros_like",
}


def test_names_of_the_package():
    assert set(omnizarr.__all__) == NAMES
    assert all(hasattr(omnizarr, name) for name in NAMES)


def test_names_of_a_group():
    assert {name for name in dir(omnizarr.Group) if not name.startswith("_")} == OF_A_GROUP | {"format"}


@pytest.mark.parametrize("name", sorted(NAMES - {"__version__", "config"}))
def test_everything_public_is_documented(name):
    assert inspect.getdoc(getattr(omnizarr, name))


def test_modules_that_users_name():
    assert omnizarr.errors.OmniZarrError is omnizarr.OmniZarrError
    assert {"MemoryStore", "DirectoryStore", "ZipStore"} <= set(omnizarr.store.__all__)
    with omnizarr.config.using(zarr_format=2):
        assert omnizarr.create_group().zarr_format == 2
    assert omnizarr.create_group().zarr_format == 3
