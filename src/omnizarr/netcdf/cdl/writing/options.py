"""What of a dataset is shown as CDL, and how.

https://docs.unidata.ucar.edu/netcdf-c/current/netcdf_utilities_guide.html#ncdump_guide
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, TypeAlias

from omnizarr.netcdf.cdl.text import DOUBLE_DIGITS, FLOAT_DIGITS

Language: TypeAlias = Literal["c", "f"]


@dataclass(frozen=True, slots=True)
class Comments:
    """Indices beside the values, counted from 0 as C does or from 1 as Fortran does.

    Attributes
    ----------
    is_full
        Whether each value has its own line and indices; else each row has.
    """

    language: Language
    is_full: bool


@dataclass(frozen=True, slots=True)
class Precision:
    """The digits of floats and doubles; None where neither was asked for, so that a `C_format` counts."""

    float_digits: int | None = None
    double_digits: int | None = None

    def digits(self, type_name: str) -> int:
        """Return the digits of a floating type."""
        if type_name == "float":
            return self.float_digits or FLOAT_DIGITS
        return self.double_digits or DOUBLE_DIGITS

    def is_given(self, type_name: str) -> bool:
        """Say whether the digits of a type were asked for."""
        return {"float": self.float_digits, "double": self.double_digits}.get(type_name) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What is shown of a dataset.

    Attributes
    ----------
    variables
        The variables whose values are shown: names, found in every group, or paths, relative ones too;
        None for all.
    groups
        The groups whose values are shown, likewise.
    coordinates
        Only the values of coordinate variables.
    precision
        How many digits numbers have.
    width
        The most bytes of a line of values.
    comments
        Comments of indices, if any.
    times
        What separates date and time, `" "` or `"T"`, where times are shown as such; None shows numbers.
    special
        Whether the special attributes are shown: storage, chunks, filters, byte order.
    all_filters
        Whether those show every filter as `_Filter`, and every codec as `_Codecs`.
    """

    variables: Collection[str] | None = None
    groups: Collection[str] | None = None
    coordinates: bool = False
    precision: Precision = Precision()
    width: int = 80
    comments: Comments | None = None
    times: str | None = None
    special: bool = False
    all_filters: bool = False
