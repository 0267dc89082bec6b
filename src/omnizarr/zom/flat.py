"""Models as nodes by path, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from omnizarr.zom.node import NodeSpec
    from omnizarr.zom.version import Version


def nested(nodes: Mapping[str, Any], version: Version) -> dict[str, Any]:
    """Return the document."""
    raise RuntimeError("to come")


def flattened(spec: NodeSpec[Any], root_path: str = "") -> dict[str, NodeSpec[Any]]:
    """Return all nodes by path."""
    raise RuntimeError("to come")
