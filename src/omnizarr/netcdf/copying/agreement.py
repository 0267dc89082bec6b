"""Whether datasets that are to be joined agree, and in which order they come.

https://cfconventions.org/cf-conventions/cf-conventions.html#time-coordinate
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from omnizarr.errors import ConversionError
from omnizarr.geometry.grid import RegularAxis
from omnizarr.hierarchy.copying.rechunk import GOOD_BLOCK, plan_blocks
from omnizarr.netcdf.copying.lease import Sources
from omnizarr.netcdf.copying.reading import Source
from omnizarr.netcdf.copying.source import variables_of
from omnizarr.netcdf.copying.units import Rebase, rebased
from omnizarr.netcdf.model.items import AnyArray
from omnizarr.netcdf.model.nodes import (
    AttributeModel,
    DatasetModel,
    GroupModel,
    Loss,
    VariableModel,
    join,
    parent_of,
)
from omnizarr.netcdf.model.types import AtomicType

# What changes the meaning of values; where other attributes differ, those of the first source are kept.
_MEANING = frozenset(
    (
        "units", "calendar", "scale_factor", "add_offset", "_Unsigned", "_Encoding", "_FillValue",
        "missing_value", "valid_min", "valid_max", "valid_range", "flag_values", "flag_masks",
        "flag_meanings", "standard_name", "axis", "positive", "bounds", "coordinates", "grid_mapping",
        "cell_methods",
    )
)  # fmt: skip
_TOLD = 10


@dataclass(frozen=True, slots=True)
class Part:
    """One of the datasets.

    Attributes
    ----------
    dimension
        The absolute path of the dimension that is joined, and its length here.
    coordinate
        The dimension's coordinate, in the units of the first dataset; None where it has none.
    rebase
        How values of the coordinate, and of its bounds, become those of the first dataset's units.
    """

    number: int
    name: str
    model: DatasetModel
    losses: tuple[Loss, ...]
    kind: str | None
    places: tuple[str, ...]
    stamp: str | None
    dimension: str
    length: int
    coordinate: AnyArray | None
    rebase: Rebase | None = None

    @classmethod
    def of(cls, number: int, source: Source, name: str) -> Part:
        """Return what there is to know about a source."""
        path = _dimension(source, name)
        dimension = source.model.root.dimension(path)
        assert dimension is not None
        variable = variables_of(source.model.root).get(path)
        values = None
        if variable is not None and variable.dimensions == (path,) and _is_number(variable):
            values = np.asarray(source.read(path, (slice(0, dimension.size),)))
        return cls(
            number,
            source.name,
            source.model,
            source.losses,
            source.kind,
            source.places,
            source.stamp,
            path,
            dimension.size,
            values,
        )

    @property
    def slim(self) -> Part:
        """What reading values needs of it."""
        if self.rebase is None:
            return replace(self, model=DatasetModel(root=GroupModel(name="/")), losses=(), coordinate=None)
        return replace(self, losses=(), coordinate=None)

    def is_rebased(self, path: str) -> bool:
        """Say whether the values of a variable get other units."""
        return self.rebase is not None and path in self._times()

    def shown(self, path: str, values: AnyArray) -> AnyArray:
        """Return values in the units of the first dataset."""
        if self.rebase is None or path not in self._times():
            return values
        return self.rebase.apply(values, variables_of(self.model.root)[path], f"{self.name}, variable {path}")

    def _times(self) -> tuple[str, ...]:
        """Return the paths of the coordinate and of its bounds."""
        variable = variables_of(self.model.root)[self.dimension]
        bounds = next((a.value for a in variable.attributes if a.name == "bounds"), None)
        if not isinstance(bounds, str):
            return (self.dimension,)
        return self.dimension, join(parent_of(self.dimension), bounds)


def _is_number(variable: VariableModel) -> bool:
    return isinstance(variable.type, AtomicType) and variable.type.is_numeric


def _dimension(source: Source, name: str) -> str:
    """Return the path of the dimension of a name: the outermost one."""
    root = source.model.root
    for path, group in root.walk():
        for dimension in group.dimensions:
            where = join(path, dimension.name)
            if name in (where, dimension.name):
                return where
    there = ", ".join(d.name for _, group in root.walk() for d in group.dimensions) or "none"
    raise ConversionError(f"join: {source.name} has no dimension {name!r}; there are: {there}")


def ordered(parts: Sequence[Part]) -> list[Part]:
    """Return the parts in the order of their coordinate, all in the units of the first.

    Raises
    ------
    ConversionError
        The coordinate is not strictly monotonic, or parts overlap; or only some have one.
    """
    first = parts[0]
    for part in parts:
        if part.dimension != first.dimension:
            raise ConversionError(
                f"join: the dimension is {first.dimension} in {first.name}, "
                f"and {part.dimension} in {part.name}"
            )
        if (part.coordinate is None) != (first.coordinate is None):
            without, other = (part, first) if part.coordinate is None else (first, part)
            raise ConversionError(
                f"join: {without.name} has no coordinate {first.dimension}, as {other.name} has"
            )
    if first.coordinate is None:
        return list(parts)
    same = [_in_units_of(first, part) for part in parts]
    filled = [part for part in same if part.length]
    if not filled:
        return same
    falls = _falls(filled)
    filled.sort(key=lambda part: part.coordinate[0], reverse=falls)  # type: ignore[index]
    _check_monotony(filled, falls)
    return filled + [part for part in same if not part.length]


def _in_units_of(first: Part, part: Part) -> Part:
    ours, theirs = (variables_of(p.model.root)[p.dimension] for p in (first, part))
    rebase = rebased(theirs, ours, part.name, first.name)
    if rebase is None or part.coordinate is None:
        return part
    changed = replace(part, rebase=rebase)
    return replace(changed, coordinate=changed.shown(part.dimension, part.coordinate))


def _falls(parts: Sequence[Part]) -> bool:
    """Say whether the coordinate falls: within the first part that tells, or else from part to part."""
    for part in parts:
        if part.coordinate is not None and part.length > 1:
            return bool(part.coordinate[-1] < part.coordinate[0])
    return False


def _check_monotony(parts: Sequence[Part], falls: bool) -> None:
    word, before = "fall" if falls else "grow", None
    for part in parts:
        values = part.coordinate
        assert values is not None
        steps = values[1:] < values[:-1] if falls else values[1:] > values[:-1]
        if not steps.all():
            at = int(np.argmin(steps))
            raise ConversionError(
                f"join: {part.dimension} does not {word} strictly in {part.name}: "
                f"{values[at]} is followed by {values[at + 1]}"
            )
        if before is not None and before.coordinate is not None:
            last, next_ = before.coordinate[-1], values[0]
            if not (next_ < last if falls else next_ > last):
                raise ConversionError(
                    f"join: {part.dimension} overlaps: {before.name} ends at {last}, "
                    f"and {part.name} begins at {next_}"
                )
        before = part


# --- agreement


def check_agreement(parts: Sequence[Part], sources: Sources) -> tuple[Loss, ...]:
    """Return where attributes of later parts differ, which are not kept.

    Raises
    ------
    ConversionError
        Something differs that changes the meaning of values, or values that do not lie along the dimension.
    """
    first = parts[0]
    problems: list[str] = []
    losses: dict[tuple[str, str], list[str]] = {}
    for part in parts[1:]:
        found = list(_differences(first, part))
        problems += [f"{part.name}: {text}" for path, text, matters in found if matters]
        for path, text, matters in found:
            if not matters:
                losses.setdefault((path, text), []).append(part.name)
        if not problems:
            problems += list(_different_values(first, part, sources))
    if problems:
        more = f"\n  and {len(problems) - _TOLD} more" if len(problems) > _TOLD else ""
        listed = "\n".join(f"  - {text}" for text in problems[:_TOLD])
        raise ConversionError(f"the sources do not agree with {first.name}:\n{listed}{more}")
    return tuple(Loss(path, f"{text} in {_named(names)}") for (path, text), names in losses.items())


def _named(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def _differences(first: Part, part: Part) -> Iterator[tuple[str, str, bool]]:
    """Yield (path, what differs, whether that matters)."""
    ours, theirs = dict(first.model.root.walk()), dict(part.model.root.walk())
    for path in ours.keys() ^ theirs.keys():
        yield path, f"the group {path} is only in one of them", True
    for path in ours.keys() & theirs.keys():
        yield from _of_group(first, part, path, ours[path], theirs[path])


def _of_group(
    first: Part, part: Part, path: str, ours: GroupModel, theirs: GroupModel
) -> Iterator[tuple[str, str, bool]]:
    if ours.types != theirs.types:
        yield path, f"the types of {path} differ", True
    sizes = [
        {d.name: d.size for d in g.dimensions if join(path, d.name) != first.dimension}
        for g in (ours, theirs)
    ]
    for name in sizes[0].keys() | sizes[1].keys():
        if sizes[0].get(name) != sizes[1].get(name):
            before, after = (one.get(name, "not there") for one in sizes)
            yield path, f"dimension {join(path, name)} is {after}, expected {before}", True
    for name in _differing(ours.attributes, theirs.attributes):
        yield path, f"attribute {name!r} differs", False
    before_, after_ = ({v.name: v for v in group.variables} for group in (ours, theirs))
    for name in before_.keys() ^ after_.keys():
        yield path, f"variable {join(path, name)} is only in one of them", True
    for name in before_.keys() & after_.keys():
        yield from _of_variable(part, join(path, name), before_[name], after_[name])


def _of_variable(
    part: Part, path: str, ours: VariableModel, theirs: VariableModel
) -> Iterator[tuple[str, str, bool]]:
    if ours.type != theirs.type:
        yield path, f"variable {path} is of type {theirs.type}, expected {ours.type}", True
    if ours.dimensions != theirs.dimensions:
        before, after = (f"({', '.join(v.dimensions)})" for v in (ours, theirs))
        yield path, f"variable {path} has the dimensions {after}, expected {before}", True
    for name in _differing(ours.attributes, theirs.attributes):
        if name in ("units", "calendar") and part.is_rebased(path):
            continue
        values = [next((a.value for a in v.attributes if a.name == name), None) for v in (theirs, ours)]
        found, expected = ("none" if value is None else repr(value) for value in values)
        yield path, f"attribute {path}:{name} is {found}, expected {expected}", name in _MEANING


def _differing(ours: Sequence[AttributeModel], theirs: Sequence[AttributeModel]) -> list[str]:
    """Return the names of attributes that are not in both alike, by their text: NaN is not equal to NaN."""
    one, other = ({a.name: (a.type, repr(a.value)) for a in side} for side in (ours, theirs))
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def _different_values(first: Part, part: Part, sources: Sources) -> Iterator[str]:
    """Yield what differs in variables that do not lie along the dimension."""
    with sources.using(first.number) as ours, sources.using(part.number) as theirs:
        for path, variable in variables_of(first.model.root).items():
            if first.dimension not in variable.dimensions and not _equal(first, ours, theirs, path):
                yield f"{part.name}: the values of {path} differ"


def _equal(first: Part, ours: Source, theirs: Source, path: str) -> bool:
    root = first.model.root
    variable = variables_of(root)[path]
    shape = root.shape(variable)
    if not shape:
        return _same(ours.read(path, ()), theirs.read(path, ()))
    if not prod(shape):
        return True
    axes = [RegularAxis(n, c) for n, c in zip(shape, variable.chunks or shape, strict=True)]
    blocks = plan_blocks(axes, axes, max(1, variable.type.size), GOOD_BLOCK)
    return all(_same(ours.read(path, region), theirs.read(path, region)) for region, _ in blocks)


def _same(ours: AnyArray, theirs: AnyArray) -> bool:
    a, b = np.asarray(ours), np.asarray(theirs)
    if a.dtype.hasobject or b.dtype.hasobject:
        return repr(a.tolist()) == repr(b.tolist())
    return a.shape == b.shape and bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))
