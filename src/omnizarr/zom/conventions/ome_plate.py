"""The metadata of OME-Zarr plates and wells, 0.4 and 0.5, for high-content screening.

https://ngff.openmicroscopy.org/0.5/index.html#plate-md
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from omnizarr.jsontypes import shown
from omnizarr.zom.conventions.parts import Count, Filled, Index, Part, Text, repeated
from omnizarr.zom.faults import Violation
from omnizarr.zom.types import Items

Alphanumeric: TypeAlias = Annotated[str, Field(strict=True, pattern="^[A-Za-z0-9]+$")]
"""Letters and digits of ASCII: what rows, columns and fields of view are named."""


class Acquisition(Part):
    """One run of a microscope over a plate; times count from the epoch."""

    id: Index
    name: Text | None = None
    maximumfieldcount: Count | None = None
    description: Text | None = None
    starttime: Index | None = None
    endtime: Index | None = None


class Line(Part):
    """A row or column of a plate."""

    name: Alphanumeric


class PlateWell(Part):
    """A well that has images: where it is on the plate, and in the hierarchy."""

    path: Annotated[str, Field(strict=True, pattern="^[A-Za-z0-9]+/[A-Za-z0-9]+$")]
    rowIndex: Index  # noqa: N815 (as the specification has it)
    columnIndex: Index  # noqa: N815


class Plate(Part):
    """A plate: rows, columns, and the wells that have images."""

    columns: Filled[Line]
    rows: Filled[Line]
    wells: Filled[PlateWell]
    acquisitions: Items[Acquisition] | None = None
    field_count: Count | None = None
    name: Text | None = None
    version: Text | None = None

    def faults(self) -> Iterator[Violation]:
        """Yield names that are given twice, and wells that are not where their path says."""
        for at, lines in (("rows", self.rows), ("columns", self.columns)):
            yield from repeated(at, "name", [line.name for line in lines])
        yield from repeated("acquisitions", "id", [one.id for one in self.acquisitions or ()])
        yield from repeated("wells", "path", [well.path for well in self.wells])
        for number, well in enumerate(self.wells):
            yield from self._well_faults(f"wells[{number}]", well)

    def _well_faults(self, at: str, well: PlateWell) -> Iterator[Violation]:
        names = []
        for lines, name, index in (
            (self.rows, "rowIndex", well.rowIndex),
            (self.columns, "columnIndex", well.columnIndex),
        ):
            if index >= len(lines):
                yield Violation(f"{at}.{name}", f"expected an index below {len(lines)}, found {index}")
            else:
                names.append(lines[index].name)
        if len(names) == 2 and well.path != "/".join(names):
            expected = f"expected {shown('/'.join(names))}, of rowIndex and columnIndex"
            yield Violation(f"{at}.path", f"{expected}, found {shown(well.path)}")


class Plate04(Plate):
    """A plate of OME-Zarr 0.4."""

    version: Literal["0.4"] | None = None


class FieldOfView(Part):
    """An image of a well, and the acquisition that it is of."""

    path: Alphanumeric
    acquisition: Annotated[int, Field(strict=True)] | None = None


class Well(Part):
    """The fields of view of a well."""

    images: Filled[FieldOfView]
    version: Text | None = None

    def faults(self) -> Iterator[Violation]:
        """Yield fields of view that are given twice."""
        yield from repeated("images", "path", [image.path for image in self.images])


class Well04(Well):
    """A well of OME-Zarr 0.4."""

    version: Literal["0.4"] | None = None
