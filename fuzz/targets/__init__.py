"""What is fuzzed: a module for each target, with `seeds()` and `run(data)`.

`run` gets any bytes. What it raises is a finding, unless it is one of the library's own errors.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Protocol, cast

NAMES = (
    "v3_documents",
    "v2_documents",
    "draft_documents",
    "consolidated",
    "chunks",
    "shards",
    "zips",
    "urls",
    "cdl",
    "pickles",
    "nczarr",
    "references",
    "classic_files",
    "databases",
)


class Target(Protocol):
    """A parser, and real inputs of it."""

    def seeds(self) -> Iterable[bytes]:
        """Return inputs to begin with."""

    def run(self, data: bytes) -> None:
        """Read an input as users would; raise OmniZarrError at most."""


def target(name: str) -> Target:
    """Return the target of that name."""
    return cast(Target, import_module(f"fuzz.targets.{name}"))
