"""Opening arrays and groups; modes mean what they mean in zarr-python."""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from omnizarr.errors import NodeExistsError, NodeTypeError, ReadOnlyError, StoreError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.attributes import checked_attributes
from omnizarr.hierarchy.copying.journal import unfinished
from omnizarr.hierarchy.creating.make import by_present_names, make_array
from omnizarr.hierarchy.creating.place import place
from omnizarr.hierarchy.group import AnyNode, Group
from omnizarr.hierarchy.opening.diagnose import absent
from omnizarr.hierarchy.opening.formats import format_of, place_for_new
from omnizarr.hierarchy.opening.locate import Place, archive_instead, locate, wishes_of
from omnizarr.hierarchy.opening.read import find_node
from omnizarr.hierarchy.opening.within import Within
from omnizarr.metadata.group import GroupMetadata
from omnizarr.store.urls.open import Mode


def open(
    store: Any = None,
    *,
    mode: Mode | None = None,
    zarr_format: int | str | None = None,
    path: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
    use_consolidated: bool | str | None = None,
    **arguments: Any,
) -> AnyNode:
    """Open whatever is there, an array or a group.

    Parameters
    ----------
    store
        A path, a URL, a store, a dictionary, an array or group, or None for memory.
    mode
        `"r"` read only; `"r+"` read and write; `"a"` read and write, make a group if there is nothing (or
        an array, where `arguments` has a shape); `"w"` make, in place of what is there; `"w-"` make, fail
        if there is something. By default `"r"` for a store that
        is read only or a zip archive that cannot be written now, else `"a"`.
    zarr_format
        2, 3 or "3-2019", the draft of June 2019; by default whichever is there.
    path
        The node's path within the store.
    storage_options
        Options of the store, for URLs.
    use_consolidated
        Whether a group's nodes come from its consolidated metadata: None: where it has some, or where a URL
        says `consolidated` it must; True: it must
        have; a string: from a Zarr v2 document of this name.
    **arguments
        For a new array, as in `create_array`.

    Raises
    ------
    NodeNotFoundError, StoreNotFoundError
        There is nothing to open; the message says what there is instead.
    MetadataError
        The documents break their specification; every fault is listed.
    """
    given = by_present_names(arguments)
    zarr_format, use_consolidated = wishes_of(store, zarr_format, use_consolidated)
    where, mode = _located(store, path, mode, storage_options)

    def make() -> AnyNode:
        if "shape" in given or "data" in given:
            return _new_array(where, mode, zarr_format, given)
        return _new_group(where, mode, zarr_format, given.get("attributes"))

    further = partial(archive_instead, store, path, storage_options)
    return _opened(where, mode, zarr_format, use_consolidated, "array or group", make, further)


def open_array(
    store: Any = None,
    *,
    mode: Mode | None = None,
    zarr_format: int | str | None = None,
    path: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
    **arguments: Any,
) -> Array:
    """Open an array; parameters and errors as in `open`.

    Raises
    ------
    NodeTypeError
        There is a group.
    """
    zarr_format, _ = wishes_of(store, zarr_format)
    where, mode = _located(store, path, mode, storage_options)
    make = partial(_new_array, where, mode, zarr_format, by_present_names(arguments))
    further = partial(archive_instead, store, path, storage_options)
    node = _opened(where, mode, zarr_format, False, "array", make, further)
    if not isinstance(node, Array):
        message = "expected an array, found a group; open_group opens it"
        raise NodeTypeError(message, store=where.store.name, path=where.path)
    return node


def open_group(
    store: Any = None,
    *,
    mode: Mode | None = None,
    zarr_format: int | str | None = None,
    path: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
    attributes: Mapping[str, Any] | None = None,
    use_consolidated: bool | str | None = None,
) -> Group:
    """Open a group; parameters and errors as in `open`. `attributes` are those of a new group.

    Raises
    ------
    NodeTypeError
        There is an array.
    """
    zarr_format, use_consolidated = wishes_of(store, zarr_format, use_consolidated)
    where, mode = _located(store, path, mode, storage_options)
    make = partial(_new_group, where, mode, zarr_format, attributes)
    further = partial(archive_instead, store, path, storage_options)
    node = _opened(where, mode, zarr_format, use_consolidated, "group", make, further)
    if not isinstance(node, Group):
        message = "expected a group, found an array; open_array opens it"
        raise NodeTypeError(message, store=where.store.name, path=where.path)
    return node


def open_consolidated(store: Any, **arguments: Any) -> Group:
    """Open a group by its consolidated metadata, which it must have; parameters as in `open_group`."""
    return open_group(store, **{"mode": "r+", **arguments, "use_consolidated": True})


def _located(
    store: Any, path: str | None, mode: Mode | None, storage_options: Mapping[str, Any] | None
) -> tuple[Place, Mode]:
    """Return the place, and the mode unless it is given: to write where that is possible."""
    if mode is not None:
        return locate(store, path, mode, storage_options), mode
    usual: Mode = "r" if getattr(store, "read_only", False) else "a"
    try:
        return locate(store, path, usual, storage_options), usual
    except StoreError as error:
        if error.errno not in _NOT_FOR_WRITING and not isinstance(error, ReadOnlyError):
            raise
    return locate(store, path, "r", storage_options), "r"


# A zip archive has one writer at a time, who needs a place beside it.
_NOT_FOR_WRITING = (errno.EAGAIN, errno.EACCES, errno.EPERM, errno.EROFS)


def _opened(
    where: Place,
    mode: Mode,
    zarr_format: int | str | None,
    use_consolidated: bool | str | None,
    wanted: str,
    make: Callable[[], AnyNode],
    further: Callable[[], Place | None],
) -> AnyNode:
    if mode in ("w", "w-"):
        return make()
    node = find_node(*where, zarr_format, use_consolidated)
    if node is not None:
        return node
    if mode == "r" and (archive := further()) is not None:
        where.store.close()
        return _opened(archive, mode, zarr_format, use_consolidated, wanted, make, lambda: None)
    asked = None if zarr_format is None else format_of(zarr_format)
    if mode != "a" or unfinished(*where, asked if asked is not None and asked.implicit_groups else None):
        raise absent(where.store, asked, where.path, wanted)
    try:
        return make()
    except NodeExistsError:  # made by another writer since
        node = find_node(*where, zarr_format, use_consolidated)
        if node is None:
            raise
        return node


def _new_array(
    where: Place, mode: Mode, zarr_format: int | str | None, arguments: Mapping[str, Any]
) -> Array:
    store, path = where
    if "shape" not in arguments and arguments.get("data") is None:
        asked = None if zarr_format is None else format_of(zarr_format)
        raise absent(store, asked, path, "array")
    place = place_for_new(store, path, zarr_format, overwrite=mode == "w")
    return make_array(*place, **{"overwrite": mode == "w", **arguments})


def _new_group(
    where: Place, mode: Mode, zarr_format: int | str | None, attributes: Mapping[str, Any] | None
) -> Group:
    return make_group(place_for_new(*where, zarr_format, overwrite=mode == "w"), attributes, mode == "w")


def make_group(where: Within, attributes: Mapping[str, Any] | None, overwrite: bool) -> Group:
    """Make a group at a place."""
    metadata = GroupMetadata(attributes=checked_attributes(attributes or {}))
    place(*where, metadata, overwrite=overwrite)
    return Group(*where, metadata)
