"""What is written as CDL and read again is what it was, for every type."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_cdl_any import groups

from omnizarr.netcdf.cdl.reading.parse import parse_cdl
from omnizarr.netcdf.cdl.writing.options import Precision, Shown
from omnizarr.netcdf.cdl.writing.write import write_cdl
from omnizarr.netcdf.model.items import from_numpy, to_json, to_numpy
from omnizarr.netcdf.model.nodes import (
    FILL_VALUE,
    AttributeModel,
    DimensionModel,
    GroupModel,
    VariableModel,
)
from omnizarr.netcdf.model.types import (
    ATOMIC_TYPES,
    CHAR,
    STRING,
    AtomicType,
    Compound,
    Enum,
    Field,
    NcType,
    Opaque,
    UserType,
    Vlen,
)

# As many digits as tell all numbers apart.
EXACT = Shown(precision=Precision(9, 17))
INTEGERS = [kind for kind in ATOMIC_TYPES if kind.dtype.kind in "iu"]
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)


def written(root: GroupModel, data: dict[str, Any]) -> str:
    """Return a dataset as CDL."""

    def read(path: str, rows: slice) -> Any:
        values = data[path]
        return values[rows] if values.ndim else values

    return "".join(write_cdl(root, "any", read=read, shown=EXACT))


def sized(group: GroupModel, used: set[str], path: str = "") -> GroupModel:
    """Return a group whose unlimited dimensions are as long as values say: empty where there are none."""
    return replace(
        group,
        dimensions=tuple(
            d if not d.unlimited or f"{path}/{d.name}" in used else replace(d, size=0)
            for d in group.dimensions
        ),
        variables=tuple(replace(v, chunks=None) for v in group.variables),
        groups=tuple(sized(inner, used, f"{path}/{inner.name}") for inner in group.groups),
    )


@settings(max_examples=50, deadline=None)
@given(made=groups("/", (), 2))
def test_any_dataset(made: tuple[GroupModel, dict[str, Any]]) -> None:
    """Groups, dimensions, attributes and values of atomic types."""
    root, data = made
    text = written(root, data)
    found = parse_cdl(text)
    used = {name for _, group in root.walk() for v in group.variables for name in v.dimensions}
    # Two NaN are not equal, and are spelled alike.
    assert repr(found.model.root) == repr(sized(root, used)), text
    for path, values in data.items():
        # Minus zero is dumped as the fill value where that is zero.
        assert np.array_equal(found.values[path].array(), values, equal_nan=values.dtype.kind == "f"), text


@st.composite
def user_types(draw: st.DrawFn, defined: list[UserType], depth: int = 3) -> NcType:
    """A type; those of the user are added to what is defined."""
    kind = draw(st.sampled_from(["atomic", "enum", "opaque", "vlen", "compound"] if depth else ["atomic"]))
    made: UserType
    match kind:
        case "enum":
            base = draw(st.sampled_from(INTEGERS))
            values = draw(st.lists(numbers(base), min_size=1, max_size=4, unique=True))
            made = Enum(f"/t{len(defined)}", base, tuple((f"m {at}", v) for at, v in enumerate(values)))
        case "opaque":
            made = Opaque(f"/t{len(defined)}", draw(st.integers(1, 20)))
        case "vlen":
            base_type = draw(user_types(defined, depth - 1))
            made = Vlen(f"/t{len(defined)}", base_type)
        case "compound":
            kinds = [draw(user_types(defined, depth - 1)) for _ in range(draw(st.integers(1, 3)))]
            shapes = st.sampled_from([(), (), (1,), (3,), (2, 2)])
            fields = tuple(Field(f"f{at}", inner, draw(shapes)) for at, inner in enumerate(kinds))
            made = Compound(f"/t{len(defined)}", fields)
        case _:
            return draw(st.sampled_from(ATOMIC_TYPES))
    defined.append(made)
    return made


def numbers(kind: AtomicType) -> st.SearchStrategy[Any]:
    """Numbers of a type."""
    if kind.dtype.kind == "f":
        return st.floats(width=32 if kind.size == 4 else 64)
    limits = np.iinfo(kind.dtype)
    return st.integers(int(limits.min), int(limits.max))


def items(kind: NcType) -> st.SearchStrategy[Any]:
    """Values of a type."""
    match kind:
        case Enum(members=members):
            return st.sampled_from([value for _, value in members])
        case Opaque(length=length):
            return st.binary(min_size=length, max_size=length)
        case Vlen(base=base):
            listed = st.lists(items(base), max_size=3).map(tuple)
            # A dump leaves out the NULs that a text ends in.
            return listed.filter(lambda found: found[-1:] != (b"\0",)) if base is CHAR else listed
        case Compound(fields=fields):
            return st.tuples(*map(field_items, fields))
        case _ if kind is STRING:
            return TEXT
        case _ if kind is CHAR:
            return st.binary(min_size=1, max_size=1)
        case _:
            return numbers(kind)


def field_items(field: Field) -> st.SearchStrategy[Any]:
    """Values of a field."""
    count = int(np.prod(field.shape))
    listed = st.lists(items(field.type), min_size=count, max_size=count).map(tuple)
    return listed if field.shape else items(field.type)


def spelled(kind: NcType, found: Any) -> list[Any]:
    """Return values in a form in which two NaN are equal."""
    return [to_json(kind, item) for item in found]


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_type(data: st.DataObject) -> None:
    """The user's types, nested in any way, as variables, attributes and fill values."""
    defined: list[UserType] = []
    kind = data.draw(user_types(defined))
    values = data.draw(st.lists(items(kind), min_size=1, max_size=4))
    attributes = [AttributeModel("many", kind, tuple(values))] if not isinstance(kind, AtomicType) else []
    if isinstance(kind, Enum | Opaque) and data.draw(st.booleans()):
        attributes.append(AttributeModel(FILL_VALUE, kind, (values[0],)))
    variable = VariableModel(name="v", type=kind, dimensions=("/x",), attributes=tuple(attributes))
    root = GroupModel(
        name="/",
        types=tuple(defined),
        dimensions=(DimensionModel("x", len(values)),),
        variables=(variable,),
    )
    text = written(root, {"/v": to_numpy(kind, values)})
    found = parse_cdl(text)
    assert found.model.root.types == root.types, text
    read = from_numpy(kind, found.values["/v"].array())
    assert spelled(kind, read) == spelled(kind, values), text
    for ours, theirs in zip(found.model.root.variables[0].attributes, attributes, strict=True):
        assert spelled(kind, ours.values) == spelled(kind, theirs.values), text
