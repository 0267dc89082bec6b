"""The specifications that an HDMF file holds: a text for each source, by namespace and version.

https://hdmf-zarr.readthedocs.io/en/stable/storage.html#caching-format-specifications
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from omnizarr.errors import MetadataError, Problem
from omnizarr.hdmf.dtypes import UTF8
from omnizarr.hdmf.layout import JSON2, LAYOUT_V3, SCALAR, SPECLOC
from omnizarr.hdmf.pickles import with_pickles
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.linking.reference import read_attribute
from omnizarr.jsontypes import Json, Problems, dump_json, shown
from omnizarr.metadata.dtype import OBJECT

SPECIFICATIONS = "specifications"
"""The group of the specifications, unless the root names another."""
UNVERSIONED = "unversioned"
"""The version of a namespace that has none."""

Sources: TypeAlias = Mapping[str, str]
"""The texts of one version of a namespace, by the names of their sources; that of itself is `namespace`."""

_VERSION = re.compile(r"v?([0-9]+(?:\.[0-9]+)*)(.*)", re.DOTALL)
_PARTS = re.compile(r"[0-9]+|[A-Za-z]+")


def spec_group(root: Group) -> Group | None:
    """Return the group that holds a file's specifications, or None.

    Raises
    ------
    MetadataError
        The root names a place that is none.
    """
    stated = root.metadata.attributes.get(SPECLOC)
    path = SPECIFICATIONS if stated is None else _path_of(stated, root)
    found = root.get(path)
    if isinstance(found, Group):
        return found
    if stated is None:
        return None
    message = f"expected the path of a group, found {shown(stated)}, where there is none"
    raise MetadataError([Problem(f"attributes.{SPECLOC}", message)], store=root.store.name, path=root.path)


def spec_versions(root: Group) -> dict[str, list[str]]:
    """Return the versions of each namespace that a file holds, the latest one last."""
    group = spec_group(root)
    if group is None:
        return {}
    return {name: sorted(by_version.group_keys(), key=version_order) for name, by_version in group.groups()}


def read_spec(root: Group, namespace: str, version: str | None = None) -> dict[str, str]:
    """Return the sources of a namespace: of its latest version where none is given.

    Raises
    ------
    KeyError
        The file does not hold them.
    MetadataError
        One of them is no text.
    """
    group = spec_group(root)
    versions = group.get(namespace) if group is not None else None
    held = list(versions.group_keys()) if isinstance(versions, Group) else []
    chosen = latest(held) if version is None and held else version
    found = versions.get(chosen) if isinstance(versions, Group) and chosen in held and chosen else None
    if not isinstance(found, Group):
        raise KeyError(namespace if version is None else f"{namespace} {version}")
    return {source: _text_of(array) for source, array in found.arrays()}


def read_source(root: Group, namespace: str, version: str, source: str) -> str:
    """Return the text of one source of a namespace.

    Raises
    ------
    KeyError
        The file does not hold it.
    MetadataError
        It is no text.
    """
    group = spec_group(root)
    found = None if group is None else group.get(f"{namespace}/{version}/{source}")
    if not isinstance(found, Array):
        raise KeyError(source)
    return _text_of(found)


def read_specs(root: Group) -> dict[str, dict[str, dict[str, str]]]:
    """Return all specifications that a file holds: texts by namespace, version and source.

    Raises
    ------
    MetadataError
        One of them is no text.
    """
    return {
        namespace: {version: read_spec(root, namespace, version) for version in versions}
        for namespace, versions in spec_versions(root).items()
    }


def write_specs(root: Group, specs: Mapping[str, Mapping[str, Sources]]) -> None:
    """Add specifications to a file; those that it holds already stay, unless their text has changed."""
    group = spec_group(root) or root.require_group(SPECIFICATIONS)
    for namespace, versions in specs.items():
        for version, sources in versions.items():
            place = group.require_group(f"{namespace}/{version or UNVERSIONED}")
            for source, text in sources.items():
                _write_source(place, source, text)
    if SPECLOC not in root.metadata.attributes:
        root.update_attributes({SPECLOC: group.path.removeprefix(root.path).strip("/")})


def latest(versions: Iterable[str]) -> str:
    """Return the latest of versions, by number and not by text: 2.10 is later than 2.9 and 2.10.0-alpha.

    Raises
    ------
    ValueError
        There is none.
    """
    return max(versions, key=version_order)


def version_order(version: str) -> tuple[Any, ...]:
    """Return what versions are sorted by; those without a number come first."""
    found = _VERSION.fullmatch(version)
    if found is None:
        return (0, (), 0, (), version)
    numbers = tuple(map(int, found[1].split(".")))
    while numbers and numbers[-1] == 0:
        numbers = numbers[:-1]
    suffix = found[2]
    rank = 1 if not suffix else 2 if suffix[0] == "+" or suffix.startswith(".post") else 0
    parts = tuple(
        (part.isdigit(), int(part) if part.isdigit() else 0, part) for part in _PARTS.findall(suffix)
    )
    return (1, numbers, rank, parts, version)


def _path_of(stated: Json, root: Group) -> str:
    """Return the place that the root names, as text or as a reference."""
    if isinstance(stated, str):
        return stated.strip("/")
    problems = Problems()
    reference = read_attribute(stated, f"attributes.{SPECLOC}", problems)
    if reference is None and not problems:
        problems.add(f"attributes.{SPECLOC}", f"expected the path of a group, found {shown(stated)}")
    problems.check(store=root.store.name, path=root.path)
    assert reference is not None
    return reference.path.strip("/")


def _text_of(array: Array) -> str:
    items = np.asarray(with_pickles(array)[...]).reshape(-1)
    value = items[0] if items.size == 1 else None
    if isinstance(value, dict | list):  # JSON within JSON was taken apart by its writer
        return dump_json(value).decode()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, str):
        return str(value)
    message = f"expected a specification as one text, found {items.size} elements of {array.dtype}"
    raise MetadataError([Problem("", message)], store=array.store.name, path=array.path)


def _write_source(place: Group, source: str, text: str) -> None:
    found = place.get(source)
    if isinstance(found, Array) and _text_of(found) == text:
        return
    if place.zarr_format == 2:
        item = np.empty(1, object)
        item[0] = text
        array = place.create_array(
            source,
            shape=(1,),
            dtype=OBJECT,
            chunks=(1,),
            filters=[JSON2.to_json()],
            compressors=None,
            fill_value=0,
            attributes={"zarr_dtype": SCALAR},
            overwrite=True,
        )
    else:
        item = np.array(text, object)
        attributes = LAYOUT_V3.type_attributes(UTF8, scalar=True)
        array = place.create_array(source, shape=(), dtype="string", attributes=attributes, overwrite=True)
    array[...] = item
