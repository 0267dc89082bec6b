"""Renaming variables, dimensions and groups of an open dataset, so that nothing is lost at any moment.

What has a new name is first copied, then the documents that refer to it change, and only then the old one
goes. A writer that dies in between leaves a dataset with the old name, with the new one, or with both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.discover import deciding_keys
from omnizarr.hierarchy.group import Group as Node
from omnizarr.hierarchy.paths import check_new_path, joined, prefix_of
from omnizarr.hierarchy.requests import each
from omnizarr.netcdf.model.names import MissingError, NameInUseError, check_name
from omnizarr.netcdf.model.nodes import AttributeModel, join
from omnizarr.netcdf.model.types import Compound, Enum, NcType, Opaque, Vlen
from omnizarr.netcdf.opened.session import locked
from omnizarr.netcdf.opened.sync import store_group, store_variable, synchronise

if TYPE_CHECKING:
    from omnizarr.netcdf.attributes import Attributed
    from omnizarr.netcdf.dimension import Dimension
    from omnizarr.netcdf.group import Group
    from omnizarr.netcdf.variable import Variable

T = TypeVar("T")


class Renames:
    """What a group does to rename what it holds."""

    @locked
    def renameVariable(self: Group, oldname: str, newname: str) -> None:  # type: ignore[misc]  # noqa: N802
        """Rename a variable; its values are copied in the store.

        Raises
        ------
        MissingError
            There is none; also a KeyError.
        NameInUseError, BadNameError
            The new name is taken, or none; also a RuntimeError.
        """
        variable = _held(self, self._variables, oldname, "variable")
        _check_free(self, newname, (*self._variables, *self._groups))
        node = _settled(self)
        old, new = joined(node.path, oldname), joined(node.path, newname)
        _copy_below(node, old, new)
        variable._model = replace(variable._model, name=newname)
        variable._array = _array_at(variable._array, new)
        _rename_key(self._variables, oldname, newname)
        _store_groups(self)
        node.store.delete_prefix(prefix_of(old))

    @locked
    def renameDimension(self: Group, oldname: str, newname: str) -> None:  # type: ignore[misc]  # noqa: N802
        """Rename a dimension, for all variables that have it.

        Raises
        ------
        MissingError
            There is none; also a KeyError.
        NameInUseError, BadNameError
            The new name is taken, or none; also a RuntimeError.
        """
        dimension = _held(self, self._dimensions, oldname, "dimension")
        _check_free(self, newname, self._dimensions)
        _settled(self)
        model = self.as_model()
        both = (*model.dimensions, replace(dimension._model, name=newname))
        store_group(self, model=replace(model, dimensions=both))
        dimension._rename(newname)
        _rename_key(self._dimensions, oldname, newname)
        for variable in _variables_with(self, dimension):
            paths = tuple(each._path for each in variable._dimensions)
            variable._model = replace(variable._model, dimensions=paths)
            variable._changed = True
            store_variable(variable)
        _store_groups(self)

    @locked
    def renameGroup(self: Group, oldname: str, newname: str) -> None:  # type: ignore[misc]  # noqa: N802
        """Rename a group of this one; all below it is copied in the store.

        Raises
        ------
        MissingError
            There is none; also a KeyError.
        NameInUseError, BadNameError
            The new name is taken, or none; also a RuntimeError.
        """
        group = _held(self, self._groups, oldname, "group")
        _check_free(self, newname, (*self._variables, *self._groups))
        node, before = _settled(self), self.as_model()
        old, new = group.path, join(self.path, newname)
        place = joined(node.path, oldname)
        _copy_below(node, place, joined(node.path, newname))
        group._name = newname
        _rename_key(self._groups, oldname, newname)
        inside = list(group._walk())
        self._session.unmapped = {
            _moved_path(path, old, new): replace(found, path=_moved_path(path, old, new))
            for path, found in self._session.unmapped.items()
        }
        for inner in inside:
            _move_group(inner, len(place), joined(node.path, newname))
        outside = [other for other in self._root()._walk() if other not in inside]
        for inner in inside:
            _retarget(inner, old, new)
            store_group(inner)
        if any(_retarget(other, old, new, is_dry=True) for other in outside):
            # Those that refer to what is inside from elsewhere always find it under one name or the other.
            after = self.as_model()
            kept = next(inner for inner in before.groups if inner.name == oldname)
            store_group(self, model=replace(after, groups=(*after.groups, kept)))
            for other in outside:
                _retarget(other, old, new)
        _store_groups(self)
        node.store.delete_prefix(prefix_of(place))


def _held(group: Group, held: dict[str, T], name: str, what: str) -> T:
    group._session.writer()
    if name not in held:
        raise MissingError(f"{name!r} is not a valid {what} name", path=group.path)
    return held[name]


def _check_free(group: Group, name: str, taken: object) -> None:
    check_name(name)
    if name in taken:  # type: ignore[operator]
        raise NameInUseError(f"the name {name!r} is in use", path=group.path)


def _settled(group: Group) -> Node:
    """Return a group's node, when all that was changed is stored and nobody writes."""
    group._session.settle()
    synchronise(group._root())
    return group._node


