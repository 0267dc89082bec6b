"""The LMDB environments of this process: each is open once, however many stores have its place."""

from __future__ import annotations

import os
import threading

from omnizarr.store.databases.lmdb_file import LMDBEnvironment, Terms

_environments: dict[str, LMDBEnvironment] = {}
_sharing = threading.RLock()  # a store may be collected, and leave, wherever memory is asked for


def share(path: str, name: str, terms: Terms) -> LMDBEnvironment:
    """Return the environment of a place, open for what is wanted of it."""
    with _sharing:
        if path not in _environments:
            _environments[path] = LMDBEnvironment(path, name, terms)
        found = _environments[path]
        found.stores += 1
    try:
        found.require(write=not terms.read_only, fsync=terms.fsync)
    except BaseException:
        leave(found)
        raise
    return found


def leave(environment: LMDBEnvironment) -> None:
    """Close an environment that its last store leaves."""
    with _sharing:
        environment.stores -= 1
        if not environment.stores:
            del _environments[environment.path]
            environment.close()


def _after_fork() -> None:
    global _sharing
    _sharing = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
