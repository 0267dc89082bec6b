"""From a place in a store to the handle on the node there."""

from __future__ import annotations

from omnizarr.hierarchy.group import AnyNode, node_of
from omnizarr.hierarchy.opening.find import find_metadata
from omnizarr.store.base import Store


def find_node(
    store: Store,
    path: str,
    zarr_format: int | str | None = None,
    use_consolidated: bool | str | None = None,
) -> AnyNode | None:
    """Return the node at a path, or None where there is none.

    A v3 node costs one `get`. Without a `zarr_format`, v2 costs one more for the v3 document that is not
    there; a v2 array costs two, a v2 group three, and one for its consolidated metadata. A node of a draft
    costs one `get` for each place above it that may be the root, and one or two; without a `zarr_format` it
    costs those for v3 and v2 too.

    Raises
    ------
    MetadataError
        The documents break their specification, or there are no consolidated metadata though they are
        asked for.
    """
    found = find_metadata(store, path, zarr_format, use_consolidated)
    if found is None:
        return None
    node = node_of(*found)
    if use_consolidated is False:
        node._snapshot = None
    return node
