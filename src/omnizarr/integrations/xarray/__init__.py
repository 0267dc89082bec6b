"""xarray on omnizarr: `engine="omnizarr"` opens any dialect at any place, `write` stores datasets and trees.

Importing this makes `dataset.omnizarr.write(…)` known; so does opening with the engine.

>>> import xarray
>>> from omnizarr.integrations.xarray import write
>>> write(xarray.Dataset({"t": ("x", [1.0, 2.0])}), "memory://doc-xarray")
>>> float(xarray.open_dataset("memory://doc-xarray", engine="omnizarr").t.sum())
3.0
"""

try:
    from omnizarr.integrations.xarray.accessor import register
    from omnizarr.integrations.xarray.writing import write
except ModuleNotFoundError as error:
    if error.name is None or error.name.partition(".")[0] not in ("xarray", "dask"):
        raise
    message = f"this needs the package {error.name}, which belongs to the extra 'xarray'"
    raise ImportError(f'{message} (pip install "omnizarr[xarray]")', name=error.name) from error

__all__ = ["write"]

register()
