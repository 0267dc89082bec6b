"""Models of HDMF's files on Zarr, NWB's among them.

https://hdmf-zarr.readthedocs.io/en/stable/storage.html

What hdmf-zarr writes on Zarr v2, with the identities that its document asks for and without; and the newer
layout on Zarr v3. What a namespace asks of its types is not checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from omnizarr.metadata.array import ArrayMetadata
from omnizarr.zom import v2, v3
from omnizarr.zom.conventions.hdmf_links import attributes_of, check_names, check_references, check_targets
from omnizarr.zom.conventions.hdmf_metadata import FileAttributes, NodeAttributes
from omnizarr.zom.conventions.hdmf_specs import check_ids, check_specifications
from omnizarr.zom.conventions.hdmf_types import check_type
from omnizarr.zom.conventions.places import AnyGroup, places
from omnizarr.zom.faults import Violation
from omnizarr.zom.node import NodeSpec

__all__ = ["MODELS", "DatasetV2", "DatasetV3", "FileV2", "FileV3", "GroupV2", "GroupV3"]


class DatasetV2(v2.ArraySpec[NodeAttributes]):
    """A dataset on Zarr v2."""

    def check(self) -> Iterator[Violation]:
        """Yield that it is of another type than it says, and references that are none."""
        yield from _check_dataset(self)


class DatasetV3(v3.ArraySpec[NodeAttributes]):
    """A dataset on Zarr v3."""

    def check(self) -> Iterator[Violation]:
        """Yield that it is of another type than it says, and references that are none."""
        yield from _check_dataset(self)


class GroupV2(v2.GroupSpec[NodeAttributes, "DatasetV2 | GroupV2"]):
    """A group on Zarr v2."""

    def check(self) -> Iterator[Violation]:
        """Yield links that have the names of members, and references that are none."""
        yield from _check_group(self)


class GroupV3(v3.GroupSpec[NodeAttributes, "DatasetV3 | GroupV3"]):
    """A group on Zarr v3."""

    def check(self) -> Iterator[Violation]:
        """Yield links that have the names of members, and references that are none."""
        yield from _check_group(self)


class FileV2(v2.GroupSpec[FileAttributes, DatasetV2 | GroupV2]):
    """A file of HDMF on Zarr v2: its root is a container."""

    def check(self) -> Iterator[Violation]:
        """Yield what does not fit together in the file: links, references, identities, specifications."""
        yield from _check_file(self)


class FileV3(v3.GroupSpec[FileAttributes, DatasetV3 | GroupV3]):
    """A file of HDMF on Zarr v3: its root is a container."""

    def check(self) -> Iterator[Violation]:
        """Yield what does not fit together in the file: links, references, identities, specifications."""
        yield from _check_file(self)


def _check_dataset(node: NodeSpec[Any]) -> Iterator[Violation]:
    metadata, attributes = node.metadata, attributes_of(node)
    yield from check_references(node)
    for name in ("zarr_dtype", "_DTYPE"):
        if isinstance(metadata, ArrayMetadata) and _is_type(attributes.get(name)):
            yield from check_type(attributes[name], metadata, f"attributes.{name}")


def _is_type(value: Any, deepest: int = 50) -> bool:
    """Say whether the JSON of a type is sound; where it is not, the model of the attributes tells."""
    if isinstance(value, list) and deepest:
        fields = [one for one in value if isinstance(one, dict) and {"name", "dtype"} <= one.keys()]
        return len(fields) == len(value) and all(_is_type(one["dtype"], deepest - 1) for one in fields)
    return isinstance(value, str | dict)


def _check_group(node: AnyGroup) -> Iterator[Violation]:
    yield from check_references(node)
    yield from check_names(node)


def _check_file(root: AnyGroup) -> Iterator[Violation]:
    yield from _check_group(root)
    yield from check_ids(root)
    yield from check_specifications(root)
    attributes = attributes_of(root)
    for place in places(root):
        yield from check_targets(place, attributes)


MODELS: dict[int, type[FileV2] | type[FileV3]] = {2: FileV2, 3: FileV3}
