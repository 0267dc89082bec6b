"""What a dialect cannot hold of a dataset: found by writing its documents in memory and reading them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace

from omnizarr.errors import ConversionError, MetadataError
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.opening.formats import format_of
from omnizarr.jsontypes import Json
from omnizarr.metadata.group import GroupMetadata, NodeMetadata
from omnizarr.netcdf.dialects.base import Dialect
from omnizarr.netcdf.dialects.nczarr import NCZarr
from omnizarr.netcdf.dialects.proposal2018 import Proposal2018
from omnizarr.netcdf.dialects.sidecars import store_sidecars
from omnizarr.netcdf.dialects.stored import is_stored_specially
from omnizarr.netcdf.model.nodes import AttributeModel, DatasetModel, GroupModel, Loss, VariableModel, join
from omnizarr.netcdf.model.types import AtomicType
from omnizarr.netcdf.values.layouts import form_of
from omnizarr.store.memory import MemoryStore

_PROPERTIES = "version=2"


def losses_in(dialect: Dialect, model: DatasetModel) -> tuple[Loss, ...]:
    """Return what would be lost if a dataset were kept in a dialect; nothing is said of values.

    A variable that the dialect cannot hold at all is lost as a whole, and the reason is told; so are types
    that it holds and its other readers do not know. How elements are filled that are never written is no
    loss: a copy writes all of them.
    """
    losses: list[Loss] = []
    kept = _storable(dialect, model.root, model.root, "/", losses)
    with warnings.catch_warnings():
        # What the dialect says of its own faults is told as losses.
        warnings.simplefilter("ignore")
        found = dialect.read(_stored(dialect, kept, model.properties or _PROPERTIES)).model.root
    return (*losses, *_of_group(kept, found, "/"))


def _storable(
    dialect: Dialect, root: GroupModel, group: GroupModel, path: str, losses: list[Loss]
) -> GroupModel:
    """Return a group without the variables that the dialect refuses."""
    variables = []
    for variable in group.variables:
        try:
            format_of(dialect.zarr_format).write("", dialect.array_metadata(variable, root.shape(variable)))
            variables.append(variable)
            losses += _for_others(dialect, variable, join(path, variable.name))
        except (ConversionError, MetadataError) as error:
            losses.append(Loss(join(path, variable.name), f"the variable: {error}", is_whole=True))
    groups = (_storable(dialect, root, inner, join(path, inner.name), losses) for inner in group.groups)
    return replace(group, variables=tuple(variables), groups=tuple(groups))


def _for_others(dialect: Dialect, variable: VariableModel, path: str) -> Iterator[Loss]:
    """Yield what other readers of a dialect do not find, though it is there."""
    kind = variable.type
    if isinstance(dialect, NCZarr) and is_stored_specially(kind):
        yield Loss(path, f"a variable of the type {kind}", "netCDF-C")
    if isinstance(dialect, Proposal2018) and form_of(kind) != "fixed":
        yield Loss(path, f"a variable of the type {kind}", "other readers of the proposal")


def _stored(dialect: Dialect, root: GroupModel, properties: str) -> Group:
    store, form = MemoryStore(), format_of(dialect.zarr_format)
    node = Group(store, form, "", GroupMetadata())
    for path, group in root.walk():
        place, said = path.strip("/"), properties if path == "/" else None
        metadata = dialect.group_metadata(group, said)
        nodes: list[tuple[str, NodeMetadata, Mapping[str, Json]]] = []
        nodes.append((place, metadata, dialect.sidecars(group, said)))
        for variable in group.variables:
            array = dialect.array_metadata(variable, root.shape(variable))
            where = join(path, variable.name).strip("/")
            nodes.append((where, array, dialect.sidecars(variable, None)))
        for where, document, beside in nodes:
            for key, data in form.write(where, document).items():
                store.set(key, data)
            store_sidecars(node, where, beside)
    return Group(store, form, "", dialect.group_metadata(root, properties))


def _of_group(group: GroupModel, found: GroupModel | None, path: str) -> Iterator[Loss]:
    if found is None:
        yield Loss(path, "the group")
        return
    for kind in group.types:
        if kind not in found.types:
            yield Loss(kind.path, f"the definition of the type {kind.name}")
    dimensions = {dimension.name: dimension for dimension in found.dimensions}
    for dimension in group.dimensions:
        same = dimensions.get(dimension.name)
        if same is None:
            yield Loss(path, f"the dimension {dimension.name}, as one of this group")
        elif dimension.unlimited and not same.unlimited:
            yield Loss(path, f"that the dimension {dimension.name} is unlimited")
    yield from _of_attributes(group.attributes, found.attributes, path)
    variables = {variable.name: variable for variable in found.variables}
    for variable in group.variables:
        yield from _of_variable(variable, variables.get(variable.name), join(path, variable.name))
    groups = {inner.name: inner for inner in found.groups}
    for inner in group.groups:
        yield from _of_group(inner, groups.get(inner.name), join(path, inner.name))


def _of_variable(variable: VariableModel, found: VariableModel | None, path: str) -> Iterator[Loss]:
    if found is None:
        yield Loss(path, "the variable", is_whole=True)
        return
    if variable.type != found.type:
        yield Loss(path, f"the type {variable.type}, which becomes {found.type}")
    if variable.dimensions != found.dimensions:
        before, after = (", ".join(v.dimensions) or "none" for v in (variable, found))
        yield Loss(path, f"its dimensions {before}, which become {after}")
    if variable.filters != found.filters:
        yield Loss(path, f"its filters {_shown(variable.filters)}, which become {_shown(found.filters)}")
    if _has_order(variable) and variable.endian != found.endian:
        yield Loss(path, f"the byte order {variable.endian}")
    yield from _of_attributes(variable.attributes, found.attributes, path)


def _of_attributes(
    attributes: tuple[AttributeModel, ...], found: tuple[AttributeModel, ...], path: str
) -> Iterator[Loss]:
    known = {attribute.name: attribute for attribute in found}
    for attribute in attributes:
        same, name = known.get(attribute.name), attribute.name
        if same is None:
            yield Loss(path, f"the attribute {name!r}")
            continue
        if same.type != attribute.type:
            yield Loss(
                path, f"the type {attribute.type} of the attribute {name!r}, which becomes {same.type}"
            )
        # By their text, since NaN is not equal to itself.
        if repr(same.values) != repr(attribute.values):
            yield Loss(path, f"the value of the attribute {name!r}, which becomes {same.value!r}")


def _shown(filters: tuple[object, ...]) -> str:
    return ", ".join(map(repr, filters)) or "none"


def _has_order(variable: VariableModel) -> bool:
    kind = variable.type
    return isinstance(kind, AtomicType) and kind.is_numeric and kind.size > 1
