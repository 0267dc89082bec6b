"""Builders of the nodes of an open file."""

from __future__ import annotations

from collections.abc import Callable, ItemsView
from copy import copy
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from hdmf.build import Builder, DatasetBuilder, GroupBuilder
from numpy.typing import NDArray

from omnizarr.hdmf.backend.datasets import StoredDataset, Targets
from omnizarr.hdmf.backend.resolving import BuilderReferences, BuilderTable, RegionReferences
from omnizarr.hdmf.dtypes import ElementType, Numbers, Records, References, hdmf_name
from omnizarr.hdmf.layout import element_of, is_scalar
from omnizarr.hierarchy.array import Array
from omnizarr.metadata.array import ArrayMetadata

_TIMES = ("isodatetime", "datetime")


class _Named(Builder):  # type: ignore[misc]
    """A builder whose name can be given later, once."""

    _own_name = ""

    @property
    def name(self) -> str:
        """The name of the node."""
        return self._own_name


class StoredGroupBuilder(_Named, GroupBuilder):  # type: ignore[misc]
    """A group builder."""


class StoredDatasetBuilder(_Named, DatasetBuilder):  # type: ignore[misc]
    """A dataset builder that reads when HDMF has to look at values.

    HDMF makes dates of text where the specification asks for them, but in arrays in memory only. Which
    specification holds is known once the builder was matched to it.
    """

    _own_maxshape: tuple[int, ...] | None = None
    _own_times: NDArray[Any] | None = None

    @property
    def data(self) -> Any:
        """The data: a value, or a dataset that is read when it is indexed."""
        data = self["data"]
        if isinstance(data, StoredDataset) and getattr(self.matched_spec, "dtype", None) in _TIMES:
            if self._own_times is None:
                self._own_times = np.asarray(data)
            return self._own_times
        return data

    @data.setter
    def data(self, value: Any) -> None:
        DatasetBuilder.data.fset(self, value)

    @property
    def maxshape(self) -> tuple[int, ...] | None:
        """The shape; None for one value."""
        return self._own_maxshape

    @property
    def chunks(self) -> bool:
        """Whether the dataset has chunks that matter: it is more than one value."""
        return self._own_maxshape is not None


T = TypeVar("T", bound=_Named)


@dataclass(eq=False, slots=True)
class BuilderMaker:
    """Makes the builders of a file.

    HDMF checks every argument of every builder, which takes most of the time that a file of many nodes takes
    to be read; so one builder of each kind is made its way, and the others are copies. (1,000 series: 0.9 s
    with checks, 0.1 s so.)

    Attributes
    ----------
    source
        The file's name, as HDMF compares it.
    """

    source: str
    _group: StoredGroupBuilder = field(init=False)
    _dataset: StoredDatasetBuilder = field(init=False)

    def __post_init__(self) -> None:
        self._group = StoredGroupBuilder("group", source=self.source)
        self._dataset = StoredDatasetBuilder("dataset", source=self.source)

    def group(self, name: str, attributes: dict[str, Any]) -> StoredGroupBuilder:
        """Return the builder of a group, still empty."""
        builder = _another(self._group, name, attributes)
        builder.obj_type = dict.fromkeys(attributes, "attributes")
        return builder

    def dataset(
        self, name: str, metadata: ArrayMetadata, data: Any, attributes: dict[str, Any]
    ) -> StoredDatasetBuilder:
        """Return the builder of a dataset."""
        builder = _another(self._dataset, name, attributes)
        builder["data"] = data
        builder.dtype = builder_dtype(element_of(metadata))
        if not is_scalar(metadata):
            builder._own_maxshape = metadata.shape
        return builder


def _another(model: T, name: str, attributes: dict[str, Any]) -> T:
    """Return a builder like a model that holds nothing."""
    made = type(model).__new__(type(model))
    made.__dict__.update(model.__dict__)
    held: ItemsView[str, Any] = dict.items(model)
    dict.update(made, {key: copy(value) for key, value in held})
    made.attributes.update(attributes)
    made._own_name = name
    return made


def put(parent: GroupBuilder, child: GroupBuilder | DatasetBuilder) -> None:
    """Put a builder into that of its group.

    Raises
    ------
    ValueError
        The group has an attribute of the same name, which HDMF does not tell apart.
    """
    is_group = isinstance(child, GroupBuilder)
    if child.name in parent.obj_type:
        (parent.set_group if is_group else parent.set_dataset)(child)
        return
    (parent.groups if is_group else parent.datasets)[child.name] = child
    parent.obj_type[child.name] = "groups" if is_group else "datasets"
    child.parent = parent


def lazy_data(metadata: ArrayMetadata, open: Callable[[], Array], targets: Targets) -> StoredDataset:
    """Return the data of a dataset of any length, unread."""
    match element_of(metadata):
        case References(to_regions):
            return (RegionReferences if to_regions else BuilderReferences)(metadata, open, targets)
        case Records():
            return BuilderTable(metadata, open, targets)
    return StoredDataset(metadata, open, targets)


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
