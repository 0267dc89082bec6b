"""What an adapter to object stores offers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray

from benchmarks.peers.base import Named, Tree
from benchmarks.spec import Spec

BUCKET = "bucket"
REGION = "us-east-1"


@dataclass(frozen=True, slots=True)
class Service:
    """An S3 server on loopback."""

    endpoint: str
    key: str
    secret: str


class ObjectLibrary(Named, Protocol):
    """Arrays under a name in the bucket; what `create` and `open` return goes back into the other verbs."""

    def create(self, service: Service, name: str, spec: Spec) -> Any:
        """Create an array."""

    def open(self, service: Service, name: str) -> Any:
        """Open an array."""

    def read(self, array: Any) -> NDArray[Any]:
        """Return all of an array."""

    def write(self, array: Any, data: NDArray[Any]) -> None:
        """Replace the whole array."""

    def open_and_read(self, service: Service, name: str) -> Any:
        """Open an array and return its first element."""


@runtime_checkable
class Consolidated(Protocol):
    """Hierarchies with consolidated metadata."""

    def listing(self, service: Service, name: str) -> Tree:
        """Open a group by its consolidated metadata and return every node below it."""


@runtime_checkable
class Walking(Protocol):
    """Hierarchies without consolidated metadata."""

    def walk(self, service: Service, name: str) -> Tree:
        """Return every node below a group without consolidated metadata."""
