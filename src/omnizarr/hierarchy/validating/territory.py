"""Which node a key belongs to, and what no repair may touch.

A key belongs to the nearest place above it: an array, by the prefix of its chunks, or a place that is closed,
since what lies there could be data of a node that lost its document, or that cannot be read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.validating.listing import MARKS
from omnizarr.metadata.formats.base import Format
from omnizarr.store.layers.whiteouts import is_mark

Sort: TypeAlias = Literal["chunk", "outside", "orphan", "partial", "lost", "closed", "known"]

# Documents of conventions that stand beside those of Zarr: of netCDF-C before it used attributes and of
# the netCDF proposal, OME-XML, RO-Crate; and what people write about their data.
_COMPANIONS = re.compile(
    r"\.nczarr|\.nczgroup|\.nczvar|\.nczarray|\.nczattrs?|\.zdataset|\.zdims|\.ztypedefs|\.zattr_type"
    r"|METADATA\.ome\.xml|ro-crate-metadata\.json|(?:README|LICENSE|CHANGELOG)(?:\.\w+)?"
)
# As zarr-python calls the file that becomes a value.
_PARTIAL = re.compile(r".*\.[0-9a-f]{32}\.partial")
_CHUNK = re.compile(r"(?:.*/)?(?:c(?:[/.]\d+)+|\d+(?:[/.]\d+)*)")
_STAGE = ".omnizarr-stage"


class Sorted(NamedTuple):
    """What a key is.

    Attributes
    ----------
    place
        The node that it belongs to or lies below.
    arrays
        Those that it is a chunk of, with its place in their grids; two where documents of two formats
        describe the same chunks.
    """

    sort: Sort
    place: str
    message: str = ""
    arrays: tuple[tuple[Array, tuple[int, ...]], ...] = ()


@dataclass(slots=True)
class Territory:
    """Places by the prefixes of what belongs to them.

    Attributes
    ----------
    closed
        Prefixes of what is not to be touched, with the place.
    guarded
        Prefixes below which only chunks are told: what a copy has not completed, or another format has
        documents for.
    counts
        How many keys lie below each closed place.
    """

    top: str
    arrays: dict[str, list[Array]] = field(default_factory=dict)
    closed: dict[str, str] = field(default_factory=dict)
    guarded: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)

    def add_arrays(self, arrays: Iterable[Array]) -> None:
        """Add arrays, each with its chunks' prefix."""
        for array in arrays:
            self.arrays.setdefault(array.layout.prefix, []).append(array)

    def close(self, place: str, format: Format) -> None:
        """Close a place and all that is below it."""
        for prefix in format.owned(place).prefixes:
            self.closed.setdefault(prefix, place)

    def count(self, key: str) -> None:
        """Count a key as one of those below the closed places that it lies in."""
        for prefix in _prefixes(key):
            if (place := self.closed.get(prefix)) is not None:
                self.counts[place] += 1

    def sorted(self, key: str) -> Sorted:
        """Say what a key is that holds no document."""
        found = self._by_prefix(key)
        if found.sort == "chunk":  # most keys are
            return found
        name = key.rpartition("/")[2]
        if _COMPANIONS.fullmatch(name) or name in MARKS or is_mark(key):
            return Sorted("known", self.top)
        if self.guarded and not self.guarded.isdisjoint(_prefixes(key)):
            return Sorted("closed", found.place)
        return found

    def _by_prefix(self, key: str) -> Sorted:
        for prefix in _prefixes(key):
            if (place := self.closed.get(prefix)) is not None:
                return Sorted("closed", place)
            if (arrays := self.arrays.get(prefix)) is not None:
                return _in_array(key, prefix, arrays)
        return _in_group(key, self.top)


def _prefixes(key: str) -> Iterator[str]:
    """Yield what may stand before the rest of a key, the longest first."""
    at = len(key)
    while (at := key.rfind("/", 0, at)) >= 0:
        yield key[: at + 1]
    yield ""


def _in_array(key: str, prefix: str, arrays: list[Array]) -> Sorted:
    rest = key[len(prefix) :]
    inside: list[tuple[Array, tuple[int, ...]]] = []
    outside: list[Array] = []
    for array in arrays:
        axes = array.layout.axes
        coords = array.layout.keys.coords(rest, len(axes))
        if coords is not None:
            beyond = any(at >= axis.count for at, axis in zip(coords, axes, strict=True))
            if beyond:
                outside.append(array)
            else:
                inside.append((array, coords))
    place = arrays[0].path
    if inside:
        return Sorted("chunk", place, "", tuple(inside))
    if outside:
        return Sorted("outside", place, f"a chunk outside the array's shape {outside[0].shape}")
    if _PARTIAL.fullmatch(key):
        return Sorted("partial", place, "left by a writer that was killed")
    if _CHUNK.fullmatch(rest):
        # Old nested directories do not say that they are nested: it may be the document that errs.
        return Sorted("lost", place, "would be a chunk by another chunk key encoding than the array has")
    return Sorted("orphan", place, "is no chunk of the array it lies in")


def _in_group(key: str, top: str) -> Sorted:
    if _PARTIAL.fullmatch(key):
        return Sorted("partial", top, "left by a writer that was killed")
    if f"/{_STAGE}/" in f"/{key}":
        return Sorted("partial", top, "left by a copy that was killed")
    if _CHUNK.fullmatch(key):
        return Sorted("orphan", top, "a chunk without an array")
    return Sorted("orphan", top, "belongs to no node")
