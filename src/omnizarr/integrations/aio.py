"""asyncio: what omnizarr does, as coroutines.

>>> import asyncio
>>> from omnizarr.integrations import aio
>>> async def example():
...     array = await aio.create_array("memory://aio", data=[[1, 2], [3, 4]])
...     await array.set((0, slice(None)), 7)
...     return await array[:, 1]
>>> asyncio.run(example())
array([7, 4])

Everything runs in at most `config.requests` threads, which all event loops share; see docs/aio.md.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextvars import Context, copy_context
from dataclasses import dataclass
from functools import partial
from itertools import islice
from types import TracebackType
from typing import Any, Generic, ParamSpec, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from omnizarr.config import config
from omnizarr.engine.pool import pool_named, until_stopped
from omnizarr.hierarchy import array as arrays
from omnizarr.hierarchy import create as creating
from omnizarr.hierarchy import group as groups
from omnizarr.hierarchy import open as opening
from omnizarr.hierarchy.arrays.indexers import BlockIndex, OrthogonalIndex, VectorIndex
from omnizarr.jsontypes import Json
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.group import GroupMetadata

P = ParamSpec("P")
T = TypeVar("T")
NodeT = TypeVar("NodeT", bound="arrays.Array | groups.Group")
AnyNode: TypeAlias = "Array | Group"

# To a thread and back takes as long as the documents of some nodes.
_AHEAD = 64


async def run(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call any function of the library in one of the threads, with the settings of this task.

    A coroutine that is cancelled ends at once. Its thread begins no further chunk; a request that is under
    way is let go.
    """
    return await _in_thread(copy_context(), partial(function, *args, **kwargs))


async def iterate(items: Callable[[], Iterable[T]], ahead: int = _AHEAD) -> AsyncIterator[T]:
    """Yield what an iterator of the library yields, asked in one of the threads for some items at a time."""
    context = copy_context()
    iterator = await _in_thread(context, lambda: iter(items()))
    while batch := await _in_thread(context, lambda: list(islice(iterator, ahead))):
        for item in batch:
            yield item


async def _in_thread(context: Context, work: Callable[[], T]) -> T:
    stop = threading.Event()

    def carry_out() -> T:
        try:
            return until_stopped(stop, work)
        except StopIteration as error:  # which asyncio's futures cannot hold
            raise RuntimeError("the function raised StopIteration") from error

    future = pool_named("aio").submit(config.settings.requests, partial(context.run, carry_out))
    try:
        return await asyncio.wrap_future(future)
    except asyncio.CancelledError:
        stop.set()
        raise


@dataclass(frozen=True, slots=True)
class Index:
    """One of the other ways to index an array, as `Array.get` and `Array.set` are for the first."""

    sync: OrthogonalIndex | VectorIndex | BlockIndex

    async def get(self, selection: Any) -> NDArray[Any]:
        """Read a selection."""
        found: NDArray[Any] = await run(self.sync.__getitem__, selection)
        return found

    async def set(self, selection: Any, values: Any) -> None:
        """Write values to a selection."""
        await run(self.sync.__setitem__, selection, values)

    def __getitem__(self, selection: Any) -> Coroutine[Any, Any, NDArray[Any]]:
        return self.get(selection)


class _Node(Generic[NodeT]):
    """What arrays and groups share. `sync` is the handle that does the work; its methods block."""

    __slots__ = ("sync",)

    def __init__(self, sync: NodeT) -> None:
        self.sync: NodeT = sync

    @property
    def path(self) -> str:
        """The path in the store, with no `/` at either end."""
        return self.sync.path

    @property
    def name(self) -> str:
        """The path from the root of the store, `/` first."""
        return self.sync.name

    @property
    def attributes(self) -> Mapping[str, Json]:
        """The user's attributes as this handle last saw or wrote them."""
        return self.sync.metadata.attributes

    async def update_attributes(self, new_attributes: Mapping[str, Any]) -> Self:
        """Set several attributes by one write; others stay."""
        await run(self.sync.update_attributes, new_attributes)
        return self

    async def refresh(self) -> None:
        """Read the metadata from the store again."""
        await run(self.sync.refresh)

    async def close(self) -> None:
        """Close the store, which all nodes in it share."""
        await run(self.sync.store.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __eq__(self, other: object) -> bool:
        return self.sync == other.sync if isinstance(other, _Node) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.sync)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.sync,)

    def __repr__(self) -> str:
        return f"<aio.{repr(self.sync)[1:]}"


