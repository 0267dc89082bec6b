"""HDMF and NWB on Zarr.

https://hdmf-zarr.readthedocs.io/en/stable/storage.html

Links, references and values need nothing else, and work in any hierarchy::

    from omnizarr import hdmf

    group = omnizarr.open_group("recording.nwb.zarr")
    hdmf.add_link(group["acquisition/raw"], "timestamps", group["acquisition/other/timestamps"])
    link = hdmf.links(group["acquisition/raw"])["timestamps"]
    hdmf.resolve(link, group["acquisition/raw"])

`ZarrIO`, `NWBZarrIO` and `ZarrDataIO` are what HDMF calls a backend, and need the extra `hdmf`, as does
`read_nwb`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from omnizarr.hdmf.objects import create_values, read_values, write_values
from omnizarr.hdmf.specs import read_specs, write_specs
from omnizarr.hierarchy.linking.attributes import add_reference, references
from omnizarr.hierarchy.linking.links import add_link, links, remove_link
from omnizarr.hierarchy.linking.making import reference_to, region_reference_to
from omnizarr.hierarchy.linking.reference import Link, Reference, RegionReference
from omnizarr.hierarchy.linking.region import Points, Slices, region_of
from omnizarr.hierarchy.linking.resolve import Resolver, resolve

if TYPE_CHECKING:
    from omnizarr.hdmf.backend.data_io import ZarrDataIO
    from omnizarr.hdmf.backend.io import ZarrIO
    from omnizarr.hdmf.backend.nwb import NWBZarrIO, read_nwb

__all__ = [
    "Link",
    "NWBZarrIO",
    "Points",
    "Reference",
    "RegionReference",
    "Resolver",
    "Slices",
    "ZarrDataIO",
    "ZarrIO",
    "add_link",
    "add_reference",
    "create_values",
    "links",
    "read_nwb",
    "read_specs",
    "read_values",
    "reference_to",
    "references",
    "region_of",
    "region_reference_to",
    "remove_link",
    "resolve",
    "write_specs",
    "write_values",
]

_BACKEND = {"NWBZarrIO": "nwb", "ZarrDataIO": "data_io", "ZarrIO": "io", "read_nwb": "nwb"}


def __getattr__(name: str) -> Any:
    """Import the backend when it is first asked for; ImportError where its libraries are not installed."""
    if name not in _BACKEND:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        found = getattr(import_module(f"omnizarr.hdmf.backend.{_BACKEND[name]}"), name)
    except ModuleNotFoundError as error:
        if str(error.name).startswith("omnizarr"):
            raise
        message = f"{name} needs the package {error.name}, which belongs to the extra 'hdmf'"
        raise ImportError(f'{message} (pip install "omnizarr[hdmf]")', name=error.name) from error
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
