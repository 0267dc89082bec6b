"""Blocks against stored chunks, beside the same found element by element."""

from __future__ import annotations

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omnizarr.geometry.blocks import (
    aligned_sizes,
    chunk_sizes,
    edges_of,
    is_edge,
    meet,
    shared_chunk,
    sizes_between,
    touched_chunks,
)
from omnizarr.geometry.grid import Axis, IrregularAxis, RegularAxis


@st.composite
def axes(draw: st.DrawFn) -> Axis:
    sizes = draw(st.lists(st.integers(1, 9), min_size=1, max_size=6))
    length = draw(st.integers(1, sum(sizes)))
    if draw(st.booleans()):
        return RegularAxis(length, sizes[0])
    return IrregularAxis(length, (0, *accumulate(sizes)))


@st.composite
def parts(draw: st.DrawFn, length: int) -> range:
    places = st.none() | st.integers(-length, length)
    steps = st.sampled_from([None, 1, 2, 3, 7, -1, -2, -5])
    return range(length)[slice(draw(places), draw(places), draw(steps))]


@st.composite
def cut_parts(draw: st.DrawFn) -> tuple[Axis, range, tuple[int, ...]]:
    """An axis, a part of it, and blocks of that part, empty ones among them."""
    axis = draw(axes())
    part = draw(parts(axis.length))
    cuts = draw(st.lists(st.integers(0, len(part)), max_size=5))
    edges = [0, *sorted(cuts), len(part)]
    return axis, part, tuple(after - before for before, after in pairwise(edges))


def chunks_of_blocks(axis: Axis, part: range, sizes: tuple[int, ...]) -> list[set[int]]:
    edges = [0, *accumulate(sizes)]
    return [{axis.chunk_of(index) for index in part[a:b]} for a, b in pairwise(edges) if a < b]


@given(cut_parts())
def test_a_chunk_of_two_blocks_is_found(case: tuple[Axis, range, tuple[int, ...]]) -> None:
    axis, part, sizes = case
    blocks = chunks_of_blocks(axis, part, sizes)
    found = shared_chunk(sizes, axis, part)
    first = next((n for n, (one, other) in enumerate(pairwise(blocks)) if one & other), None)
    if found is None:
        assert first is None
        assert all(not one & other for n, one in enumerate(blocks) for other in blocks[:n])
    else:
        assert first is not None
        assert {found.chunk} == blocks[first] & blocks[first + 1]
        assert {axis.chunk_of(index) for index in part[found.before]} == blocks[first]
        assert {axis.chunk_of(index) for index in part[found.after]} == blocks[first + 1]


@given(cut_parts())
def test_aligned_blocks_share_no_chunk_and_lose_nothing(case: tuple[Axis, range, tuple[int, ...]]) -> None:
    axis, part, sizes = case
    aligned = aligned_sizes(sizes, axis, part)
    assert sum(aligned) == len(part)
    assert shared_chunk(aligned, axis, part) is None
    if shared_chunk(sizes, axis, part) is None:
        assert edges_of(aligned) == edges_of(sizes)


@given(st.data())
def test_chunks_that_a_part_touches(data: st.DataObject) -> None:
    axis = data.draw(axes())
    one, other = data.draw(parts(axis.length)), data.draw(parts(axis.length))
    touched = [{axis.chunk_of(index) for index in part} for part in (one, other)]
    assert [*touched_chunks(axis, one)] == sorted(touched[0])
    found = meet(touched_chunks(axis, one), touched_chunks(axis, other))
    assert found == min(touched[0] & touched[1], default=None)


@pytest.mark.parametrize(
    ("axis", "sizes"),
    [
        (RegularAxis(10, 4), (4, 4, 2)),
        (RegularAxis(0, 4), (0,)),
        (IrregularAxis(10, (0, 3, 8, 12)), (3, 5, 2)),
        (IrregularAxis(3, (0, 3, 8)), (3,)),
        (IrregularAxis(0, (0, 3)), (0,)),
    ],
)
def test_what_chunks_hold_without_what_is_past_the_end(axis: Axis, sizes: tuple[int, ...]) -> None:
    assert chunk_sizes(axis) == sizes


def test_edges_and_sizes() -> None:
    assert edges_of((3, 0, 2)) == [0, 3, 5]
    assert edges_of((0,)) == [0]
    assert sizes_between([0, 3, 5]) == (3, 2)
    assert sizes_between([0]) == (0,)
    assert [is_edge(place, RegularAxis(10, 4)) for place in (0, 3, 4, 8, 9, 10, 12)] == [
        *(True, False, True, True, False, True, True)
    ]
