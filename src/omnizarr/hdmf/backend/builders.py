"""Builders of the datasets of an open file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hdmf.build import DatasetBuilder, GroupBuilder

from omnizarr.hdmf.backend.datasets import BuilderReferences, BuilderTable, StoredDataset, Targets
from omnizarr.hdmf.dtypes import ElementType, Numbers, Records, References, hdmf_name
from omnizarr.hdmf.layout import element_of, is_scalar
from omnizarr.hierarchy.array import Array
from omnizarr.metadata.array import ArrayMetadata

_TIMES = ("isodatetime", "datetime")


class StoredDatasetBuilder(DatasetBuilder):  # type: ignore[misc]
    """A dataset builder that reads when HDMF has to look at values.

    HDMF makes dates of text where the specification asks for them, but in arrays in memory only. Which
    specification holds is known once the builder was matched to it.
    """

    @property
    def data(self) -> Any:
        """The data: a value, or a dataset that is read when it is indexed."""
        data = self["data"]
        if isinstance(data, StoredDataset) and getattr(self.matched_spec, "dtype", None) in _TIMES:
            return np.asarray(data)
        return data

    @data.setter
    def data(self, value: Any) -> None:
        DatasetBuilder.data.fset(self, value)


def lazy_data(metadata: ArrayMetadata, open: Callable[[], Array], targets: Targets) -> StoredDataset:
    """Return the data of a dataset of any length, unread."""
    match element_of(metadata):
        case References(to_regions=False):
            return BuilderReferences(metadata, open, targets)
        case Records():
            return BuilderTable(metadata, open, targets)
    return StoredDataset(metadata, open, targets)


def dataset_builder(
    name: str, metadata: ArrayMetadata, data: Any, source: str, attributes: dict[str, Any]
) -> StoredDatasetBuilder:
    """Return the builder of a dataset."""
    scalar = is_scalar(metadata)
    builder = StoredDatasetBuilder(
        name,
        data=data,
        dtype=builder_dtype(element_of(metadata)),
        maxshape=None if scalar else metadata.shape,
        chunks=not scalar,
        source=source,
    )
    builder.attributes.update(attributes)
    return builder


def group_builder(name: str, source: str, attributes: dict[str, Any]) -> GroupBuilder:
    """Return the builder of a group, with nothing in it yet."""
    builder = GroupBuilder(name, source=source)
    # HDMF checks the arguments of each call that sets one attribute: an eighth of the time to open a file.
    builder.attributes.update(attributes)
    builder.obj_type.update(dict.fromkeys(attributes, "attributes"))
    return builder


def builder_dtype(element: ElementType) -> Any:
    """Return a type as builders state it: numpy's, HDMF's word, or a list of fields with HDMF's words."""
    return element.dtype if isinstance(element, Numbers) else hdmf_name(element)


def scalar_value(value: Any) -> Any:
    """Return the value of a dataset that is one, as HDMF expects it: text, a number, a record of no axes."""
    if isinstance(value, np.ndarray):
        value = value.reshape(-1)[0]
    if isinstance(value, np.void):
        return np.array(value, dtype=value.dtype)
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value
