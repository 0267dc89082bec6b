"""Which dialect a hierarchy speaks.

A superblock of any kind makes it NCZarr; without one it is pure Zarr, whatever a URL may say: in xarray's
convention where arrays name their dimensions as that does, else plain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from omnizarr.errors import ConversionError
from omnizarr.hierarchy.group import Group
from omnizarr.netcdf.dialects.base import Dialect, Found, Readable
from omnizarr.netcdf.dialects.nczarr import NCZarr
from omnizarr.netcdf.dialects.nczarr1 import NCZarr1
from omnizarr.netcdf.dialects.nczarr2 import NCZarr2
from omnizarr.netcdf.dialects.nczarr3 import NCZarr3
from omnizarr.netcdf.dialects.plain import Plain
from omnizarr.netcdf.dialects.proposal2018 import Proposal2018
from omnizarr.netcdf.dialects.pure import read_pure
from omnizarr.netcdf.dialects.xarray import Xarray


@dataclass(frozen=True, slots=True)
class Pure:
    """Zarr without annotations; only reading all of it tells of which convention it is."""

    name: str = "zarr"

    def recognizes(self, root: Group) -> bool:
        """Say yes: any hierarchy can be read like this."""
        return True

    def read(self, root: Group) -> Found:
        """Return the dataset below a group, which says whether it is `xarray` or `plain`."""
        zarr_format = 2 if root.zarr_format == 2 else 3
        return read_pure(root, (Xarray(zarr_format), Plain(zarr_format)))


# In the order in which they are tried.
DIALECTS: tuple[Readable, ...] = (
    NCZarr(),
    NCZarr3(),
    NCZarr2(),
    NCZarr1(),
    Proposal2018(),
    Xarray(2),
    Xarray(3),
    Plain(2),
    Plain(3),
)
_ANNOTATED = tuple(dialect for dialect in DIALECTS if not isinstance(dialect, Xarray | Plain))


def detect(root: Group) -> Readable:
    """Return what reads the dataset at a group; the model that it reads says the dialect."""
    return next((dialect for dialect in _ANNOTATED if dialect.recognizes(root)), Pure())


class Reading(NamedTuple):
    """A dataset as it was read.

    Attributes
    ----------
    dialect
        What it is written in.
    is_forced
        Whether it was read as another dialect than its own, and can therefore not be changed.
    """

    found: Found
    dialect: Readable
    is_forced: bool = False


def read_dataset(root: Group, name: str | None = None, *, adopt: bool = False) -> Reading:
    """Read the dataset at a group.

    Parameters
    ----------
    name
        The dialect to read it as, instead of its own; `zarr` for that of pure Zarr which fits.
    adopt
        Whether pure Zarr that is asked for as `proposal2018` is to be changed: then it is `plain`. To that
        proposal datasets that netCDF did not write are read only.

    Raises
    ------
    ValueError
        There is no dialect of this name.
    ConversionError
        The dataset has not the notes of this dialect; only as pure Zarr anything can be read.
    """
    own = detect(root)
    reader = own if name is None else _reader(name, root)
    if isinstance(reader, Proposal2018) and isinstance(own, Pure):
        if not adopt:
            return Reading(reader.read(root), reader, True)
        reader = _reader("plain", root)
    is_pure = isinstance(reader, Pure | Xarray | Plain)
    if not is_pure and reader != own:
        found_as = "pure Zarr" if isinstance(own, Pure) else repr(own.name)
        raise ConversionError(f"dialect: expected {name!r}, found {found_as} at {root.store_path}")
    found = reader.read(root)
    written = _reader(found.model.dialect, root) if isinstance(reader, Pure) else reader
    return Reading(found, written, is_pure and not isinstance(own, Pure))


def _reader(name: str, root: Group) -> Readable:
    if name == "zarr":
        return Pure()
    written = [dialect for dialect in _named(name) if isinstance(dialect, Dialect)]
    fitting = [dialect for dialect in written if dialect.zarr_format == root.zarr_format]
    return (fitting or _named(name))[0]


def dialect_for(name: str, zarr_format: int | None = None) -> Dialect:
    """Return the dialect to write a dataset in, by its name and Zarr's format (2 where that may be).

    `zarr` is pure Zarr as netCDF-C writes it: in xarray's convention.

    Raises
    ------
    ValueError
        There is none of this name.
    ConversionError
        It is read only, or does not exist on this format.
    """
    name = "xarray" if name == "zarr" else name
    written = [dialect for dialect in _named(name) if isinstance(dialect, Dialect)]
    if not written:
        raise ConversionError(f"dialect {name!r} is read only; 'nczarr' is what became of it")
    fitting = [dialect for dialect in written if zarr_format in (None, dialect.zarr_format)]
    if not fitting:
        formats = ", ".join(str(dialect.zarr_format) for dialect in written)
        raise ConversionError(f"dialect {name!r}: expected Zarr format {formats}, found {zarr_format}")
    return fitting[0]


def _named(name: str) -> list[Readable]:
    named = [dialect for dialect in DIALECTS if dialect.name == name]
    if not named:
        known = dict.fromkeys(repr(dialect.name) for dialect in DIALECTS)
        raise ValueError(f"dialect: expected one of {', '.join(known)} or 'zarr', found {name!r}")
    return named
