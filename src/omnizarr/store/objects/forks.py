"""Forked processes: the threads that make requests stay behind, so that a request would wait forever."""

from __future__ import annotations

import os

from omnizarr.errors import StoreError
from omnizarr.store.objects.places import Place

_used = _left_behind = False


def require_threads(place: Place) -> None:
    """Note that requests are made from here on.

    Raises
    ------
    StoreError
        This process was forked from one that had made requests.
    """
    global _used
    if _left_behind:
        message = "cannot be used in this process: it was forked from one that had used an object store"
        raise StoreError(f"{message}; start processes by 'spawn' or 'forkserver'", store=place.name)
    _used = True


def _forked() -> None:
    global _left_behind
    _left_behind = _left_behind or _used


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
