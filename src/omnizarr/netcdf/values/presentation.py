"""How a variable's values are shown, and what is made of values to be written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from omnizarr.netcdf.types import CHAR, STRING, AtomicType, Compound, Enum, NcType, Opaque, Vlen
from omnizarr.netcdf.values import masking
from omnizarr.netcdf.values.layouts import complex_like, with_texts
from omnizarr.netcdf.values.preparing import prepared, prepared_members
from omnizarr.netcdf.values.quantize import rounded_to_digit
from omnizarr.netcdf.values.records import recast
from omnizarr.netcdf.values.storage import AnyArray, as_chars, checked_texts, longest_text
from omnizarr.netcdf.values.text import chars_to_text, text_to_chars


@dataclass(frozen=True, slots=True)
class Switches:
    """What happens to values on the way.

    Attributes
    ----------
    mask
        Missing values are masked on reading, and masked ones filled on writing.
    scale
        `scale_factor`, `add_offset` and `_Unsigned` are applied.
    always_mask
        Arrays come masked also where nothing is missing.
    chartostring
        Characters with an `_Encoding` become strings, one axis less.
    """

    mask: bool = True
    scale: bool = True
    always_mask: bool = True
    chartostring: bool = True


@dataclass(frozen=True, slots=True)
class Presentation:
    """A variable as far as its values are concerned.

    Attributes
    ----------
    attributes
        As numpy has them, by name.
    no_fill
        Whether elements that were never written are undefined.
    auto_complex
        Whether records of a real and an imaginary part are complex numbers.
    """

    kind: NcType
    attributes: Mapping[str, Any]
    no_fill: bool
    switches: Switches
    auto_complex: bool = False

    def shown(self, values: AnyArray, width: int | None) -> Any:
        """Return values as users see them.

        Parameters
        ----------
        width
            The length of the variable's last axis; None for a scalar.
        """
        if isinstance(self.kind, Compound | Opaque | Vlen):
            return self._records(self.kind, values)
        if self.kind.is_numeric or self.kind is CHAR:
            values = self._masked_and_unpacked(values)
        if self.kind is CHAR and self.switches.chartostring and "_Encoding" in self.attributes:
            data = np.ma.getdata(values)
            if data.ndim and data.shape[-1] == width:
                return chars_to_text(data, str(self.attributes["_Encoding"]))[()]
        return values

    def prepared(self, value: Any, width: int | None, axes: int = 0) -> AnyArray:
        """Return values as an array of the variable's kind of values: without a mask, rounded and packed.

        Parameters
        ----------
        axes
            How many axes the selection has that is assigned to.
        """
        if isinstance(self.kind, Compound | Opaque | Vlen):
            return prepared(self.kind, value, axes)
        if isinstance(self.kind, Enum):
            return masking.filled(prepared_members(self.kind, value), self.kind, self.attributes)
        if self.kind is STRING:
            return checked_texts(value)
        if self.kind is CHAR:
            return self._characters(value, width)
        values = value if isinstance(value, np.ndarray) else np.ma.asanyarray(value)
        if values.dtype.kind in "SUO":
            values = values.astype(self.kind.dtype)
        if (digit := self.attributes.get("least_significant_digit")) is not None:
            values = rounded_to_digit(values, digit)
        if self.switches.scale and masking.is_packed(self.attributes):
            values = masking.packed(values, self.kind.dtype, self.attributes)
        if self.switches.scale and masking.is_unsigned(self.kind, self.attributes):
            values = values.astype(self.kind.dtype.str.replace("i", "u")).view(self.kind.dtype)
        return masking.filled(values, self.kind, self.attributes)

    def _masked_and_unpacked(self, values: AnyArray) -> AnyArray:
        is_scaled = self.switches.scale and isinstance(self.kind, AtomicType)
        if is_scaled and masking.is_unsigned(self.kind, self.attributes):
            values = values.view(values.dtype.str.replace("i", "u"))
        if self.switches.mask:
            # netCDF4-python takes a default fill value of an enum for missing also without filling.
            no_fill = self.no_fill and not isinstance(self.kind, Enum)
            values = masking.masked(values, self.kind, self.attributes, no_fill=no_fill)
            if self.switches.always_mask and not isinstance(values, np.ma.MaskedArray):
                values = np.ma.masked_array(values)
        if is_scaled and self.kind.is_numeric:
            values = masking.unpacked(values, self.attributes)
        return values

    def _records(self, kind: Compound | Opaque | Vlen, values: AnyArray) -> AnyArray:
        numbers = complex_like(kind) if self.auto_complex else None
        if numbers is not None:
            return recast(kind, values, numbers)
        return recast(kind, values, with_texts(values.dtype)) if self.switches.chartostring else values

    def _characters(self, value: Any, width: int | None) -> AnyArray:
        given = value if isinstance(value, np.ndarray) else np.asarray(value)
        values = masking.filled(given, CHAR, self.attributes)
        if values.dtype.kind in "SUO" and width is not None and longest_text(values) > 1:
            return text_to_chars(values, width, str(self.attributes.get("_Encoding", "utf-8")))
        return as_chars(values)
