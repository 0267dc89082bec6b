"""Data types: a registered name and the numpy dtype that holds the elements in memory.

https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from omnizarr.jsontypes import JsonObject


@dataclass(frozen=True, slots=True)
class DataType:
    """A data type.

    Attributes
    ----------
    name
        The name registered for Zarr v3 (`int32`, `string`, `numpy.datetime64`, `r16`, `struct`);
        `object` for v2's other object arrays.
    dtype
        What numpy holds. `object` for variable-length types. Of native byte order but where a v2
        document says otherwise, which v2 arrays keep in memory as it is on disk.
    configuration
        The v3 configuration, where the type has one.
    """

    name: str
    dtype: np.dtype[Any]
    configuration: JsonObject = field(default_factory=dict)

    @property
    def is_variable(self) -> bool:
        """Whether elements differ in size, and live as Python objects."""
        return self.dtype.kind == "O"
