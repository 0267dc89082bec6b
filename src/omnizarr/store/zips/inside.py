"""A zip archive that is a value of another store: over HTTP, in S3, in memory, in another archive.

What is read of it, request by request: docs/storage/zip.md.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, NoReturn
from urllib.parse import quote

from omnizarr.errors import StoreError, StoreNotFoundError
from omnizarr.store.base import Buffer, Change, Store
from omnizarr.store.keys import check_key, check_prefix
from omnizarr.store.zips.contents import contents_of
from omnizarr.store.zips.format import BadEntryError
from omnizarr.store.zips.read import ZipReader
from omnizarr.store.zips.source import source_of
from omnizarr.store.zips.values import ZipValues


class InnerZipStore(ZipValues):
    """The values of a zip archive that is itself a value of a store; for reading only.

    Opening it reads the end of the archive, which names all values; a value is then read by its place.
    All that is read is of the archive as it was when it was opened: where another one has taken its
    place, reading raises.

    Parameters
    ----------
    store
        Where the archive is; closed along with this store.
    key
        Of the archive.
    folder
        The folder of the archive that all keys are in; found unless given, as `ZipStore` does.

    Raises
    ------
    StoreNotFoundError
        There is no such key.
    StoreError
        It is no zip archive, or has entries that lead out of it; or it could not be read.
    """

    read_only = True

    def __init__(self, store: Store, key: str, *, folder: str | None = None) -> None:
        super().__init__(f"{store.name.rstrip('/')}/{quote(key)}|zip:", folder)
        self.inner = store
        self.key = key
        self.requests = store.requests
        self._held = ExitStack()
        try:
            self._open(folder)
        except BaseException:
            self._held.close()
            raise

    def _open(self, folder: str | None) -> None:
        reader = self._held.enter_context(self.inner.reading(self.key))
        if reader is None:
            raise StoreNotFoundError("there is no such archive", store=self.inner.name, key=self.key)
        try:
            source = source_of(reader, self.inner, self.key)
            entries, _ = contents_of(source)
        except (BadEntryError, OSError) as error:
            self._fail("open", error, None)
        self._take(ZipReader(source), entries, folder, self.key.rpartition("/")[2])

    def set(self, key: str, value: Buffer) -> None:
        self._refuse(key)

    def set_if_absent(self, key: str, value: Buffer) -> bool:
        self._refuse(key)

    def update(self, key: str, change: Change) -> None:
        self._refuse(key)

    def delete(self, key: str) -> None:
        self._refuse(key)

    def delete_prefix(self, prefix: str) -> None:
        self._refuse(prefix, check_prefix)

    def _refuse(self, key: str, check: Callable[[str], None] = check_key) -> NoReturn:
        check(key)
        self.require_writable(key)
        raise StoreError("cannot write: it is for reading only", store=self.name, key=key)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._places = {}
            self._held.close()
            self.inner.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self.inner, self.key, self._folder)


def _made(store: Store, key: str, folder: str) -> InnerZipStore:
    return InnerZipStore(store, key, folder=folder)
