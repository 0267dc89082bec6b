"""The nodes of a file that builders are made of."""

from __future__ import annotations

from collections.abc import Iterator

from omnizarr.hdmf.layout import SPECLOC
from omnizarr.hierarchy.group import Group, node_at
from omnizarr.hierarchy.linking.files import File
from omnizarr.hierarchy.linking.following import Spot
from omnizarr.hierarchy.opening.diagnose import absent
from omnizarr.hierarchy.paths import joined, normal_path
from omnizarr.metadata.group import NodeMetadata


def nodes_from(file: File, relative: str, root: NodeMetadata | None) -> Iterator[tuple[str, NodeMetadata]]:
    """Yield a node and those below it, but for the cached specifications, parents first.

    Parameters
    ----------
    relative
        The node's path from the file's root.
    root
        The metadata of the root, where they are known.

    Raises
    ------
    NodeNotFoundError
        There is no such node.
    """
    metadata = root if root is not None and not relative else file.find(relative)
    if metadata is None:
        raise absent(file.store, file.format, joined(file.root, relative))
    yield relative, metadata
    node = node_at(Spot(file, relative, metadata))
    if not isinstance(node, Group):
        return
    if relative:
        yield from ((joined(relative, path), found) for path, found in node.walk())
        return
    specs = metadata.attributes.get(SPECLOC)
    for name, child in node.members():
        if name != (normal_path(specs) if isinstance(specs, str) else "specifications"):
            yield name, child.metadata
            if isinstance(child, Group):
                yield from ((joined(name, path), found) for path, found in child.walk())
