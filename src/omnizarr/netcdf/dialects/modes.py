"""What netCDF-C's URLs ask for: `file:///data/run.zarr#mode=nczarr,zip&consolidated`.

https://docs.unidata.ucar.edu/netcdf-c/current/nczarr_head.html
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from omnizarr.store.urls.fragments import NETWORK_MODES
from omnizarr.store.urls.grammar import Url, is_plain, parse_url


@dataclass(frozen=True, slots=True)
class Asked:
    """What a place asks for.

    Attributes
    ----------
    place
        What `omnizarr.open` takes: a URL keeps in its fragment what is of its store.
    dialect
        A name, as `dialects.detect` takes it; `zarr` is pure Zarr, with xarray's names where there are
        some. None where nothing is asked for.
    zarr_format
        2 or 3; None where nothing is asked for.
    consolidated
        Whether consolidated metadata are to be used, and made.
    """

    place: Any = field(repr=False)  # perhaps with credentials
    dialect: str | None = None
    zarr_format: int | None = None
    consolidated: bool = False

    def opened_as(self) -> str | None:
        """Return the dialect to read an existing dataset as; None for its own.

        A URL that says `nczarr` forces nothing: what has no superblock is pure Zarr all the same.
        """
        return None if self.dialect == "nczarr" else self.dialect


def asked_of(target: Any) -> Asked:
    """Return what a path or URL asks for, by `mode=` in its fragment or by bare words.

    Raises
    ------
    UrlError
        The modes contradict each other, or one of them is unknown; another part is not what it should be.
    ConversionError
        `mode=bytes`: it is a netCDF file.

    Examples
    --------
    >>> asked_of("file:///data/run#mode=nczarr,v3")
    Asked(dialect='nczarr', zarr_format=3, consolidated=False)
    """
    if not isinstance(target, str) or is_plain(target):
        return Asked(target)
    url = parse_url(target)
    modes = url.fragment.modes
    return Asked(_of_store(url, modes), _dialect(modes), url.zarr_format, url.consolidated)


def _dialect(modes: frozenset[str]) -> str | None:
    """Return the dialect; pure Zarr wins over `nczarr`, as in netCDF-C."""
    if "noxarray" in modes:
        return "plain"
    if "xarray" in modes:
        return "xarray"
    return "zarr" if "zarr" in modes else "nczarr" if "nczarr" in modes else None


def _of_store(url: Url, modes: frozenset[str]) -> str:
    """Return a place that says itself whether it is an archive, and what its store wants to know."""
    if not url.scheme and url.place.lower().endswith(".zip"):
        modes -= {"zip"}
    if not url.scheme and "zip" in modes:
        url = replace(url, place=Path(url.place).absolute().as_uri())
    return url.with_modes(modes & {"zip", *NETWORK_MODES}).text()
