"""The specifications that an HDMF file holds, and the objects in it.

https://hdmf-zarr.readthedocs.io/en/stable/storage.html#caching-format-specifications
"""

from __future__ import annotations

from collections.abc import Iterator

from omnizarr.jsontypes import inside, shown
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.zom.conventions.hdmf_links import attributes_of, resolve
from omnizarr.zom.conventions.places import AnyGroup, Missing, Place, places
from omnizarr.zom.faults import Violation

SPECLOC = ".specloc"
_AT = inside("attributes", SPECLOC)
_NAMESPACE = "namespace"


def check_ids(root: AnyGroup) -> Iterator[Violation]:
    """Yield nodes that have the same object id as another one before them."""
    seen: dict[str, str] = {}
    for place in places(root):
        found = attributes_of(place.node).get("object_id")
        if isinstance(found, str) and seen.setdefault(found, place.path) != place.path:
            message = f"expected another than that of /{seen[found]}, found {shown(found)}"
            yield place.violation("attributes.object_id", message)


def check_specifications(root: AnyGroup) -> Iterator[Violation]:
    """Yield what is wrong with the specifications that a file holds; it need not hold any."""
    for place in places(root):
        if place.path and SPECLOC in attributes_of(place.node):
            yield place.violation(_AT, f"expected {SPECLOC} in the attributes of the root only")
    path = attributes_of(root).get(SPECLOC)
    if not isinstance(path, str):
        return
    found = resolve(root, path)
    if found in (Missing.UNREAD, Missing.OUTSIDE):
        return
    if not isinstance(found, Place) or not found.is_group or not found.path:
        yield Violation(_AT, f"expected the path of a group, found {shown(path)}, where none is")
        return
    for namespace in _groups_in(found):
        for version in _groups_in(namespace):
            yield from _check_version(version)
        yield from _strangers(namespace, "group for each version")
    yield from _strangers(found, "group for each namespace")


def _children(place: Place) -> list[Place]:
    found = (place.find(name) for name in getattr(place.node, "nodes", {}))
    return [one for one in found if isinstance(one, Place)]


def _groups_in(place: Place) -> list[Place]:
    return [one for one in _children(place) if one.is_group]


def _strangers(place: Place, expected: str) -> Iterator[Violation]:
    for one in _children(place):
        if not one.is_group:
            yield one.violation("", f"expected a {expected} of specifications, found an array")


def _check_version(place: Place) -> Iterator[Violation]:
    """Yield what is wrong with a version of a namespace: a text for each source, and one for itself."""
    children = _children(place)
    read = getattr(place.node, "members", None) is not None
    if read and _NAMESPACE not in [one.path.rpartition("/")[2] for one in children]:
        yield place.violation(f"members.{_NAMESPACE}", "required, but missing: a version has one")
    for one in children:
        metadata = one.node.metadata
        if not isinstance(metadata, ArrayMetadata):
            yield one.violation("", "expected a specification as one piece of text, found a group")
        elif metadata.shape not in ((), (1,)):
            found = shown(list(metadata.shape))
            yield one.violation(
                "shape", f"expected one element, as a specification is one text, found {found}"
            )
        elif metadata.data_type.dtype.kind not in "OSU":
            yield one.violation("", f"expected a specification as text, found {metadata.data_type.name}")
