"""xarray on omnizarr."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import xarray

from omnizarr import __version__
from omnizarr.integrations.xarray import write


class Omnizarr:
    """`engine="omnizarr"`, and `write`."""

    name = "omnizarr"
    version = __version__

    def open(self, place: Path) -> Any:
        return xarray.open_dataset(place, engine="omnizarr")

    def write(self, dataset: Any, place: Path, encoding: dict[str, Any]) -> None:
        write(dataset, place, encoding=encoding, zarr_format=3, consolidated=True)


OURS = Omnizarr()
