"""Values as a picture shows them: numbers, masked and unpacked as their attributes say, or texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.errors import SelectionError
from omnizarr.jsontypes import shown as shortened
from omnizarr.metadata.dtype_bits import is_custom
from omnizarr.netcdf.model.types import CHAR, STRING, AtomicType, Enum, NcType, type_of_dtype
from omnizarr.netcdf.values.masking import is_unsigned, unsigned_of
from omnizarr.netcdf.values.presentation import Presentation, Switches, presentation_of
from omnizarr.netcdf.values.storage import from_storage
from omnizarr.pictures.subject import Subject

AnyArray: TypeAlias = NDArray[Any]
Masked: TypeAlias = "np.ma.MaskedArray[Any, np.dtype[Any]]"

# What is longer is cut: a picture is looked at.
LONGEST_TEXT = 200
_LIMITS = ("missing_value", "_FillValue", "valid_range", "valid_min", "valid_max")
_FACTORS = ("scale_factor", "add_offset")


def shown(subject: Subject, stored: AnyArray, field: str | None = None) -> tuple[Masked, str | None]:
    """Return stored values as a picture shows them, and what has to be said about that.

    Raises
    ------
    SelectionError
        There is no such field.
    """
    names = stored.dtype.names
    if names is None:
        if field is not None:
            raise SelectionError(f"field {field!r}: the values are no records")
        return _shown(subject, stored)
    chosen = names[0] if field is None else field
    if chosen not in names:
        raise SelectionError(f"field: expected one of {', '.join(map(repr, names))}, found {chosen!r}")
    values = stored[chosen]
    said = f"field {chosen!r} of {', '.join(names)}" if field is None else None
    if values.ndim > stored.ndim or values.dtype.names is not None:
        return _texts(_rows(values, stored.ndim)), said
    found, note = _shown(replace(subject, kind=type_of_dtype(values.dtype), attributes={}), values)
    return found, "; ".join(filter(None, (said, note))) or None


def _shown(subject: Subject, stored: AnyArray) -> tuple[Masked, str | None]:
    dtype, kind = stored.dtype, subject.kind
    if dtype.kind == "b":
        return _masked(stored.astype("u1")), None
    if dtype.kind == "c" or (is_custom(dtype) and "complex" in dtype.name):
        wide = "c16" if dtype.itemsize > 8 else "c8"
        return _masked(np.abs(stored.astype(wide))), "absolute values of complex numbers"
    if isinstance(kind, AtomicType | Enum) and kind.is_numeric and dtype.kind != "O":
        presentation, note = _presentation(subject, kind)
        plain = stored.astype(kind.dtype) if is_custom(dtype) else stored
        values = _masked(presentation.shown(from_storage(kind, plain), None))
        if dtype.kind in "mM":
            values[np.isnat(stored)] = np.ma.masked
        return _masked(values, values.dtype.newbyteorder("=")), note
    if dtype.kind in "iuf":
        return _masked(stored, dtype.newbyteorder("=")), None
    if is_custom(dtype):
        return _masked(stored, np.dtype("f4")), None
    return _texts(from_storage(kind, stored) if kind in (STRING, CHAR) else stored), None


def _masked(values: AnyArray, dtype: np.dtype[Any] | None = None) -> Masked:
    found = np.ma.masked_array(values, dtype=dtype)
    # A mask of all elements, so that nobody has to ask whether there is one.
    found.mask = np.ma.getmaskarray(found)
    return found


def _presentation(subject: Subject, kind: NcType) -> tuple[Presentation, str | None]:
    """Return how values are masked and unpacked, and which attributes cannot be followed."""
    usable = _usable(subject.attributes, kind)
    ignored = [name for name in (*_LIMITS, *_FACTORS) if name in subject.attributes and name not in usable]
    note = f"{', '.join(ignored)}: not of the type of the values, and not followed" if ignored else None
    found = presentation_of(kind, usable, Switches(), no_fill=subject.no_fill, auto_complex=False)
    # That netCDF's default fill values are missing holds for what netCDF wrote.
    fill = found.missing.fill if "_FillValue" in usable or subject.is_noted else None
    # What is masked is never filled, and a default may not fit values that are shown without a sign.
    return replace(found, missing=replace(found.missing, fill=fill, replacement=None)), note


def _usable(attributes: Mapping[str, Any], kind: NcType) -> dict[str, Any]:
    """Return the attributes about values that a type can follow, their limits in that type."""
    found = {name: value for name, value in attributes.items() if name == "_Unsigned"}
    unsigned = is_unsigned(kind, found)
    for name in _LIMITS:
        if name in attributes and (cast := _cast(attributes[name], kind.dtype, unsigned)) is not None:
            found[name] = cast
    for name in _FACTORS:
        factor = _as_numbers(attributes.get(name))
        if factor is not None and factor.size == 1:
            found[name] = factor.reshape(())[()]
    return found


def _cast(value: Any, dtype: np.dtype[Any], unsigned: bool) -> AnyArray | None:
    """Return a limit in a type: rounded where that is floating, else None where it is not the same there.

    Limits of integers that stand for unsigned ones may be written either way.
    """
    given = _as_numbers(value)
    if given is None:
        return None
    with np.errstate(all="ignore"):
        cast = given.astype(dtype)
        if dtype.kind == "f" or bool(np.all(cast == given)):
            return cast
        wide = given.astype(unsigned_of(dtype)) if unsigned else cast
        return wide.view(dtype) if unsigned and bool(np.all(wide == given)) else None


def _as_numbers(value: Any) -> AnyArray | None:
    if value is None:
        return None
    try:
        given = np.atleast_1d(np.asarray(value))
        given = given.astype("f8") if given.dtype.kind in "SU" else given
    except (TypeError, ValueError):
        return None
    return given if given.dtype.kind in "biuf" else None


def _rows(values: AnyArray, axes: int) -> AnyArray:
    """Return an array of fewer axes, whose elements are what lies along the others."""
    found = np.empty(values.shape[:axes], object)
    for place in np.ndindex(found.shape):
        found[place] = values[place].tolist()
    return found


def _texts(values: AnyArray) -> Masked:
    """Return values as texts, cut where they are long; in an array of objects."""
    found = np.empty(values.shape, object)
    found.reshape(-1)[:] = [_text(value) for value in values.reshape(-1).tolist()]
    return _masked(found)


def _text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        value = value[:LONGEST_TEXT].tolist()
    if isinstance(value, bytes):
        value = _decoded(value[: 4 * LONGEST_TEXT])
    if value is None:
        return ""
    text = value if isinstance(value, str) else _told(value)
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"


def _decoded(value: bytes) -> str:
    text = value.rstrip(b"\0").decode("utf-8", "backslashreplace")
    return text if text.isprintable() else value.hex(" ")


def _told(value: Any) -> str:
    """Return any value in few words; what JSON holds as JSON."""
    if isinstance(value, dict | list | bool):
        try:
            return shortened(value, LONGEST_TEXT)
        except (TypeError, ValueError):
            return str(value)
    return str(value)
