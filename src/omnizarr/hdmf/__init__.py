"""HDMF and NWB on Zarr.

https://hdmf-zarr.readthedocs.io/en/stable/storage.html

Links and references need nothing else, and work in any hierarchy::

    from omnizarr import hdmf

    group = omnizarr.open_group("recording.nwb.zarr")
    hdmf.add_link(group["acquisition/raw"], "timestamps", group["acquisition/other/timestamps"])
    link = hdmf.links(group["acquisition/raw"])["timestamps"]
    hdmf.resolve(link, group["acquisition/raw"])

`ZarrIO`, `NWBZarrIO` and `ZarrDataIO` are a backend for HDMF and pynwb, which the extra `hdmf` installs::

    with hdmf.NWBZarrIO("recording.nwb.zarr", "r") as io:
        recording = io.read()
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

from omnizarr.hierarchy.linking.attributes import add_reference, references
from omnizarr.hierarchy.linking.links import add_link, links, remove_link
from omnizarr.hierarchy.linking.making import reference_to, region_reference_to
from omnizarr.hierarchy.linking.reference import Link, Reference, RegionReference
from omnizarr.hierarchy.linking.region import Points, Slices, region_of
from omnizarr.hierarchy.linking.resolve import Resolver, resolve

if TYPE_CHECKING:
    from omnizarr.hdmf.backend.data_io import ZarrDataIO as ZarrDataIO
    from omnizarr.hdmf.backend.io import ZarrIO as ZarrIO
    from omnizarr.hdmf.backend.nwb import NWBZarrIO as NWBZarrIO

__all__ = [
    "Link",
    "Points",
    "Reference",
    "RegionReference",
    "Resolver",
    "Slices",
    "add_link",
    "add_reference",
    "links",
    "reference_to",
    "references",
    "region_of",
    "region_reference_to",
    "remove_link",
    "resolve",
]

_BACKEND = {"NWBZarrIO": "nwb", "ZarrDataIO": "data_io", "ZarrIO": "io"}
_NEEDED = ("hdmf", "pynwb", "h5py")


def __getattr__(name: str) -> Any:
    """Import the backend when it is first asked for: it needs more than the rest.

    Raises
    ------
    ImportError
        hdmf or pynwb are not installed.
    """
    if name not in _BACKEND:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        with warnings.catch_warnings():
            # netCDF4 and h5py bring an HDF5 each, and the one that is loaded first serves both.
            warnings.filterwarnings("ignore", "h5py is running against HDF5")
            module = import_module(f"{__name__}.backend.{_BACKEND[name]}")
    except ModuleNotFoundError as error:
        if error.name not in _NEEDED:
            raise
        message = f"{name} needs {error.name}, which is not installed: pip install 'omnizarr[hdmf]'"
        raise ImportError(message, name=error.name) from error
    return getattr(module, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_BACKEND})
