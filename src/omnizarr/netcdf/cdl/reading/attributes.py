"""The values of attributes, and the type of those that name none.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

from collections.abc import Sequence

from omnizarr.netcdf.cdl.reading.constants import Character, Constant, Number, Text, decoded, fits
from omnizarr.netcdf.cdl.reading.convert import converted, described
from omnizarr.netcdf.cdl.reading.lists import Lists
from omnizarr.netcdf.cdl.reading.tokens import Unexpected
from omnizarr.netcdf.model.items import from_numpy
from omnizarr.netcdf.model.nodes import FILL_VALUE, AttributeModel
from omnizarr.netcdf.model.types import (
    BYTE,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    INT64,
    SHORT,
    UBYTE,
    UINT,
    UINT64,
    USHORT,
    AtomicType,
    NcType,
)

# By size, as ncgen ranks them; of two of one size the later constant decides.
_RANKS = {BYTE: 0, UBYTE: 0, SHORT: 1, USHORT: 1, INT: 2, UINT: 2, INT64: 3, UINT64: 3}
_SIGNED = (BYTE, SHORT, INT, INT64)
_UNSIGNED = (UBYTE, USHORT, UINT, UINT64)


def read_attribute(lists: Lists, name: str, kind: NcType | None) -> AttributeModel:
    """Read the values of an attribute up to `;`; without a type, that follows from the values.

    Raises
    ------
    Unexpected
        The type does not hold a value, or there is no type for all of them.
    """
    if kind is None:
        return _untyped(lists, name)
    if kind is CHAR:
        return AttributeModel(name, CHAR, decoded(b"".join(lists.texts(None))))
    at = lists.tokens.peek().at
    values = lists.array(kind, lists.elements(kind, None), at)
    return AttributeModel(name, kind, from_numpy(kind, values))


def read_fill_value(lists: Lists, kind: NcType) -> AttributeModel:
    """Read the one value of `_FillValue`, which has the type of its variable.

    Raises
    ------
    Unexpected
        It is not just one, or not of the type.
    """
    at = lists.tokens.peek().at
    found = read_attribute(lists, FILL_VALUE, kind)
    count = len(found.value.encode("utf-8", "surrogateescape")) if kind is CHAR else len(found.values)  # type: ignore[union-attr]
    if kind is CHAR and not count:
        return AttributeModel(FILL_VALUE, CHAR, "\0")
    if count != 1:
        raise Unexpected(at, f"expected one value for {FILL_VALUE}, found {count}")
    return found


def _untyped(lists: Lists, name: str) -> AttributeModel:
    at = lists.tokens.peek().at
    if lists.tokens.is_next("{"):
        raise Unexpected(at, f"an attribute with values in braces names its type: TYPE :{name} = …")
    found = lists.constants()
    if all(isinstance(item, Text) for item in found):
        texts = [item.value for item in found if isinstance(item, Text)]
        return AttributeModel(name, CHAR, decoded(b"".join(texts)))
    kind = _inferred(found)
    return AttributeModel(name, kind, tuple(converted(kind, item, None) for item in found))


def _inferred(constants: Sequence[Constant]) -> AtomicType:
    """Return the type of numbers: the largest of them, and one that holds them all."""
    for item in constants:
        if not isinstance(item, Number | Character):
            raise Unexpected(
                item.at, f"expected numbers alone or texts alone without a type, found {described(item)}"
            )
    kinds = [item.type if isinstance(item, Number) else BYTE for item in constants]
    for kind in (DOUBLE, FLOAT):
        if kind in kinds:
            return kind
    largest = max(_RANKS[kind] for kind in kinds)
    last = next(kind for kind in reversed(kinds) if _RANKS[kind] == largest)
    values = [int(item.value) for item in constants if isinstance(item, Number)]
    order = (_SIGNED, _UNSIGNED) if last in _SIGNED else (_UNSIGNED, _SIGNED)
    for rank in range(largest, len(_SIGNED)):
        for signs in order:
            if all(fits(signs[rank], value) for value in values):
                return signs[rank]
    raise Unexpected(constants[0].at, "there is no type that holds all of these integers")
