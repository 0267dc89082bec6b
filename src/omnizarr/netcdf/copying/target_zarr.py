"""Conversion to a Zarr dataset in some dialect.

Chunks come first, documents after them, and the root's last; a journal at the root stands for a conversion
under way. So one that was interrupted opens as nothing, and the same call continues it, or starts anew
where the source has changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from omnizarr.errors import ConversionError, MetadataError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.consolidate import consolidate_metadata
from omnizarr.hierarchy.copying import journal
from omnizarr.hierarchy.copying.check import check_apart
from omnizarr.hierarchy.copying.journal import Journal
from omnizarr.hierarchy.creating.place import ensure_groups_above, kind_at
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.opening.formats import format_of
from omnizarr.hierarchy.paths import joined
from omnizarr.hierarchy.workers.base import Workers
from omnizarr.hierarchy.workers.sight import Mark
from omnizarr.jsontypes import Json
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.netcdf.copying.reading import Described
from omnizarr.netcdf.copying.source import variables_of
from omnizarr.netcdf.copying.target import WriteArray, with_fill_of
from omnizarr.netcdf.dialects.arrays import with_fill
from omnizarr.netcdf.dialects.base import Dialect
from omnizarr.netcdf.dialects.losses import losses_in
from omnizarr.netcdf.dialects.sidecars import store_sidecars
from omnizarr.netcdf.files.fitting import Longest
from omnizarr.netcdf.filters.known import Filter, OtherFilter, Szip, is_storable, name_of, with_scanline
from omnizarr.netcdf.model.items import AnyArray
from omnizarr.netcdf.model.nodes import DatasetModel, GroupModel, Loss, VariableModel, join
from omnizarr.netcdf.model.types import STRING
from omnizarr.netcdf.opened.opening import PROPERTIES
from omnizarr.store.base import Store


class ZarrTarget:
    """A dataset in a store."""

    def __init__(self, store: Store, place: str, dialect: Dialect, release: Callable[[], None]) -> None:
        self.root = GroupModel(name="/")
        self.store = store
        self.place = place
        self.dialect = dialect
        self.format = format_of(dialect.zarr_format)
        self._release = release
        self._nodes: dict[str, NodeMetadata] = {}
        self._sidecars: dict[str, dict[str, Json]] = {}
        self._arrays: dict[str, Array] = {}
        self._variables: dict[str, VariableModel] = {}

    def plan(self, source: Described, root: GroupModel, longest: Longest) -> tuple[Loss, ...]:
        """Make all documents.

        Raises
        ------
        NodeExistsError
            The target lies inside the source, or the source inside the target.
        """
        for place in source.places:
            check_apart(place, self.store, self.place)
        losses: list[Loss] = []
        root = self._fitted(root, root, "/", longest, losses)
        losses += losses_in(self.dialect, DatasetModel(root=root))
        refused = {loss.path for loss in losses if loss.is_whole}
        self.root = _without(root, "/", refused)
        self._variables = variables_of(self.root)
        for path, group in self.root.walk():
            self._plan_group(path, group, source)
        return tuple(losses)

    def _fitted(
        self, root: GroupModel, group: GroupModel, path: str, longest: Longest, losses: list[Loss]
    ) -> GroupModel:
        def fit(variable: VariableModel) -> VariableModel:
            return self._fit(root, variable, join(path, variable.name), longest, losses)

        return replace(
            group,
            variables=tuple(map(fit, group.variables)),
            groups=tuple(
                self._fitted(root, inner, join(path, inner.name), longest, losses) for inner in group.groups
            ),
        )

    def _fit(
        self, root: GroupModel, variable: VariableModel, path: str, longest: Longest, losses: list[Loss]
    ) -> VariableModel:
        """Return a variable without filters that the dialect refuses, and with room for its strings."""
        shape = root.shape(variable)
        if any(isinstance(entry, OtherFilter | Szip) for entry in variable.filters):
            variable = replace(variable, filters=_with_scanlines(variable, shape))
            try:
                self.dialect.array_metadata(variable, shape)
            except (ConversionError, MetadataError):
                variable = replace(variable, filters=_known(variable.filters, path, losses))
        if variable.type is not STRING or variable.max_string_length is not None:
            return variable
        # The dialect tells whether it keeps strings at a fixed size.
        sized = replace(variable, max_string_length=1)
        if self.dialect.array_metadata(sized, shape).data_type.dtype.kind == "O":
            return variable
        return replace(variable, max_string_length=max(1, longest(path)))

    def _plan_group(self, path: str, group: GroupModel, source: Described) -> None:
        properties = PROPERTIES if path == "/" else None
        place = path.strip("/")
        self._nodes[place] = self.dialect.group_metadata(group, properties)
        self._sidecars[place] = dict(self.dialect.sidecars(group, properties))
        for variable in group.variables:
            where = join(path, variable.name)
            metadata = self.dialect.array_metadata(variable, self.root.shape(variable))
            if self.dialect.name != "xarray":  # to which fill values are `_FillValue`
                metadata = with_fill_of(source.array(where), variable, metadata)
            place = where.strip("/")
            self._nodes[place] = metadata
            self._sidecars[place] = dict(self.dialect.sidecars(variable, None))
            array = Array(self.store, self.format, joined(self.place, place), with_fill(metadata, variable))
            array.write_empty_chunks = False
            self._arrays[where] = array

    def array(self, path: str) -> Array | None:
        """Return the array of a variable."""
        return self._arrays[path]

    def begin(self, source: Described, *, overwrite: bool) -> frozenset[str]:
        """Write the journal, or find the one of the same conversion."""
        complete = kind_at(self.store, self.format, self.place) is not None
        note = Journal(source.name, journal.plan_of(self.format, self._nodes), source.stamp)
        return journal.begin(
            self.store, self.place, note, self.format, complete=complete, overwrite=overwrite
        )

    def writing(self, path: str) -> Callable[[tuple[slice, ...], AnyArray], None]:
        """Return what writes values of a variable."""
        return WriteArray(self._arrays[path], self._variables[path])

    def require(self, workers: Workers) -> None:
        """Refuse workers that cannot reach the store."""
        workers.require(self.store)

    def sight(self) -> Mark | None:
        """Return the journal."""
        return Mark.of(self.store, journal.key_at(self.place, self.format))

    def finish(self) -> None:
        """Store all documents, those of the root last."""
        ensure_groups_above(self.store, self.format, self.place)
        top = Group(self.store, self.format, self.place, GroupMetadata())
        for relative, metadata in reversed(self._nodes.items()):
            place = joined(self.place, relative)
            store_sidecars(top, place, self._sidecars[relative])
            for key, document in self.format.write(place, metadata).items():
                self.store.set(key, document)
        if self.dialect.name == "xarray":
            consolidate_metadata(self.store, self.place, self.format.zarr_format)
        journal.finish(self.store, self.place, self.format)

    def close(self) -> None:
        """Release the store."""
        self._release()


def _with_scanlines(variable: VariableModel, shape: tuple[int, ...]) -> tuple[Filter, ...]:
    """Return filters as netCDF-C reads them: from a file szip has scanlines of another length."""
    if not shape:
        return variable.filters
    return tuple(with_scanline(entry, shape[-1], variable.chunks or shape) for entry in variable.filters)


def _known(filters: tuple[Filter, ...], path: str, losses: list[Loss]) -> tuple[Filter, ...]:
    """Return the filters that every dialect has; others are lost."""
    kept = []
    for entry in filters:
        if not is_storable(entry):
            losses.append(Loss(path, f"the filter {name_of(entry)}; its chunks are stored without it"))
        else:
            kept.append(entry)
    return tuple(kept)


def _without(group: GroupModel, path: str, refused: set[str]) -> GroupModel:
    return replace(
        group,
        variables=tuple(v for v in group.variables if join(path, v.name) not in refused),
        groups=tuple(_without(inner, join(path, inner.name), refused) for inner in group.groups),
    )
