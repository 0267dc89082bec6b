"""Stores of hierarchies in formats that are read and never written."""

from __future__ import annotations

from omnizarr.metadata.formats import FORMATS
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.formats.drafts.later import LaterDraft
from omnizarr.store.base import Store
from omnizarr.store.layers.wrap import ReadOnlyStore


class UnwritableStore(ReadOnlyStore):
    """A store that refuses every change with the `ConversionError` of its hierarchy's format."""

    def __init__(self, inner: Store, format: LaterDraft) -> None:
        super().__init__(inner)
        self.format = format

    def require_writable(self, key: str | None = None) -> None:
        raise self.format.refusal()


def guarded(store: Store, format: Format) -> Store:
    """Return the store of a hierarchy, or one that refuses changes where the format is read only."""
    return UnwritableStore(store, format) if isinstance(format, LaterDraft) else store


def writable(format: Format) -> Format:
    """Return the format of a copy where none is named: the same, or Zarr v3.1 for what is read only."""
    return FORMATS[3] if isinstance(format, LaterDraft) else format
