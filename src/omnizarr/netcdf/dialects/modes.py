"""What netCDF-C's URLs ask for: `file:///data/run.zarr#mode=nczarr,zip&consolidated`.

https://docs.unidata.ucar.edu/netcdf-c/current/nczarr_head.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from omnizarr.errors import ConversionError
from omnizarr.store.urls.open import split_fragment

_PURE = ("zarr", "xarray", "noxarray")
_FORMATS = {"v2": 2, "v3": 3}
_STORAGE = ("file", "zip")
_NETWORK = ("s3", "gs3", "zoh")
_MODES = frozenset(("nczarr", *_PURE, *_FORMATS, *_STORAGE, *_NETWORK, "consolidated", "bytes"))
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://|file:", re.IGNORECASE)


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

    place: Any
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

    A path may have a fragment too, where it says a mode; `#` is else a part of its name.

    Raises
    ------
    ValueError
        The modes contradict each other, or one of them is unknown.
    ConversionError
        `mode=bytes`: it is a netCDF file.

    Examples
    --------
    >>> asked_of("file:///data/run#mode=nczarr,v3")
    Asked(place='file:///data/run', dialect='nczarr', zarr_format=3, consolidated=False)
    """
    if not isinstance(target, str) or "#" not in target:
        return Asked(target)
    place, mark, fragment = target.rpartition("#")
    _, said = split_fragment(mark + fragment)
    words = {name for name, values in said.items() if not values and name in _MODES}
    is_url = _SCHEME.match(place) is not None
    if not is_url and "mode" not in said and not words:
        return Asked(target)
    modes = frozenset(said.get("mode", ())) | words
    _check(target, modes)
    kept = {name: ",".join(values) for name, values in said.items() if name not in {"mode", *words}}
    return Asked(
        _with_storage(place, is_url, kept, modes),
        _dialect(modes),
        next((number for word, number in _FORMATS.items() if word in modes), None),
        "consolidated" in modes,
    )


def _check(target: str, modes: frozenset[str]) -> None:
    unknown = sorted(modes - _MODES)
    if unknown:
        known = ", ".join(sorted(_MODES))
        raise ValueError(f"{target}: expected modes among {known}, found {', '.join(unknown)}")
    for one, other in (("v2", "v3"), ("xarray", "noxarray"), ("file", "zip")):
        if {one, other} <= modes:
            raise ValueError(f"{target}: expected one of the modes {one} and {other}, found both")
    if "bytes" in modes:
        message = (
            "mode=bytes names a netCDF file; 'omnizarr copy' makes Zarr of a file that is on this machine"
        )
        raise ConversionError(f"{target}: {message}")


def _dialect(modes: frozenset[str]) -> str | None:
    """Return the dialect; pure Zarr wins over `nczarr`, as in netCDF-C."""
    if "noxarray" in modes:
        return "plain"
    if "xarray" in modes:
        return "xarray"
    return "zarr" if "zarr" in modes else "nczarr" if "nczarr" in modes else None


def _with_storage(place: str, is_url: bool, kept: dict[str, str], modes: frozenset[str]) -> str:
    """Return a place that says itself whether it is an archive, and what its store wants to know."""
    storage = [word for word in (*_STORAGE, *_NETWORK) if word in modes]
    if not is_url:
        if storage != ["zip"] or place.lower().endswith(".zip"):
            return place
        place = Path(place).absolute().as_uri()
    if storage and storage != ["file"]:
        kept = {"mode": ",".join(storage), **kept}
    return f"{place}#{urlencode(kept, safe=',')}" if kept else place
