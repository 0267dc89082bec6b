"""Zarr v3.1: `zarr.json`.

https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#metadata
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from omnizarr.jsontypes import Json, JsonObject, Problems, dump_json, inside, parse_json, read_list, shown
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.chunk_keys import read_chunk_keys
from omnizarr.metadata.convert import as_v3
from omnizarr.metadata.dtype_v3 import read_data_type, write_data_type
from omnizarr.metadata.extension import read_extension, read_extensions
from omnizarr.metadata.fill import read_fill, same_fill, write_fill
from omnizarr.metadata.grids import read_grid, read_shape, write_grid
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.metadata.names import is_path

_KEY = "zarr.json"
_REQUIRED = ("shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs")
_OF_ARRAY = frozenset(
    ("zarr_format", "node_type", *_REQUIRED, "attributes", "dimension_names", "storage_transformers")
)
_OF_GROUP = frozenset(("zarr_format", "node_type", "attributes", "consolidated_metadata"))


@dataclass(frozen=True, slots=True)
class V3:
    """Zarr v3: one document a node."""

    @property
    def zarr_format(self) -> int:
        """3."""
        return 3

    def document_keys(self, path: str) -> tuple[str, ...]:
        """Return the one key."""
        return (f"{path}/{_KEY}" if path else _KEY,)

    def consolidated_key(self, path: str) -> str | None:
        """Return None: consolidated metadata are a part of the group's document."""
        return None

    def attributes_key(self, path: str) -> str:
        """Return the one key."""
        return f"{path}/{_KEY}" if path else _KEY

    def data_prefix(self, path: str, metadata: ArrayMetadata) -> str:
        """Return the path, with a `/` at its end."""
        return f"{path}/" if path else ""

    def node_path(self, key: str) -> str | None:
        """Return the path of the node whose document lies at `key`."""
        if key == _KEY:
            return ""
        return key[: -len(_KEY) - 1] if key.endswith(f"/{_KEY}") else None

    def read(self, path: str, documents: Mapping[str, bytes], problems: Problems) -> NodeMetadata | None:
        """Return the node; None where there is no document, or it belongs to a draft of v3."""
        data = documents.get(f"{path}/{_KEY}" if path else _KEY)
        if data is None:
            return None
        try:
            document = parse_json(data)
        except ValueError as error:
            problems.add(_KEY, f"expected JSON: {error}")
            return None
        return read_node(document, problems)

    def write(self, path: str, metadata: NodeMetadata) -> dict[str, bytes]:
        """Return the one document by its key.

        Raises
        ------
        ConversionError
            Zarr v3 cannot express this node.
        """
        return {self.attributes_key(path): dump_json(write_node(metadata))}


def read_node(document: Json, problems: Problems) -> NodeMetadata | None:
    """Read a parsed document; None where it is not one of Zarr v3.

    Where there are problems, an array is returned all the same if it can be, with harmless values in the
    place of those that are at fault, so that its codecs can be checked too.
    """
    if not isinstance(document, dict):
        problems.add(_KEY, f"expected an object, found {shown(document)}")
        return None
    zarr_format = document.get("zarr_format")
    if zarr_format != 3 or type(zarr_format) is not int:
        if isinstance(zarr_format, str) and "metadata_encoding" in document:
            return None
        problems.add("zarr_format", _expected("3", document, "zarr_format"))
        return None
    node_type = document.get("node_type")
    if node_type == "array":
        return _read_array(document, problems)
    if node_type == "group":
        return _read_group(document, problems)
    problems.add("node_type", _expected('"array" or "group"', document, "node_type"))
    return None


def write_node(metadata: NodeMetadata) -> JsonObject:
    """Return the document of a node.

    Raises
    ------
    ConversionError
        Zarr v3 cannot express this node.
    """
    if isinstance(metadata, ArrayMetadata):
        return _write_array(as_v3(metadata))
    return _write_group(metadata)


