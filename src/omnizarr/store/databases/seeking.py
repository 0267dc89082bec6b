"""Listings of sorted keys, as databases have them, without a look at all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from omnizarr.store.base import Listing
from omnizarr.store.keys import is_legal

# The sign that follows `/`: all keys below `a/` lie before `a0`, in the order of their bytes.
AFTER_SLASH = b"0"


def list_by_seeking(scan: Callable[[bytes], Iterator[bytes]], prefix: str) -> Listing:
    """Return what lies directly below a prefix; of what lies deeper one key is read for each name.

    Parameters
    ----------
    scan
        Yields the keys below `prefix`, as UTF-8 and in the order of their bytes, from a given one on.
    """
    start: bytes | None = prefix.encode()
    names_begin = len(prefix.encode())
    keys: list[bytes] = []
    prefixes: list[bytes] = []
    while start is not None:
        found, start = scan(start), None
        for key in found:
            slash = key.find(b"/", names_begin)
            if slash >= 0:
                prefixes.append(key[:slash])
                start = key[:slash] + AFTER_SLASH
                break
            keys.append(key)
    return Listing(sorted(legal(keys)), sorted(f"{name}/" for name in legal(prefixes)))


def legal(keys: list[bytes]) -> list[str]:
    """Return those that are keys: what others wrote may have any names."""
    names = (key.decode("utf-8", "surrogateescape") for key in keys)
    return [name for name in names if is_legal(name)]


def end_of(prefix: str) -> bytes:
    """Return what all keys below a prefix that is not `""` lie before."""
    return prefix[:-1].encode() + AFTER_SLASH
