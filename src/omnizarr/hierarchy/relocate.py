"""Moving nodes and whole hierarchies from one place to another, also between stores."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from omnizarr.errors import StoreError
from omnizarr.hierarchy.belongings import placed_key, relative_key, sizes_at
from omnizarr.hierarchy.copy import opened, place_of_copy, target_of
from omnizarr.hierarchy.copying.check import plan_copy
from omnizarr.hierarchy.copying.plan import MEMORY, CopyPlan, CopyReport
from omnizarr.hierarchy.copying.sorting import KeySorter
from omnizarr.hierarchy.copying.steps import Progress
from omnizarr.hierarchy.discover import walk
from omnizarr.hierarchy.documents import fetch_metadata
from omnizarr.hierarchy.node import Node
from omnizarr.hierarchy.opening.locate import was_opened_for
from omnizarr.hierarchy.paths import prefix_of
from omnizarr.hierarchy.removal import remove, remove_empty
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.store.base import Store
from omnizarr.store.urls.both import options_of_both

_COPIED = ("chunk", "sidecar", "stray", "lost")


def move(
    source: Any,
    target: Any,
    *,
    path: str | None = None,
    memory: int = MEMORY,
    overwrite: bool = False,
    storage_options: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> CopyReport:
    """Move an array, or a group with everything below it, also from one store to another.

    It is copied as it is, the copy is compared with what is at the source by then, and only then the source
    is deleted. One that is interrupted leaves the source as it was, or a complete copy and a source whose
    deletion `delete` completes.

    Parameters
    ----------
    source, target
        A path, a URL, a store, an array or a group.
    path
        The new path within the target's store.
    memory
        Bytes that may be held at any time.
    overwrite
        Replace what is at the target.
    storage_options
        Options of both stores, for URLs; of one where the other is on this machine.
    progress
        Called with (bytes copied, bytes in all).

    Raises
    ------
    NodeExistsError
        There is something at the target, or it overlaps the source.
    ConversionError
        Something below the source would be left behind, or `memory` is too little.
    StoreError
        A store failed; or what was copied is not what is at the source, which is left as it is then.
    """
    with ExitStack() as held:
        theirs, ours = options_of_both(source, target, storage_options)
        node = source if isinstance(source, Node) else opened(source, held, theirs, "r+")
        node.store.require_writable(prefix_of(node.path))
        where = place_of_copy(node, *target_of(target, path, held, ours), overwrite=overwrite)
        plan = plan_copy(node, *where, memory=memory, strict=True)
        report = relocate(plan, overwrite=overwrite, progress=progress)
        for handle in (source, target):
            if isinstance(handle, Node):
                handle._forget_snapshot()
    if was_opened_for(source) and not node.path:
        remove_empty(node.store)
    return report


def relocate(plan: CopyPlan, *, overwrite: bool = False, progress: Progress | None = None) -> CopyReport:
    """Run a copy that was checked, compare it with its source, and delete the source; errors as of `move`."""
    report = plan.run(overwrite=overwrite, progress=progress)
    if differing := differences(plan):
        shown = ", ".join(map(repr, differing[:3])) + (", …" if len(differing) > 3 else "")
        message = f"the copy is not what was to be moved, which stays as it is: {shown} are not the same"
        raise StoreError(message, store=plan.store.name)
    remove(plan.source.store, plan.source.path, format=plan.source.format)
    return report


def differences(plan: CopyPlan) -> list[str]:
    """Return the keys, relative to source and target, that are not the same on both sides after a copy.

    Values are compared by their sizes, documents by what they say.
    """
    source = plan.source
    ours = _sizes(source.store, source.format, source.path)
    theirs = _sizes(plan.store, plan.format, plan.path)
    arrays = {task.source.path[len(prefix_of(source.path)) :]: task.source for task in plan.tasks}
    sorter = KeySorter(source.store, source.format, source.path, plan.nodes, arrays)
    copied = [
        relative_key(source.format, source.path, item.key)
        for item in sorter.sorted_keys([placed_key(source.format, source.path, key) for key in ours])
        if item.kind in _COPIED
    ]
    found = _nodes_at(plan)
    return [
        *(key for key in copied if theirs.get(key) != ours[key]),
        *(path or "/" for path, node in plan.nodes.items() if not _same(plan, node, found.get(path))),
    ]


def _sizes(store: Store, format: Format, path: str) -> dict[str, int]:
    return {relative_key(format, path, key): size for key, size in sizes_at(store, format, path)}


def _nodes_at(plan: CopyPlan) -> dict[str, NodeMetadata]:
    root = fetch_metadata(plan.store, plan.format, plan.path)
    found = {} if root is None else {"": root}
    if isinstance(root, GroupMetadata):
        found |= walk(plan.store, plan.format, plan.path)
    return found


def _same(plan: CopyPlan, planned: NodeMetadata, found: NodeMetadata | None) -> bool:
    if found is None:
        return False
    if isinstance(found, GroupMetadata):
        found = found.with_consolidated(None)
    return plan.format.write("", planned) == plan.format.write("", found)