def _expected(what: str, document: JsonObject, name: str) -> str:
    return f"expected {what}, found {shown(document[name])}" if name in document else "required, but missing"


# --- arrays


def _read_array(document: JsonObject, problems: Problems) -> ArrayMetadata:
    get = document.get
    for name in _REQUIRED:
        if name not in document:
            problems.add(name, "required, but missing")
    shape = read_shape(get("shape", []), "shape", problems)
    data_type = read_data_type(get("data_type", "uint8"), "data_type", problems)
    names = get("dimension_names")
    if get("storage_transformers"):
        _refuse_transformers(document["storage_transformers"], problems)
    return ArrayMetadata(
        shape=shape,
        data_type=data_type,
        grid=read_grid(get("chunk_grid", _one_chunk(shape)), shape, "chunk_grid", problems),
        chunk_keys=read_chunk_keys(get("chunk_key_encoding", "default"), "chunk_key_encoding", problems),
        codecs=_read_codecs(get("codecs", ["bytes"]), problems),
        fill_value=_read_fill(document, data_type, problems),
        dimension_names=None if names is None else _read_names(names, len(shape), problems),
        attributes=_read_attributes(document, problems),
        extra=_read_extra(document, _OF_ARRAY, problems),
        spelling=document,
    )


def _one_chunk(shape: tuple[int, ...]) -> Json:
    return {"name": "regular", "configuration": {"chunk_shape": [max(1, length) for length in shape]}}


def _read_codecs(value: Json, problems: Problems) -> Any:
    codecs = read_extensions(value, "codecs", problems)
    if not codecs and isinstance(value, list):
        problems.add("codecs", "expected one codec at least, which turns the array into bytes")
    return codecs


def _read_fill(document: JsonObject, data_type: Any, problems: Problems) -> Any:
    if "fill_value" not in document or any(p.at.startswith("data_type") for p in problems.found):
        return None
    return read_fill(document["fill_value"], data_type, "fill_value", problems)


def _refuse_transformers(value: Json, problems: Problems) -> None:
    for i, item in enumerate(read_list(value, "storage_transformers", problems)):
        at = f"storage_transformers[{i}]"
        name = read_extension(item, at, problems).name
        problems.add(at, f"the storage transformer {shown(name)} is not known here", unsupported=True)


def _read_names(value: Json, ndim: int, problems: Problems) -> tuple[str | None, ...]:
    items = read_list(value, "dimension_names", problems, ndim)
    for i, item in enumerate(items):
        if item is not None and not isinstance(item, str):
            problems.add(f"dimension_names[{i}]", f"expected a string or null, found {shown(item)}")
    return tuple(items)  # type: ignore[arg-type]


def _read_attributes(document: JsonObject, problems: Problems) -> JsonObject:
    attributes = document.get("attributes", {})
    if isinstance(attributes, dict):
        return attributes
    problems.add("attributes", f"expected an object, found {shown(attributes)}")
    return {}


def _read_extra(document: JsonObject, known: frozenset[str], problems: Problems) -> JsonObject:
    if document.keys() <= known:
        return {}
    extra = {name: value for name, value in document.items() if name not in known}
    for name, value in extra.items():
        if not (isinstance(value, dict) and value.get("must_understand") is False):
            problems.add(name, "unknown name, and no object with must_understand: false", unsupported=True)
    return extra


def _write_array(metadata: ArrayMetadata) -> JsonObject:
    document: JsonObject = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(metadata.shape),
        "data_type": write_data_type(metadata.data_type),
        "chunk_grid": write_grid(metadata.grid),
        "chunk_key_encoding": metadata.chunk_keys.to_json(),
        "fill_value": write_fill(metadata.fill_value, metadata.data_type),
        "codecs": [codec.to_json() for codec in metadata.codecs],
        "attributes": dict(metadata.attributes),
    }
    if metadata.dimension_names is not None:
        document["dimension_names"] = list(metadata.dimension_names)
    document.update(metadata.extra)
    return _spelled(document, metadata.spelling, metadata, _SAME)


