"""Any dataset as ncdump writes it, with any options: files and datasets in Zarr that hypothesis makes up."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cdl_samples import write_file
from hypothesis import given, settings
from hypothesis import strategies as st
from ncdump_peer import ncdump, needs_ncdump, our_dump

from omnizarr import netcdf
from omnizarr.netcdf.model.nodes import (
    FILL_VALUE,
    AttributeModel,
    DimensionModel,
    GroupModel,
    VariableModel,
    join,
)
from omnizarr.netcdf.model.types import ATOMIC_TYPES, CHAR, STRING, AtomicType

# All but line feed and vertical tab, which ncdump misspells in places, and NUL.
_TEXT = st.text(
    st.characters(codec="utf-8", min_codepoint=1, max_codepoint=0x2FF, exclude_characters="\n\v"), max_size=20
)
_NAME = st.from_regex(r"\A[A-Za-z_0-9][A-Za-z0-9_.@+ \-!$()*,:;=?^~é]{0,6}[A-Za-z]\Z").filter(
    lambda name: not name.startswith("_") or name[1:2].isalpha()
)
_FILLS = {kind: kind.default_fill for kind in ATOMIC_TYPES}


def numbers(kind: AtomicType) -> st.SearchStrategy[Any]:
    if kind.dtype.kind == "f":
        return st.one_of(st.floats(width=8 * kind.size), st.just(np.float64(kind.default_fill).item()))
    info = np.iinfo(kind.dtype)
    return st.one_of(st.integers(int(info.min), int(info.max)), st.integers(0, 9), st.just(kind.default_fill))


def values(kind: AtomicType, count: int) -> st.SearchStrategy[list[Any]]:
    if kind is STRING:
        return st.lists(_TEXT, min_size=count, max_size=count)
    if kind is CHAR:
        return st.lists(st.integers(0, 255).map(lambda code: bytes([code])), min_size=count, max_size=count)
    return st.lists(numbers(kind), min_size=count, max_size=count)


@st.composite
def attributes(draw: st.DrawFn) -> tuple[AttributeModel, ...]:
    found = []
    for name in draw(st.lists(_NAME, max_size=3, unique=True)):
        kind = draw(st.sampled_from(ATOMIC_TYPES))
        if kind is CHAR:
            found.append(AttributeModel(name, kind, draw(_TEXT)))
        else:
            found.append(AttributeModel(name, kind, tuple(draw(values(kind, draw(st.integers(1, 12)))))))
    return tuple(found)


@st.composite
def groups(
    draw: st.DrawFn, path: str, above: tuple[tuple[str, DimensionModel], ...], depth: int
) -> tuple[GroupModel, dict[str, Any]]:
    names = iter(draw(st.lists(_NAME, min_size=9, max_size=9, unique_by=str.lower)))
    dimensions = tuple(
        DimensionModel(name, draw(st.sampled_from([1, 2, 3, 17])), draw(st.booleans()))
        for name in itertools.islice(names, draw(st.integers(0, 3)))
    )
    sight = (*above, *((join(path, d.name), d) for d in dimensions))
    data: dict[str, Any] = {}
    variables = []
    for name in itertools.islice(names, draw(st.integers(0, 3))):
        variable, array = draw(a_variable(name, sight))
        variables.append(variable)
        data[join(path, name)] = array
    inner = []
    for name in itertools.islice(names, draw(st.integers(0, depth))):
        group, more = draw(groups(join(path, name), sight, depth - 1))
        inner.append(group)
        data |= more
    return (
        GroupModel(
            name=path.rpartition("/")[2] or "/",
            dimensions=dimensions,
            attributes=draw(attributes()),
            variables=tuple(variables),
            groups=tuple(inner),
        ),
        data,
    )


@st.composite
def a_variable(
    draw: st.DrawFn, name: str, sight: tuple[tuple[str, DimensionModel], ...]
) -> tuple[VariableModel, Any]:
    kind = draw(st.sampled_from(ATOMIC_TYPES))
    axes = draw(st.lists(st.sampled_from(sight), max_size=3)) if sight else []
    shape = tuple(dimension.size for _, dimension in axes)
    count = int(np.prod(shape, dtype=int))
    # A few values again and again: hypothesis has not patience for hundreds.
    some = draw(values(kind, min(count, 7)))
    array = np.empty(count, kind.dtype)
    array[:] = [some[at % len(some)] for at in range(count)]
    found = [a for a in draw(attributes()) if a.name != FILL_VALUE]
    if kind.is_numeric and draw(st.booleans()):
        found.insert(0, AttributeModel(FILL_VALUE, kind, (draw(st.sampled_from(some)),)))
    paths = tuple(path for path, _ in axes)
    return VariableModel(name=name, type=kind, dimensions=paths, attributes=tuple(found)), array.reshape(
        shape
    )


OPTIONS = st.tuples(
    st.sampled_from([(), ("-h",), ("-c",), ("-t",), ("-i",)]),
    st.sampled_from([(), ("-l", "33"), ("-l", "120")]),
    st.sampled_from([(), ("-p", "3,5"), ("-p", "9,17")]),
    st.sampled_from([(), ("-b", "c"), ("-b", "f"), ("-f", "c")]),
).map(lambda parts: tuple(itertools.chain(*parts)))


@needs_ncdump
@settings(max_examples=25, deadline=None)
@given(made=groups("/", (), 2), options=OPTIONS)
def test_any_dataset_as_ncdump_writes_it(
    tmp_path_factory: pytest.TempPathFactory,
    made: tuple[GroupModel, dict[str, Any]],
    options: tuple[str, ...],
) -> None:
    folder = tmp_path_factory.mktemp("any")
    root, data = made
    write_file(folder / "a.nc", root, data)
    theirs = ncdump(folder / "a.nc", *options)
    assert our_dump(folder / "a.nc", *options) == theirs
    write_file(Path(folder / "a.zarr"), root, data, library=netcdf)
    assert our_dump(folder / "a.zarr", *options) == theirs
