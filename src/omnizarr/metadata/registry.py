"""Extensions of documents by name, and those of other packages by entry points."""

from __future__ import annotations

from omnizarr.plugins import Registry, loaded

__all__ = ["Registry", "loaded"]
