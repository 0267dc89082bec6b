"""Creating hierarchies in stores from models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from omnizarr.zom.node import NodeSpec


def create(
    spec: NodeSpec[Any],
    store: Any,
    path: str | None,
    *,
    overwrite: bool,
    exist_ok: bool,
    consolidated: bool,
    storage_options: Mapping[str, Any] | None,
) -> Any:
    """Create the hierarchy."""
    raise RuntimeError("to come")
