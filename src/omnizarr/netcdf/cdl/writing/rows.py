"""Rows of numbers as text, many at once.

A million doubles take 0.35 s, of which C's formatting is most; one call for each value takes twice as long.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from omnizarr.netcdf.cdl.text import unbounded
from omnizarr.netcdf.cdl.words import FILL
from omnizarr.netcdf.cdl.writing.options import Precision
from omnizarr.netcdf.cdl.writing.spell import suffix_of
from omnizarr.netcdf.model.items import AnyArray
from omnizarr.netcdf.model.nodes import FILL_VALUE, VariableModel
from omnizarr.netcdf.model.types import BYTE, UBYTE, AtomicType

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
        words = self._words(values)
        if self.pattern is None:
            rows = str(values.tolist())[2:-2].split("], [")
            return rows if words is None else _patched(rows, words)
        if words is None:
            lines = "\n".join([", ".join([self.pattern] * values.shape[1])] * values.shape[0])
            return (lines % tuple(values.ravel().tolist())).split("\n")
        width, parts = values.shape[1], np.where(words == "", self.pattern, words).ravel().tolist()
        lines = "\n".join(", ".join(parts[at : at + width]) for at in range(0, len(parts), width))
        return (lines % tuple(values[words == ""].tolist())).split("\n")

    def items(self, values: AnyArray) -> list[str]:
        """Return the numbers of one row, one by one."""
        words = self._words(values)
        texts = map(str if self.pattern is None else self.pattern.__mod__, _finite(values.tolist()))
        if words is None:
            return list(texts)
        return [word or text for word, text in zip(words.tolist(), texts, strict=True)]

    def _words(self, values: AnyArray) -> NDArray[np.str_] | None:
        """Return the words for numbers that have one, and nothing for others; None where none has."""
        filled = np.zeros(values.shape, bool) if self.fill is None else is_fill(values, self.fill)
        real = values.dtype.kind == "f"
        if not (filled.any() or (real and not np.isfinite(values).all())):
            return None
        words = np.where(filled, FILL, np.str_(""))
        if real:
            odd = ~np.isfinite(values) & ~filled
            words = words.astype(object)
            words[odd] = [unbounded(value, self.suffix) for value in values[odd].tolist()]
        return words


def _patched(rows: list[str], words: NDArray[np.str_]) -> list[str]:
    """Return rows of integers with words in place of numbers."""
    for at in np.flatnonzero((words != "").any(1)).tolist():
        numbers = zip(words[at].tolist(), rows[at].split(", "), strict=True)
        rows[at] = ", ".join(word or number for word, number in numbers)
    return rows


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
