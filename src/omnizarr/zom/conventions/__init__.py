"""Conventions over hierarchies as models: of whole stores, ready to check with.

>>> from omnizarr.zom import conventions
>>> conventions.convention("xarray", 3).__name__
'DatasetV3'
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from omnizarr.errors import ConversionError
from omnizarr.zom.conventions import hdmf, nczarr, nczarr2, ome, xarray
from omnizarr.zom.node import NodeSpec

__all__ = ["CONVENTIONS", "convention"]

CONVENTIONS: Mapping[str, Mapping[int, type[NodeSpec[Any]]]] = MappingProxyType(
    {
        "xarray": xarray.MODELS,
        "nczarr": nczarr.MODELS,
        "nczarr2": nczarr2.MODELS,
        "hdmf": hdmf.MODELS,
        "ome": ome.MODELS,
    }
)
"""The model of each convention for each version of Zarr that it has one for."""


def convention(name: str, zarr_format: int) -> type[NodeSpec[Any]]:
    """Return the model of a convention.

    Raises
    ------
    ValueError
        There is no convention of this name.
    ConversionError
        It has no model for this version of Zarr.
    """
    models = CONVENTIONS.get(name)
    if models is None:
        raise ValueError(f"convention: expected one of {', '.join(map(repr, CONVENTIONS))}, found {name!r}")
    if zarr_format not in models:
        known = " or ".join(f"Zarr v{number}" for number in models)
        raise ConversionError(f"convention {name!r}: expected {known}, found Zarr v{zarr_format}")
    return models[zarr_format]
