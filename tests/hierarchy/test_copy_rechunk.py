"""Blocks from one grid to another: they cover the array, fit in memory, and spare the source."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omnizarr.geometry.grid import Grid, RectilinearGrid, RegularGrid
from omnizarr.hierarchy.copying.rechunk import Blocks, plan_blocks

MB = 2**20


@st.composite
def _sizes(draw: st.DrawFn, length: int) -> int | tuple[int, ...]:
    if draw(st.booleans()):
        return draw(st.integers(1, length + 2))
    parts = draw(st.lists(st.integers(1, 5), min_size=1, max_size=6))
    return (*parts, max(1, length - sum(parts)))


@st.composite
def _cases(draw: st.DrawFn) -> tuple[tuple[int, ...], Grid, Grid]:
    shape = tuple(draw(st.lists(st.integers(0, 20), max_size=3)))
    grids: list[Grid] = []
    for _ in range(2):
        sizes = tuple(draw(_sizes(length)) for length in shape)
        regular = tuple(size for size in sizes if isinstance(size, int))
        grids.append(RegularGrid(regular) if len(regular) == len(sizes) else RectilinearGrid(sizes))
    return shape, grids[0], grids[1]


@settings(max_examples=50, deadline=None)
@given(case=_cases(), limit=st.integers(1, 5000))
def test_blocks_cover_the_array_once_by_whole_target_chunks(
    case: tuple[tuple[int, ...], Grid, Grid], limit: int
) -> None:
    shape, source, target = case
    axes = target.axes(shape)
    blocks = plan_blocks(source.axes(shape), axes, 4, limit)
    seen = np.zeros(shape, int)
    for region, chunks in blocks:
        seen[region] += 1
        for cut, numbers, axis in zip(region, chunks, axes, strict=True):
            assert cut.start == axis.start(numbers[0])
            assert cut.stop == min(axis.length, axis.start(numbers[-1]) + axis.extent(numbers[-1]))
    assert (seen == 1).all()
    assert len(blocks) == len(list(blocks))
    one_chunk = prod(
        max((min(a.extent(i), a.length - a.start(i)) for i in range(a.count)), default=0) for a in axes
    )
    assert blocks.largest() * 4 <= max(limit, one_chunk * 4)


def _plan(shape: tuple[int, ...], source: tuple[int, ...], target: tuple[int, ...], limit: int) -> Blocks:
    return plan_blocks(RegularGrid(source).axes(shape), RegularGrid(target).axes(shape), 4, limit)


def test_grids_that_can_be_aligned_are_decoded_once() -> None:
    assert _plan((10000, 10000), (100, 100), (70, 130), 64 * MB).decodes == 1
    assert _plan((10**6,), (1,), (3,), 512 * MB).decodes == 1


@pytest.mark.parametrize(("source", "target"), [((1, 10000), (10000, 1)), ((10000, 1), (1, 10000))])
def test_against_the_grain_memory_is_used_up(source: tuple[int, int], target: tuple[int, int]) -> None:
    blocks = _plan((10000, 10000), source, target, 64 * MB)
    assert blocks.decodes == 6  # 381 MB by 64 MB
    assert 60 * MB < blocks.largest() * 4 <= 64 * MB


def test_small_chunks_are_gathered_into_blocks() -> None:
    assert len(_plan((4096, 4096), (16, 16), (16, 16), 512 * MB)) == 1
    assert len(_plan((4096, 4096), (16, 16), (16, 16), 8 * MB)) == 8


def test_empty_and_scalar_arrays() -> None:
    assert len(_plan((0, 5), (1, 5), (2, 2), 10)) == 0
    assert [region for region, _ in _plan((), (), (), 1)] == [()]
