"""What a case of any matrix is: a level of each factor, and what follows from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from conformance_layouts import LAYOUTS, Layout, Region, region
from conformance_types import Kind


@dataclass(frozen=True, slots=True)
class BaseCase(ABC):
    """An array of a matrix: a level of each of its factors.

    Attributes
    ----------
    base
        The level of each factor in the plainest array, which names leave out.
    kinds, attribute_tables
        What the levels of `type` and `attributes` mean.
    """

    levels: tuple[tuple[str, str], ...]
    base: ClassVar[Mapping[str, str]]
    kinds: ClassVar[Mapping[str, Kind]]
    attribute_tables: ClassVar[Mapping[str, dict[str, Any]]]

    def __getitem__(self, factor: str) -> str:
        return dict(self.levels)[factor]

    def __str__(self) -> str:
        return "-".join(level for factor, level in self.levels if self.base[factor] != level) or "base"

    @property
    def kind(self) -> Kind:
        """The data type."""
        return self.kinds[self["type"]]

    @property
    def layout(self) -> Layout:
        """The shape and chunks."""
        return LAYOUTS[self["layout"]]

    @property
    def region(self) -> Region | None:
        """What is written."""
        return region(self.layout, self["written"])

    @property
    def attributes(self) -> dict[str, Any]:
        """The user's attributes."""
        return self.attribute_tables[self["attributes"]]

    @property
    @abstractmethod
    def loses(self) -> bool:
        """Whether values may come back as others."""

    @abstractmethod
    def full(self) -> np.ndarray[Any, Any]:
        """Return the array as it is where nothing was written."""

    def data(self) -> np.ndarray[Any, Any]:
        """Return values for the whole array."""
        return self.kind.data(self.layout.shape, finite=self.loses)

    def part(self) -> np.ndarray[Any, Any]:
        """Return the values that are written: an array, also where it has no axes."""
        assert self.region is not None
        return self.data()[(*self.region, ...)]

    def expected(self) -> np.ndarray[Any, Any]:
        """Return what is read after the region was written."""
        values = self.full()
        if self.region is not None:
            values[self.region] = self.data()[self.region]
        return values
