"""The values of one variable as CDL.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omnizarr.netcdf.cdl.layout import Braces, Lines, byte_length, row_coordinates
from omnizarr.netcdf.cdl.text import data_number, escaped_name, quoted_chars, quoted_string
from omnizarr.netcdf.model import FILL_VALUE, VariableModel
from omnizarr.netcdf.types import BYTE, CHAR, STRING, UBYTE, NcType

AnyArray: TypeAlias = NDArray[Any]
ReadRows: TypeAlias = Callable[[slice], AnyArray]

_BLOCK_BYTES = 8 * 2**20
# What C and Python print alike, and at most 99 characters wide.
_NUMBER_FORMAT = re.compile(r"([^%]*%[-+ #0]*\d{0,2}(?:\.\d{1,2})?)(?:hh|h|ll|l|L)?([diouxXeEfFgG][^%]*)")


def write_values(
    variable: VariableModel,
    shape: Sequence[int],
    unlimited: Sequence[bool],
    read: ReadRows,
    indent: str = "",
) -> Iterator[str]:
    """Yield ` name = values ;` piece by piece; a variable without values yields nothing.

    Parameters
    ----------
    shape, unlimited
        The current sizes of its dimensions, and which of them can grow.
    read
        Returns the values at a slice of the first axis; of a scalar, whatever the slice.
    """
    if not prod(shape):
        return
    lines = Lines(indent)
    head = f"\n{indent} {escaped_name(variable.name)}"
    if len(shape) > 1:
        lines.start(f"{head} =\n  ", 2)
    else:
        lines.start(f"{head} = ", byte_length(variable.name) + 4)
    grid = tuple(shape) or (1,)
    braces = Braces(grid, tuple(unlimited) or (False,))
    total = prod(grid[:-1])
    for first, rows in _blocks(grid, variable.type, read):
        for number, row in enumerate(row_coordinates(grid, first, first + len(rows))):
            _write_row(lines, variable, rows[number], braces.opening(row), braces.closing(row))
            lines.put(" ;" if first + number + 1 == total else ",\n")
            lines.put("\n" if first + number + 1 == total else "  ")
        yield lines.take()


def _blocks(grid: Sequence[int], kind: NcType, read: ReadRows) -> Iterator[tuple[int, AnyArray]]:
    """Yield (number of the first row, rows) in blocks of some megabytes."""
    if len(grid) == 1:
        yield 0, np.asarray(read(slice(0, grid[0]))).reshape(1, -1)
        return
    step = max(1, _BLOCK_BYTES // max(1, kind.size * prod(grid[1:])))
    rows_each = prod(grid[1:-1])
    for start in range(0, grid[0], step):
        block = np.asarray(read(slice(start, min(start + step, grid[0]))))
        yield start * rows_each, block.reshape(-1, grid[-1])


def _write_row(lines: Lines, variable: VariableModel, row: AnyArray, opened: int, closed: int) -> None:
    for _ in range(opened):
        lines.put("{")
    if variable.type is CHAR:
        lines.add(quoted_chars(np.ascontiguousarray(row).tobytes()))
        lines.put("}" * closed)
        return
    *others, last = spelled(variable, row)
    for value in others:
        lines.put(value + ", ")
    lines.put(last + "}" * closed)


def spelled(variable: VariableModel, values: AnyArray) -> list[str]:
    """Return how numbers or strings are spelled in the data section; `_` is the fill value."""
    fill = fill_shown(variable)
    if variable.type is STRING:
        return ["_" if value == fill else quoted_string(_encoded(value)) for value in values.tolist()]
    spell = number_format(variable)
    texts = list(map(spell, values.tolist()))
    if fill is not None:
        for at in np.flatnonzero(_is_fill(values, fill)).tolist():
            texts[at] = "_"
    return texts


def fill_shown(variable: VariableModel) -> Any:
    """Return the value that is shown as `_`, or None where there is none.

    Bytes have none unless they declare it: every byte is as likely to be meant.
    """
    for attribute in variable.attributes:
        if attribute.name == FILL_VALUE and attribute.type is variable.type and len(attribute.values) == 1:
            return attribute.values[0]
    return None if variable.type in (BYTE, UBYTE) else variable.type.default_fill


def number_format(variable: VariableModel) -> Callable[[float], str]:
    """Return how a variable's numbers are spelled: by its `C_format` where that is one for numbers."""
    for attribute in variable.attributes:
        if attribute.name == "C_format" and isinstance(attribute.value, str):
            found = _NUMBER_FORMAT.fullmatch(attribute.value)
            if found and (found[2][0] in "eEfFgG") == (variable.type.dtype.kind == "f"):
                return _formatted(found[1] + found[2], data_number(variable.type.name))
    return data_number(variable.type.name)


def _formatted(text: str, otherwise: Callable[[float], str]) -> Callable[[float], str]:
    return lambda value: text % value if abs(value) < float("inf") else otherwise(value)


def _is_fill(values: AnyArray, fill: float) -> NDArray[np.bool_]:
    if values.dtype.kind != "f":
        return np.equal(values, fill)
    # As ncdump compares: of the same sign, and equal within the type's epsilon.
    wanted = values.dtype.type(fill)
    with np.errstate(invalid="ignore", over="ignore"):
        close = np.abs(values - wanted) <= np.abs(np.finfo(values.dtype).eps * values)
        same = (
            (close & np.isfinite(values))
            | (np.isnan(values) & np.isnan(wanted))
            | (np.isinf(values) & np.isinf(wanted))
        )
        return np.asarray(same & ((values > 0) == (wanted > 0)))


def _encoded(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")
