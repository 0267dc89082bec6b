"""Links: names in a group for nodes that lie elsewhere.

https://hdmf-zarr.readthedocs.io/en/stable/storage.html#links

They are a list in the group's attributes: `zarr_link` on Zarr v2, `_LINKS` in the newer layout on v3. Either
is read on both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from omnizarr.errors import NodeExistsError, NodeNotFoundError
from omnizarr.hierarchy.discover import is_node
from omnizarr.hierarchy.linking.making import reference_to
from omnizarr.hierarchy.linking.reference import HERE, Link, Reference, read_reference
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.paths import joined
from omnizarr.jsontypes import Json, Problems, inside, read_list, read_object, read_string, shown
from omnizarr.metadata.names import check_name, is_path

if TYPE_CHECKING:
    from omnizarr.hierarchy.group import Group

ATTRIBUTES = ("zarr_link", "_LINKS")


def links(group: Group) -> dict[str, Link]:
    """Return the links in a group by name. Nothing is asked of the store.

    Raises
    ------
    MetadataError
        The list breaks its specification; every fault is told with its place.
    """
    return links_in(group.metadata.attributes, store=group.store.name, path=group.path)


def links_in(attributes: Mapping[str, Json], *, store: str = "", path: str | None = None) -> dict[str, Link]:
    """Return the links that a group's attributes list, by name; errors as those of `links`."""
    found: dict[str, Link] = {}
    problems = Problems()
    for attribute in ATTRIBUTES:
        if attribute in attributes:
            at = f"attributes.{attribute}"
            for number, value in enumerate(read_list(attributes[attribute], at, problems)):
                link = _read_link(value, f"{at}[{number}]", problems)
                if link is not None and link.name in found:
                    problems.add(f"{at}[{number}].name", f"{shown(link.name)} is the name of two links")
                elif link is not None:
                    found[link.name] = link
    problems.check(store=store, path=path)
    return found


def _read_link(value: Json, at: str, problems: Problems) -> Link | None:
    ours = Problems()
    fields = read_object(value, at, ours, required=("name",), optional=None)
    name = "" if ours else read_string(fields["name"], inside(at, "name"), ours)
    if not ours and ("/" in name or not is_path(name)):
        ours.add(inside(at, "name"), f"expected a name, found {shown(name)}")
    reference = read_reference(value, at, ours) if isinstance(value, dict) else None
    problems.include("", ours)
    return None if ours or reference is None else Link(name, reference)


def add_link(
    group: Group,
    name: str,
    target: Node | Reference | str,
    *,
    source: str = HERE,
    overwrite: bool = False,
) -> Link:
    """Add a link to a group, by one write, and return it.

    Parameters
    ----------
    target
        An array or group of this file or another; a reference; or the path of a node, which need not be
        there yet.
    source
        The file that the path is of: a path relative to the root of this file, or a URL.
    overwrite
        Whether the link takes the place of one that has its name.

    Raises
    ------
    NodeExistsError
        A member has the name, or a link, without `overwrite`.
    NodeNameError
        No node may have the name, or the path.
    MetadataError
        The links that are there break their specification. Nothing was written.
    """
    check_name(name, group.zarr_format)
    link = Link(name, _reference(target, source, group))
    link.reference.place  # noqa: B018 - says what is wrong with the path
    if is_node(group.store, group.format, joined(group.path, name)):
        raise NodeExistsError(f"a member has the name {name!r}", store=group.store.name, path=group.path)

    def added(attributes: Mapping[str, Json]) -> Mapping[str, Json]:
        if name in links_in(attributes, store=group.store.name, path=group.path):
            if not overwrite:
                message = f"a link has the name {name!r}; overwrite=True replaces it"
                raise NodeExistsError(message, store=group.store.name, path=group.path)
            attributes = _without(attributes, name)
        attribute = ATTRIBUTES[group.zarr_format != 2]
        present = attributes.get(attribute, [])
        assert isinstance(present, list)  # `links_in` has read it
        return {**attributes, attribute: [*present, link.to_json(group.zarr_format)]}

    group._replace_attributes(added)
    return link


def remove_link(group: Group, name: str) -> None:
    """Remove a link from a group, by one write; what it points at stays.

    Raises
    ------
    NodeNotFoundError
        The group has no link of this name.
    """

    def removed(attributes: Mapping[str, Json]) -> Mapping[str, Json]:
        found = links_in(attributes, store=group.store.name, path=group.path)
        if name not in found:
            message = f"no link {name!r}: the links here are {', '.join(map(repr, found)) or 'none'}"
            raise NodeNotFoundError(message, store=group.store.name, path=group.path)
        return _without(attributes, name)

    group._replace_attributes(removed)


def _without(attributes: Mapping[str, Json], name: str) -> dict[str, Json]:
    """Return attributes without a link; a list that has no more goes too."""
    kept = dict(attributes)
    for attribute in ATTRIBUTES:
        value = kept.get(attribute)
        if isinstance(value, list):
            others = [one for one in value if not (isinstance(one, dict) and one.get("name") == name)]
            if not others:
                del kept[attribute]
            elif len(others) < len(value):
                kept[attribute] = others
    return kept


def _reference(target: Node | Reference | str, source: str, group: Group) -> Reference:
    if isinstance(target, Node):
        return reference_to(target, group)
    if isinstance(target, Reference):
        return target
    return Reference(target, source)
