"""Which variables hold times, found as the text is written: `ncdump -t` knows just what it has come across.

https://cfconventions.org/cf-conventions/cf-conventions.html#time-coordinate
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from omnizarr.netcdf.cdl.writing.times import TimeUnit, time_unit
from omnizarr.netcdf.model.nodes import AttributeModel, VariableModel
from omnizarr.netcdf.model.types import CHAR, STRING, AtomicType

_FEW = 2


class Times:
    """What the variables count, and which of them are bounds of another one."""

    def __init__(self, separator: str | None, width: int) -> None:
        self.separator = separator
        self._bounds: dict[str, Sequence[AttributeModel]] = {}
        self._limit = width

    def note(self, owner: Sequence[AttributeModel], attribute: AttributeModel) -> None:
        """Remember the variable that an attribute names as its owner's bounds: it has the owner's units.

        Only the last one is known, as in `ncdump`, which forgets those before.
        """
        if attribute.name == "bounds" and attribute.type in (CHAR, STRING) and attribute.values:
            self._bounds = {str(attribute.values[0]): owner}

    def unit(self, variable: VariableModel) -> TimeUnit | None:
        """Return what a variable counts; None where it holds no times, or none are asked for."""
        if self.separator is None or not _is_number(variable.type):
            return None
        return _unit(self._bounds.get(variable.name, variable.attributes))

    def comment(self, owner: Sequence[AttributeModel], attribute: AttributeModel, indent: str) -> str:
        """Return the comment that shows the numbers of an attribute of a variable of times; nothing else."""
        if self.separator is None or not _is_number(attribute.type) or not attribute.values:
            return ""
        unit = _unit(owner)
        if unit is None:
            return ""
        numbers = [value for value in attribute.values if isinstance(value, int | float)]
        return "".join(self._lines([unit.spelled(number, self.separator) for number in numbers], indent))

    def _lines(self, texts: list[str], indent: str) -> Iterator[str]:
        """Yield times in a comment: one or two behind the values, more on lines of their own."""
        position = 0
        for at, text in enumerate(texts):
            item = text if at == len(texts) - 1 else text + ","
            position += 1 + len(item)
            breaks = len(texts) > _FEW and (at == 0 or position > self._limit)
            if breaks:
                position = 18 + len(item)
            position += 3 * (breaks or at == 0)
            yield (f"\n{indent}\t\t  " if breaks else " ") + ("// " if breaks or at == 0 else "") + item


def _is_number(kind: object) -> bool:
    return isinstance(kind, AtomicType) and kind.is_numeric


def _unit(attributes: Sequence[AttributeModel]) -> TimeUnit | None:
    texts = {entry.name: entry.value for entry in attributes if entry.type is CHAR}
    units, calendar = texts.get("units"), texts.get("calendar")
    if not isinstance(units, str):
        return None
    return time_unit(units, calendar if isinstance(calendar, str) else None)
