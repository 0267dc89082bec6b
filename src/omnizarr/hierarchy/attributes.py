"""A node's attributes as a mapping."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from typing import Any, Protocol

from omnizarr.jsontypes import Json, as_json
from omnizarr.metadata.group import NodeMetadata


class Attributed(Protocol):
    """What holds attributes, and can change them as they are stored now."""

    metadata: NodeMetadata

    def _replace_attributes(self, change: Callable[[Mapping[str, Json]], Mapping[str, Json]]) -> None: ...


class Attributes(MutableMapping[str, Json]):
    """The attributes of a node.

    Reading takes them from the node's handle; every change is one write to the store, which keeps what
    others wrote meanwhile under other names.
    """

    __slots__ = ("_node",)

    def __init__(self, node: Attributed) -> None:
        self._node = node

    def __getitem__(self, name: str) -> Json:
        return self._node.metadata.attributes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._node.metadata.attributes)

    def __len__(self) -> int:
        return len(self._node.metadata.attributes)

    def __contains__(self, name: object) -> bool:
        return name in self._node.metadata.attributes

    def __setitem__(self, name: str, value: Any) -> None:
        self.update({name: value})

    def __delitem__(self, name: str) -> None:
        def without(found: Mapping[str, Json]) -> Mapping[str, Json]:
            if name not in found:
                raise KeyError(name)
            return {key: value for key, value in found.items() if key != name}

        self._node._replace_attributes(without)

    def update(  # type: ignore[override]
        self, other: Mapping[str, Any] | Iterable[tuple[str, Any]] = (), /, **values: Any
    ) -> None:
        """Set several attributes by one write.

        Raises
        ------
        TypeError
            A value is not JSON; the attribute is named. Nothing was written.
        """
        new = checked_attributes(dict(other, **values))
        if new:
            self._node._replace_attributes(lambda found: {**found, **new})

    def put(self, attributes: Mapping[str, Any]) -> None:
        """Replace all attributes by one write."""
        new = checked_attributes(dict(attributes))
        self._node._replace_attributes(lambda _: new)

    def clear(self) -> None:
        """Remove all attributes by one write."""
        self.put({})

    def asdict(self) -> dict[str, Json]:
        """Return the attributes as a dictionary of its own."""
        return dict(self._node.metadata.attributes)

    def __repr__(self) -> str:
        return repr(self.asdict())


def checked_attributes(attributes: Mapping[str, Any]) -> dict[str, Json]:
    """Return attributes as JSON values; TypeError names the one that is none."""
    return {_name(name): _json(name, value) for name, value in attributes.items()}


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"attribute {name!r}: expected a string as its name, found {type(name).__name__}")
    return name


def _json(name: str, value: Any) -> Json:
    try:
        return as_json(value)
    except TypeError as error:
        raise TypeError(f"attribute {name!r}: {error}") from None
