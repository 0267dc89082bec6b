"""The end of a writing: dask's blocks are written, now or later, and then the store is closed."""

from __future__ import annotations

from typing import Any

from omnizarr.store.base import Store


def finish(writer: Any, store: Store | None, *, compute: bool) -> Any:
    """Write what is left to a writer, and close the store; or return a delayed that does both.

    Parameters
    ----------
    store
        The store to close; None where it is the caller's.
    """
    left = writer.sync(compute=compute)
    if compute:
        _close(left, store)
        return None
    from dask.delayed import delayed

    return delayed(_close)(left, store)


def _close(_: Any, store: Store | None) -> None:
    if store is not None:
        store.close()
