"""Listings made from a flat collection of keys; for stores that have no directories."""

from __future__ import annotations

from collections.abc import Iterable

from omnizarr.store.base import Listing


def listing_of(keys: Iterable[str], prefix: str) -> Listing:
    """Return what lies directly below `prefix`."""
    here, below = [], set()
    start = len(prefix)
    for key in keys:
        if key.startswith(prefix):
            name, slash, _ = key[start:].partition("/")
            if slash:
                below.add(name)
            else:
                here.append(key)
    return Listing(sorted(here), sorted(f"{prefix}{name}/" for name in below))
