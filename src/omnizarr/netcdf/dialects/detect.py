"""Which dialect a hierarchy speaks.

A superblock of any kind makes it NCZarr; without one it is plain Zarr, whatever a URL may say.
"""

from __future__ import annotations

from omnizarr.errors import ConversionError
from omnizarr.hierarchy.group import Group
from omnizarr.netcdf.dialects.base import Dialect, Readable
from omnizarr.netcdf.dialects.nczarr import NCZarr
from omnizarr.netcdf.dialects.nczarr2 import NCZarr2
from omnizarr.netcdf.dialects.plain import Plain

# In the order in which they are tried: the last one recognizes everything.
DIALECTS: tuple[Readable, ...] = (NCZarr(), NCZarr2(), Plain())


def detect(root: Group) -> Readable:
    """Return the dialect of the dataset at a group."""
    return next(dialect for dialect in DIALECTS if dialect.recognizes(root))


def dialect_for(name: str, zarr_format: int | None = None) -> Dialect:
    """Return the dialect to write a dataset in, by its name and Zarr's format (2 where that may be).

    Raises
    ------
    ValueError
        There is none of this name.
    ConversionError
        It is read only, or does not exist on this format.
    """
    named = [dialect for dialect in DIALECTS if dialect.name == name]
    if not named:
        known = dict.fromkeys(repr(d.name) for d in DIALECTS if isinstance(d, Dialect))
        raise ValueError(f"dialect: expected one of {', '.join(known)}, found {name!r}")
    written = [dialect for dialect in named if isinstance(dialect, Dialect)]
    if not written:
        raise ConversionError(f"dialect {name!r} is read only; 'nczarr' is what became of it")
    fitting = [dialect for dialect in written if zarr_format in (None, dialect.zarr_format)]
    if not fitting:
        formats = ", ".join(str(dialect.zarr_format) for dialect in written)
        raise ConversionError(f"dialect {name!r}: expected Zarr format {formats}, found {zarr_format}")
    return fitting[0]
