"""Groups of an open dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from omnizarr.errors import NodeExistsError
from omnizarr.hierarchy import group as hierarchy_group
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.creating.place import place
from omnizarr.netcdf.attributes import Attributed, length_in, to_python
from omnizarr.netcdf.definition import chunks_of, endian_of, fill_of, filters_of, type_of
from omnizarr.netcdf.dialects.arrays import with_fill
from omnizarr.netcdf.dialects.base import Found
from omnizarr.netcdf.dialects.sidecars import store_sidecars
from omnizarr.netcdf.dialects.writing import DEFAULT_STRING_LENGTH
from omnizarr.netcdf.dimension import Dimension
from omnizarr.netcdf.filters import Shuffle
from omnizarr.netcdf.model import DatasetModel, DimensionModel, GroupModel, VariableModel, join
from omnizarr.netcdf.names import MissingError, check_name
from omnizarr.netcdf.session import Session
from omnizarr.netcdf.types import STRING
from omnizarr.netcdf.variable import Variable

_DEFAULT_MAX_STRING = "_nczarr_default_maxstrlen"


class Group(Attributed):
    """A group: dimensions, variables, groups and attributes by name.

    Attributes
    ----------
    dimensions, variables, groups
        What the group holds, in the order of its making.
    parent
        The group above; None for the root.
    """

    _own = Attributed._own | {
        "_changed",
        "_name",
        "_node",
        "_session",
        "dimensions",
        "groups",
        "parent",
        "variables",
    }
    dimensions: dict[str, Dimension]
    variables: dict[str, Variable]
    groups: dict[str, Group]
    parent: Group | None
    _changed: bool
    _name: str
    _node: hierarchy_group.Group
    _session: Session

    def __init__(self, parent: Group, name: str, **_: Any) -> None:
        raise TypeError("groups are made by createGroup")

    def _fill(
        self, session: Session, parent: Group | None, model: GroupModel, path: str, found: Found
    ) -> None:
        """Take what was read."""
        self._session = session
        self.parent = parent
        self._name = model.name
        self._node = found.groups[path]
        self._ncstring = False
        self._changed = found.stale
        self._attributes = {attribute.name: attribute for attribute in model.attributes}
        self.dimensions = {d.name: Dimension(self, d) for d in model.dimensions}
        for dimension in self.dimensions.values():
            dimension._set_stored(found.stored_sizes.get(dimension._path, dimension.size))
        self.variables = {}
        self.groups = {}
        for variable in model.variables:
            dimensions = [self._dimension_at(reference) for reference in variable.dimensions]
            where = join(path, variable.name)
            made = Variable(self, variable, dimensions, found.arrays[where])
            made._stored_shape = found.stored_shapes.get(where, made._stored_shape)
            self.variables[variable.name] = made
        for inner in model.groups:
            self.groups[inner.name] = group = Group.__new__(Group)
            group._fill(session, self, inner, join(path, inner.name), found)

    # --- what it is

    @property
    def name(self) -> str:
        """The name; `/` for the root."""
        return self._name

    @property
    def path(self) -> str:
        """The absolute path."""
        return "/" if self.parent is None else join(self.parent.path, self._name)

    @property
    def model(self) -> GroupModel:
        """The group, with everything below, as a plain value."""
        return GroupModel(
            name=self._name,
            dimensions=tuple(d._model for d in self.dimensions.values()),
            attributes=tuple(self._attributes.values()),
            variables=tuple(v.model for v in self.variables.values()),
            groups=tuple(group.model for group in self.groups.values()),
        )

    @property
    def data_model(self) -> str:
        """`NETCDF4`."""
        return "NETCDF4"

    file_format = data_model

    @property
    def disk_format(self) -> str:
        """`NCZARR` or `ZARR`."""
        return "NCZARR" if self._session.dialect.name.startswith("nczarr") else "ZARR"

    def __getitem__(self, path: str) -> Group | Variable:
        """Return the group or variable at a path; an absolute one starts at the root.

        Raises
        ------
        NodeNotFoundError
            There is none; also a KeyError and, as in netCDF4-python, an IndexError.
        """
        group, name = self._at(path)
        # A variable without elements is false, and a scalar has no length to ask for.
        found: Group | Variable | None = group.variables.get(name, group.groups.get(name)) if name else group
        if found is None:
            raise MissingError(f"there is no group or variable {name!r}", path=join(group.path, name))
        return found

    def get_variables_by_attributes(self, **wanted: Any) -> list[Variable]:
        """Return the variables of this group whose attributes have the values, or satisfy the functions."""
        return [v for v in self.variables.values() if all(_suits(v, *item) for item in wanted.items())]

    # --- definitions

    def createDimension(self, dimname: str, size: int | None = None) -> Dimension:  # noqa: N802
        """Make a dimension; unlimited where the size is None or 0.

        Raises
        ------
        NodeExistsError
            The group has such a dimension.
        """
        self._about_to_change()
        group, name = self._reach(dimname)
        check_name(name)
        if name in group.dimensions:
            raise NodeExistsError(f"there is a dimension {name!r} already", path=group.path)
        length = 0 if size is None else len(size) if hasattr(size, "__len__") else int(size)
        if length < 0:
            raise ValueError(f"dimension {name!r}: expected a size of at least 0, found {length}")
        group.dimensions[name] = Dimension(group, DimensionModel(name, length, not length))
        group._changed = True
        return group.dimensions[name]

    def createGroup(self, groupname: str) -> Group:  # noqa: N802
        """Return the group at a path below this one; made, with those on the way, if it is missing."""
        self._session.check_writable()
        group, name = self._reach(groupname)
        return group._required_group(name) if name else group

    def createVariable(  # noqa: N802
        self,
        varname: str,
        datatype: Any,
        dimensions: Sequence[str | Dimension] | str | Dimension = (),
        compression: str | None = None,
        zlib: bool = False,
        complevel: int = 4,
        shuffle: bool = True,
        fletcher32: bool = False,
        contiguous: bool = False,
        chunksizes: Sequence[int] | None = None,
        blosc_shuffle: int = 1,
        endian: str = "native",
        fill_value: Any = None,
    ) -> Variable:
        """Make a variable; groups on the way of its path are made too.

        Parameters
        ----------
        datatype
            A numpy dtype or its name, `str`, or one of `omnizarr.netcdf.types`.
        dimensions
            Names or dimensions of this group or those above; none for a scalar.
        compression
            zlib, zstd, bzip2, blosc_lz, blosc_lz4, blosc_lz4hc, blosc_zlib or blosc_zstd; `zlib=True` is
            the same as `compression="zlib"`.
        complevel
            The level of compression; 0 compresses nothing.
        shuffle
            Whether bytes are shuffled before zlib; those of strings never are.
        chunksizes
            The shape of a chunk; netCDF-C's choice where it is None.
        endian
            native, little or big.
        fill_value
            What elements hold that were never written; False where that does not matter.

        Raises
        ------
        NodeExistsError
            There is a variable or group of this name.
        """
        self._session.check_writable()
        group, name = self._reach(varname)
        check_name(name)
        kind, order = type_of(datatype)
        found = group._dimensions_of(dimensions)
        models = [dimension._model for dimension in found]
        filters = filters_of(
            "zlib" if zlib and compression is None else compression,
            complevel,
            shuffle=shuffle,
            fletcher32=fletcher32,
            blosc_shuffle=blosc_shuffle,
        )
        model = VariableModel(
            name=name,
            type=kind,
            dimensions=tuple(dimension._path for dimension in found),
            attributes=fill_of(kind, fill_value),
            no_fill=fill_value is False,
            chunks=chunks_of(kind, models, chunksizes, contiguous),
            filters=filters if found else (),
            endian=endian_of(endian, order),
            max_string_length=group._string_length() if kind is STRING else None,
        )
        return group._define(model, found)

    def _define(self, model: VariableModel, dimensions: Sequence[Dimension]) -> Variable:
        """Make a variable from a model; also for the conversion of whole files."""
        if model.name in self.variables or model.name in self.groups:
            raise NodeExistsError(f"the name {model.name!r} is in use", path=self.path)
        self._about_to_change()
        if model.type is STRING:
            # netCDF-C shuffles strings as if each were a pointer, and no other reader knows.
            model = replace(model, filters=tuple(f for f in model.filters if not isinstance(f, Shuffle)))
        array = self._replace_array(model, tuple(dimension.size for dimension in dimensions))
        self.variables[model.name] = Variable(self, model, dimensions, array)
        return self.variables[model.name]

    def _replace_array(self, variable: VariableModel, shape: tuple[int, ...]) -> Array:
        """Store the array of a variable, in place of what an interrupted writer may have left there."""
        node = self._node
        path = f"{node.path}/{variable.name}".strip("/")
        dialect = self._session.writer()
        metadata = dialect.array_metadata(variable, shape)
        place(node.store, node.format, path, metadata, overwrite=True, parent=node.path)
        store_sidecars(node, path, dialect.sidecars(variable, None))
        array = Array(node.store, node.format, path, with_fill(metadata, variable))
        # A chunk of fill values is as good absent, and what is absent costs nothing.
        array.write_empty_chunks = False
        return array

    def _required_group(self, name: str) -> Group:
        if name in self.groups:
            return self.groups[name]
        check_name(name)
        if name in self.variables:
            raise NodeExistsError(f"the name {name!r} is in use", path=self.path)
        node = self._node
        path = f"{node.path}/{name}".strip("/")
        model = GroupModel(name=name)
        dialect = self._session.writer()
        metadata = dialect.group_metadata(model, None)
        place(node.store, node.format, path, metadata, overwrite=True, parent=node.path)
        store_sidecars(node, path, dialect.sidecars(model, None))
        found = Found(
            DatasetModel(root=model),
            groups={join(self.path, name): hierarchy_group.Group(node.store, node.format, path, metadata)},
        )
        self.groups[name] = group = Group.__new__(Group)
        group._fill(self._session, self, model, join(self.path, name), found)
        self._about_to_change()
        return group

    # --- how values are shown, for all variables below

    def set_auto_mask(self, value: bool) -> None:
        """Say for all variables whether missing values are masked."""
        self._for_all(lambda variable: variable.set_auto_mask(value))

    def set_auto_scale(self, value: bool) -> None:
        """Say for all variables whether packed numbers are unpacked."""
        self._for_all(lambda variable: variable.set_auto_scale(value))

    def set_auto_maskandscale(self, value: bool) -> None:
        """Say both for all variables."""
        self._for_all(lambda variable: variable.set_auto_maskandscale(value))

    def set_always_mask(self, value: bool) -> None:
        """Say for all variables whether arrays come masked also where nothing is missing."""
        self._for_all(lambda variable: variable.set_always_mask(value))

    def set_auto_chartostring(self, value: bool) -> None:
        """Say for all variables whether characters with an `_Encoding` become strings."""
        self._for_all(lambda variable: variable.set_auto_chartostring(value))

    def _for_all(self, action: Callable[[Variable], None]) -> None:
        for group in self._walk():
            for variable in group.variables.values():
                action(variable)

    # --- places

    def _walk(self) -> Iterator[Group]:
        """Yield this group and all below, parents first."""
        yield self
        for group in self.groups.values():
            yield from group._walk()

    def _root(self) -> Group:
        return self if self.parent is None else self.parent._root()

    def _at(self, path: str) -> tuple[Group, str]:
        """Return the group that a path leads to, and the path's last name; nothing is made."""
        group = self._root() if path.startswith("/") else self
        *parents, name = path.strip("/").split("/")
        for parent in parents:
            if parent not in group.groups:
                raise MissingError(f"there is no group {parent!r}", path=group.path)
            group = group.groups[parent]
        return group, name

    def _reach(self, path: str) -> tuple[Group, str]:
        """Return the group that a path leads to, and the path's last name; groups are made."""
        group = self._root() if path.startswith("/") else self
        *parents, name = path.strip("/").split("/")
        for parent in parents:
            group = group._required_group(parent)
        return group, name

    def _dimension_at(self, path: str) -> Dimension:
        group, name = self._root()._at(path)
        return group.dimensions[name]

    def _dimensions_of(
        self, dimensions: Sequence[str | Dimension] | str | Dimension
    ) -> tuple[Dimension, ...]:
        listed = (dimensions,) if isinstance(dimensions, str | Dimension) else dimensions
        return tuple(d if isinstance(d, Dimension) else self._dimension(d) for d in listed)

    def _dimension(self, name: str) -> Dimension:
        """Return the nearest dimension of a name, here or above."""
        group: Group | None = self
        while group is not None:
            if name in group.dimensions:
                return group.dimensions[name]
            group = group.parent
        raise MissingError(f"there is no dimension {name!r}, here or in the groups above", path=self.path)

    def _string_length(self) -> int:
        found = self._root()._attributes.get(_DEFAULT_MAX_STRING)
        return length_in(found) if found is not None else DEFAULT_STRING_LENGTH

    def _check_open(self) -> None:
        self._session.check_open()

    def _check_writable(self) -> None:
        self._session.check_writable()

    def _about_to_change(self) -> None:
        self._session.check_writable()
        self._changed = True

    def __repr__(self) -> str:
        lines = [repr(type(self)), f"group {self.path} ({self.data_model} data model, {self.disk_format}):"]
        lines += [f"    {name}: {to_python(attribute)}" for name, attribute in self._attributes.items()]
        sizes = ", ".join(f"{d.name}({d.size})" for d in self.dimensions.values())
        variables = ", ".join(
            f"{v._model.type} {v.name}({', '.join(v.dimensions)})" for v in self.variables.values()
        )
        lines += [f"    dimensions(sizes): {sizes}", f"    variables(dimensions): {variables}"]
        return "\n".join((*lines, f"    groups: {', '.join(self.groups)}"))


def _suits(variable: Variable, name: str, wanted: Any) -> bool:
    found = variable.getncattr(name) if name in variable.ncattrs() else None
    return bool(wanted(found)) if callable(wanted) else found is not None and bool(found == wanted)
