"""Regions: from selections, to selections, and as they are stored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from omnizarr.errors import SelectionError
from omnizarr.hierarchy.linking.region import Points, Slices, read_region, region_of
from omnizarr.jsontypes import Problems

VALUES = np.arange(24).reshape(4, 6)


@pytest.mark.parametrize(
    "selection",
    [
        slice(1, 3),
        (slice(None, None, 2), 3),
        (slice(-3, None, 2), slice(None)),
        ...,
        (..., slice(0, 4, 2)),
        -1,
        (slice(3, 3),),
        (slice(3, 1), 2),
        [0, 2],
        (slice(None), [1, 1]),
        (slice(None, None, -1), 2),
        VALUES > 20,
        VALUES > 100,
    ],
)
def test_a_region_has_the_elements_of_its_selection(selection: Any) -> None:
    region = region_of(selection, VALUES.shape)
    problems = Problems()
    again = read_region(region.to_json(), "region", problems)
    assert not problems
    assert again == region
    taken = VALUES[region.selection(VALUES.shape)].ravel()
    assert taken.tolist() == VALUES[selection].ravel().tolist()


def test_boxes_are_slices_and_the_rest_are_points() -> None:
    assert region_of((slice(0, 4, 2), 3), (4, 6)) == Slices(((0, 3, 2), (3, 4, 1)))
    assert region_of([2, 0], (4,)) == Points(((2,), (0,)))
    assert region_of((), ()) == Slices(())


def test_a_region_is_its_own_selection_where_it_fits() -> None:
    region = Points(((1,), (0,)))
    assert region_of(region, (2,)) is region
    with pytest.raises(SelectionError, match=r"region\.points\[0\]\[0\]: expected less than 1, found 1"):
        region_of(region, (1,))


@pytest.mark.parametrize(
    ("region", "shape", "said"),
    [
        (
            Slices(((0, 5, 1),)),
            (4,),
            r"slices\[0\]\[1\]: expected at most 4, the length of the axis, found 5",
        ),
        (Slices(((0, 5, 1),)), (9, 9), r"slices: expected 2, one for each axis, found 1"),
        (Points(((0, 1), (2, 3))), (9,), r"points\[0\]: expected 1 indices, one for each axis, found 2"),
        (Points(((0, 1), (2, 3))), (3, 3), r"points\[1\]\[1\]: expected less than 3, found 3"),
        (Points(()), (), r"points: expected none, as the dataset has no axes"),
    ],
)
def test_a_region_that_does_not_fit_is_an_error(region: Any, shape: tuple[int, ...], said: str) -> None:
    with pytest.raises(SelectionError, match=said):
        region.selection(shape)


def test_selections_that_do_not_fit_are_errors() -> None:
    for selection in (7, (0, 0, 0), [9]):
        with pytest.raises(SelectionError):
            region_of(selection, (4, 6))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (3, "r: expected an object, found 3"),
        ({}, "r: expected one of slices and points, found []"),
        ({"slices": [], "points": []}, 'r: expected one of slices and points, found ["slices", "points"]'),
        ({"boxes": []}, "r.boxes: unknown name"),
        ({"slices": 1}, "r.slices: expected a list, found 1"),
        ({"slices": [[True, 2]]}, "r.slices[0][0]: expected an integer, found true"),
        ({"slices": [[1]]}, "r.slices: axis 0: expected [start, stop] or [start, stop, step], found [1]"),
        ({"slices": [[5, 1]]}, "r.slices: axis 0: expected 0 ≤ start ≤ stop and step ≥ 1, found [5, 1, 1]"),
        ({"points": [[1, 2], [3]]}, "r.points: point 1: expected 2 indices of at least 0, found [3]"),
        ({"points": [[]]}, "r.points: point 0: expected an index for each axis of at least 0, found []"),
        ({"points": [[-1]]}, "r.points: point 0: expected 1 indices of at least 0, found [-1]"),
    ],
)
def test_what_is_no_region_is_told_with_its_place(value: Any, said: str) -> None:
    problems = Problems()
    assert read_region(value, "r", problems) is None
    assert [str(problem) for problem in problems.found] == [said]


def test_a_step_may_be_left_out() -> None:
    assert read_region({"slices": [[2, 5]]}, "r", Problems()) == Slices(((2, 5, 1),))
