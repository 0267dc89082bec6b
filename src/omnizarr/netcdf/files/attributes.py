"""The attributes of a netCDF file, in their types: by netCDF4, and by h5py what that does not read.

https://docs.unidata.ucar.edu/netcdf-c/current/group__attributes.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from omnizarr.netcdf.extras import optional
from omnizarr.netcdf.files.usertypes import UserTypes, read_attribute
from omnizarr.netcdf.model.items import from_numpy
from omnizarr.netcdf.model.nodes import AttributeModel
from omnizarr.netcdf.model.types import CHAR, STRING, type_of_dtype


def attribute_by_netcdf(owner: Any, name: str, kind: str) -> AttributeModel | None:
    """Return an attribute that netCDF4 reads; None where it does not.

    Texts are asked for as Latin-1, which keeps every byte.

    Parameters
    ----------
    kind
        What `hdf5.attribute_kind` says; `number` where there is no HDF5.
    """
    try:
        value = owner.getncattr(name, encoding="latin-1")
    except (TypeError, KeyError, ValueError, RuntimeError, AttributeError):
        return None
    if kind == "string":
        texts = [value] if isinstance(value, str) else list(value)
        return AttributeModel(name, STRING, tuple(map(_text, texts)))
    if isinstance(value, bytes):  # the fill value of characters
        value = value.decode("latin-1")
    if isinstance(value, str):
        return AttributeModel(name, CHAR, _text(value))
    values = np.asarray(value)
    found = type_of_dtype(values.dtype)
    return None if found is None else AttributeModel(name, found, tuple(values.ravel().tolist()))


def attribute_by_hdf5(node: Any, name: str, types: UserTypes) -> AttributeModel | None:
    """Return an attribute of an HDF5 object; None where netCDF has no type for it."""
    kind = types.type_of(node.attrs.get_id(name).get_type())
    if kind is None:
        return None
    values = read_attribute(node, kind, name)
    if kind is CHAR:
        text = values.tobytes().rstrip(b"\0")
        return AttributeModel(name, CHAR, text.decode("utf-8", "surrogateescape"))
    return AttributeModel(name, kind, from_numpy(kind, values))


def attribute_names(node: Any) -> list[str]:
    """Return the names of an HDF5 object's attributes in the order of their making, or by name."""
    h5 = optional("h5py")
    names: list[str] = []
    tracked = node.id.get_create_plist().get_attr_creation_order() & h5.h5p.CRT_ORDER_TRACKED
    order = h5.h5.INDEX_CRT_ORDER if tracked else h5.h5.INDEX_NAME
    h5.h5a.iterate(
        node.id, lambda name: names.append(name.decode("utf-8", "surrogateescape")), index_type=order
    )
    return names


def has_other_bytes(attribute: AttributeModel) -> bool:
    """Say whether a text of an attribute is not UTF-8."""
    return any(
        isinstance(value, str) and any("\udc80" <= character <= "\udcff" for character in value)
        for value in attribute.values
    )


def _text(latin: str) -> str:
    return latin.encode("latin-1").decode("utf-8", "surrogateescape")
