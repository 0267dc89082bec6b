"""What all groups of an open dataset share."""

from __future__ import annotations

from dataclasses import dataclass

from omnizarr.errors import ReadOnlyError, StoreError
from omnizarr.netcdf.dialects.base import Dialect, Readable


@dataclass(slots=True)
class Session:
    """The dialect of a dataset, and whether it is open and may be changed."""

    dialect: Readable
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

    def writer(self) -> Dialect:
        """Return the dialect as one to write in; refuse where there is none."""
        self.check_writable()
        if not isinstance(self.dialect, Dialect):
            raise ReadOnlyError(read_only_dialect(self.dialect.name), store=self.name)
        return self.dialect


def read_only_dialect(name: str) -> str:
    """Return why datasets of a dialect cannot be changed, and what to do."""
    return (
        f"datasets of the dialect {name!r} are read, and not changed in place; "
        "'omnizarr copy SOURCE TARGET' makes one that can be changed"
    )
