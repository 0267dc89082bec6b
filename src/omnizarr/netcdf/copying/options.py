"""What a conversion is asked to change: which variables, in which chunks, filters and byte order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

from omnizarr.errors import ConversionError, MetadataError
from omnizarr.geometry.grid import RegularGrid
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.copying.recut import KEEP, Cuts, PerArray, keeps, recut
from omnizarr.jsontypes import Problems
from omnizarr.metadata.chains import numcodecs_id
from omnizarr.metadata.extension import read_extensions
from omnizarr.metadata.formats import FORMATS
from omnizarr.netcdf.defining.chunking import default_chunks
from omnizarr.netcdf.dialects.arrays import describe_array
from omnizarr.netcdf.dialects.writing import new_array
from omnizarr.netcdf.filters.forms import read_filter
from omnizarr.netcdf.filters.known import FILTERS, Filter, OtherFilter, Shuffle, is_storable, name_of
from omnizarr.netcdf.model.nodes import DimensionModel, GroupModel, VariableModel, join
from omnizarr.netcdf.model.types import AtomicType, Enum

Chunks: TypeAlias = "Literal['keep', 'contiguous'] | Sequence[int] | Mapping[str, Any] | None"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What changes.

    Attributes
    ----------
    chunks
        `"keep"`; `"contiguous"`: each variable in one piece; None: netCDF-C's choice; lengths for all
        variables; or a mapping from dimensions to a length (0: all of it), and from variables to any of
        these.
    filters, compressors
        As in `omnizarr.copy`; `compressors` may also be a tuple of `omnizarr.netcdf.filters.known`, and is
        then all that is applied.
    endian
        `"little"` or `"big"`; None keeps the order.
    variables, groups
        Names, or absolute paths, of those that are copied; None for all. Groups come with all that is in
        them.
    """

    chunks: Chunks = KEEP
    filters: PerArray = KEEP
    compressors: PerArray = KEEP
    endian: Literal["little", "big"] | None = None
    variables: Collection[str] | None = None
    groups: Collection[str] | None = None

    def __post_init__(self) -> None:
        if self.endian not in (None, "little", "big"):
            raise ValueError(f"endian: expected 'little', 'big' or None, found {self.endian!r}")


def chosen(
    root: GroupModel, options: Options, array_of: Callable[[str], Array | None], *, known_filters: bool
) -> GroupModel:
    """Return a dataset with what the options change.

    Parameters
    ----------
    array_of
        Returns the array of a variable as it is stored, where it is in shards: their parts become chunks.
    known_filters
        Whether filters that are asked for have to be those that netCDF-C knows.

    Raises
    ------
    ConversionError
        There is no such variable, group or dimension; or a variable cannot have such chunks or filters.
    """
    root = _selected(root, options)
    paths = [join(path, v.name) for path, group in root.walk() for v in group.variables]
    cuts = Cuts(filters=options.filters, compressors=options.compressors)
    cuts.check_paths([path.strip("/") for path in paths])
    _check_chunks(root, options.chunks, paths)
    return _Changer(root, options, cuts, array_of, known_filters).group(root, "/")


@dataclass(frozen=True, slots=True)
class _Changer:
    root: GroupModel
    options: Options
    cuts: Cuts
    array_of: Callable[[str], Array | None]
    known_filters: bool

    def group(self, group: GroupModel, path: str) -> GroupModel:
        return replace(
            group,
            variables=tuple(self.variable(v, join(path, v.name)) for v in group.variables),
            groups=tuple(self.group(inner, join(path, inner.name)) for inner in group.groups),
        )

    def variable(self, variable: VariableModel, path: str) -> VariableModel:
        variable = _out_of_shards(variable, self.array_of(path))
        if not variable.dimensions:
            return self.ordered(variable)
        try:
            return self.ordered(self.coded(self.cut(variable, path), path))
        except (ConversionError, MetadataError, TypeError, ValueError) as error:
            raise ConversionError(f"variable {path}: {error}") from error

    def ordered(self, variable: VariableModel) -> VariableModel:
        numeric = isinstance(variable.type, AtomicType | Enum) and variable.type.is_numeric
        order = self.options.endian
        return variable if order is None or not numeric else replace(variable, endian=order)

    def cut(self, variable: VariableModel, path: str) -> VariableModel:
        asked = _asked_chunks(self.options.chunks, path)
        if keeps(asked):
            return variable
        dimensions = [d for d in map(self.root.dimension, variable.dimensions) if d is not None]
        if asked == "contiguous":
            whole = tuple(max(1, d.size) for d in dimensions)
            return replace(variable, chunks=whole, contiguous=True)
        if isinstance(asked, Mapping):
            return _cut_along(variable, dimensions, asked)
        sizes = default_chunks(dimensions, variable.type.size) if asked is None or asked == "auto" else asked
        if len(sizes) != len(dimensions) or any(int(size) < 0 for size in sizes):
            raise ValueError(f"chunks: expected {len(dimensions)} lengths, found {asked!r}")
        chunks = tuple(int(n) or max(1, d.size) for n, d in zip(sizes, dimensions, strict=True))
        return replace(variable, chunks=chunks, contiguous=False)

    def coded(self, variable: VariableModel, path: str) -> VariableModel:
        cut = self.cuts.of(path.strip("/"))
        if all(keeps(value) for value in cut):
            return variable
        if isinstance(cut.compressors, tuple) and all(
            isinstance(f, get_args(Filter)) for f in cut.compressors
        ):
            unknown = [name_of(f) for f in cut.compressors if not is_storable(f)]
            if unknown:
                raise ConversionError(f"{unknown[0]} is not known here; expected one of {', '.join(FILTERS)}")
            fitting = (f for f in cut.compressors if variable.type.is_fixed or not isinstance(f, Shuffle))
            return _filtered(variable, tuple(fitting))
        shape = self.root.shape(variable)
        # Filters that no codec is known for could not be replaced otherwise.
        known = tuple(f for f in variable.filters if not isinstance(f, OtherFilter))
        before = new_array(replace(variable, filters=known), shape, {})
        changed = recut(before, FORMATS[2], cut)
        for codec in changed.codecs if self.known_filters else ():
            name = numcodecs_id(codec)
            if name is not None and isinstance(read_filter(name, codec.configuration), OtherFilter):
                raise ConversionError(
                    f"netCDF-C has no filter {name!r}; expected one of {', '.join(FILTERS)}"
                )
        described = describe_array(variable.name, changed, variable.type, variable.dimensions, ())
        return _filtered(variable, described.filters)


