"""An array, whatever the format it was read from.

https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#array-metadata
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from omnizarr.geometry.grid import Grid
from omnizarr.jsontypes import Json, JsonObject
from omnizarr.metadata.chunk_keys import ChunkKeyEncoding
from omnizarr.metadata.dtype import DataType
from omnizarr.metadata.extension import Extension


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayMetadata:
    """An array; extension points are held, never interpreted here.

    Attributes
    ----------
    fill_value
        A numpy scalar of the data type, str or bytes or another object for variable-length types,
        or None where the fill value is undefined (Zarr v2's null).
    codecs
        The chain in the order of encoding. A v2 array's is `transpose` (order F), then `bytes` without
        an `endian` (the data type says it) or an object codec, then `numcodecs.*` filters and compressor.
    dimension_names
        None where the document has none.
    extra
        Fields that this library does not know and may ignore; written back as they were.
    spelling
        The fields of the document as it was read; a writer repeats those that still mean what this array
        says. `attributes` is among them where the attributes have to be written even when there are none.
    """

    shape: tuple[int, ...]
    data_type: DataType
    grid: Grid
    chunk_keys: ChunkKeyEncoding
    codecs: tuple[Extension, ...]
    fill_value: Any
    dimension_names: tuple[str | None, ...] | None = None
    attributes: Mapping[str, Json] = field(default_factory=dict)
    extra: JsonObject = field(default_factory=dict)
    spelling: JsonObject = field(default_factory=dict, compare=False, repr=False)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def with_shape(self, shape: tuple[int, ...]) -> Self:
        """Return this array with another shape of as many dimensions."""
        return replace(self, shape=shape)

    def with_attributes(self, attributes: Mapping[str, Json]) -> Self:
        """Return this array with other attributes."""
        return replace(
            self, attributes=attributes, spelling={**self.spelling, "attributes": dict(attributes)}
        )
