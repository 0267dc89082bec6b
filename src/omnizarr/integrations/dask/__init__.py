"""dask on omnizarr: arrays of any dialect as dask arrays, and dask arrays stored in arrays.

>>> import dask.array as da
>>> from omnizarr.integrations.dask import from_array, write
>>> write(da.ones((4, 6), chunks=(2, 6)), "memory://doc-dask")
>>> from_array("memory://doc-dask").chunks
((2, 2), (6,))
"""

from omnizarr.integrations.dask.reading import from_array
from omnizarr.integrations.dask.storing import store
from omnizarr.integrations.dask.writing import write

__all__ = ["from_array", "store", "write"]
