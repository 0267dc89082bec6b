"""Comparing models: what differs, and where."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from omnizarr.zom.node import NodeSpec


def differences(
    one: NodeSpec[Any],
    other: Any,
    *,
    include: Collection[str] = (),
    exclude: Collection[str] = (),
    first: bool = False,
) -> list[Any]:
    """Return what differs."""
    raise RuntimeError("to come")
