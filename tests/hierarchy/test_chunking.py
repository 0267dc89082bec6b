"""Choosing chunks and shards."""

from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omnizarr.geometry.grid import RectilinearGrid, RegularGrid
from omnizarr.hierarchy.creating.chunking import chosen_grid, chosen_shards, good_chunks

MIB = 2**20
SHAPES = st.lists(st.integers(0, 5000), max_size=5).map(tuple)


@settings(max_examples=50, deadline=None)
@given(SHAPES, st.integers(1, 64))
def test_good_chunks_fit(shape, itemsize):
    chunks = good_chunks(shape, itemsize)
    assert len(chunks) == len(shape) and all(1 <= c <= max(n, 1) for c, n in zip(chunks, shape, strict=True))
    assert prod(chunks) * itemsize <= 16 * MIB
    if prod(max(n, 1) for n in shape) * itemsize <= MIB:
        assert chunks == tuple(max(n, 1) for n in shape)
    else:
        # No smaller than a quarter of what is aimed at, so that there are not too many.
        assert prod(chunks) * itemsize >= MIB // 4


def test_chunks_grow_slowly_with_the_array():
    sizes = [prod(good_chunks((2**n, 2**n), 8)) * 8 for n in (8, 10, 12, 14, 16, 18, 24)]
    assert sizes == sorted(sizes) and sizes[0] < MIB and sizes[-1] <= 16 * MIB


def test_items_larger_than_a_chunk():
    assert good_chunks((10, 10), 2**30) == (1, 1)
    assert good_chunks((), 8) == () and good_chunks((0,), 8) == (1,)


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        (False, (100, 50)),
        (10, (10, 10)),
        ((10, 20), (10, 20)),
        ([10], (10, 50)),
        ((-1, 5), (100, 5)),
        ((None, 5), (100, 5)),
        ((30, (20, 20, 10)), (30, 20)),
        (((60, 40), (50,)), (60, 50)),
        ((200, 200), (200, 200)),
        (([[20, 5]], 50), (20, 50)),
    ],
)
def test_regular_grids(chunks, expected):
    assert chosen_grid(chunks, (100, 50), 8) == RegularGrid(expected)


@pytest.mark.parametrize("chunks", ["auto", True, None])
def test_chosen_for_the_user(chunks):
    assert chosen_grid(chunks, (100, 50), 8) == RegularGrid((100, 50))


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        (((40, 60), 50), ((40, 60), 50)),
        (((50, 20, 30), (25, 25)), ((50, 20, 30), 25)),
        (([10, [30, 3]], -1), ((10, 30, 30, 30), 50)),
        (((60, 30, 30), 50), ((60, 30, 30), 50)),
    ],
)
def test_rectilinear_grids(chunks, expected):
    assert chosen_grid(chunks, (100, 50), 8) == RectilinearGrid(expected)


@pytest.mark.parametrize(
    ("chunks", "error", "message"),
    [
        ((1, 2, 3), ValueError, "at most 2 lengths, found 3"),
        (0, ValueError, r"chunks\[0\]: expected at least 1, found 0"),
        ((5, -2), ValueError, r"chunks\[1\]: expected at least 1, found -2"),
        ("many", ValueError, "found 'many'"),
        (1.5, TypeError, "found 1.5"),
        (((50, 40), 5), ValueError, r"chunks\[0\]: the chunks cover 90 of 100"),
        (((50, 0, 50), 5), ValueError, r"chunks\[0\]: expected lengths of at least 1"),
        (((), 5), ValueError, r"chunks\[0\]: expected lengths of at least 1"),
    ],
)
def test_chunks_that_do_not_fit(chunks, error, message):
    with pytest.raises(error, match=message):
        chosen_grid(chunks, (100, 50), 8)


def test_shards():
    assert chosen_shards((40, 40), (10, 20), (100, 100), 8) == (40, 40)
    assert chosen_shards(40, (10, 20), (100, 100), 8) == (40, 40)
    for shards, message in (
        ((45, 40), r"shards\[0\]: expected a multiple of the chunk's 10, found 45"),
        ((40,), "expected 2 lengths, found 1"),
        ("big", "found 'big'"),
        (0, r"shards\[0\]"),
    ):
        with pytest.raises(ValueError, match=message):
            chosen_shards(shards, (10, 20), (100, 100), 8)
    with pytest.raises(TypeError, match=r"found 1\.5"):
        chosen_shards((1.5, 20), (10, 20), (100, 100), 8)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5000), st.integers(1, 64)), max_size=4), st.integers(1, 16))
def test_chosen_shards_fit(axes, itemsize):
    shape, chunks = tuple(n for n, _ in axes), tuple(c for _, c in axes)
    shards = chosen_shards("auto", chunks, shape, itemsize)
    assert all(shard % chunk == 0 and shard >= chunk for shard, chunk in zip(shards, chunks, strict=True))
    assert all(shard - chunk < max(n, 1) for shard, chunk, n in zip(shards, chunks, shape, strict=True))
    assert prod(shards) * itemsize <= max(64 * MIB, prod(chunks) * itemsize)
