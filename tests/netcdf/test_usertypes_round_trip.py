"""Any type of the user, nested in any way: what is written is read again after reopening."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from omnizarr import netcdf
from omnizarr.netcdf.model.items import Item, from_numpy, to_json, to_numpy
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
    Vlen,
)

KEPT = [("nczarr", 2), ("nczarr", 3), ("proposal2018", 2)]
INTEGERS = [kind for kind in ATOMIC_TYPES if kind.is_numeric and kind.dtype.kind in "iu"]
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)


def integers(kind: AtomicType) -> st.SearchStrategy[int]:
    limits = np.iinfo(kind.dtype)
    return st.integers(int(limits.min), int(limits.max))


@st.composite
def types(draw: st.DrawFn, depth: int = 3) -> NcType:
    """A type; user's types have a path that says how they were made, so that no two differ under one."""
    choices = ["atomic"] if not depth else ["atomic", "enum", "opaque", "vlen", "compound"]
    match draw(st.sampled_from(choices)):
        case "enum":
            base = draw(st.sampled_from(INTEGERS))
            values = draw(st.lists(integers(base), min_size=1, max_size=4, unique=True))
            return Enum("/", base, tuple((f"m{at}", value) for at, value in enumerate(values)))
        case "opaque":
            return Opaque("/", draw(st.integers(1, 20)))
        case "vlen":
            return Vlen("/", draw(types(depth - 1)))
        case "compound":
            kinds = draw(st.lists(types(depth - 1), min_size=1, max_size=3))
            shapes = st.sampled_from([(), (), (1,), (3,), (2, 2)])
            return Compound("/", tuple(Field(f"f{at}", kind, draw(shapes)) for at, kind in enumerate(kinds)))
        case _:
            return draw(st.sampled_from(ATOMIC_TYPES))


def values_of(kind: NcType) -> st.SearchStrategy[Any]:
    match kind:
        case Enum(members=members):
            return st.sampled_from([value for _, value in members])
        case Opaque(length=length):
            return st.binary(min_size=length, max_size=length)
        case Vlen(base=base):
            return st.lists(values_of(base), max_size=3).map(tuple)
        case Compound(fields=fields):
            return st.tuples(*map(field_values, fields))
        case _ if kind is STRING:
            return TEXT
        case _ if kind is CHAR:
            return st.binary(min_size=1, max_size=1)
        case _ if kind.dtype.kind == "f":
            return st.floats(width=32 if kind.size == 4 else 64)
        case _:
            return integers(kind)


def field_values(field: Field) -> st.SearchStrategy[Any]:
    count = int(np.prod(field.shape))
    every = st.lists(values_of(field.type), min_size=count, max_size=count).map(tuple)
    return every if field.shape else values_of(field.type)


def defined(ds: netcdf.Dataset, kind: NcType) -> Any:
    """Define a type, and those within it first; return its handle."""
    name = f"t{len(ds.as_model().types)}"
    match kind:
        case Enum(base=base, members=members):
            return ds.createEnumType(base.dtype, name, dict(members))
        case Opaque(length=length):
            return ds.createOpaqueType(length, name)
        case Vlen(base=base):
            inner = defined(ds, base)
            return ds.createVLType(inner, f"t{len(ds.as_model().types)}")
        case Compound(fields=fields):
            entries = [(field.name, defined(ds, field.type), field.shape) for field in fields]
            return ds.createCompoundType(entries, f"t{len(ds.as_model().types)}")
        case _:
            return kind


def items_in(variable: netcdf.Variable) -> list[Any]:
    variable.set_auto_mask(False)
    variable.set_auto_chartostring(False)
    kind = variable.as_model().type
    return [to_json(kind, item) for item in from_numpy(kind, np.asarray(variable[...]))]


@pytest.mark.parametrize(("dialect", "zarr_format"), KEPT)
@given(data=st.data(), kind=types().filter(lambda kind: not isinstance(kind, AtomicType)))
@settings(max_examples=30, suppress_health_check=list(HealthCheck), deadline=None)
def test_values_of_any_type(dialect: str, zarr_format: int, data: st.DataObject, kind: NcType) -> None:
    items: list[Item] = data.draw(st.lists(values_of(kind), min_size=1, max_size=5))
    fill: Item | None = data.draw(st.none() | values_of(kind))
    compressed = data.draw(st.booleans())
    store: dict[str, bytes] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ds = netcdf.Dataset(store, "w", dialect=dialect, zarr_format=zarr_format)
    with warnings.catch_warnings(), ds:
        warnings.simplefilter("ignore", UserWarning)
        ds.createDimension("t", None)
        handle = defined(ds, kind)
        given_fill = None if fill is None else to_numpy(kind, [fill])[0]
        v = ds.createVariable("v", handle, ("t",), zlib=compressed, chunksizes=(2,), fill_value=given_fill)
        v[:] = to_numpy(kind, items)
        v[len(items) + 2] = to_numpy(kind, items[:1])[0]
        written = items_in(v)
        unwritten = kind.default_fill if fill is None else fill
        every = [*items, unwritten, unwritten, items[0]]
        assert repr(written) == repr([to_json(kind, item) for item in every])
        model = ds.as_model()
    with netcdf.Dataset(store) as again:
        assert repr(again.as_model()) == repr(model)
        assert repr(items_in(again["v"])) == repr(written)
        assert again.as_dataset().faults == ()
