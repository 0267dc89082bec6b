"""References in the attributes of a node.

https://hdmf-zarr.readthedocs.io/en/stable/storage.html#storing-object-references-in-attributes
"""

from __future__ import annotations

from omnizarr.hierarchy.linking.making import reference_to
from omnizarr.hierarchy.linking.reference import Reference, attribute_json, read_attribute
from omnizarr.hierarchy.node import Node
from omnizarr.jsontypes import Problems, inside


def references(node: Node) -> dict[str, Reference]:
    """Return the attributes of a node that are references, by name. Nothing is asked of the store.

    Raises
    ------
    MetadataError
        References break their specification; every fault is told with its place.
    """
    problems = Problems()
    found = {
        name: reference
        for name, value in node.metadata.attributes.items()
        if (reference := read_attribute(value, inside("attributes", name), problems)) is not None
    }
    problems.check(store=node.store.name, path=node.path)
    return found


def add_reference(node: Node, name: str, target: Node | Reference) -> Reference:
    """Set an attribute of a node to a reference, in the layout of the node's format, and return it.

    Parameters
    ----------
    target
        The array or group to point at, of this file or another; or the reference.

    Raises
    ------
    NodeNameError
        The path of the reference is none. Nothing was written.
    """
    reference = reference_to(target, node) if isinstance(target, Node) else target
    reference.place  # noqa: B018 - says what is wrong with the path
    node.attrs[name] = attribute_json(reference, node.zarr_format)
    return reference
