"""Groups of an open dataset."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NoReturn
from weakref import proxy

from omnizarr import html
from omnizarr.errors import StoreError
from omnizarr.hierarchy import group as hierarchy_group
from omnizarr.netcdf.attributes import Attributed
from omnizarr.netcdf.defining.definition import Definition
from omnizarr.netcdf.defining.typescope import DefinesTypes
from omnizarr.netcdf.dialects.base import Found
from omnizarr.netcdf.dimension import Dimension
from omnizarr.netcdf.filters.known import Shuffle
from omnizarr.netcdf.model.names import MissingError, NameInUseError, OutOfRangeError, check_name
from omnizarr.netcdf.model.nodes import DatasetModel, DimensionModel, GroupModel, VariableModel, join
from omnizarr.netcdf.model.types import STRING, UserType
from omnizarr.netcdf.opened.abilities import Abilities
from omnizarr.netcdf.opened.notebook import group_html
from omnizarr.netcdf.opened.places import (
    description,
    dimension_at,
    dimensions_of,
    group_at,
    parent_at,
    steps,
    string_length,
    suits,
)
from omnizarr.netcdf.opened.placing import place_array, place_group
from omnizarr.netcdf.opened.renaming import Renames
from omnizarr.netcdf.opened.session import Session, locked
from omnizarr.netcdf.opened.switches import Switchable
from omnizarr.netcdf.opened.variables import Variables, check_readable
from omnizarr.netcdf.values.layouts import form_of
from omnizarr.netcdf.variable import Variable


class Group(Attributed, Renames, Switchable, Abilities, DefinesTypes):
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
        "_dimensions",
        "_groups",
        "_name",
        "_node",
        "_parent",
        "_types",
        "_variables",
    }
    _changed: bool
    _dimensions: dict[str, Dimension]
    _groups: dict[str, Group]
    _name: str
    _node: hierarchy_group.Group
    _parent: Group | None
    _types: dict[str, UserType]
    _variables: Variables

    def __new__(cls, parent: Group, name: str, **_: Any) -> Group:
        """Make a group in another one; a name that is taken raises `NameInUseError`."""
        with parent._session.lock:
            if name in parent._groups:
                raise NameInUseError(f"there is a group {name!r} already", path=parent.path)
            return parent.createGroup(name)

    def _fill(
        self, session: Session, parent: Group | None, model: GroupModel, path: str, found: Found
    ) -> None:
        """Take what was read."""
        self._session = session
        self._parent = parent
        self._name = model.name
        self._node = found.groups[path]
        self._ncstring = False
        self._changed = found.stale
        self._attributes = {attribute.name: attribute for attribute in model.attributes}
        self._types = {kind.name: kind for kind in model.types}
        self._dimensions = {d.name: Dimension._of(self._as_owner(), d) for d in model.dimensions}
        for dimension in self._dimensions.values():
            dimension._set_stored(found.stored_sizes.get(dimension._path, dimension.size))
        self._variables = Variables(session, path)
        self._groups = {}
        for variable in model.variables:
            dimensions = [dimension_at(self, reference) for reference in variable.dimensions]
            where = join(path, variable.name)
            made = Variable._of(self._as_owner(), variable, dimensions, found.arrays[where])
            made._stored_shape = found.stored_shapes.get(where, made._stored_shape)
            self._variables[variable.name] = made
        for inner in model.groups:
            self._groups[inner.name] = group = object.__new__(Group)
            group._fill(session, self._as_owner(), inner, join(path, inner.name), found)

    def _as_owner(self) -> Any:
        """Return what is known below as this group."""
        return proxy(self) if self._session.keepweakref else self

    # --- what it is

    @property
    def dimensions(self) -> dict[str, Dimension]:
        """The dimensions by name."""
        return self._dimensions

    @property
    def variables(self) -> dict[str, Variable]:
        """The variables by name; one that cannot be shown is missing, and asking for it says why."""
        return self._variables

    @property
    def groups(self) -> dict[str, Group]:
        """The groups in this one by name."""
        return self._groups

    @property
    def parent(self) -> Group | None:
        """The group above; None for the root."""
        return self._parent

    @property
    def name(self) -> str:
        """The name; `/` for the root."""
        return self._name

    @property
    def path(self) -> str:
        """The absolute path."""
        return "/" if self._parent is None else join(self._parent.path, self._name)

    @locked
    def as_model(self) -> GroupModel:
        """Return the group, with everything below, as a plain value."""
        return GroupModel(
            name=self._name,
            types=tuple(self._types.values()),
            dimensions=tuple(d._model for d in self._dimensions.values()),
            attributes=tuple(self._attributes.values()),
            variables=tuple(v.as_model() for v in self._variables.values()),
            groups=tuple(group.as_model() for group in self._groups.values()),
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

    @property
    def keepweakref(self) -> bool:
        """Whether variables and dimensions refer to their groups weakly."""
        return self._session.keepweakref

    @property
    def auto_complex(self) -> bool:
        """Whether records of a real and an imaginary part are complex numbers."""
        return self._session.auto_complex

    def __getitem__(self, path: str) -> Any:
        """Return the group or variable at a path; an absolute one starts at the root.

        Which of both is not known to type checkers: it is Any, as in netCDF4-python's stubs, so that scripts
        which index a variable pass. `variables` and `groups` have types.

        Raises
        ------
        MissingError
            There is none; also a KeyError and, as in netCDF4-python, an IndexError.
        UnreadableError
            It is in the store, and netCDF cannot show it; also a KeyError and an IndexError.
        """
        if not isinstance(path, str):
            raise TypeError(f"expected the path of a variable or group, found {path!r}")
        group, name = parent_at(self, path)
        # A variable without elements is false, and a scalar has no length to ask for.
        found: Group | Variable | None = group
        if name:
            found = group._variables.get(name, group._groups.get(name))
        if found is None:
            where = join(group.path, name)
            check_readable(self._session, where)
            raise MissingError(f"there is no group or variable {name!r}", path=where)
        return found

    def __iter__(self) -> NoReturn:
        raise TypeError("a dataset is not iterable: iterate over its variables, dimensions or groups")

    def __contains__(self, name: object) -> NoReturn:
        raise TypeError("a dataset has no members: ask whether a name is in its variables or dimensions")

    def get_variables_by_attributes(self, **kwargs: Any) -> list[Variable]:
        """Return the variables of this group whose attributes have the values, or satisfy the functions."""
        return [v for v in list(self._variables.values()) if all(suits(v, *item) for item in kwargs.items())]

    def isopen(self) -> bool:
        """Say whether the dataset was not closed yet."""
        return self._session.is_open

    def filepath(self, encoding: str | None = None) -> str:
        """Return the path or URL by which the dataset was opened."""
        return self._root().filepath(encoding)

    def sync(self) -> None:
        """Store everything that has changed in the dataset."""
        self._root().sync()

    def close(self) -> memoryview | None:
        """Refuse: it is datasets that are closed.

        Raises
        ------
        StoreError
            Always; also an OSError.
        """
        raise StoreError("cannot close a group: that is done with its dataset", store=self._session.name)

    # --- definitions

    @locked
    def createDimension(self, dimname: str, size: Any = None) -> Dimension:  # noqa: N802
        """Make a dimension; unlimited where the size is None or 0, and as long as another one that is given.

        Raises
        ------
        NameInUseError
            The group has such a dimension; also a RuntimeError.
        """
        self._about_to_change()
        group, name = self._reach(dimname)
        check_name(name)
        if name in group._dimensions:
            raise NameInUseError(f"there is a dimension {name!r} already", path=group.path)
        length = 0 if size is None else len(size) if isinstance(size, Dimension) else int(size)
        if length < 0:
            raise OutOfRangeError(f"dimension {name!r}: expected a size of at least 0, found {length}")
        made = Dimension._of(group._as_owner(), DimensionModel(name, length, not length))
        group._dimensions[name] = made
        group._changed = True
        return made

    @locked
    def createGroup(self, groupname: str) -> Group:  # noqa: N802
        """Return the group at a path below this one; made, with those on the way, if it is missing."""
        self._session.check_writable()
        group, name = self._reach(groupname)
        return group._required_group(name) if name else group

    @locked
    def createVariable(  # noqa: N802
        self,
        varname: str,
        datatype: Any,
        dimensions: Sequence[str | Dimension] | str | Dimension = (),
        compression: str | None = None,
        zlib: bool = False,
        complevel: int = 4,
        shuffle: bool = True,
        szip_coding: str = "nn",
        szip_pixels_per_block: int = 8,
        blosc_shuffle: int = 1,
        fletcher32: bool = False,
        contiguous: bool = False,
        chunksizes: Sequence[int] | None = None,
        endian: str = "native",
        least_significant_digit: float | None = None,
        significant_digits: int | None = None,
        quantize_mode: str = "BitGroom",
        fill_value: Any = None,
        chunk_cache: int | None = None,
    ) -> Variable:
        """Make a variable; groups on the way of its path are made too.

        Parameters
        ----------
        datatype
            A numpy dtype or its name, `str`, a user-defined type, or one of `omnizarr.netcdf.model.types`.
        dimensions
            Names or dimensions of this group or those above; none for a scalar.
        compression
            zlib, szip, zstd, bzip2, blosc_lz, blosc_lz4, blosc_lz4hc, blosc_zlib or blosc_zstd; `zlib=True`
            is the same as `compression="zlib"`.
        complevel
            The level of compression; 0 compresses nothing.
        shuffle
            Whether bytes are shuffled before zlib; those of strings never are.
        contiguous
            Keep the values in one chunk.
        chunksizes
            The shape of a chunk; netCDF-C's choice where it is None.
        szip_coding, szip_pixels_per_block
            `"ec"` (entropy coding) or `"nn"` (nearest neighbour), and an even number up to 32.
        blosc_shuffle
            0 none, 1 bytes, 2 bits.
        endian
            native, little or big.
        least_significant_digit
            Digits behind the decimal point that mean something; values are rounded to that.
        significant_digits, quantize_mode
            Digits that mean something, and how the other bits are made alike: `"BitGroom"`,
            `"GranularBitRound"`, or `"BitRound"`, where bits are counted and not digits.
        fill_value
            What elements hold that were never written; `"default"` for netCDF's, False where that does
            not matter.
        chunk_cache
            Bytes that `get_var_chunk_cache` tells of; there is no such cache.

        Raises
        ------
        NameInUseError
            There is a variable or group of this name; also a RuntimeError.
        MissingError
            There is no such dimension; also a KeyError and a ValueError.
        TypeError
            netCDF has no such type.
        DefinitionError, ConversionError
            An argument makes no sense; also a ValueError.
        """
        self._session.check_writable()
        definition = Definition(
            datatype=self._resolved(datatype),
            compression=compression,
            zlib=zlib,
            complevel=complevel,
            shuffle=shuffle,
            fletcher32=fletcher32,
            contiguous=contiguous,
            chunksizes=chunksizes,
            szip_coding=szip_coding,
            szip_pixels_per_block=szip_pixels_per_block,
            blosc_shuffle=blosc_shuffle,
            endian=endian,
            least_significant_digit=least_significant_digit,
            significant_digits=significant_digits,
            quantize_mode=quantize_mode,
            fill_value=False if fill_value is None and not self._session.fills else fill_value,
        )
        group, name = self._reach(varname)
        check_name(name)
        found = dimensions_of(group, dimensions)
        paths, models = [d._path for d in found], [d._model for d in found]
        variable = group._define(definition.model(name, paths, models, string_length(group)), found)
        variable.set_var_chunk_cache(chunk_cache)
        return variable

    def _define(self, model: VariableModel, dimensions: Sequence[Dimension]) -> Variable:
        """Make a variable from a model; also for the conversion of whole files."""
        if self._is_taken(model.name):
            raise NameInUseError(f"the name {model.name!r} is in use", path=self.path)
        self._warn_unseen(model.name, model.type)
        self._about_to_change()
        if model.type is STRING or form_of(model.type) != "fixed":
            # netCDF-C shuffles strings as if each were a pointer, and no other reader knows.
            model = replace(model, filters=tuple(f for f in model.filters if not isinstance(f, Shuffle)))
        shape = tuple(dimension.size for dimension in dimensions)
        array = place_array(self._session, self._node, model, shape)
        self._session.unmapped.pop(join(self.path, model.name), None)
        self._variables[model.name] = Variable._of(self._as_owner(), model, dimensions, array)
        return self._variables[model.name]

    def _required_group(self, name: str) -> Group:
        if name in self._groups:
            return self._groups[name]
        check_name(name)
        if self._is_taken(name):
            raise NameInUseError(f"the name {name!r} is in use", path=self.path)
        model, path = GroupModel(name=name), join(self.path, name)
        node = place_group(self._session, self._node, model)
        self._groups[name] = group = object.__new__(Group)
        found = Found(DatasetModel(root=model), groups={path: node})
        group._fill(self._session, self._as_owner(), model, path, found)
        self._about_to_change()
        return group

    def set_ncstring_attrs(self, value: bool) -> None:
        """Store texts as attributes of type string from now on, ASCII or not; also below this group."""
        for group in self._walk():
            Attributed.set_ncstring_attrs(group, value)
            for variable in list(group._variables.values()):
                variable.set_ncstring_attrs(value)

    # --- places

    def _walk(self) -> Iterator[Group]:
        """Yield this group and all below, parents first."""
        yield self
        for group in list(self._groups.values()):
            yield from group._walk()

    def _root(self) -> Group:
        return self if self._parent is None else self._parent._root()

    def _reach(self, path: str) -> tuple[Group, str]:
        """Return the group that a path leads to, and the path's last name; groups are made."""
        group = self._root() if path.startswith("/") else self
        *parents, name = steps(path)
        for parent in parents:
            group = group._required_group(parent)
        return group, name

    def _group_at(self, path: str) -> Group | None:
        """Return the group at an absolute path; None where there is none."""
        return group_at(self, path)

    def _is_taken(self, name: str) -> bool:
        return name in self._variables or name in self._groups or name in self._types

    def _known_types(self) -> Sequence[UserType]:
        return list(self._scope())

    def _about_to_change(self) -> None:
        self._session.check_writable()
        self._changed = True

    def __repr__(self) -> str:
        return description(self)

    def _repr_html_(self) -> str:
        """The group in a notebook."""
        return html.safely(lambda: group_html(self), type(self).__name__)
