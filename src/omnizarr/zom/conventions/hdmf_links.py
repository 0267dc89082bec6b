"""Links and references of an HDMF file: what they point at is there, and is what they say.

https://hdmf-zarr.readthedocs.io/en/stable/storage.html#links
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from omnizarr.jsontypes import JsonObject, inside, shown
from omnizarr.zom.conventions.hdmf_metadata import HERE, Reference, ShortReference
from omnizarr.zom.conventions.places import AnyGroup, Missing, Place
from omnizarr.zom.faults import Violation, findings
from omnizarr.zom.group import GroupSpecBase
from omnizarr.zom.node import NodeSpec

LINKS = ("zarr_link", "_LINKS")
SHORT = "_REFERENCE"
_MOST_LINKS = 40  # on the way to one node; more are a circle

_REFERENCES: Mapping[str, TypeAdapter[Any]] = {
    "zarr_dtype": TypeAdapter(Reference),
    SHORT: TypeAdapter(ShortReference),
}


def attributes_of(node: NodeSpec[Any]) -> JsonObject:
    """Return the attributes of a node as JSON."""
    return node.attributes if isinstance(node.attributes, dict) else node.attributes_as_json()


def links_of(attributes: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the links that a group's attributes list and that are sound, each with its place."""
    for name in LINKS:
        links = attributes.get(name)
        for number, link in enumerate(links if isinstance(links, list) else ()):
            if isinstance(link, Mapping) and all(
                isinstance(link.get(key), str) for key in ("name", "path", "source")
            ):
                yield f"attributes.{name}[{number}]", link


def check_names(group: AnyGroup) -> Iterator[Violation]:
    """Yield links of a group that have the names of its members."""
    members = group.members or {}
    for at, link in links_of(attributes_of(group)):
        if link["name"] in members:
            yield Violation(
                f"{at}.name", f"expected another name than that of a member, found {shown(link['name'])}"
            )


def check_references(node: NodeSpec[Any]) -> Iterator[Violation]:
    """Yield what is wrong with attributes that are references, by themselves."""
    for name, value in attributes_of(node).items():
        for kind, adapter in _REFERENCES.items():
            if isinstance(value, dict) and kind in value:
                try:
                    adapter.validate_python(value)
                except ValidationError as error:
                    for one in findings(error, value):
                        yield Violation(inside(inside("attributes", name), one.at), one.message)


def check_targets(place: Place, root: JsonObject) -> Iterator[Violation]:
    """Yield links and references of a node that point at nothing in the file, or at something else.

    Parameters
    ----------
    root
        The attributes of the file.
    """
    attributes = attributes_of(place.node)
    if place.is_group:
        for at, link in links_of(attributes):
            yield from _check_target(place, at, link, root)
    for name, value in attributes.items():
        if isinstance(value, dict) and ("zarr_dtype" in value or SHORT in value):
            part = SHORT if SHORT in value else "value"
            target = value.get(part)
            if isinstance(target, dict) and isinstance(target.get("path"), str):
                yield from _check_target(place, inside(inside("attributes", name), part), target, root)


def _check_target(place: Place, at: str, target: Mapping[str, Any], root: JsonObject) -> Iterator[Violation]:
    if target.get("source") != HERE:
        return
    found = resolve(place.root, target["path"])
    if isinstance(found, Missing):
        if found is Missing.ABSENT:
            message = f"expected a node of this file, found none at {shown(target['path'])}"
            yield place.violation(f"{at}.path", message)
        return
    node = attributes_of(found.node)
    for name, expected in (("object_id", node.get("object_id")), ("source_object_id", root.get("object_id"))):
        given = target.get(name)
        if given is not None and expected is not None and given != expected:
            owner = f"/{found.path}" if name == "object_id" else "the file"
            yield place.violation(
                f"{at}.{name}", f"expected that of {owner}, {shown(expected)}, found {shown(given)}"
            )


def resolve(root: AnyGroup, path: str) -> Place | Missing:
    """Return the node of a file at a path, over links where there are some on the way."""
    waiting = [part for part in path.split("/") if part not in ("", HERE)]
    node: NodeSpec[Any] = root
    done: list[str] = []
    hops = 0
    while waiting:
        name = waiting.pop(0)
        if not isinstance(node, GroupSpecBase):
            return Missing.ABSENT
        if node.members is None:
            return Missing.UNREAD
        if name in node.nodes:
            node = node.nodes[name]
            done.append(name)
            continue
        link = next((link for _, link in links_of(attributes_of(node)) if link["name"] == name), None)
        hops += 1
        if link is None or hops > _MOST_LINKS:
            return Missing.ABSENT
        if link["source"] != HERE:
            return Missing.OUTSIDE
        waiting = [part for part in link["path"].split("/") if part not in ("", HERE)] + waiting
        node, done = root, []
    return Place(root, "/".join(done), node)
