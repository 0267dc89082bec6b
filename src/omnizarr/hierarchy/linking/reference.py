"""References: what a link or a value points at, and how that is stored.

https://hdmf-zarr.readthedocs.io/en/stable/storage.html#object-references

Two layouts: that of HDMF's files on Zarr v2, where references are objects, in attributes beside a
`zarr_dtype`; and the newer one of those on Zarr v3, where attributes hold a `_REFERENCE`, and the elements
of datasets are paths as text. See `docs/hdmf.md`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from omnizarr.hierarchy.linking.region import Region, read_region
from omnizarr.jsontypes import (
    Json,
    JsonObject,
    Problems,
    dump_json,
    inside,
    parse_json,
    read_object,
    read_string,
    shown,
)
from omnizarr.metadata.names import is_path, normalize_path
from omnizarr.store.keys import is_legal
from omnizarr.store.urls.grammar import shown_place

HERE = "."
"""The source of what points into its own file."""
OBJECT, REGION = "object", "region"
SHORT = "_REFERENCE"

_IDS = ("object_id", "source_object_id")


@dataclass(frozen=True, slots=True, repr=False)
class Reference:
    """What points at a node.

    Attributes
    ----------
    path
        The node's path from the root of its file, `/` first as HDMF writes it.
    source
        The node's file: `"."` for the same one; a path relative to the root of the file that points; a URL.
    object_id
        The node's identity, where it has one.
    source_object_id
        The identity of the file's root, where it has one.
    """

    path: str
    source: str = HERE
    object_id: str | None = None
    source_object_id: str | None = None

    @property
    def is_external(self) -> bool:
        """Whether it points into another file."""
        return self.source != HERE

    @property
    def place(self) -> str:
        """The path without slashes at its ends; NodeNameError where it is none."""
        return normalize_path(_without_dots(self.path))

    def to_json(self, zarr_format: int | str = 2) -> JsonObject:
        """Return the object that is stored; on Zarr v3 it has only what is known."""
        ids: JsonObject = {"object_id": self.object_id, "source_object_id": self.source_object_id}
        if zarr_format != 2:
            ids = {name: value for name, value in ids.items() if value is not None}
        return {"source": self.source, "path": self.path, **ids}

    def __str__(self) -> str:
        return self.path if self.source == HERE else f"{self.path} in {shown_place(self.source)}"

    def __repr__(self) -> str:
        said = {each.name: getattr(self, each.name) for each in fields(self)}
        said["source"] = shown_place(self.source)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in said.items())})"


@dataclass(frozen=True, slots=True, repr=False)
class RegionReference(Reference):
    """What points at a part of a dataset."""

    region: Region = field(kw_only=True)

    def to_json(self, zarr_format: int | str = 2) -> JsonObject:
        """Return the object that is stored, with its `region`."""
        return {**Reference.to_json(self, zarr_format), "region": self.region.to_json()}


@dataclass(frozen=True, slots=True)
class Link:
    """A name in a group for a node that lies elsewhere."""

    name: str
    reference: Reference

    def to_json(self, zarr_format: int | str = 2) -> JsonObject:
        """Return the object that is stored."""
        return {"name": self.name, **self.reference.to_json(zarr_format)}


def read_reference(value: Json, at: str, problems: Problems) -> Reference | None:
    """Narrow a stored object to a reference, to one of a region where it has a `region`.

    Other names are passed over. None, with problems, where it is no reference.
    """
    ours = Problems()
    items = read_object(value, at, ours, required=("path",), optional=None)
    if ours:
        problems.include("", ours)
        return None
    path = read_string(items["path"], inside(at, "path"), ours)
    source = _read_source(items.get("source", HERE), inside(at, "source"), ours)
    _check_path(path, inside(at, "path"), ours)
    ids = [_read_id(items.get(name), inside(at, name), ours) for name in _IDS]
    region = read_region(items["region"], inside(at, "region"), ours) if "region" in items else None
    problems.include("", ours)
    if ours:
        return None
    if region is not None:
        return RegionReference(path, source, *ids, region=region)
    return Reference(path, source, *ids)


def read_element(value: Json, at: str, problems: Problems) -> Reference | None:
    """Narrow an element of a dataset to a reference: an object, its JSON as text, or a path as text.

    None where the element is empty (null or `""`), or with problems where it is no reference.
    """
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        return read_reference(value, at, problems)
    if not value.lstrip().startswith("{"):
        return read_reference({"path": value}, at, problems)
    try:
        return read_reference(parse_json(value.encode()), at, problems)
    except ValueError:
        problems.add(at, f"expected a path or a reference as JSON, found {shown(value)}")
        return None


def is_reference(value: Json) -> bool:
    """Say whether the value of an attribute is meant as a reference, sound or not."""
    return isinstance(value, dict) and (
        SHORT in value or ("value" in value and value.get("zarr_dtype") in (OBJECT, REGION))
    )


def read_attribute(value: Json, at: str, problems: Problems) -> Reference | None:
    """Narrow the value of an attribute to a reference, of either layout.

    None where the attribute `is_reference` not, or with problems where it is a broken one.
    """
    if not isinstance(value, dict) or not is_reference(value):
        return None
    if SHORT in value:
        return read_reference(value[SHORT], inside(at, SHORT), problems)
    found = read_reference(value["value"], inside(at, "value"), problems)
    if found is not None and value["zarr_dtype"] == REGION and not isinstance(found, RegionReference):
        problems.add(inside(at, "value.region"), "required, as the zarr_dtype is 'region', but missing")
        return None
    return found


def attribute_json(reference: Reference, zarr_format: int | str = 2) -> JsonObject:
    """Return the value of an attribute that is a reference, in the layout of a format."""
    if zarr_format != 2:
        return {SHORT: reference.to_json(zarr_format)}
    return {"zarr_dtype": kind_of(reference), "value": reference.to_json(zarr_format)}


def element_text(reference: Reference) -> str:
    """Return an element of a dataset on Zarr v3: a path, or JSON where a path does not say all."""
    if reference.is_external or isinstance(reference, RegionReference):
        return dump_json(reference.to_json(3)).decode()
    return reference.path


def kind_of(reference: Reference) -> str:
    """Return the `zarr_dtype` of a reference: `object` or `region`."""
    return REGION if isinstance(reference, RegionReference) else OBJECT


def _check_path(path: str, at: str, problems: Problems) -> None:
    place = _without_dots(path)
    if place and not (is_path(place) and is_legal(place)):
        problems.add(at, f"expected a path of names, found {shown(path)}")


def _without_dots(path: str) -> str:
    return "/".join(part for part in path.split("/") if part not in ("", "."))


def _read_source(value: Json, at: str, problems: Problems) -> str:
    if isinstance(value, str) and value and "\0" not in value:
        return value
    problems.add(at, f"expected '.', a path or a URL, found {shown(value)}")
    return HERE


def _read_id(value: Json, at: str, problems: Problems) -> str | None:
    return None if value is None else read_string(value, at, problems)
