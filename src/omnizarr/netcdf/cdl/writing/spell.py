"""Values of every type as CDL spells them, one by one.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from omnizarr.netcdf.cdl.text import escaped_name, quoted_field, quoted_string, unbounded
from omnizarr.netcdf.cdl.writing.options import Precision
from omnizarr.netcdf.model.items import Item
from omnizarr.netcdf.model.types import CHAR, STRING, AtomicType, Compound, Enum, Field, NcType, Opaque, Vlen


def spelled_item(kind: NcType, item: Item, precision: Precision) -> str:
    """Return one value as CDL spells it where its type is known: in data, and within braces anywhere."""
    match kind, item:
        case Enum(), int():
            return spelled_member(kind, item)
        case Opaque(), bytes():
            return spelled_opaque(item)
        case Vlen(base=base), tuple():
            return "{" + _listed(base, item, precision) + "}"
        case Compound(fields=fields), tuple():
            parts = (_field(field, part, precision) for field, part in zip(fields, item, strict=True))
            return "{" + ", ".join(parts) + "}"
        case AtomicType(), str() | bytes():
            return spelled_text(kind, item)
        case _:
            return spelled_number(kind, item, precision)


def spelled_member(kind: Enum, value: int) -> str:
    """Return the name of an enum's number; the number where it has none."""
    names = (escaped_name(name) for name, number in kind.members if number == value)
    return next(names, str(value))


def spelled_opaque(value: bytes) -> str:
    """Return bytes in hexadecimal digits."""
    return f"0X{value.hex().upper()}"


def spelled_text(kind: AtomicType, value: str | bytes) -> str:
    """Return a string, or characters within a record, in quotes."""
    data = value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")
    return quoted_string(data) if kind is STRING else quoted_field(data)


def spelled_number(kind: NcType, value: object, precision: Precision) -> str:
    """Return a number without a suffix."""
    if not isinstance(value, float):
        return str(value)
    if not isfinite(value):
        return unbounded(value, suffix_of(kind))
    return f"{value:.{precision.digits(kind.name)}g}"


def suffix_of(kind: NcType) -> str:
    """Return what stands behind NaN and infinities."""
    return "f" if kind.name == "float" else ""


def _field(field: Field, item: Item, precision: Precision) -> str:
    if not field.shape or not isinstance(item, tuple):
        return spelled_item(field.type, item, precision)
    if field.type is not CHAR:
        return "{" + _listed(field.type, item, precision) + "}"
    width = field.shape[-1]
    rows = (_joined(item[at : at + width]) for at in range(0, len(item), max(1, width)))
    return "{" + ", ".join(map(quoted_field, rows)) + "}"


def _listed(kind: NcType, items: Sequence[Item], precision: Precision) -> str:
    if kind is CHAR and items:
        return quoted_field(_joined(items))
    return ", ".join(spelled_item(kind, item, precision) for item in items)


def _joined(items: Sequence[Item]) -> bytes:
    return b"".join(item for item in items if isinstance(item, bytes))
