"""What netCDF4-python asks of its library, and is true here always or nearly so."""

from __future__ import annotations

from omnizarr.codecs.szip import is_available
from omnizarr.netcdf.opened.session import Session


class Abilities:
    """Questions and switches of a dataset or group that change nothing."""

    _session: Session

    def has_blosc_filter(self) -> bool:
        """Say yes: blosc is there always."""
        return True

    def has_bzip2_filter(self) -> bool:
        """Say yes: bzip2 is there always."""
        return True

    def has_zstd_filter(self) -> bool:
        """Say yes: Zstandard is there always."""
        return True

    def has_szip_filter(self) -> bool:
        """Say whether szip can be used: the extra `szip` brings it."""
        return is_available()

    def set_fill_on(self) -> None:
        """Let new variables have a fill value; that is so until it is changed."""
        self._session.check_writable()
        self._session.fills = True

    def set_fill_off(self) -> None:
        """Let new variables have no fill value unless one is given, as `fill_value=False` does."""
        self._session.check_writable()
        self._session.fills = False
