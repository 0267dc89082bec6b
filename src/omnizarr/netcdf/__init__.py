"""netCDF-4 datasets in Zarr, with netCDF4-python's names.

>>> from omnizarr import netcdf
>>> with netcdf.Dataset({}, "w") as dataset:
...     time = dataset.createDimension("time", None)
...     heat = dataset.createVariable("heat", "f4", ("time",), zlib=True)
...     heat.units = "K"
...     heat[:] = [280.5, 281.0]
...     dataset.dimensions["time"].size
2
"""

from omnizarr.netcdf.copying.convert import ConversionReport, convert, losses_of
from omnizarr.netcdf.dataset import Dataset
from omnizarr.netcdf.dimension import Dimension
from omnizarr.netcdf.group import Group
from omnizarr.netcdf.types import default_fillvals
from omnizarr.netcdf.variable import Variable

__all__ = [
    "ConversionReport",
    "Dataset",
    "Dimension",
    "Group",
    "Variable",
    "convert",
    "default_fillvals",
    "losses_of",
]
