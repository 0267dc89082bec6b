"""Models between Zarr v2 and v3, by the same mapping as copies of what they describe."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Generic, Literal, NamedTuple, overload

from typing_extensions import TypeVar

from omnizarr.errors import ConversionError
from omnizarr.hierarchy.copying.convert import Loss, convert_node, convert_nodes, gathered, listed
from omnizarr.hierarchy.paths import parent_of
from omnizarr.jsontypes import JsonObject, inside, same_json, shown
from omnizarr.metadata.convert import Converted
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.zom.group import GroupSpecBase
from omnizarr.zom.known import KnownDocument, model_of_known
from omnizarr.zom.node import NodeSpec
from omnizarr.zom.version import ATTRIBUTES, Version

M = TypeVar("M")
N = TypeVar("N", bound=NodeSpec[Any], default=NodeSpec[Any])

_VERSIONS: dict[int, Version] = {2: Version(2), 3: Version(3)}

# What changes without a word, since nothing of an array's values hangs on it.
_UNTOLD = ("chunk_key_encoding", "dimension_separator", "fill_value")


class Conversion(NamedTuple, Generic[N]):
    """A model in another version of Zarr.

    Attributes
    ----------
    model
        The same hierarchy, as far as the version can hold it.
    losses
        What it cannot hold, and what would not come back as it was: each with the path of its node below
        the model's root. Empty where converting back gives an equal model.
    """

    model: N
    losses: tuple[Loss, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether converting back gives an equal model."""
        return not self.losses

    def __str__(self) -> str:
        kind = f"{self.model.kind} of Zarr {self.model.zarr_format}"
        return "\n".join([f"{kind}, {'exact' if self.exact else 'not exact:'}", *gathered(self.losses)])


@overload
def convert(model: NodeSpec[Any], zarr_format: Literal[2, 3], *, into: type[N]) -> Conversion[N]: ...
@overload
def convert(model: NodeSpec[Any], zarr_format: Literal[2, 3], *, into: None = None) -> Conversion: ...
def convert(
    model: NodeSpec[Any], zarr_format: Literal[2, 3], *, into: type[NodeSpec[Any]] | None = None
) -> Conversion[Any]:
    """Return a model, with everything below it, in a version of Zarr; one that is of it stays as it is.

    It becomes what `omnizarr.copy` would make of what it describes: with codecs and data types of the other
    version that give the same bytes; `_ARRAY_DIMENSIONS` of v2 are v3's `dimension_names`; chunks have the
    keys that are usual there. Members that were not read stay so.

    Parameters
    ----------
    into
        A model of that version, which the result must be of; else the result is untyped.

    Raises
    ------
    ConversionError
        The version cannot hold something at all, such as chunks of several shapes or names that it reserves,
        and every such node is listed; or there is no such version, or `into` is not of it.
    MetadataError
        The result is not as `into` has it; every fault with its path.
    TypeError
        It is no model, or `into` no class of models.
    """
    if not isinstance(model, NodeSpec):
        raise TypeError(f"expected a model, found {shown(model)}")
    if into is not None and not (isinstance(into, type) and issubclass(into, NodeSpec)):
        raise TypeError(f"into: expected an ArraySpec or GroupSpec class, found {shown(into)}")
    theirs = _version(zarr_format)
    if into is not None and into.version != theirs:
        expected = f"into: expected a model of Zarr {zarr_format}"
        raise ConversionError(f"{expected}, found {into.__name__}, of Zarr {into.version.number}")
    if model.version != theirs:
        return _converted(model, theirs, into)
    return Conversion(model if into is None or isinstance(model, into) else into.from_json(model.to_json()))


def _version(zarr_format: object) -> Version:
    if isinstance(zarr_format, int) and zarr_format in _VERSIONS:
        return _VERSIONS[zarr_format]
    raise ConversionError(f"zarr_format: expected 2 or 3, found {shown(zarr_format)}")


def _converted(model: NodeSpec[Any], theirs: Version, into: type[NodeSpec[Any]] | None) -> Conversion:
    ours = model.version
    nodes = {"": model, **(dict(model.walk()) if isinstance(model, GroupSpecBase) else {})}
    unread = {
        path for path, node in nodes.items() if isinstance(node, GroupSpecBase) and node.members is None
    }
    found = {path: node.metadata for path, node in nodes.items()}
    changed = convert_nodes(found, ours.format, theirs.format, partial(_with_untold, found, ours, theirs))
    if changed.failures:
        raise ConversionError(listed(changed.failures, theirs.format))
    losses = tuple(changed.losses)
    if into is None:
        return Conversion(_assembled(changed.nodes, unread, theirs, model_of_known), losses)
    return Conversion(into._read(_assembled(changed.nodes, unread, theirs, KnownDocument)), losses)


def _assembled(
    nodes: Mapping[str, NodeMetadata],
    unread: set[str],
    version: Version,
    make: Callable[[dict[str, Any], NodeMetadata], M],
) -> M:
    """Return what `make` makes of nodes by path, the root first and a group before what it holds."""
    made: dict[str, M] = {}
    members: dict[str, dict[str, M]] = {}
    for path, metadata in nodes.items():
        document: dict[str, Any] = version.write(metadata)
        if isinstance(metadata, GroupMetadata):
            members[path] = {}
            document["members"] = None if path in unread else members[path]
        made[path] = make(document, metadata)
        if path:
            members[parent_of(path)][path.rpartition("/")[2]] = made[path]
    return made[""]


# --- what would not come back


def _with_untold(
    found: Mapping[str, NodeMetadata], ours: Version, theirs: Version, path: str, converted: Converted
) -> Converted:
    """Return a converted node that tells also what the way back would not restore."""
    back = convert_node(converted.metadata, theirs.format, ours.format).metadata
    untold = _differences(_fields(ours, found[path]), _fields(ours, back), told=bool(converted.losses))
    return converted._replace(losses=(*converted.losses, *untold))


def _differences(one: JsonObject, other: JsonObject, *, told: bool) -> Iterator[str]:
    """Yield what differs; of a node whose losses were told, only what is never a part of those."""
    for name in {**one, **other}:
        if told and name not in _UNTOLD:
            continue
        if not (name in one and name in other and same_json(one[name], other[name])):
            before, after = (shown(fields[name]) if name in fields else "nothing" for fields in (one, other))
            yield f"{name}: {before} would come back as {after}"


def _fields(version: Version, metadata: NodeMetadata) -> JsonObject:
    """Return a node's fields, and each of its attributes as one."""
    document = version.write(metadata, as_spelled=False)
    attributes = document.pop(ATTRIBUTES, {})
    assert isinstance(attributes, dict)
    return {**document, **{inside(ATTRIBUTES, name): value for name, value in attributes.items()}}
