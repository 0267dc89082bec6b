"""Zip archives: directories, headers and values."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import suppress

from fuzz.files import file_of
from fuzz.hierarchies import bounded, visit
from omnizarr.errors import OmniZarrError
from omnizarr.store import InnerZipStore, MemoryStore, Span, ZipStore
from omnizarr.store.base import Store


def seeds() -> Iterator[bytes]:
    """Yield archives of every method of compression, with and without a folder."""
    group = b'{"zarr_format":3,"node_type":"group"}'
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        for folder in ("", "data/"):
            file = io.BytesIO()
            with zipfile.ZipFile(file, "w", method) as archive:
                archive.comment = b"made"
                archive.writestr(f"{folder}zarr.json", group)
                archive.writestr(f"{folder}a/c/0", bytes(50))
            yield file.getvalue()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive, archive.open("zarr.json", "w", force_zip64=True) as value:
        value.write(group)
    yield file.getvalue()


def run(data: bytes) -> None:
    """Read all there is of an archive, as a file and within a store."""
    with bounded():
        with file_of(data, ".zip") as path, suppress(OmniZarrError), ZipStore(path, mode="r") as store:
            visit(_read_all(store))
        with suppress(OmniZarrError):
            _read_all(InnerZipStore(MemoryStore({"a.zip": data}), "a.zip"))


def _read_all(store: Store) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for key in list(store.list_prefix("")):
        with suppress(OmniZarrError):
            store.get(key, Span(2, 3))
            store.get_ranges(key, [(0, 2), (4, 9)])
            found[key] = store.get(key) or b""
    store.list_dir("")
    return found
