"""Which formats a place is in, and whether the documents of two say the same."""

from __future__ import annotations

from itertools import combinations

from omnizarr.hierarchy.discover import is_node
from omnizarr.hierarchy.opening.diagnose import absent
from omnizarr.hierarchy.validating.findings import Findings
from omnizarr.hierarchy.validating.nodes import Nodes
from omnizarr.jsontypes import Problems
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.formats import FORMATS
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.formats.drafts.detect import KEY, draft_at
from omnizarr.metadata.group import NodeMetadata
from omnizarr.store.base import Store


def formats_at(store: Store, path: str, findings: Findings) -> list[Format]:
    """Return the formats that a node is in: usually one, two where both have a document there.

    Raises
    ------
    NodeNotFoundError
        There is no node.
    """
    found = [format for format in FORMATS.values() if is_node(store, format, path)]
    if path or FORMATS[3] in found:
        problems = Problems()
        draft = draft_at(store.get(KEY), problems)
        if draft is not None:
            for problem in problems.found:
                findings.add("metadata", "", problem.at, problem.message)
            return [draft]
    if not found:
        raise absent(store, None, path)
    return found


def compare_formats(read: list[Nodes], findings: Findings) -> None:
    """Tell of nodes that have documents of two formats; wrong is where these contradict each other."""
    for one, other in combinations(read, 2):
        numbers = f"Zarr {one.format.zarr_format} and Zarr {other.format.zarr_format}"
        for place in one.metadata.keys() & other.metadata.keys():
            difference = _difference(one.metadata[place], other.metadata[place])
            if difference:
                findings.add("formats", place, "", f"the documents of {numbers} differ: {difference}")
            else:
                findings.note("formats", place, "", f"has documents of {numbers}")


def _difference(one: NodeMetadata, other: NodeMetadata) -> str:
    if type(one) is not type(other):
        return "one is an array, the other a group"
    if not isinstance(one, ArrayMetadata) or not isinstance(other, ArrayMetadata):
        return ""
    if one.shape != other.shape:
        return f"shape {one.shape} and {other.shape}"
    types = one.data_type.dtype.newbyteorder("="), other.data_type.dtype.newbyteorder("=")
    return "" if types[0] == types[1] else f"data type {types[0]} and {types[1]}"
