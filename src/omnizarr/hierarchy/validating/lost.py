"""Documents that no reader gets to: what lies there is told of, and closed to every repair."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from omnizarr.hierarchy.discover import deciding_keys
from omnizarr.hierarchy.paths import ancestors_of
from omnizarr.hierarchy.validating.findings import Findings
from omnizarr.hierarchy.validating.nodes import Nodes
from omnizarr.hierarchy.validating.territory import Territory
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats import FORMATS
from omnizarr.metadata.formats.base import Format


def find_lost(
    read: list[Nodes], documents: Iterable[str], territory: Territory, findings: Findings
) -> list[tuple[str, Format]]:
    """Tell of documents that make no node, close their places, and return groups without a document.

    Parameters
    ----------
    read
        The nodes of each format that was looked for.
    """
    for nodes in read:
        for place in nodes.broken:
            if any(place in other.metadata for other in read):  # in the other format it can be read
                territory.guarded.update(nodes.format.owned(place).prefixes)
            else:
                territory.close(place, nodes.format)
    groups: dict[str, Format] = {}
    for nodes in read:
        for place in nodes.unreached:
            if any(other.is_there(place) for other in read) or _is_below_broken(place, nodes):
                continue
            if (missing := _missing_group(place, nodes)) is not None:
                groups.setdefault(missing, nodes.format)
            else:
                territory.close(place, nodes.format)
                message = "a node below an array, which holds no nodes: it cannot be reached"
                findings.add("lost", place, "", message)
    for place, format in groups.items():
        territory.close(place, format)
    _tell_of_others(read, documents, territory, findings)
    return list(groups.items())


def tell_of_groups(groups: list[tuple[str, Format]], territory: Territory, findings: Findings) -> None:
    """Tell of groups without a document, after all keys below them were counted."""
    for place, _ in groups:
        count = territory.counts[place]
        below = "a key lies below it that" if count == 1 else f"{count} keys lie below it that"
        findings.add("lost", place, "", f"a group without a document; {below} cannot be reached")


def tell_of_doubles(nodes: Nodes, documents: Container[str], findings: Findings) -> None:
    """Tell of the documents of groups beside those of arrays: of the keys that decide, the first is read."""
    for place in (*nodes.metadata, *nodes.broken):
        _, *others = [key for key in deciding_keys(nodes.format, place) if key in documents] or [""]
        for key in others:
            findings.add("lost", place, key, "both an array and a group are here: the array is read")


def _missing_group(place: str, nodes: Nodes) -> str | None:
    """Return the highest group above a place that has no document; None where an array is above it."""
    top = nodes.path
    above = [up for up in reversed(ancestors_of(place)) if len(up) >= len(top)]
    if any(isinstance(nodes.metadata.get(up), ArrayMetadata) for up in above):
        return None
    return next((up for up in above if not nodes.is_there(up)), place)


def _is_below_broken(place: str, nodes: Nodes) -> bool:
    return any(up in nodes.broken for up in ancestors_of(place))


def _tell_of_others(
    read: list[Nodes], documents: Iterable[str], territory: Territory, findings: Findings
) -> None:
    """Tell of documents that are of no format that is read here, or of no node."""
    formats = [nodes.format for nodes in read]
    asked = [*formats, *(format for format in FORMATS.values() if format not in formats)]
    bootstrap = {key for nodes in read if not nodes.path for key in nodes.format.root_documents()}
    # Drafts have a consolidated document wherever there is a hierarchy, be its root a group without one.
    bootstrap |= {
        key for format in formats if format.implicit_groups and (key := format.consolidated_key(""))
    }
    for key in sorted(documents):
        claims = [(format, place) for format in asked for place in _claims(format, key)]
        if key in bootstrap or not claims or any(_is_of(read, *claim) for claim in claims):
            continue
        if any(prefix in territory.closed for prefix in _directories(key)):
            continue
        format, place = claims[0]
        beside = next((nodes.format for nodes in read if place in nodes.metadata), None)
        if beside is not None:
            message = f"of Zarr {format.zarr_format}, and not read: the node is of Zarr {beside.zarr_format}"
            findings.note("formats", place, key, message)
            territory.guarded.update(format.owned(place).prefixes)
            continue
        territory.close(place, format)
        makes_node = format.node_path(key) is not None
        message = (
            f"a document of Zarr {format.zarr_format}, which is not read here"
            if makes_node
            else "a document without an array or a group"
        )
        findings.add("lost", place, key, message)


def _claims(format: Format, key: str) -> Iterator[str]:
    """Yield the place whose document a key would be in a format."""
    place = format.node_path(key)
    if place is None:
        place = key.rpartition("/")[0]
        if key not in format.document_keys(place) and key != format.consolidated_key(place):
            return
    yield place


def _is_of(read: list[Nodes], format: Format, place: str) -> bool:
    """Say whether a node of a format is at a place, or is told of as one that cannot be reached."""
    return any(
        nodes.format == format and (nodes.is_there(place) or place in nodes.unreached) for nodes in read
    )


def _directories(key: str) -> Iterator[str]:
    for up in ancestors_of(key):
        yield f"{up}/" if up else ""
