"""What all groups of an open dataset share."""

from __future__ import annotations

from dataclasses import dataclass

from omnizarr.errors import ReadOnlyError, StoreError
from omnizarr.netcdf.dialects.base import Dialect


@dataclass(slots=True)
class Session:
    """The dialect of a dataset, and whether it is open and may be changed."""

    dialect: Dialect
    writable: bool
    name: str
    properties: str | None = None
    is_open: bool = True

    def check_open(self) -> None:
        """Refuse where the dataset was closed."""
        if not self.is_open:
            raise StoreError("the dataset is closed", store=self.name)

    def check_writable(self) -> None:
        """Refuse where the dataset was closed, or opened for reading."""
        self.check_open()
        if not self.writable:
            raise ReadOnlyError("the dataset was opened for reading; mode 'a' changes it", store=self.name)
