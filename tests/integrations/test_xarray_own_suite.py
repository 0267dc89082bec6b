"""xarray's own tests of its zarr backend, pointed at ours.

`to_zarr` is `write`, and `engine="zarr"` is `omnizarr`; what errors and warnings say is not compared.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import xarray as xr
import zarr
from xarray.backends.zarr import ZarrBackendEntrypoint

from omnizarr.integrations.xarray import write
from omnizarr.integrations.xarray.backend import OmnizarrBackendEntrypoint

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from xarray.tests import test_backends
    from xarray.tests.conftest import time_unit as time_unit
    from xarray.tests.conftest import use_dask as use_dask
    from xarray.tests.test_backends import TestZarrDirectoryStore as OwnSuite
    from xarray.tests.test_backends import default_zarr_format as default_zarr_format

NOT_APPLICABLE = {
    "test_roundtrip_None_variable[3]": "Zarr v3 reserves names that start with __",
    "test_load_async": "needs pytest-asyncio; test_xarray_reading.py has one of its own",
    "test_read_non_consolidated_warning": "reading without consolidated metadata is no reason to warn",
    "test_compressor_encoding[3]": "compares with codecs of zarr-python; encodings here have JSON",
    "test_zarr_fill_value_setting[2": "asks for use_zarr_fill_value_as_mask=False, not heeded by xarray",
}

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


def to_zarr(self: Any, store: Any = None, **options: Any) -> Any:
    """Write as `to_zarr` would; its format is zarr-python's setting unless said otherwise."""
    known = zarr.config.get("default_zarr_format")
    if options.get("zarr_format") is None and options.get("mode") in (None, "w", "w-"):
        options["zarr_format"] = None if options.get("append_dim") or options.get("region") else known
    options.pop("chunkmanager_store_kwargs", None)
    return write(self, store, **options)


class AnyMessage:
    """pytest, but for the texts of errors and warnings: ours are others; their types are the same."""

    def __getattr__(self, name: str) -> Any:
        return getattr(pytest, name)

    def raises(self, kind: Any, *arguments: Any, match: str | None = None, **options: Any) -> Any:
        return pytest.raises(kind, *arguments, **options)


@pytest.fixture
def ours(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
    for name, reason in NOT_APPLICABLE.items():
        if request.node.name.startswith(name):
            pytest.skip(reason)
    for kind in (xr.Dataset, xr.DataArray, xr.DataTree):
        monkeypatch.setattr(kind, "to_zarr", to_zarr)
    for name in ("open_dataset", "open_datatree", "open_groups_as_dict", "open_dataset_parameters"):
        monkeypatch.setattr(ZarrBackendEntrypoint, name, getattr(OmnizarrBackendEntrypoint, name))
    monkeypatch.setattr(test_backends, "pytest", AnyMessage())
    yield


@pytest.mark.usefixtures("ours")
class TestOwnSuite(OwnSuite):  # type: ignore[misc]
    """Each of xarray's tests, with our reader and our writer."""


del OwnSuite
