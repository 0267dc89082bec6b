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
from omnizarr.netcdf.functions import (
    LIBRARY_VERSION,
    NC_DISKLESS,
    NC_PERSIST,
    PYTHON_VERSION,
    SUPPORT,
    chartostring,
    default_encoding,
    dtype_is_complex,
    get_alignment,
    get_chunk_cache,
    getlibversion,
    is_native_big,
    is_native_little,
    rc_get,
    rc_set,
    set_alignment,
    set_chunk_cache,
    stringtoarr,
    stringtochar,
    unicode_error,
)
from omnizarr.netcdf.group import Group
from omnizarr.netcdf.model.types import default_fillvals
from omnizarr.netcdf.multifile import MFDataset, MFTime
from omnizarr.netcdf.times import date2index, date2num, num2date
from omnizarr.netcdf.usertypes import CompoundType, EnumType, OpaqueType, VLType
from omnizarr.netcdf.variable import Variable
from omnizarr.netcdf.zmap import ZMap

# What scripts ask netCDF4-python's module before they use something.
__version__ = PYTHON_VERSION
__netcdf4libversion__ = LIBRARY_VERSION
__hdf5libversion__ = "0.0.0"
globals().update({f"__has_{name}__": is_there for name, is_there in SUPPORT.items()})

__all__ = [
    "NC_DISKLESS",
    "NC_PERSIST",
    "CompoundType",
    "ConversionReport",
    "Dataset",
    "Dimension",
    "EnumType",
    "Group",
    "MFDataset",
    "MFTime",
    "OpaqueType",
    "VLType",
    "Variable",
    "ZMap",
    "chartostring",
    "convert",
    "date2index",
    "date2num",
    "default_encoding",
    "default_fillvals",
    "dtype_is_complex",
    "get_alignment",
    "get_chunk_cache",
    "getlibversion",
    "is_native_big",
    "is_native_little",
    "losses_of",
    "num2date",
    "rc_get",
    "rc_set",
    "set_alignment",
    "set_chunk_cache",
    "stringtoarr",
    "stringtochar",
    "unicode_error",
]
