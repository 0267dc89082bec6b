"""HDMF's links of a group as the page shows them: names for nodes that lie elsewhere in the same file."""

from __future__ import annotations

from contextlib import suppress

from omnizarr.errors import MetadataError, NodeNameError, NodeNotFoundError
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.linking.links import links
from omnizarr.hierarchy.linking.reference import Reference
from omnizarr.hierarchy.paths import ancestors_of, joined
from omnizarr.jsontypes import Json
from omnizarr.serve.opened import Opened
from omnizarr.serve.spelling import brief

_MOST = 500
_FILE = ".specloc"


def links_of(group: Group, opened: Opened) -> list[Json]:
    """Return links by name: `path` where they lead to within what is served, and `to` as they are stored.

    Other files are not opened: they are not what is served.
    """
    try:
        found = links(group)
    except MetadataError:
        return []
    if not found:
        return []
    root = _file_of(group, opened)
    return [
        {"name": brief(name), "path": _path(link.reference, root), "to": brief(str(link.reference))}
        for name, link in list(found.items())[:_MOST]
    ]


def _file_of(group: Group, opened: Opened) -> str:
    """Return the path of the root of an HDMF file, from which paths of links begin."""
    for path in filter(None, (group.path, *ancestors_of(group.path))):
        with suppress(MetadataError, NodeNotFoundError):
            if _FILE in opened.node(path).metadata.attributes:
                return path
    return ""


def _path(reference: Reference, root: str) -> str | None:
    try:
        return None if reference.is_external else joined(root, reference.place)
    except NodeNameError:
        return None
