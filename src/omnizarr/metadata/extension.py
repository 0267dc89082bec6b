"""Extension points: a name, a configuration, and whether a reader must understand it.

https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#extension-definition
"""

from __future__ import annotations

from dataclasses import dataclass, field

from omnizarr.jsontypes import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Extension:
    """A named extension with its configuration; held, never interpreted here."""

    name: str
    configuration: JsonObject = field(default_factory=dict)
    must_understand: bool = True

    def to_json(self) -> Json:
        """Return the object form, which every reader understands."""
        document: JsonObject = {"name": self.name}
        if self.configuration:
            document["configuration"] = self.configuration
        if not self.must_understand:
            document["must_understand"] = False
        return document
