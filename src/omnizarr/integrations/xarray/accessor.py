"""`dataset.omnizarr.write(…)`: xarray's own way to add methods.

https://docs.xarray.dev/en/stable/internals/extending-xarray.html
"""

from __future__ import annotations

from functools import wraps
from typing import Any

import xarray as xr

from omnizarr.integrations.xarray.writing import write


class OmnizarrAccessor:
    """What omnizarr adds to datasets, arrays and trees."""

    def __init__(self, data: xr.Dataset | xr.DataArray | xr.DataTree) -> None:
        self._data = data

    @wraps(write, assigned=("__doc__",))
    def write(self, target: Any, **options: Any) -> Any:
        return write(self._data, target, **options)


def register() -> None:
    """Make the accessor known to xarray; again is the same as once."""
    kinds: tuple[tuple[type, Any], ...] = (
        (xr.Dataset, xr.register_dataset_accessor),
        (xr.DataArray, xr.register_dataarray_accessor),
        (xr.DataTree, xr.register_datatree_accessor),
    )
    for kind, known in kinds:
        if not hasattr(kind, "omnizarr"):
            known("omnizarr")(OmnizarrAccessor)
