"""JSON Schemas of models, for those who check them without this library.

ZEP 6, "Zarr Object Models in JSON schema".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from pydantic.json_schema import models_json_schema

from omnizarr.jsontypes import JsonObject, shown
from omnizarr.zom import v2, v3
from omnizarr.zom.node import NodeSpec

DRAFT = "https://json-schema.org/draft/2020-12/schema"

_VERSIONS: Mapping[Any, int] = {2: 2, 3: 3, "2": 2, "3": 3, "v2": 2, "v3": 3}
_MODELS = {2: (v2.GroupSpec, v2.ArraySpec), 3: (v3.GroupSpec, v3.ArraySpec)}


def json_schema(model: type[NodeSpec[Any]] | int | str) -> JsonObject:
    """Return the JSON Schema (draft 2020-12) of a model, or of all hierarchies of a version of Zarr.

    It says what JSON Schema can say: of types, names, ranges and what is required, and not that lengths must
    agree, nor what `check` of a model finds. What a model accepts and writes as JSON is valid by it.

    Parameters
    ----------
    model
        An array or a group; or 2 or 3 (also `"v2"`, `"v3"`) for any node of that version.

    Raises
    ------
    TypeError
        It is neither.
    """
    if isinstance(model, type) and issubclass(model, NodeSpec) and hasattr(model, "version"):
        return {"$schema": DRAFT, **model.model_json_schema()}
    number = _VERSIONS.get(model) if isinstance(model, int | str) else None
    if number is None:
        raise TypeError(f"expected a model, 2 or 3, found {shown(model)}")
    return _of_version(number)


def _of_version(number: int) -> JsonObject:
    """Return the schema of any node: the shape is that of the document's, where the root is a group."""
    models: Any = [(model, "validation") for model in _MODELS[number]]
    references, found = models_json_schema(models)
    return {
        "$schema": DRAFT,
        "title": f"Zarr v{number} hierarchy",
        "description": f"A group with what is in it, or an array, of Zarr v{number} (ZEP 6).",
        "anyOf": [cast("JsonObject", references[key]) for key in models],
        **cast("JsonObject", found),
    }
