"""Selections, regions and plans, against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from omnizarr.errors import SelectionError
from omnizarr.geometry.grid import RectilinearGrid, RegularGrid
from omnizarr.geometry.plan import plan
from omnizarr.geometry.region import Region, numpy_index, put, take
from omnizarr.geometry.selection import (
    Selection,
    select,
    select_blocks,
    select_mask,
    select_orthogonal,
    select_vectorized,
)

SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=7)


@st.composite
def grids(draw: st.DrawFn, shape: tuple[int, ...]) -> Any:
    if draw(st.booleans()):
        return RegularGrid(tuple(draw(st.integers(1, 8)) for _ in shape))
    sizes = []
    for length in shape:
        edges = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
        while sum(edges) < length:
            edges.append(draw(st.integers(1, 4)))
        sizes.append(draw(st.sampled_from([tuple(edges), 3])))
    return RectilinearGrid(tuple(sizes))


def gather(array: np.ndarray, selection: Selection, grid: Any) -> np.ndarray:
    """Take a selection chunk by chunk."""
    axes = grid.axes(array.shape)
    out = np.full(selection.region.shape, -1, array.dtype)
    for part in plan(selection.region, axes).parts():
        box = tuple(
            slice(axis.start(c), axis.start(c) + axis.extent(c))
            for axis, c in zip(axes, part.coords, strict=True)
        )
        out[numpy_index(part.place)] = take(array[box], part.region)
    return selection.result(out)


def scatter(array: np.ndarray, selection: Selection, grid: Any, values: np.ndarray) -> np.ndarray:
    """Assign a selection chunk by chunk."""
    axes = grid.axes(array.shape)
    array = array.copy()
    taken = selection.region_view(values)
    for part in plan(selection.region, axes).parts():
        box = tuple(
            slice(axis.start(c), axis.start(c) + axis.extent(c))
            for axis, c in zip(axes, part.coords, strict=True)
        )
        put(array[(*box, ...)], part.region, taken[numpy_index(part.place)])
    return array


def numbered(shape: tuple[int, ...]) -> np.ndarray:
    return np.arange(np.prod(shape, dtype=int)).reshape(shape)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_basic_selections_mean_what_numpy_means(data: st.DataObject) -> None:
    shape = data.draw(SHAPES)
    array = numbered(shape)
    index = data.draw(hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))
    grid = data.draw(grids(shape))
    selection = select(index, shape)
    expected = array[index]
    assert selection.shape == np.shape(expected)
    np.testing.assert_array_equal(gather(array, selection, grid), expected)
    changed = array.copy()
    changed[index] = -(np.asarray(expected) + 5)
    values = -(np.asarray(expected) + 5)
    np.testing.assert_array_equal(scatter(array, selection, grid, values), changed)


@st.composite
def advanced_indices(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """A mix of integers, slices, index arrays, masks and new axes."""
    broadcast = draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3))
    items: list[Any] = []
    for length in shape:
        kinds = ["slice", "array"] + (["int"] if length else [])
        kind = draw(st.sampled_from(kinds))
        if kind == "slice":
            items.append(draw(st.slices(length)))
        elif kind == "int":
            items.append(draw(st.integers(-length, length - 1)))
        else:
            side = broadcast if length else (0,) * len(broadcast)
            elements = st.integers(-length, length - 1) if length else st.just(0)
            items.append(draw(hnp.arrays(np.intp, side, elements=elements)))
        if draw(st.booleans()) and draw(st.booleans()):
            items.append(None)
    return tuple(items)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_advanced_selections_mean_what_numpy_means(data: st.DataObject) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=5))
    array = numbered(shape)
    index = data.draw(advanced_indices(shape))
    grid = data.draw(grids(shape))
    try:
        expected = array[index]
    except IndexError:
        with pytest.raises(SelectionError):
            select(index, shape)
        return
    selection = select(index, shape)
    assert selection.shape == np.shape(expected)
    np.testing.assert_array_equal(gather(array, selection, grid), expected)
    values = -(numbered(np.shape(expected)) + 5)
    changed = array.copy()
    changed[index] = values
    np.testing.assert_array_equal(scatter(array, selection, grid, values), changed)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_orthogonal_selections_mean_what_an_open_mesh_means(data: st.DataObject) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=6))
    array = numbered(shape)
    items: list[Any] = []
    for length in shape:
        items.append(
            data.draw(
                st.one_of(
                    st.slices(length),
                    hnp.arrays(np.intp, st.integers(0, 5), elements=st.integers(-length, length - 1)),
                    hnp.arrays(bool, length),
                )
            )
        )
    selection = select_orthogonal(tuple(items), shape)
    mesh = np.ix_(
        *(
            np.arange(length)[item] if not isinstance(item, np.ndarray) or item.dtype == bool else item
            for item, length in zip(items, shape, strict=True)
        )
    )
    grid = data.draw(grids(shape))
    np.testing.assert_array_equal(gather(array, selection, grid), array[mesh])
    values = -(numbered(array[mesh].shape) + 5)
    changed = array.copy()
    changed[mesh] = values
    np.testing.assert_array_equal(scatter(array, selection, grid, values), changed)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_masks_and_points(data: st.DataObject) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=6))
    array = numbered(shape)
    grid = data.draw(grids(shape))
    mask = data.draw(hnp.arrays(bool, shape))
    np.testing.assert_array_equal(gather(array, select_mask(mask, shape), grid), array[mask])
    points = tuple(data.draw(hnp.arrays(np.intp, (2, 3), elements=st.integers(-n, n - 1))) for n in shape)
    np.testing.assert_array_equal(gather(array, select_vectorized(points, shape), grid), array[points])


def test_vindex_puts_points_first() -> None:
    array = numbered((4, 5, 6))
    selection = select_vectorized((slice(None), [1, 2], [3, 4]), array.shape)
    expected = array[:, [1, 2], [3, 4]].T
    np.testing.assert_array_equal(gather(array, selection, RegularGrid((2, 2, 2))), expected)


def test_blocks() -> None:
    array = numbered((7, 5))
    grid = RegularGrid((3, 2))
    axes = grid.axes(array.shape)
    for index, expected in [
        ((0, 0), array[:3, :2]),
        ((-1, slice(1, 3)), array[6:, 2:]),
        (Ellipsis, array),
        (slice(2, 1), array[:0]),
    ]:
        selection = select_blocks(index, array.shape, axes)
        np.testing.assert_array_equal(gather(array, selection, grid), expected)
    with pytest.raises(SelectionError, match="step of 1"):
        select_blocks(slice(None, None, 2), array.shape, axes)
    with pytest.raises(SelectionError, match="out of bounds for axis 0 of length 3"):
        select_blocks(3, array.shape, axes)


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (5, "index 5 is out of bounds for axis 0 of length 5"),
        ((0, -4), "index -4 is out of bounds for axis 1 of length 3"),
        ((0, 0, 0), "too many indices"),
        ((..., ...), "one ellipsis"),
        ("x", "found str"),
        (1.5, "found float"),
        ((0, True), "single boolean"),
        ([0, 9], "index 9 is out of bounds"),
        ([0.5, 1.5], "found float64"),
        (slice(0, 5, 0), "zero"),
        (np.ones(4, bool), "mask of length 4"),
        (([0, 1], [0, 1, 2]), "cannot be broadcast"),
    ],
)
def test_what_does_not_fit_is_named(index: Any, message: str) -> None:
    with pytest.raises(SelectionError, match=message):
        select(index, (5, 3))


def test_a_region_says_its_shape() -> None:
    assert Region((slice(0, 7, 3), np.array([1, 2]))).shape == (3, 2)
    assert Region((slice(0, 0, 1),)).shape == (0,)


def test_a_plan_knows_how_many_chunks_it_has() -> None:
    selection = select((slice(None), [0, 9, 1]), (10, 10))
    planned = plan(selection.region, RegularGrid((4, 4)).axes((10, 10)))
    assert len(planned) == len(list(planned.parts())) == 6


def test_the_span_of_a_chunk_ends_with_the_axis() -> None:
    for grid in (RegularGrid((4,)), RectilinearGrid(((4, 4, 9),)), RectilinearGrid((4,))):
        (axis,) = grid.axes((10,))
        assert [axis.span(chunk) for chunk in range(axis.count)] == [
            slice(0, 4, 1),
            slice(4, 8, 1),
            slice(8, 10, 1),
        ]


def test_a_plan_knows_whether_a_chunk_is_taken_whole() -> None:
    axes = RegularGrid((4, 2)).axes((10, 6))
    for index, expected in [
        (..., True),
        ((slice(1, 8), slice(1, 4)), True),
        ((slice(1, 7), slice(None)), False),
        (5, False),
        ([0, 1, 2, 3], True),
        (([0, 1], [0, 1]), False),
    ]:
        planned = plan(select(index, (10, 6)).region, axes)
        assert planned.has_whole == expected == any(part.whole for part in planned.parts())


def test_whole_chunks_are_known() -> None:
    axes = RegularGrid((4,)).axes((10,))
    whole = [part.whole for part in plan(select(slice(1, 10), (10,)).region, axes).parts()]
    assert whole == [False, True, False]
