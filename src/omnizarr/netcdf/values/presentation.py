"""How a variable's values are shown, and what is made of values to be written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from omnizarr.netcdf.model.types import CHAR, STRING, AtomicType, Compound, Enum, NcType, Opaque, Vlen
from omnizarr.netcdf.values.layouts import complex_like, with_texts
from omnizarr.netcdf.values.masking import Missing, filled, is_unsigned, missing_of, unsigned_of
from omnizarr.netcdf.values.packing import Packing, packing_of
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
    missing, packing, unsigned
        What the attributes say, where it is asked for.
    """

    kind: NcType
    attributes: Mapping[str, Any]
    no_fill: bool
    switches: Switches
    auto_complex: bool
    missing: Missing
    packing: Packing
    unsigned: bool

    def shown(self, values: AnyArray, width: int | None) -> Any:
        """Return values as users see them.

        Parameters
        ----------
        width
            The length of the variable's last axis; None where one place of that was chosen, and for a scalar.
        """
        if isinstance(self.kind, Compound | Opaque | Vlen):
            return self._records(self.kind, values)
        if self.kind.is_numeric or self.kind is CHAR:
            values = self._masked_and_unpacked(values)
        if self.kind is CHAR and self.switches.chartostring and "_Encoding" in self.attributes:
            data = np.ma.getdata(values)
            if data.ndim and data.shape[-1] == width:
                return chars_to_text(data, str(self.attributes["_Encoding"]))
        return values

    def prepared(self, value: Any, width: int | None, axes: int = 0) -> AnyArray:
        """Return values as an array of the variable's kind of values: without a mask, rounded and packed.

        Parameters
        ----------
        axes
            How many axes the selection has that is assigned to.
        """
        if isinstance(self.kind, Compound | Opaque | Vlen):
            return prepared(self.kind, value, axes, self.packing)
        if isinstance(self.kind, Enum):
            return self._filled(prepared_members(self.kind, value))
        if self.kind is STRING:
            return checked_texts(value)
        if self.kind is CHAR:
            return self._characters(value, width)
        return self._stored(self._numbers(value))

    def _numbers(self, value: Any) -> AnyArray:
        """Return numbers as an array: what is none yet, in the type of the variable unless it is packed."""
        if isinstance(value, np.ndarray):
            return value if value.dtype.kind not in "SUO" else value.astype(self.kind.dtype)
        if np.ma.isMA(value) or isinstance(value, np.generic):
            return np.ma.asanyarray(value)
        is_cast = not self.packing or self.kind.dtype.kind not in "iu"
        return np.array(value, self.kind.dtype if is_cast and not self.unsigned else None)

    def _stored(self, values: AnyArray) -> AnyArray:
        if (digit := self.attributes.get("least_significant_digit")) is not None:
            values = rounded_to_digit(values, digit)
        values = self.packing.packed(values, self.kind.dtype)
        if self.unsigned:
            values = values.astype(unsigned_of(self.kind.dtype)).view(self.kind.dtype)
        return self._filled(values)

    def _filled(self, values: AnyArray) -> AnyArray:
        if self.switches.mask or self.switches.scale:
            return filled(values, self.kind, self.attributes)
        return np.ma.getdata(values)

    def _masked_and_unpacked(self, values: AnyArray) -> AnyArray:
        if self.unsigned:
            values = values.view(unsigned_of(values.dtype))
        if self.switches.mask:
            values = self.missing.masked(values)
            if self.switches.always_mask and not isinstance(values, np.ma.MaskedArray):
                values = np.ma.masked_array(values)
        return self.packing.unpacked(values)

    def _records(self, kind: Compound | Opaque | Vlen, values: AnyArray) -> AnyArray:
        numbers = complex_like(kind) if self.auto_complex else None
        if numbers is not None:
            return recast(kind, values, numbers)
        if self.packing:
            return self.packing.unpacked_each(values)
        return recast(kind, values, with_texts(values.dtype)) if self.switches.chartostring else values

    def _characters(self, value: Any, width: int | None) -> AnyArray:
        given = value if isinstance(value, np.ndarray) else np.asarray(value)
        values = self._filled(given)
        if values.dtype.kind in "SUO" and width is not None and longest_text(values) > 1:
            return text_to_chars(values, width, str(self.attributes.get("_Encoding", "utf-8")))
        return as_chars(values)


def presentation_of(
    kind: NcType, attributes: Mapping[str, Any], switches: Switches, *, no_fill: bool, auto_complex: bool
) -> Presentation:
    """Return how a variable's values are shown; attributes that make no sense for it warn."""
    is_atomic = isinstance(kind, AtomicType)
    unsigned = switches.scale and is_atomic and is_unsigned(kind, attributes)
    missing = Missing()
    if switches.mask and kind is not STRING and isinstance(kind, AtomicType | Enum):
        # netCDF4-python takes a default fill value of an enum for missing also without filling.
        unfilled = no_fill and is_atomic
        missing = missing_of(kind, attributes, no_fill=unfilled, unsigned=unsigned)
    is_packable = kind.is_numeric if is_atomic else isinstance(kind, Vlen) and kind.base.is_numeric
    packing = packing_of(attributes) if switches.scale and is_packable else Packing()
    return Presentation(kind, attributes, no_fill, switches, auto_complex, missing, packing, unsigned)
