"""Whole hierarchies in the idiom of another format: their metadata, what is lost, and what cannot be held."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from omnizarr.errors import ConversionError, MetadataError, NodeNameError
from omnizarr.hierarchy.paths import check_new_path
from omnizarr.metadata.convert import Converted, to_v2, to_v3
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.formats.drafts.convert import bootstrap_losses, losses_elsewhere, to_draft
from omnizarr.metadata.formats.drafts.draft2019 import Draft2019
from omnizarr.metadata.group import GroupMetadata, NodeMetadata

Change: TypeAlias = Callable[[str, Converted], Converted]

_PATHS_SHOWN = 3


class Loss(NamedTuple):
    """Something of the source that the target's format cannot hold."""

    path: str
    what: str

    def __str__(self) -> str:
        return f"/{self.path}: {self.what}"


class ConvertedNodes(NamedTuple):
    """A hierarchy in another format's idiom.

    Attributes
    ----------
    nodes
        Those that the format can hold, by path.
    same_bytes
        The paths of arrays whose chunks hold the same bytes as before.
    losses
        What the format cannot hold of these nodes.
    failures
        Why it cannot hold others at all.
    """

    nodes: dict[str, NodeMetadata]
    same_bytes: set[str]
    losses: list[Loss]
    failures: list[Loss]


def convert_nodes(
    found: Mapping[str, NodeMetadata], ours: Format, theirs: Format, change: Change | None = None
) -> ConvertedNodes:
    """Return nodes, by path, in the idiom of another format; consolidated metadata are left out.

    Parameters
    ----------
    change
        Receives the path of each node and the node converted; returns what takes its place.
    """
    result = ConvertedNodes({}, set(), [], [])
    if ours.zarr_format != theirs.zarr_format:
        result.losses.extend(Loss("", what) for what in bootstrap_losses(ours))
    for path, metadata in found.items():
        try:
            check_new_path(path, theirs.zarr_format)
            converted = convert_node(metadata, ours, theirs)
            converted = converted if change is None else change(path, converted)
            theirs.write(path, converted.metadata)
        except (ConversionError, NodeNameError, MetadataError, TypeError, ValueError) as error:
            # that it cannot hold the node is said of all of them together
            told = str(error).removeprefix(f"Zarr v{theirs.zarr_format} cannot hold this node: ")
            result.failures.append(Loss(path, told))
            continue
        result.nodes[path] = converted.metadata
        result.losses.extend(Loss(path, what) for what in converted.losses)
        if converted.same_bytes:
            result.same_bytes.add(path)
    return result


def convert_node(metadata: NodeMetadata, ours: Format, theirs: Format) -> Converted:
    """Return a node in the idiom of another format, without consolidated metadata."""
    if isinstance(metadata, GroupMetadata):
        metadata = metadata.with_consolidated(None)
    if ours.zarr_format == theirs.zarr_format:
        return Converted(metadata, (), True)
    to = to_v2 if theirs.zarr_format == 2 else to_v3 if theirs.zarr_format == 3 else to_draft
    converted = to(metadata)
    lost = losses_elsewhere(metadata) if isinstance(ours, Draft2019) else ()
    return converted._replace(losses=(*lost, *converted.losses))


def listed(losses: Sequence[Loss], format: Format) -> str:
    """Return the message that says what a format cannot hold, nodes that share a reason together."""
    head = f"Zarr {format.zarr_format} cannot hold "
    if len(losses) == 1:
        return head + str(losses[0])
    lines = "\n".join(f"  - {line}" for line in gathered(losses))
    return f"{head}{len(losses)} things of the source:\n{lines}"


def gathered(losses: Sequence[Loss], shown: int = _PATHS_SHOWN) -> Iterator[str]:
    """Yield a line for each thing that is lost, with the first few of the nodes that lose it."""
    paths: dict[str, list[str]] = {}
    for loss in losses:
        paths.setdefault(loss.what, []).append(f"/{loss.path}")
    for what, where in paths.items():
        more = f" and {len(where) - shown} more" if len(where) > shown else ""
        yield f"{', '.join(where[:shown])}{more}: {what}"
