"""A group, whatever the format it was read from.

https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#group-metadata
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self, TypeAlias

from omnizarr.jsontypes import Json, JsonObject
from omnizarr.metadata.array import ArrayMetadata


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMetadata:
    """A group.

    Attributes
    ----------
    consolidated
        The metadata of every node below, by path relative to this group, or None where there is none.
    extra, spelling
        As in `ArrayMetadata`.
    """

    attributes: Mapping[str, Json] = field(default_factory=dict)
    consolidated: Mapping[str, NodeMetadata] | None = None
    extra: JsonObject = field(default_factory=dict)
    spelling: JsonObject = field(default_factory=dict, compare=False, repr=False)

    def with_attributes(self, attributes: Mapping[str, Json]) -> Self:
        """Return this group with other attributes."""
        return replace(
            self, attributes=attributes, spelling={**self.spelling, "attributes": dict(attributes)}
        )

    def with_consolidated(self, nodes: Mapping[str, NodeMetadata] | None) -> Self:
        """Return this group with the metadata of the nodes below, or without any."""
        spelling = {key: value for key, value in self.spelling.items() if key not in _CONSOLIDATED}
        extra = {key: value for key, value in self.extra.items() if key not in _CONSOLIDATED}
        return replace(self, consolidated=nodes, extra=extra, spelling=spelling)


_CONSOLIDATED = ("consolidated_metadata", ".zmetadata")  # a field of v3, and a document of v2

NodeMetadata: TypeAlias = ArrayMetadata | GroupMetadata
