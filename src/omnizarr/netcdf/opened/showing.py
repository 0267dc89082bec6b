"""How a variable shows its values: netCDF4-python's switches."""

from __future__ import annotations

from dataclasses import replace

from omnizarr.netcdf.opened.session import Session, locked
from omnizarr.netcdf.values.presentation import Presentation, Switches


class Showing:
    """What a variable does to values on the way."""

    _presentation: Presentation | None
    _session: Session
    _switches: Switches

    @property
    def mask(self) -> bool:
        """Whether missing values are masked; `set_auto_mask` says so."""
        return self._switches.mask

    @property
    def scale(self) -> bool:
        """Whether packed numbers are unpacked; `set_auto_scale` says so."""
        return self._switches.scale

    @property
    def always_mask(self) -> bool:
        """Whether arrays come masked where nothing is missing; `set_always_mask` says so."""
        return self._switches.always_mask

    @property
    def chartostring(self) -> bool:
        """Whether characters become strings; `set_auto_chartostring` says so."""
        return self._switches.chartostring

    @property
    def auto_complex(self) -> bool:
        """Whether records of a real and an imaginary part are complex numbers."""
        return self._session.auto_complex

    def set_auto_mask(self, mask: bool) -> None:
        """Say whether missing values are masked on reading, and masked ones filled on writing."""
        self._switch(mask=bool(mask))

    def set_auto_scale(self, scale: bool) -> None:
        """Say whether `scale_factor`, `add_offset` and `_Unsigned` are applied."""
        self._switch(scale=bool(scale))

    def set_auto_maskandscale(self, maskandscale: bool) -> None:
        """Set both at once."""
        self._switch(mask=bool(maskandscale), scale=bool(maskandscale))

    def set_always_mask(self, always_mask: bool) -> None:
        """Say whether arrays come masked also where nothing is missing."""
        self._switch(always_mask=bool(always_mask))

    def set_auto_chartostring(self, chartostring: bool) -> None:
        """Say whether characters with an `_Encoding` become strings, one axis less."""
        self._switch(chartostring=bool(chartostring))

    @locked
    def _switch(self, **changes: bool) -> None:
        self._switches = replace(self._switches, **changes)
        self._presentation = None
