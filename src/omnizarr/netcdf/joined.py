"""Variables whose records lie in several datasets, one after the other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from omnizarr import html
from omnizarr.errors import SelectionError
from omnizarr.netcdf.model.nodes import VariableModel
from omnizarr.netcdf.opened.notebook import variable_html
from omnizarr.netcdf.values.selection import Index, normalized
from omnizarr.netcdf.variable import Variable


class JoinedVariable:
    """A variable along the first axis of several; attributes are the first one's, the master's.

    Parameters
    ----------
    group
        The dataset that shows it.
    master
        The variable that says what all are.
    parts
        The variables, in the order of their records.
    """

    def __init__(self, group: Any, master: Variable, parts: Sequence[Variable]) -> None:
        self._group = group
        self._master = master
        self._parts = tuple(parts)
        self._ends = tuple(accumulate(part.shape[0] for part in self._parts))
        self._changed: dict[str, Any] = {}

    # --- what it is

    @property
    def name(self) -> str:
        """The name."""
        return self._master.name

    @property
    def dtype(self) -> Any:
        """The numpy dtype of the values as they are stored, or `str`."""
        return self._master.dtype

    @property
    def datatype(self) -> Any:
        """The numpy dtype of the values as they are stored, or a type of the user."""
        return self._master.datatype

    def typecode(self) -> Any:
        """Return the numpy dtype of the values as they are stored, or `str`."""
        return self.dtype

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The names of the dimensions."""
        return self._master.dimensions

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the dimensions, all records counted."""
        return (self._ends[-1], *self._master.shape[1:])

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.dimensions)

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    def group(self) -> Any:
        """Return the dataset that shows the variable."""
        return self._group

    @property
    def _model(self) -> VariableModel:
        return self._master._model

    def as_model(self) -> VariableModel:
        """Return the variable as a plain value."""
        return self._master.as_model()

    def __len__(self) -> int:
        return self._ends[-1]

    def __repr__(self) -> str:
        lines = [f"{type(self)!r}", f"{self.dtype} {self.name}{self.dimensions}"]
        lines += [f"    {name}: {getattr(self, name)}" for name in self.ncattrs()]
        return "\n".join([*lines, f"current size = {self.shape}"])

    def _repr_html_(self) -> str:
        """The variable in a notebook."""
        return html.safely(lambda: variable_html(self), type(self).__name__)

    # --- attributes

    def ncattrs(self) -> list[str]:
        """Return the names of the attributes."""
        return self._master.ncattrs()

    def getncattr(self, name: str, encoding: str = "utf-8") -> Any:
        """Return the value of an attribute.

        Raises
        ------
        AttributeError
            There is none.
        """
        return self._master.getncattr(name, encoding)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("_changed", "_master"):
            raise AttributeError(name)
        return self._changed[name] if name in self._changed else self.getncattr(name)

    def __setattr__(self, name: str, value: Any) -> None:
        # As in netCDF4-python an attribute is set on this object alone; nothing is stored.
        if name in ("_group", "_master", "_parts", "_ends", "_changed", "_scales", "_offsets"):
            object.__setattr__(self, name, value)
        else:
            self._changed[name] = value

    # --- how values are shown

    def set_auto_mask(self, mask: bool) -> None:
        """Say whether missing values are masked."""
        for part in self._parts:
            part.set_auto_mask(mask)

    def set_auto_scale(self, scale: bool) -> None:
        """Say whether `scale_factor`, `add_offset` and `_Unsigned` are applied, those of each dataset."""
        for part in self._parts:
            part.set_auto_scale(scale)

    def set_auto_maskandscale(self, maskandscale: bool) -> None:
        """Say both at once."""
        for part in self._parts:
            part.set_auto_maskandscale(maskandscale)

    def set_always_mask(self, always_mask: bool) -> None:
        """Say whether the parts come masked also where nothing is missing; the whole does not."""
        for part in self._parts:
            part.set_always_mask(always_mask)

    def set_auto_chartostring(self, chartostring: bool) -> None:
        """Say whether characters with an `_Encoding` become strings, one axis less."""
        for part in self._parts:
            part.set_auto_chartostring(chartostring)

    # --- values

    def __getitem__(self, key: Any) -> Any:
        """Read a selection, as of a single variable; only the datasets that it touches are read.

        As in netCDF4-python the result is masked only where something is missing.
        """
        records, *others = normalized(key, self.ndim)
        if isinstance(records, int):
            return _plain(self._record(records, others))
        if isinstance(records, slice):
            return _plain(self._range(range(*records.indices(len(self))), others))
        return _plain(self._listed(_places(records, len(self)), others))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        values: NDArray[Any] = np.asarray(self[...])
        return values if dtype is None else values.astype(dtype, copy=False)

    def _record(self, at: int, others: Sequence[Index]) -> Any:
        part, local = self._where(int(_places(np.array([at]), len(self))[0]))
        return self._parts[part][(local, *others)]

    def _where(self, record: int) -> tuple[int, int]:
        """Return which part a record is in, and its place there."""
        part = bisect_right(self._ends, record)
        return part, record - (self._ends[part - 1] if part else 0)

    def _range(self, records: range, others: Sequence[Index]) -> Any:
        found, left = [], records
        while left:
            part, local = self._where(left[0])
            start = left[0] - local
            here = range(start, self._ends[part])
            count = len(
                range(left[0], here.stop, left.step)
                if left.step > 0
                else range(left[0], start - 1, left.step)
            )
            taken, left = left[:count], left[count:]
            first, last = taken[0] - start, taken[-1] - start
            stop = last + 1 if left.step > 0 else last - 1
            local_slice = slice(first, None if stop < 0 else stop, left.step)
            found.append(self._parts[part][(local_slice, *others)])
        return self._joined(found, others)

    def _listed(self, records: NDArray[np.intp], others: Sequence[Index]) -> Any:
        parts = np.searchsorted(self._ends, records, side="right")
        starts = np.array([0, *self._ends])
        order = np.argsort(parts, kind="stable")
        found = []
        for part in np.unique(parts).tolist():
            local = records[parts == part] - starts[part]
            found.append(self._parts[part][(local, *others)])
        return self._joined(found, others)[np.argsort(order, kind="stable")]

    def _joined(self, found: list[Any], others: Sequence[Index]) -> Any:
        if not found:
            return self._parts[0][(slice(0, 0), *others)]
        if len(found) == 1:
            return found[0]
        masked = [part for part in found if np.ma.isMaskedArray(part)]
        if not masked:
            return np.concatenate(found)
        joined = np.ma.concatenate(found)  # type: ignore[no-untyped-call]
        joined.fill_value = masked[0].fill_value
        return joined


def _places(records: NDArray[Any], length: int) -> NDArray[np.intp]:
    """Return places from the start on.

    Raises
    ------
    SelectionError
        One lies outside, or there are more or fewer booleans than records.
    """
    if records.dtype == bool:
        if len(records) != length:
            raise SelectionError(f"expected {length} booleans, found {len(records)}")
        return np.flatnonzero(records)
    places = np.where(records < 0, records + length, records).astype(np.intp)
    outside = (places < 0) | (places >= length)
    if outside.any():
        raise SelectionError(f"index {records[outside][0]} lies outside of an axis of length {length}")
    return places


def _plain(values: Any) -> Any:
    if np.ma.isMaskedArray(values) and values is not np.ma.masked and not np.ma.getmaskarray(values).any():
        return values.data if values.ndim else values.data[()]
    return values
