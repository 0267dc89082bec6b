"""From what the operating system says to errors that name the store and the key."""

from __future__ import annotations

import errno

from omnizarr.errors import OmniZarrError, ReadOnlyError, StoreError

_DENIED = {errno.EACCES, errno.EPERM, errno.EROFS}
_WRITES = {"write", "delete"}
_MEANINGS = {
    errno.EISDIR: "other keys lie below it",
    errno.ENOTEMPTY: "other keys lie below it",
    errno.ENOTDIR: "a part of the key is a value, so no key can lie below",
}


def failure(action: str, error: Exception, *, store: str, key: str | None) -> OmniZarrError:
    """Return the error to raise where `action` ("read", "write", …) failed; `errno` is kept.

    What is an error of this library already is returned as it is.
    """
    if isinstance(error, OmniZarrError):
        return error
    number = error.errno if isinstance(error, OSError) else None
    said = error.strerror if isinstance(error, OSError) else None
    reason = (_MEANINGS.get(number or 0) if key is not None else None) or said or str(error)
    kind = ReadOnlyError if number in _DENIED and action in _WRITES else StoreError
    return kind(f"cannot {action}: {reason}", store=store, key=key, errno=number)
