"""xarray on omnizarr: `engine="omnizarr"` opens any dialect at any place, `write` stores datasets and trees.

Importing this makes `dataset.omnizarr.write(…)` known; so does opening with the engine.

>>> import xarray
>>> from omnizarr.integrations.xarray import write
>>> write(xarray.Dataset({"t": ("x", [1.0, 2.0])}), "memory://doc-xarray")
>>> float(xarray.open_dataset("memory://doc-xarray", engine="omnizarr").t.sum())
3.0
"""

from omnizarr.integrations.xarray.accessor import register
from omnizarr.integrations.xarray.writing import write

__all__ = ["write"]

register()
