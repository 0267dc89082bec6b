"""Which dialect a hierarchy speaks.

A superblock of any kind makes it NCZarr; without one it is plain Zarr, whatever a URL may say.
"""

from __future__ import annotations

from omnizarr.hierarchy.group import Group
from omnizarr.netcdf.dialects.base import Dialect
from omnizarr.netcdf.dialects.nczarr import SUPERBLOCK, NCZarr, annotation
from omnizarr.netcdf.dialects.plain import Plain

DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in (NCZarr(), Plain())}


def detect(root: Group) -> Dialect:
    """Return the dialect of the dataset at a group."""
    return DIALECTS["plain" if annotation(root.metadata, SUPERBLOCK) is None else "nczarr"]
