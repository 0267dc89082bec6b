"""What is at a path of this machine: a directory, an archive, a database; told by its first bytes."""

from __future__ import annotations

import os
import re
import stat
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import unquote, urlsplit

from omnizarr.errors import StoreError, UrlError
from omnizarr.store.databases.places import check_path
from omnizarr.store.databases.sqlite_file import is_open

Kind: TypeAlias = Literal["directory", "zip", "sqlite", "lmdb"]

HDF5 = b"\x89HDF\r\n\x1a\n"
_SQLITE = b"SQLite format 3\0"
_LMDB = b"\xde\xc0\xef\xbe"  # behind 16 bytes of the first page; the other way round on big-endian machines
_HEAD = 20
# What is made where there is nothing yet.
_NEW: dict[str, Kind] = {
    ".zip": "zip",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".lmdb": "lmdb",
}


class Local(NamedTuple):
    """A path, what there is or is to be made, and the path within it."""

    path: str
    kind: Kind
    inside: str = ""


def local_place(path: str) -> Local:
    """Return what a path means: what is there, or, where it leads through a file, that file.

    Costs, but for what opening does: a look at the path, and one at `data.mdb` in a directory, or the
    first 20 bytes of a file; where there is nothing, a look at each part above it up to a directory.

    Raises
    ------
    StoreError
        There is a file of another kind.
    UrlError
        No file can have this name.
    """
    check_path(path)
    mode = _mode(path)
    if mode is None:
        return _behind_a_file(path) or Local(path, _new_kind(path))
    if stat.S_ISDIR(mode):
        # `access` says no without an exception, which is most of the cost of a look
        return Local(path, "lmdb" if os.access(f"{path}/data.mdb", os.F_OK) else "directory")
    return Local(path, _kind_of_file(path) if stat.S_ISREG(mode) else "directory")


def directory_above(path: str) -> str:
    """Return the nearest directory above a path that exists, which for a relative one may be `.`."""
    while True:
        above = os.path.dirname(path) or os.curdir
        if above == path or os.path.exists(above):
            return above
        path = above


def path_of_url(place: str, shown: str) -> str:
    """Return the path that a `file:` URL without query and fragment means.

    Raises
    ------
    UrlError
        It has a host that is not this machine.
    """
    parts = urlsplit(place)
    if parts.netloc not in ("", "localhost"):
        raise UrlError(
            f"expected a file of this machine, found the host {shown_host(parts.netloc)!r}", store=shown
        )
    path = unquote(place.partition(":")[2].removeprefix("//" + parts.netloc))
    return re.sub(r"^/([A-Za-z]:)", r"\1", path) if os.name == "nt" else path


def shown_host(netloc: str) -> str:
    """Return a host without user and password."""
    return netloc.rpartition("@")[2]


def head_of(path: str) -> bytes:
    """Return the first bytes of a file, or none where it cannot be read."""
    if is_open(path):
        return _SQLITE  # closing the file would take away SQLite's locks
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read(_HEAD) or b""
    except OSError:
        return b""


def what_starts(head: bytes) -> str:
    """Return what a file is that begins so, where it is none that can be opened here."""
    if head.startswith(HDF5):
        return "an HDF5 file, perhaps of netCDF-4"
    return "a classic netCDF file" if head.startswith(b"CDF") else ""


def _mode(path: str) -> int | None:
    try:
        return os.stat(path).st_mode
    except OSError:
        return None


def _kind_of_file(path: str) -> Kind:
    head = head_of(path)
    if head.startswith(_SQLITE):
        return "sqlite"
    if head[16:] in (_LMDB, _LMDB[::-1]):
        return "lmdb"
    if what := what_starts(head):
        message = f"expected a directory, a zip archive, or a database of SQLite or LMDB, found {what}"
        message += " (`omnizarr copy` makes Zarr of netCDF files)"
        raise StoreError(message, store=path)
    return "zip"


def _new_kind(path: str) -> Kind:
    return _NEW.get(os.path.splitext(path)[1].lower(), "directory")


def _behind_a_file(path: str) -> Local | None:
    """Return the file that a path leads through, and the path behind it."""
    head, names = path.rstrip("/"), list[str]()
    while "/" in head.lstrip("/"):
        head, _, name = head.rpartition("/")
        names.insert(0, name)
        mode = _mode(head or "/")
        if mode is None:
            continue
        if not stat.S_ISREG(mode):
            return None
        return Local(head, _kind_of_file(head), "/".join(filter(None, names)))
    return None