class Array(_Node[arrays.Array]):
    """An array whose elements are read and written by coroutines; `omnizarr.Array` says what they mean."""

    __slots__ = ()

    @property
    def metadata(self) -> ArrayMetadata:
        """The metadata as this handle last saw or wrote them."""
        return self.sync.metadata

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis."""
        return self.sync.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy type of the elements."""
        return self.sync.dtype

    @property
    def chunks(self) -> tuple[Any, ...]:
        """The shape of a chunk."""
        return self.sync.chunks

    async def get(self, selection: Any = ..., *, out: NDArray[Any] | None = None, fields: Any = None) -> Any:
        """Read a selection, which means what it means in numpy; parameters as of `get_basic_selection`.

        What is read into `out` is incomplete where this is cancelled.
        """
        if out is None and fields is None:
            return await run(self.sync.__getitem__, selection)
        return await run(self.sync.get_basic_selection, selection, out=out, fields=fields)

    async def set(self, selection: Any, values: Any, *, fields: Any = None) -> None:
        """Write values to a selection. Where this is cancelled, each chunk is as before or as asked."""
        await run(self.sync.set_basic_selection, selection, values, fields=fields)

    def __getitem__(self, selection: Any) -> Coroutine[Any, Any, Any]:
        """Return a coroutine that reads: `await array[0, :5]`."""
        return self.get(selection)

    @property
    def oindex(self) -> Index:
        """Indexing by each axis independently: `await array.oindex[[1, 5], :]`, `.get`, `.set`."""
        return Index(self.sync.oindex)

    @property
    def vindex(self) -> Index:
        """Indexing by points, or by a mask."""
        return Index(self.sync.vindex)

    @property
    def blocks(self) -> Index:
        """Indexing by chunk (by shard, where there are any)."""
        return Index(self.sync.blocks)

    async def append(self, data: Any, axis: int = 0) -> tuple[int, ...]:
        """Add data at the end of an axis, and return the new shape."""
        return await run(self.sync.append, data, axis)

    async def resize(self, new_shape: int | Sequence[int]) -> None:
        """Change the length of axes; what is cut off is gone, what is added holds the fill value."""
        await run(self.sync.resize, new_shape)

    def iter_blocks(self) -> AsyncIterator[tuple[tuple[slice, ...], NDArray[Any]]]:
        """Yield each stored chunk's place in the array, and its elements, one after another."""
        return iterate(self.sync.iter_blocks, ahead=1)


class Group(_Node[groups.Group]):
    """A group whose nodes are found and made by coroutines; `omnizarr.Group` says what they mean."""

    __slots__ = ()

    @property
    def metadata(self) -> GroupMetadata:
        """The metadata as this handle last saw or wrote them."""
        return self.sync.metadata

    async def get(
        self, path: str, default: AnyNode | None = None, *, follow_links: bool = False
    ) -> AnyNode | None:
        """Return the array or group at a path, or a default."""
        found = await run(self.sync.get, path, follow_links=follow_links)
        return default if found is None else _face(found)

    async def getitem(self, path: str) -> AnyNode:
        """Return the array or group at a path; what there is not is a `NodeNotFoundError`."""
        return _face(await run(self.sync.__getitem__, path))

    def __getitem__(self, path: str) -> Coroutine[Any, Any, AnyNode]:
        """Return a coroutine that opens a node: `await group["a/b"]`."""
        return self.getitem(path)

    async def contains(self, path: str) -> bool:
        """Say whether there is a node at a path."""
        return await run(self.sync.__contains__, path)

    async def delitem(self, path: str) -> None:
        """Delete a node with everything below."""
        await run(self.sync.__delitem__, path)

    async def members(
        self, max_depth: int | None = 0, *, follow_links: bool = False
    ) -> AsyncIterator[tuple[str, AnyNode]]:
        """Yield the nodes below this group, each with its path relative to it, a group before what it holds.

        The store is asked for one level after another, or for all at once where that costs it less; what has
        links followed is all found before the first is yielded.
        """
        found = partial(self._below, max_depth, follow_links)
        async for path, node in iterate(found):
            yield path, _face(node)

    def _below(self, max_depth: int | None, follow_links: bool) -> Iterable[tuple[str, groups.AnyNode]]:
        if follow_links:
            return self.sync.members(max_depth, follow_links=True)
        return ((path, self.sync._child(path, found)) for path, found in self.sync.walk(max_depth))

    async def keys(self) -> AsyncIterator[str]:
        """Yield the names of the children."""
        async for name in iterate(self.sync.keys):
            yield name

    async def nmembers(self, max_depth: int | None = 0) -> int:
        """Return how many nodes there are below this group."""
        return await run(self.sync.nmembers, max_depth)

    async def create_array(self, name: str, **arguments: Any) -> Array:
        """Make an array below this group; `omnizarr.Group.create_array` has the arguments."""
        return Array(await run(self.sync.create_array, name, **arguments))

    async def create_group(self, name: str, **arguments: Any) -> Group:
        """Make a group below this one; `omnizarr.Group.create_group` has the arguments."""
        return Group(await run(self.sync.create_group, name, **arguments))

    async def require_group(self, name: str, **arguments: Any) -> Group:
        """Open a group below this one, or make it."""
        return Group(await run(self.sync.require_group, name, **arguments))


async def open(store: Any = None, **arguments: Any) -> AnyNode:
    """Open whatever is there, an array or a group; `omnizarr.open` has the arguments and the errors."""
    return _face(await run(opening.open, _place(store), **arguments))


async def open_array(store: Any = None, **arguments: Any) -> Array:
    """Open an array, as `omnizarr.open_array` does."""
    return Array(await run(opening.open_array, _place(store), **arguments))


async def open_group(store: Any = None, **arguments: Any) -> Group:
    """Open a group, as `omnizarr.open_group` does."""
    return Group(await run(opening.open_group, _place(store), **arguments))


async def create_array(store: Any = None, **arguments: Any) -> Array:
    """Make an array, and the groups above it that are missing, as `omnizarr.create_array` does."""
    return Array(await run(creating.create_array, _place(store), **arguments))


async def create_group(store: Any = None, **arguments: Any) -> Group:
    """Make a group, as `omnizarr.create_group` does."""
    return Group(await run(creating.create_group, _place(store), **arguments))


def _place(store: Any) -> Any:
    return store.sync if isinstance(store, _Node) else store


def _face(node: groups.AnyNode) -> AnyNode:
    return Array(node) if isinstance(node, arrays.Array) else Group(node)
