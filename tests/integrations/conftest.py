"""Marks that xarray's own tests have."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    for name in ("flaky", "network", "slow_hypothesis", "asyncio", "skip_if_param", "skip_with_dask_array"):
        config.addinivalue_line("markers", f"{name}: of xarray's own tests")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip as the plug-in does that xarray's own tests are run with."""
    callspec = getattr(item, "callspec", None)
    for mark in item.iter_markers("skip_if_param"):
        said = {name: value for name, value in mark.kwargs.items() if name not in ("reason", "condition")}
        if not mark.kwargs.get("condition", True):
            continue
        if callspec is not None and all(callspec.params.get(name) == value for name, value in said.items()):
            pytest.skip(mark.kwargs.get("reason", "not for these parameters"))
