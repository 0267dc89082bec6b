"""Consolidated metadata from models, and models from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from omnizarr.zom.node import NodeSpec
    from omnizarr.zom.version import Version


def from_consolidated(document: Any, version: Version) -> dict[str, Any]:
    """Return the model's document."""
    raise RuntimeError("to come")


def to_consolidated(spec: NodeSpec[Any]) -> Any:
    """Return the document."""
    raise RuntimeError("to come")