def _filtered(variable: VariableModel, filters: tuple[Filter, ...]) -> VariableModel:
    """Return a variable with other filters; what has some is in chunks."""
    return replace(variable, filters=filters, contiguous=variable.contiguous and not filters)


def _cut_along(
    variable: VariableModel, dimensions: Sequence[DimensionModel], asked: Mapping[str, Any]
) -> VariableModel:
    """Return a variable with other chunks along the dimensions that are named."""
    now = variable.chunks or default_chunks(dimensions, variable.type.size)
    sizes = []
    for size, path, dimension in zip(now, variable.dimensions, dimensions, strict=True):
        length = asked.get(path, asked.get(dimension.name))
        sizes.append(size if length is None else int(length) or max(1, dimension.size))
    return variable if tuple(sizes) == now else replace(variable, chunks=tuple(sizes), contiguous=False)


def _asked_chunks(chunks: Chunks, path: str) -> Any:
    if not isinstance(chunks, Mapping):
        return chunks
    for name, value in chunks.items():
        if name.strip("/") == path.strip("/") and not _is_length(value):
            return value
    return {name: value for name, value in chunks.items() if _is_length(value)}


def _is_length(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_chunks(root: GroupModel, chunks: Chunks, paths: Sequence[str]) -> None:
    """Refuse lengths of dimensions, and chunks of variables, that are not there."""
    if not isinstance(chunks, Mapping):
        return
    dimensions = {d.name for _, group in root.walk() for d in group.dimensions}
    dimensions |= {join(path, d.name) for path, group in root.walk() for d in group.dimensions}
    for name, value in chunks.items():
        known = dimensions if _is_length(value) else {path.strip("/") for path in paths}
        if (name if _is_length(value) else name.strip("/")) not in known:
            what = "dimension" if _is_length(value) else "variable"
            there = ", ".join(sorted(known)[:10]) or "none"
            raise ConversionError(f"chunks: there is no {what} {name!r}; there are: {there}")
        if _is_length(value) and value < 0:
            raise ConversionError(f"chunks: expected a length of dimension {name!r}, found {value}")


def _out_of_shards(variable: VariableModel, array: Array | None) -> VariableModel:
    """Return a variable whose chunks are the parts of shards: netCDF knows no shards."""
    if array is None or array.shards is None:
        return variable
    inner = array.layout.chain.shards
    assert inner is not None
    codecs = read_extensions(array.metadata.codecs[0].configuration.get("codecs"), "codecs", Problems())
    metadata = replace(array.metadata, grid=RegularGrid(inner.inner.spec.shape), codecs=codecs)
    described = describe_array(variable.name, metadata, variable.type, variable.dimensions, ())
    return replace(variable, chunks=described.chunks, filters=described.filters)


def _selected(root: GroupModel, options: Options) -> GroupModel:
    known_groups = [path for path, _ in root.walk()]
    known = [join(path, v.name) for path, group in root.walk() for v in group.variables]
    groups = _found("group", options.groups, known_groups)
    variables = _found("variable", options.variables, known)
    if groups is None and variables is None:
        return root
    found = _pruned(root, "/", groups, variables)
    if found is None or (variables and not any(group.variables for _, group in found.walk())):
        raise ConversionError(
            f"none of the variables {', '.join(options.variables or ())} is in the groups "
            f"{', '.join(options.groups or ())}: nothing would be converted"
        )
    return found


def _found(what: str, asked: Collection[str] | None, known: Sequence[str]) -> set[str] | None:
    """Return the paths that names stand for: every one with that last part, or the one path."""
    if asked is None:
        return None
    found: set[str] = set()
    for name in asked:
        path = f"/{name.strip('/')}"
        exact = "/" in name
        same = {p for p in known if p == path or (not exact and p.rpartition("/")[2] == name)}
        if not same:
            there = ", ".join(known[:10]) or "none"
            raise ConversionError(f"{what}s: there is no {what} {name!r}; there are: {there}")
        found |= same
    return found


def _pruned(
    group: GroupModel, path: str, groups: set[str] | None, variables: set[str] | None
) -> GroupModel | None:
    """Return what is wanted of a group, or None; the dimensions of groups above are kept, for those below."""
    is_wanted = groups is None or path in groups
    below = None if is_wanted and path != "/" else groups
    kept = tuple(
        v for v in group.variables if is_wanted and (variables is None or join(path, v.name) in variables)
    )
    inner = (_pruned(g, join(path, g.name), below, variables) for g in group.groups)
    found = tuple(g for g in inner if g is not None)
    if not kept and not found and path != "/" and not (is_wanted and variables is None):
        return None
    return replace(group, variables=kept, groups=found)
