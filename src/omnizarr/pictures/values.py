"""Values as a picture shows them: numbers, masked and unpacked, or texts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.errors import SelectionError
from omnizarr.metadata.dtype_bits import is_custom
from omnizarr.netcdf.model.types import STRING, AtomicType, Enum, NcType, type_of_dtype
from omnizarr.netcdf.values.masking import Missing
from omnizarr.netcdf.values.packing import Packing
from omnizarr.netcdf.values.presentation import Presentation, Switches, presentation_of
from omnizarr.netcdf.values.storage import from_storage
from omnizarr.pictures.subject import Subject

AnyArray: TypeAlias = NDArray[Any]
Masked: TypeAlias = "np.ma.MaskedArray[Any, Any]"

# What is longer is cut: a picture is looked at.
LONGEST_TEXT = 200


def shown(subject: Subject, stored: AnyArray, field: str | None = None) -> tuple[Masked, str | None]:
    """Return stored values as a picture shows them, and what has to be said about that."""
    names = stored.dtype.names
    if names is None:
        if field is not None:
            raise SelectionError(f"field {field!r}: the values are no records")
        return _shown(subject, stored)
    chosen = names[0] if field is None else field
    if chosen not in names:
        raise SelectionError(f"field: expected one of {', '.join(map(repr, names))}, found {chosen!r}")
    values = stored[chosen]
    part = replace(subject, kind=type_of_dtype(values.dtype), attributes={})
    if values.ndim > stored.ndim:
        return _texts(values.reshape(*stored.shape, -1)), None
    found, note = _shown(part, values)
    said = None if field is not None else f"field {chosen!r} of {', '.join(names)}"
    return found, "; ".join(filter(None, (said, note))) or None


def _shown(subject: Subject, stored: AnyArray) -> tuple[Masked, str | None]:
    dtype = stored.dtype
    if dtype.kind == "b":
        return np.ma.masked_array(stored.astype("u1")), None
    if dtype.kind == "c" or dtype.name.startswith(("complex", "bcomplex")):
        return np.ma.masked_array(
            np.abs(stored.astype("c16" if dtype.itemsize > 8 else "c8"))
        ), "absolute values"
    kind = subject.kind
    if isinstance(kind, AtomicType | Enum) and kind.is_numeric:
        return _numbers(subject, kind, from_storage(kind, stored)), None
    if is_custom(dtype) or dtype.kind in "iuf":
        return np.ma.masked_array(stored.astype("f4" if is_custom(dtype) else dtype.newbyteorder("="))), None
    return _texts(stored if kind is not STRING else from_storage(STRING, stored)), None


def _numbers(subject: Subject, kind: AtomicType | Enum, values: AnyArray) -> Masked:
    found = np.ma.masked_array(_presentation(subject, kind).shown(values, None))
    return found.astype(found.dtype.newbyteorder("="), copy=False)


def _presentation(subject: Subject, kind: NcType) -> Presentation:
    attributes = {name: value for name, value in subject.attributes.items() if _is_used(name, value)}
    found = presentation_of(kind, attributes, Switches(), no_fill=True, auto_complex=False)
    if "_FillValue" in attributes or subject.has_default_fill:
        return found
    return replace(found, missing=replace(found.missing, fill=None))


def _is_used(name: str, value: Any) -> bool:
    return True


def _texts(values: AnyArray) -> Masked:
    """Return values as texts, cut where they are long; in an array of objects."""
    found = np.empty(values.shape, object)
    found.reshape(-1)[:] = [_text(value) for value in values.reshape(-1).tolist()]
    return np.ma.masked_array(found)


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"


_UNUSED = (Missing, Packing)
