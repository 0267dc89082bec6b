"""Datasets of references, and of records with some: resolved when they are read.

HDMF asks a `ReferenceResolver` for its inverse: builders name builders, and containers name containers.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np
from hdmf.build import ObjectMapper
from hdmf.query import BuilderResolver, ContainerResolver

from omnizarr.hdmf.backend.datasets import StoredDataset, Targets
from omnizarr.hdmf.dtypes import Records, hdmf_name
from omnizarr.hdmf.layout import element_of
from omnizarr.hierarchy.linking.reference import Reference, RegionReference


class Resolving(StoredDataset):
    """A dataset with references, which are resolved to what `_target` has for them."""

    _inverted: Any = None
    _targets: Targets

    @abstractmethod
    def _resolved(self, values: Any, *, anywhere: bool = False) -> Any:
        """Return values with what their references point at."""

    @classmethod
    @abstractmethod
    def get_inverse_class(cls) -> type[Resolving]:
        """Return the class that resolves to the other kind."""

    def invert(self) -> Any:
        """Return this dataset with its references resolved to the other kind."""
        if self._inverted is None:
            self._inverted = self.get_inverse_class()(self._now, lambda: self.dataset, self._targets)
        return self._inverted

    @abstractmethod
    def _target(self, reference: Reference) -> Any:
        """Return what a reference points at."""

    def placed(self) -> list[Any]:
        """Return all values; references to regions in them are right in whatever file they are written to."""
        found: list[Any] = list(self._resolved(self.stored(), anywhere=True))
        return found

    def _object(self, value: Any, anywhere: bool) -> Any:
        if isinstance(value, RegionReference):
            return self._targets.placed(value, anywhere=anywhere)
        return self._target(value) if isinstance(value, Reference) else value

    def extend(self, values: Iterable[Any]) -> None:
        """Store elements at the end; references to what is in no file yet are stored once it is."""
        items = list(values)
        super().extend(items)
        start = len(self) - len(items)
        for place, item in enumerate(items, start):
            if self._is_early(item):
                self._targets.wait_for(self, place, item)

    @abstractmethod
    def _is_early(self, item: Any) -> bool:
        """Say whether a container in an element is in no file yet."""

    def _reference(self, value: Any) -> Reference | None:
        return self._targets.reference_to(value)


class _References(Resolving):
    """Elements are references."""

    def _is_early(self, item: Any) -> bool:
        return item is not None and self._reference(item) is None

    def _given(self, values: Iterable[Any]) -> Any:
        found = np.empty(len(items := list(values)), object)
        found[:] = [self._reference(value) for value in items]
        return found

    @property
    def dtype(self) -> Any:
        """HDMF's name of the type."""
        return "object"

    def _resolved(self, values: Any, *, anywhere: bool = False) -> Any:
        if not isinstance(values, np.ndarray):
            return self._object(values, anywhere)
        if values.ndim <= 1:
            found = [self._object(value, anywhere) for value in values.flat]
            return found if values.ndim else found[0]
        objects = np.empty(values.shape, dtype=object)
        for place, value in np.ndenumerate(values):
            objects[place] = self._object(value, anywhere)
        return objects


class RegionReferences(_References):
    """Elements are references to regions, for which HDMF has neither builders nor containers."""

    @property
    def dtype(self) -> Any:
        """Numpy's type of objects: HDMF looks up no other one here."""
        return np.dtype(object)

    def _target(self, reference: Reference) -> Any:
        return self._targets.placed(reference)

    @classmethod
    def get_inverse_class(cls) -> type[Resolving]:
        """Return this class."""
        return cls


class _Table(Resolving):
    """Elements are records, of which fields may be references."""

    @property
    def _records(self) -> Records:
        element = element_of(self._metadata)
        assert isinstance(element, Records)
        return element

    @property
    def dtype(self) -> list[Any]:
        """HDMF's names of the types of the fields."""
        return [field["dtype"] for field in hdmf_name(self._records)]

    @property
    def types(self) -> list[Any]:
        """The same, under the name that HDF5's tables have for it."""
        return self.dtype

    def resolve(self, manager: Any) -> Any:
        """Return all rows."""
        return self[:]

    def _is_early(self, item: Any) -> bool:
        parts = zip(item, self._records.names, strict=True)
        targets = [part for part, name in parts if name in self._records.references]
        return any(part is not None and self._reference(part) is None for part in targets)

    def _given(self, values: Iterable[Any]) -> Any:
        names = self._records.references
        refers = [name in names for name in self._records.names]

        def stored(row: Iterable[Any]) -> tuple[Any, ...]:
            parts = zip(row, refers, strict=True)
            return tuple(self._reference(part) if is_one else part for part, is_one in parts)

        return [stored(row) for row in values]

    def _resolved(self, values: Any, *, anywhere: bool = False) -> Any:
        names = self._records.references
        if not names:
            return values
        rows = values.copy()
        for name in names:
            if isinstance(rows, np.ndarray) and rows.ndim:
                for place, value in np.ndenumerate(rows[name]):
                    rows[name][place] = self._object(value, anywhere)
            else:
                rows[name] = self._object(rows[name], anywhere)
        return rows


class BuilderReferences(_References, BuilderResolver):  # type: ignore[misc]
    """References, as builders."""

    def _target(self, reference: Reference) -> Any:
        return self._targets.builder_of(reference)

    @classmethod
    def get_inverse_class(cls) -> type[Resolving]:
        """Return the class that resolves to containers."""
        return ContainerReferences


class ContainerReferences(_References, ContainerResolver):  # type: ignore[misc]
    """References, as containers."""

    def _target(self, reference: Reference) -> Any:
        return self._targets.container_of(reference)

    @classmethod
    def get_inverse_class(cls) -> type[Resolving]:
        """Return the class that resolves to builders."""
        return BuilderReferences


class BuilderTable(_Table, BuilderResolver):  # type: ignore[misc]
    """Records whose references are builders."""

    def _target(self, reference: Reference) -> Any:
        return self._targets.builder_of(reference)

    @classmethod
    def get_inverse_class(cls) -> type[Resolving]:
        """Return the class that resolves to containers."""
        return ContainerTable


class ContainerTable(_Table, ContainerResolver):  # type: ignore[misc]
    """Records whose references are containers."""

    def _target(self, reference: Reference) -> Any:
        return self._targets.container_of(reference)

    @classmethod
    def get_inverse_class(cls) -> type[Resolving]:
        """Return the class that resolves to builders."""
        return BuilderTable


for _kind in (RegionReferences, BuilderReferences, ContainerReferences, BuilderTable, ContainerTable):
    ObjectMapper.no_convert(_kind)  # as `StoredDataset`
