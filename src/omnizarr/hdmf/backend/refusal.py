"""The error for what cannot be done with a file."""

from __future__ import annotations

from hdmf.backends.errors import UnsupportedOperation

from omnizarr.errors import OmniZarrError


class RefusedError(OmniZarrError, UnsupportedOperation):  # type: ignore[misc]
    """What a file's mode or state does not allow; those who know HDMF catch its `UnsupportedOperation`."""
