"""Several datasets as one, joined along a dimension.

They come in the order of the dimension's coordinate, where it has one. Chunks that begin where those of the
whole do are the sources' own, byte for byte.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, product
from typing import Any

import numpy as np

from omnizarr.errors import ConversionError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.copying.steps import Route
from omnizarr.hierarchy.copying.transfer import same_fill, stored_alike
from omnizarr.hierarchy.workers.base import Workers
from omnizarr.hierarchy.workers.sent import Sent
from omnizarr.hierarchy.workers.sight import Mark
from omnizarr.metadata.chunk_keys import ChunkKeys
from omnizarr.netcdf.copying.agreement import Part, check_agreement, ordered
from omnizarr.netcdf.copying.lease import Sources
from omnizarr.netcdf.copying.reading import FromSource, ReadSource, Region, Source
from omnizarr.netcdf.copying.source import variables_of
from omnizarr.netcdf.files.chunk_store import ChunkStore
from omnizarr.netcdf.model.items import AnyArray
from omnizarr.netcdf.model.nodes import DatasetModel, GroupModel, Loss, VariableModel, join
from omnizarr.netcdf.values.storage import to_storage

# What another process has to know of the sources.
_SENT = ("_sources", "_dimension", "_starts", "name", "_rooms", "model")


def joined_sources(sources: Any, name: str, storage_options: Mapping[str, Any] | None = None) -> JoinedSource:
    """Return sources as one, joined along a dimension: its name, or its absolute path.

    Raises
    ------
    ConversionError
        They do not agree; what differs, and in which of them, is told.
    """
    one = isinstance(sources, str | Mapping) or not isinstance(sources, Iterable)
    places = [sources] if one else list(sources)
    if not places:
        raise ConversionError("join: expected at least one source, found none")
    held = Sources(places, storage_options)
    try:
        return JoinedSource(held, name)
    except BaseException:
        held.close()
        raise


class JoinedSource:
    """Sources as one."""

    def __init__(self, sources: Sources, name: str) -> None:
        self._sources = sources
        parts = []
        for number in range(len(sources.places)):
            with sources.using(number) as source:
                parts.append(Part.of(number, source, name))
        self._parts = ordered(parts)
        differing = check_agreement(self._parts, sources)
        first = self._parts[0]
        self._dimension = first.dimension
        self._first: Source = sources.pinned(first.number)
        self._starts = [0, *accumulate(part.length for part in self._parts)]
        self.losses: tuple[Loss, ...] = (*(loss for part in self._parts for loss in part.losses), *differing)
        self.kind: str | None = first.kind
        self.places: tuple[str, ...] = tuple(place for part in self._parts for place in part.places)
        self.name = ", ".join(part.name for part in self._parts)
        self._rooms = _string_rooms(self._parts)
        self.model: DatasetModel = replace(first.model, root=self._joined(first.model.root, "/"))
        self._arrays: dict[str, Array | None]
        self._own: dict[tuple[int, str], bool]
        self._begin()

    def _joined(self, group: GroupModel, path: str) -> GroupModel:
        """Return a group with the length of all parts, and room for the strings of all."""
        return replace(
            group,
            dimensions=tuple(
                replace(d, size=self._starts[-1]) if join(path, d.name) == self._dimension else d
                for d in group.dimensions
            ),
            variables=tuple(
                replace(v, max_string_length=max(rooms) if all(rooms) else None)
                if (rooms := self._rooms.get(join(path, v.name)))
                else v
                for v in group.variables
            ),
            groups=tuple(self._joined(inner, join(path, inner.name)) for inner in group.groups),
        )

    @property
    def stamp(self) -> str | None:
        """What changes when one of the sources does."""
        digest = hashlib.sha256()
        for part in self._parts:
            if part.stamp is None:
                return None
            digest.update(f"{part.name}\0{part.stamp}\0".encode("utf-8", "surrogateescape"))
        return digest.hexdigest()

    def array(self, path: str) -> Array | None:
        """Return the array of a variable, with the chunks and codecs of the first source."""
        if path not in self._arrays:
            self._arrays[path] = self._array(path)
        return self._arrays[path]

    def _array(self, path: str) -> Array | None:
        found, variable = self._first.array(path), self._variables[path]
        if found is None or self._axis(variable) is None:
            return found
        if found.dtype.kind in "mM" or found.dtype.hasobject or any(p.is_rebased(path) for p in self._parts):
            return None
        if len(set(self._rooms.get(path, ()))) > 1:
            return None
        shape = self.model.root.shape(variable)
        metadata = replace(found.metadata.with_shape(shape), chunk_keys=ChunkKeys("v2", "."))
        return Array(self._chunks, found.format, path.strip("/"), metadata)

    def _axis(self, variable: VariableModel) -> int | None:
        dimensions = variable.dimensions
        return dimensions.index(self._dimension) if self._dimension in dimensions else None

    def read(self, path: str, region: Region) -> AnyArray:
        """Return values as netCDF shows them, from the sources that they are in."""
        axis = self._axis(self._variables[path])
        if axis is None:
            return self._first.read(path, region)
        cut, pieces = region[axis], []
        for at, start, stop in self._within(cut.start, cut.stop):
            part = self._parts[at]
            with self._sources.using(part.number) as source:
                inner = (*region[:axis], slice(start, stop), *region[axis + 1 :])
                pieces.append(part.shown(path, source.read(path, inner)))
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces, axis)

    def _within(self, start: int, stop: int) -> Iterator[tuple[int, int, int]]:
        """Yield the parts that a range is in: the number of each, and the range in it."""
        for at in range(bisect_right(self._starts, start) - 1, len(self._parts)):
            begin, end = self._starts[at : at + 2]
            if begin >= stop:
                return
            if max(start, begin) < min(stop, end):
                yield at, max(start, begin) - begin, min(stop, end) - begin

    def chunk(self, path: str, coords: tuple[int, ...]) -> bytes | None:
        """Return a chunk of the whole: a source's own where it is the same, else encoded from values."""
        where = f"/{path}"
        array, variable = self._arrays[where], self._variables[where]
        axis = self._axis(variable)
        assert array is not None and axis is not None
        chain = array.layout.chain
        sizes = chain.spec.shape
        region = tuple(
            slice(at * size, min((at + 1) * size, length))
            for at, size, length in zip(coords, sizes, array.shape, strict=True)
        )
        owners = list(self._within(region[axis].start, region[axis].stop))
        if len(owners) == 1 and owners[0][1] % sizes[axis] == 0:
            at, start, _ = owners[0]
            with self._sources.using(self._parts[at].number) as source:
                own = source.array(where)
                if own is not None and self._is_same(at, where, own, array):
                    place = (*coords[:axis], start // sizes[axis], *coords[axis + 1 :])
                    return own.layout.store.get(own.layout.key(place))
        self._chunks.note_recoded(chain.spec.nbytes)
        block = chain.spec.blank()
        shown = np.asarray(self.read(where, region))
        values = to_storage(variable.type, shown, array.metadata.data_type)
        block[tuple(slice(0, length) for length in values.shape)] = values
        return bytes(chain.encode(block))

    def _is_same(self, at: int, path: str, own: Array, array: Array) -> bool:
        """Say whether the chunks of a source are those of the whole."""
        if (at, path) not in self._own:
            like = Array(array.store, array.format, array.path, array.metadata.with_shape(own.shape))
            same = stored_alike(own, like) and same_fill(own.fill_value, array.fill_value)
            self._own[at, path] = same
        return self._own[at, path]

    def all_chunks(self, path: str) -> Iterator[tuple[int, ...]]:
        """Yield the places of all chunks of a variable."""
        array = self._arrays[f"/{path}"]
        assert array is not None
        return product(*(range(axis.count) for axis in array.layout.axes))

    def begin(self, path: str) -> None:
        """Do nothing."""

    def reading(self, path: str) -> Callable[[Region], AnyArray]:
        """Return what reads a variable."""
        return ReadSource(self._sent, path)

    def route(self, path: str, target: Array) -> Route:
        """Return the way from the array of a variable."""
        return FromSource(self._sent, path, target)

    def require(self, workers: Workers) -> None:
        """Refuse workers that cannot reach the stores."""
        self._sources.require(workers)

    def sight(self) -> Mark | None:
        """Return nothing: workers open the sources, and what is in them says whether they are these."""
        return None

    def __getstate__(self) -> dict[str, Any]:
        """Return what there is to know of the sources, without those that are open."""
        kept = {name: getattr(self, name) for name in _SENT}
        return {**kept, "_parts": [part.slim for part in self._parts]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.losses, self.places, self.kind = (), (), None
        self._first = self._sources.pinned(self._parts[0].number)
        self._begin()

    def _begin(self) -> None:
        self._variables = variables_of(self.model.root)
        self._chunks = _JoinedChunks(self)
        self._arrays = {}
        self._own = {}
        self._sent: Sent[Source] = Sent(self)

    def close(self) -> None:
        """Release the sources."""
        self._sources.close()


def _string_rooms(parts: Sequence[Part]) -> dict[str, list[int]]:
    """Return, by path, the bytes that each part has for a string of a variable; 0 where it does not say."""
    found: dict[str, list[int]] = {}
    for part in parts:
        for path, variable in variables_of(part.model.root).items():
            found.setdefault(path, []).append(variable.max_string_length or 0)
    return {path: rooms for path, rooms in found.items() if any(rooms)}


class _JoinedChunks(ChunkStore):
    """The chunks of the whole."""

    def __init__(self, joined: JoinedSource) -> None:
        super().__init__(joined.name)
        self._joined = joined

    def stored(self, path: str) -> Iterator[tuple[int, ...]]:
        """Yield the places of all chunks; some may be absent."""
        return self._joined.all_chunks(path)

    def chunk(self, path: str, coords: tuple[int, ...]) -> bytes | None:
        """Return a chunk."""
        return self._joined.chunk(path, coords)