def _store_groups(group: Group) -> None:
    """Store a group, and note that consolidated metadata are to be made again."""
    store_group(group)
    group._changed = True


def _copy_below(node: Node, old: str, new: str) -> None:
    """Copy all keys below a path of a store; what makes it a node comes last."""
    store, format = node.store, node.format
    check_new_path(new, format.zarr_format)
    store.delete_prefix(prefix_of(new))
    last = set(deciding_keys(format, old))
    keys = list(store.list_prefix(prefix_of(old)))

    def copy(key: str) -> None:
        value = store.get(key)
        if value is not None:
            store.set(new + key[len(old) :], value)

    each(store, copy, [key for key in keys if key not in last])
    each(store, copy, [key for key in keys if key in last])


def _array_at(array: Array, path: str) -> Array:
    moved = Array(array.store, array.format, path, array.metadata)
    moved.write_empty_chunks = array.write_empty_chunks
    return moved


def _rename_key(held: dict[str, T], old: str, new: str) -> None:
    """Rename a key of a dictionary, which users may hold, in its place."""
    items = [(new if name == old else name, value) for name, value in held.items()]
    held.clear()
    held.update(items)


def _variables_with(group: Group, dimension: Dimension) -> Iterator[Variable]:
    for inner in group._root()._walk():
        for variable in inner._variables.values():
            if any(own is dimension for own in variable._dimensions):
                yield variable


def _move_group(group: Group, start: int, place: str) -> None:
    """Give the handles of a group their new place, in place of the first `start` letters of their paths."""
    node = group._node
    group._node = Node(node.store, node.format, place + node.path[start:], node.metadata)
    group._variables.move(group.path)
    for variable in group._variables.values():
        variable._array = _array_at(variable._array, place + variable._array.path[start:])


def _retarget(group: Group, old: str, new: str, *, is_dry: bool = False) -> bool:
    """Make variables refer to what lies in a renamed group, and store them; say whether any does."""
    if not is_dry:
        group._types = {name: _moved(kind, old, new) for name, kind in group._types.items()}  # type: ignore[misc]
        _move_attributes(group, old, new)
    found = False
    for variable in group._variables.values():
        model = variable._model
        paths = tuple(_moved_path(path, old, new) for path in model.dimensions)
        changed = replace(model, type=_moved(model.type, old, new), dimensions=paths)
        refers = changed != model or any(
            _moved(a.type, old, new) != a.type for a in variable._attributes.values()
        )
        found = found or refers
        if refers and not is_dry:
            variable._model, variable._presentation = changed, None
            _move_attributes(variable, old, new)
            store_variable(variable)
    return found


def _move_attributes(owner: Attributed, old: str, new: str) -> None:
    owner._attributes = {
        name: AttributeModel(name, _moved(a.type, old, new), a.value) for name, a in owner._attributes.items()
    }


def _moved_path(path: str, old: str, new: str) -> str:
    return new + path[len(old) :] if path.startswith(prefix_of(old)) else path


def _moved(kind: NcType, old: str, new: str) -> NcType:
    """Return a type with the paths that it has after a group was renamed."""
    match kind:
        case Vlen(base=base):
            return replace(kind, path=_moved_path(kind.path, old, new), base=_moved(base, old, new))
        case Compound(fields=fields):
            moved = tuple(replace(field, type=_moved(field.type, old, new)) for field in fields)
            return replace(kind, path=_moved_path(kind.path, old, new), fields=moved)
        case Enum() | Opaque():
            return replace(kind, path=_moved_path(kind.path, old, new))
        case _:
            return kind
