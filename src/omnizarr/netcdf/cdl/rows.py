"""Rows of numbers as text, many at once.

A million doubles take 0.35 s, of which C's formatting is most; one call for each value takes twice as long.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from omnizarr.netcdf.cdl.options import Precision
from omnizarr.netcdf.cdl.spell import suffix_of
from omnizarr.netcdf.cdl.text import unbounded
from omnizarr.netcdf.cdl.words import FILL
from omnizarr.netcdf.items import AnyArray
from omnizarr.netcdf.model import FILL_VALUE, VariableModel
from omnizarr.netcdf.types import BYTE, UBYTE, AtomicType

# What C and Python print alike, and at most 99 characters wide.
_NUMBER_FORMAT = re.compile(r"([^%]*%[-+ #0]*\d{0,2}(?:\.\d{1,2})?)(?:hh|h|ll|l|L)?([diouxXeEfFgG][^%]*)")
_LONGEST_FORMAT = 99


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """How a variable's numbers are spelled.

    Attributes
    ----------
    pattern
        For the `%` of a finite number; None for integers as they are.
    suffix
        What stands behind NaN and infinities.
    fill
        The number that is spelled `_`; None where there is none.
    """

    pattern: str | None
    suffix: str
    fill: Any

    @property
    def has_plain_items(self) -> bool:
        """Whether every number is ASCII without a comma in it, however it is formatted."""
        return self.pattern is None or (self.pattern.isascii() and "," not in self.pattern)

    def rows(self, values: AnyArray) -> list[str]:
        """Return the rows of an array of two axes, with `, ` between numbers."""
        odd = self._odd(values)
        if self.pattern is None:
            texts = str(values.tolist())[2:-2].split("], [")
            return texts if odd is None else self._patched(texts, odd)
        if odd is None:
            lines = "\n".join([", ".join([self.pattern] * values.shape[1])] * values.shape[0])
            return (lines % tuple(values.ravel().tolist())).split("\n")
        return self._odd_rows(values, odd)

    def items(self, values: AnyArray) -> list[str]:
        """Return the numbers of one row, one by one."""
        odd = self._odd(values)
        numbers = values.tolist()
        texts = list(map(str if self.pattern is None else self.pattern.__mod__, _finite(numbers)))
        for at in np.flatnonzero(odd).tolist() if odd is not None else ():
            texts[at] = self._word(numbers[at])
        return texts

    def _odd(self, values: AnyArray) -> NDArray[np.bool_] | None:
        """Return where numbers are spelled as words; None where there are none."""
        odd = np.zeros(values.shape, bool) if self.fill is None else is_fill(values, self.fill)
        if values.dtype.kind == "f":
            odd |= ~np.isfinite(values)
        return odd if odd.any() else None

    def _odd_rows(self, values: AnyArray, odd: NDArray[np.bool_]) -> list[str]:
        width = values.shape[1]
        parts = [str(self.pattern)] * values.size
        flat, marked = values.ravel(), odd.ravel()
        for at in np.flatnonzero(marked).tolist():
            parts[at] = self._word(flat[at].item())
        lines = "\n".join(", ".join(parts[at : at + width]) for at in range(0, len(parts), width))
        return (lines % tuple(flat[~marked].tolist())).split("\n")

    def _patched(self, texts: list[str], odd: NDArray[np.bool_]) -> list[str]:
        for row in np.flatnonzero(odd.any(1)).tolist():
            items = texts[row].split(", ")
            for at in np.flatnonzero(odd[row]).tolist():
                items[at] = FILL
            texts[row] = ", ".join(items)
        return texts

    def _word(self, value: float) -> str:
        if self.fill is not None and bool(is_fill(np.asarray(value), self.fill)):
            return FILL
        return unbounded(value, self.suffix)


def _finite(numbers: list[float]) -> list[float]:
    # Some formats of integers refuse what is not finite; its text is replaced in any case.
    return [number if abs(number) < float("inf") else 0 for number in numbers]


def number_format(variable: VariableModel, precision: Precision) -> NumberFormat:
    """Return how a variable's numbers are spelled: by its `C_format` where that is one for numbers."""
    kind = variable.type
    suffix, fill = suffix_of(kind), fill_shown(variable)
    is_real = kind.dtype.kind == "f"
    own = None if precision.is_given(kind.name) else _own_format(variable, is_real)
    default = f"%.{precision.digits(kind.name)}g" if is_real else None
    return NumberFormat(own or default, suffix, fill)


def _own_format(variable: VariableModel, is_real: bool) -> str | None:
    for attribute in variable.attributes:
        if attribute.name == "C_format" and isinstance(attribute.value, str):
            found = _NUMBER_FORMAT.fullmatch(attribute.value)
            length = len(attribute.value.encode("utf-8", "surrogateescape"))
            if found and length <= _LONGEST_FORMAT and (found[2][0] in "eEfFgG") == is_real:
                return found[1] + found[2]
    return None


def fill_shown(variable: VariableModel) -> Any:
    """Return the value that is shown as `_`, or None where there is none.

    Bytes, and the user's types, have none unless they declare it: every one is as likely to be meant.
    """
    for attribute in variable.attributes:
        if attribute.name == FILL_VALUE and attribute.type == variable.type and len(attribute.values) == 1:
            return attribute.values[0]
    if variable.type in (BYTE, UBYTE) or not isinstance(variable.type, AtomicType):
        return None
    return variable.type.default_fill


def is_fill(values: AnyArray, fill: float) -> NDArray[np.bool_]:
    """Return which values are the fill value, as `ncdump` compares: equal within the type's epsilon."""
    if values.dtype.kind != "f":
        return np.asarray(np.equal(values, fill))
    wanted = values.dtype.type(fill)
    with np.errstate(invalid="ignore", over="ignore"):
        close = np.abs(values - wanted) <= np.abs(np.finfo(values.dtype).eps * values)
        same = (
            (close & np.isfinite(values))
            | (np.isnan(values) & np.isnan(wanted))
            | (np.isinf(values) & np.isinf(wanted))
        )
        return np.asarray(same & ((values > 0) == (wanted > 0)))
