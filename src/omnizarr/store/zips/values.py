"""What a store of one zip archive does for reading, wherever the archive is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import NamedTuple, NoReturn, TypeVar

from omnizarr.errors import StoreError
from omnizarr.store.base import ByteRange, Facts, Listing, Reader, Store
from omnizarr.store.directories.failure import failure
from omnizarr.store.keys import check_key, check_prefix
from omnizarr.store.listing import listing_of
from omnizarr.store.ranges import check_part, check_spans, check_start
from omnizarr.store.readers import BytesReader
from omnizarr.store.zips.contents import top_folder
from omnizarr.store.zips.format import STORED, BadEntryError, Entry
from omnizarr.store.zips.read import ZipReader

T = TypeVar("T")

_MAC_FORKS = "__MACOSX/"  # what macOS adds to an archive about the files in it


class Place(NamedTuple):
    """An entry, and what it is in: the archive, or the one that will replace it."""

    reader: ZipReader
    entry: Entry

    @property
    def facts(self) -> Facts:
        """What tells a value from the next one: its checksum, and where it is."""
        return Facts(self.entry.size, f"{self.entry.crc:08x} {self.entry.start}")


@dataclass(frozen=True, slots=True)
class EntryReader:
    """An entry, which stays in its archive when another one takes its name.

    `fail` raises for what cannot be read of it.
    """

    place: Place
    fail: Callable[[Exception], NoReturn]

    def get(self, part: ByteRange | None = None) -> bytes:
        """Return all bytes, or a part of them."""
        if part is not None:
            check_part(part)
        return self._try(lambda archive, entry: archive.read(entry, part))

    def get_into(self, out: memoryview, start: int = 0) -> int:
        """Fill `out` as `Store.get_into` does."""
        check_start(start)
        return self._try(lambda archive, entry: archive.read_into(entry, out, start))

    def get_ranges(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return several (start, length) parts."""
        check_spans(spans)
        return self._try(lambda archive, entry: archive.read_spans(entry, spans))

    def facts(self) -> Facts:
        """Return the facts of the value."""
        return self.place.facts

    def _try(self, read: Callable[[ZipReader, Entry], T]) -> T:
        try:
            return read(*self.place)
        except (BadEntryError, OSError) as error:
            self.fail(error)


@dataclass(frozen=True, slots=True)
class InflatedReader(BytesReader):
    """An entry that was compressed, all of it."""

    place: Place

    def facts(self) -> Facts:
        """Return the facts of the value."""
        return self.place.facts


class ZipValues(Store):
    """The entries of one archive as values; what is below it opens the archive and may write."""

    lists_cheaply = True

    def __init__(self, name: str, folder: str | None) -> None:
        self.name = name
        self._closed = False
        self._places: dict[str, Place] = {}
        self._folder = "" if not folder else folder.strip("/") + "/"

    @property
    def folder(self) -> str:
        """The folder of the archive that all keys are in, with a `/` after it; `""` where there is none."""
        return self._folder

    def get(self, key: str, part: ByteRange | None = None) -> bytes | None:
        if part is not None:
            check_part(part)
        reader = self._reader(key)
        return None if reader is None else reader.get(part)

    def get_into(self, key: str, out: memoryview, start: int = 0) -> int | None:
        check_start(start)
        reader = self._reader(key)
        return None if reader is None else reader.get_into(out, start)

    def get_ranges(self, key: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        check_spans(spans)
        reader = self._reader(key)
        return None if reader is None else reader.get_ranges(spans)

    def reading(self, key: str) -> AbstractContextManager[Reader | None]:
        reader = self._reader(key)
        if reader is None or reader.place.entry.method == STORED:
            return nullcontext(reader)
        return nullcontext(InflatedReader(reader.get(), reader.place))  # once, not for each part

    def size(self, key: str) -> int | None:
        place = self._find(key)
        return None if place is None else place.entry.size

    def facts(self, key: str) -> Facts | None:
        place = self._find(key)
        return None if place is None else place.facts

    def list_sizes(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        check_prefix(prefix)
        self._check_open()
        places = list(self._places.items())
        return ((key, place.entry.size) for key, place in places if key.startswith(prefix))

    def list_prefix(self, prefix: str = "") -> Iterator[str]:
        check_prefix(prefix)
        self._check_open()
        return iter([key for key in list(self._places) if key.startswith(prefix)])

    def list_dir(self, prefix: str = "") -> Listing:
        check_prefix(prefix)
        self._check_open()
        return listing_of(list(self._places), prefix)

    def _take(self, reader: ZipReader, entries: Iterable[Entry], folder: str | None, archive: str) -> int:
        """Hold the entries that are in the folder, which is found unless given; return how many are not."""
        named = {entry.name: entry for entry in entries if not entry.name.startswith(_MAC_FORKS)}
        if folder is None:
            self._folder = top_folder(named, archive)
        start = len(self._folder)
        self._places = {
            name[start:]: Place(reader, entry)
            for name, entry in named.items()
            if name.startswith(self._folder)
        }
        return len(named) - len(self._places)

    def _reader(self, key: str) -> EntryReader | None:
        place = self._find(key)
        return None if place is None else EntryReader(place, lambda error: self._fail("read", error, key))

    def _find(self, key: str) -> Place | None:
        check_key(key)
        self._check_open()
        return self._places.get(key)

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError("it is closed", store=self.name)

    def _fail(self, action: str, error: Exception, key: str | None) -> NoReturn:
        raise failure(action, error, store=self.name, key=key) from error