def _spelled(
    document: JsonObject,
    spelling: JsonObject,
    metadata: Any,
    same: Mapping[str, Callable[[Json, Any, Problems], bool]],
) -> JsonObject:
    if not spelling:
        return document
    result: JsonObject = {}
    for name, value in spelling.items():
        if name not in document:
            if name in _EMPTY_AS_WRITTEN and not value:
                result[name] = value
            continue
        written = document.pop(name)
        result[name] = value if written == value or _means_the_same(name, value, metadata, same) else written
    if "attributes" not in spelling and not metadata.attributes:
        document.pop("attributes", None)
    return result | document


# Fields that say nothing when they are empty, and that some writers write.
_EMPTY_AS_WRITTEN = ("storage_transformers", "dimension_names", "consolidated_metadata")


def _means_the_same(
    name: str, value: Json, metadata: Any, same: Mapping[str, Callable[[Json, Any, Problems], bool]]
) -> bool:
    problems = Problems()
    return name in same and same[name](value, metadata, problems) and not problems


# Whether a field as it was written in the document still means what the array says.
_SAME: dict[str, Callable[[Json, ArrayMetadata, Problems], bool]] = {
    "data_type": lambda value, m, p: read_data_type(value, "", p) == m.data_type,
    "chunk_grid": lambda value, m, p: read_grid(value, m.shape, "", p) == m.grid,
    "chunk_key_encoding": lambda value, m, p: read_chunk_keys(value, "", p) == m.chunk_keys,
    "fill_value": lambda value, m, p: same_fill(read_fill(value, m.data_type, "", p), m.fill_value),
    "codecs": lambda value, m, p: read_extensions(value, "", p) == m.codecs,
}


# --- groups


def _read_group(document: JsonObject, problems: Problems) -> GroupMetadata:
    consolidated = document.get("consolidated_metadata")
    return GroupMetadata(
        attributes=_read_attributes(document, problems),
        consolidated=None if consolidated is None else _read_consolidated(consolidated, problems),
        extra=_read_extra(document, _OF_GROUP, problems),
        spelling=document,
    )


def _read_consolidated(value: Json, problems: Problems) -> dict[str, NodeMetadata] | None:
    at = "consolidated_metadata"
    if not isinstance(value, dict):
        problems.add(at, f"expected an object, found {shown(value)}")
        return None
    if value.get("kind") != "inline":
        # May be ignored where it says so: the nodes themselves have the same metadata.
        if value.get("must_understand") is not False:
            message = f'expected the kind "inline", found {shown(value.get("kind"))}'
            problems.add(inside(at, "kind"), message, unsupported=True)
        return None
    nodes = value.get("metadata")
    if not isinstance(nodes, dict):
        problems.add(inside(at, "metadata"), _expected("an object", value, "metadata"))
        return None
    found: dict[str, NodeMetadata] = {}
    for path, document in nodes.items():
        inner = Problems()
        if not is_path(path):
            inner.add("", "no path below this group")
        node = read_node(document, inner)
        if node is not None:
            found[path] = node
        elif not inner:
            inner.add("zarr_format", "expected 3")
        if inner:
            problems.include(f"{at}.metadata[{shown(path)}]", inner)
    return found


def _write_group(metadata: GroupMetadata) -> JsonObject:
    document: JsonObject = {
        "zarr_format": 3,
        "node_type": "group",
        "attributes": dict(metadata.attributes),
    }
    if metadata.consolidated is not None:
        document["consolidated_metadata"] = {
            "kind": "inline",
            "must_understand": False,
            "metadata": {path: write_node(node) for path, node in metadata.consolidated.items()},
        }
    document.update(metadata.extra)
    return _spelled(document, metadata.spelling, metadata, {})
