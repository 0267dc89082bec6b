"""Boxes of chunks that are stored as they are: what is read of them, and that it is right."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import omnizarr
from omnizarr.errors import CodecError
from omnizarr.store import MemoryStore


class Spans(MemoryStore):
    """A store that remembers which parts of values were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.spans: list[tuple[int, int]] = []

    def get_ranges(self, key: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        self.spans += spans
        return super().get_ranges(key, spans)


def made(shape: tuple[int, ...], chunks: tuple[int, ...]) -> tuple[Spans, Any, np.ndarray[Any, Any]]:
    store, data = Spans(), np.arange(np.prod(shape), dtype="u4").reshape(shape)
    array = omnizarr.create_array(
        store, shape=shape, chunks=chunks, dtype="u4", compressors=None, fill_value=2**32 - 1
    )
    array[...] = data
    return store, array, data


@pytest.mark.parametrize(
    "selection",
    [
        np.s_[::7, ::5],
        np.s_[3::9, 11:400:13],
        np.s_[::-7, 300:100:-3],
        np.s_[5::64, 17],
        np.s_[::64],
        np.s_[100:101, ::2],
        np.s_[:, ::50],
        np.s_[::500, ::299],
        np.s_[599:, 699:],
    ],
)
def test_boxes_are_those_of_numpy(selection: Any) -> None:
    _, array, data = made((600, 700), (512, 512))
    np.testing.assert_array_equal(array[selection], data[selection])


@pytest.mark.parametrize(
    "selection",
    [np.s_[::5, ::7], np.s_[::9, 3::6, :], np.s_[::3, 1::40, 2::5], np.s_[4:5, ::3, ::63], np.s_[1::8, 7, 9]],
)
def test_boxes_of_three_axes_are_those_of_numpy(selection: Any) -> None:
    _, array, data = made((40, 80, 96), (40, 64, 64))
    np.testing.assert_array_equal(array[selection], data[selection])


def test_of_a_row_with_gaps_no_more_is_read_than_from_its_first_to_its_last_element() -> None:
    store, array, data = made((512, 512), (512, 512))
    np.testing.assert_array_equal(array[::8, 4:301:4], data[::8, 4:301:4])
    assert store.spans == [(row * 512 * 4 + 16, 296 * 4 + 4) for row in range(0, 512, 8)]


def test_elements_that_lie_far_apart_are_read_one_by_one() -> None:
    store, array, data = made((4, 100_000), (4, 100_000))
    np.testing.assert_array_equal(array[:, ::25_000], data[:, ::25_000])
    assert store.spans == [(i * 100_000, 4) for i in range(16)]


def test_rows_are_read_with_the_chunk_where_they_are_most_of_it() -> None:
    store, array, data = made((512, 512), (512, 512))
    np.testing.assert_array_equal(array[::2, ::2], data[::2, ::2])
    assert store.spans == []


def test_a_chunk_that_ends_within_a_row_is_an_error() -> None:
    store, array, _ = made((512, 512), (512, 512))
    store.set("c/0/0", (store.get("c/0/0") or b"")[:-4000])
    with pytest.raises(CodecError, match="expected 1048576 bytes, found fewer"):
        array[::7, ::5]
