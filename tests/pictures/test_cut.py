"""What is cut out of an array: axes, windows, steps; and which chunks are read for it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import omnizarr
from omnizarr.errors import SelectionError
from omnizarr.hierarchy.array import Array
from omnizarr.pictures import PictureTooLarge, cut, others, overview, subject_of
from omnizarr.store import FaultStore, MemoryStore

CUBE = np.arange(4 * 30 * 50, dtype="i4").reshape(4, 30, 50)


class Watched:
    """An array, and the keys of its chunks that are read."""

    def __init__(self, **options: Any) -> None:
        self.inner = MemoryStore()
        self.read: Counter[str] = Counter()
        options = {"chunks": (1, 10, 10), "compressors": [{"name": "gzip"}], **options}
        if "shape" not in options:
            options.setdefault("data", CUBE)
        names = options.pop("dimension_names", ["time", "y", "x"])
        root = omnizarr.create_group(self.inner, zarr_format=3)
        root.create_array("a", dimension_names=names, **options)
        store = FaultStore(self.inner, self.look)
        array = omnizarr.open_group(store, mode="r")["a"]
        assert isinstance(array, Array)
        self.array = array
        self.subject = subject_of(array)

    def look(self, operation: str, key: str) -> None:
        if key.startswith("a/c") and operation in ("get", "get_into", "get_ranges", "reading"):
            self.read[key] += 1


@pytest.fixture
def cube() -> Watched:
    return Watched()


def test_the_last_two_axes_at_the_first_index_are_shown(cube: Watched) -> None:
    picture = cut(cube.array)
    assert [axis.name for axis in picture.axes] == ["y", "x"]
    assert [axis.number for axis in picture.axes] == [1, 2]
    np.testing.assert_array_equal(picture.values, CUBE[0])
    assert picture.values.mask.shape == (30, 50) and not picture.values.mask.any()


def test_axes_in_any_order_by_name_number_or_label(cube: Watched) -> None:
    for axes in (["x", "time"], [2, 0], [-1, -3], ["axis 2", "0"]):
        picture = cut(cube.array, axes, {"y": 7})
        np.testing.assert_array_equal(picture.values, CUBE[:, 7, :].T)
    np.testing.assert_array_equal(cut(cube.array, ["y"], {"x": -1, 0: 2}).values, CUBE[2, :, -1])
    assert cut(cube.array, None, {0: 1, 1: 2, 2: 3}).values == CUBE[1, 2, 3]


def test_windows_and_steps(cube: Watched) -> None:
    window: dict[int | str, tuple[int, int]] = {"x": (5, 45), 1: (3, 30)}
    picture = cut(cube.array, window=window, most=(4, 15))
    rows, columns = picture.axes
    assert (rows.start, rows.step, rows.count) == (3, 7, 4)
    assert (columns.start, columns.step, columns.count) == (5, 3, 14)
    np.testing.assert_array_equal(picture.values, CUBE[0, 3:30:7, 5:45:3])
    assert cut(cube.array, ["x"], most=50).axes[0].step == 1
    assert cut(cube.array, ["x"], most=(1, 25)).axes[0].count == 25


def test_only_chunks_that_hold_a_point_are_read(cube: Watched) -> None:
    cut(cube.subject, at={"time": 2}, window={"x": (12, 18)}, most=2)
    # Rows 0 and 15, columns 12 and 15.
    assert cube.read == {"a/c/2/0/1": 1, "a/c/2/1/1": 1}


def test_of_shards_only_inner_chunks_that_hold_a_point_are_read() -> None:
    watched = Watched(chunks=(1, 5, 5), shards=(2, 30, 50))
    cut(watched.subject, at={"time": 3}, window={"y": (0, 5), "x": (0, 5)})
    assert set(watched.read) == {"a/c/1/0/0"}
    with pytest.raises(PictureTooLarge) as caught:
        cut(watched.subject, max_bytes=10)
    assert caught.value.needed == 6 * 10 * 4096  # no chunk counts as less


def test_what_would_cost_too_much_is_refused_before_anything_is_read() -> None:
    watched = Watched(shape=(4, 3000, 5000), dtype="u1", chunks=(1, 100, 100))
    with pytest.raises(PictureTooLarge, match=r"14\.3 MiB when decoded, and 1\.0 MiB are allowed") as caught:
        cut(watched.subject, max_bytes=2**20)
    assert watched.read == {}
    error = caught.value
    assert isinstance(error, ValueError) and (error.needed, error.allowed) == (15_000_000, 2**20)
    assert overview(watched.subject, max_bytes=2**20) == error.window
    assert cut(watched.subject, window=error.window, max_bytes=2**20).values.size > 400_000
    wider = {axis: (start - 100, stop + 100) for axis, (start, stop) in error.window.items()}
    with pytest.raises(PictureTooLarge):
        cut(watched.subject, window=wider, max_bytes=2**20)


def test_fewer_points_touch_fewer_chunks() -> None:
    watched = Watched(data=np.zeros((1, 1000, 1000), "u1"), chunks=(1, 10, 10))
    with pytest.raises(PictureTooLarge):
        cut(watched.subject, max_bytes=10**6)
    assert cut(watched.subject, max_bytes=10**6, most=10).values.shape == (10, 10)
    assert len(watched.read) == 100


def test_of_chunks_that_are_plain_memory_what_is_read_counts() -> None:
    watched = Watched(data=np.arange(10**6)[None, None], chunks=(1, 1, 10**6), compressors=None)
    picture = cut(watched.subject, ["x"], most=10, max_bytes=50_000)
    assert picture.values.tolist() == list(range(0, 10**6, 10**5))


def test_one_element_can_be_too_much() -> None:
    with pytest.raises(PictureTooLarge, match="one element is more already") as caught:
        cut(Watched().subject, max_bytes=1000)
    assert caught.value.window == {} == overview(Watched().subject, max_bytes=1000)


def test_the_whole_is_its_own_overview(cube: Watched) -> None:
    assert overview(cube.array) == {1: (0, 30), 2: (0, 50)}
    assert overview(cube.array, ["time"]) == {0: (0, 4)}


def test_the_axes_that_are_not_shown(cube: Watched) -> None:
    [axis] = others(cube.array, ["x", "y"], {"time": 3})
    assert (axis.name, axis.number, axis.start, axis.count) == ("time", 0, 3, 1)
    assert others(cube.array, None) == others(cube.array, None, {0: 0})


def test_arrays_of_few_axes() -> None:
    line = omnizarr.create_array(MemoryStore(), data=np.arange(7.0))
    assert cut(line).axes[0].name == "axis 0" and cut(line).values.tolist() == list(range(7))
    scalar = omnizarr.create_array(MemoryStore(), data=np.array(2.5))
    assert cut(scalar).axes == () and cut(scalar).values[()] == 2.5
    with pytest.raises(SelectionError, match=r"no elements to show: the shape is \(0, 3\)"):
        cut(omnizarr.create_array(MemoryStore(), shape=(0, 3), dtype="i4"))


def test_a_rectilinear_grid() -> None:
    array = omnizarr.create_array(MemoryStore(), data=CUBE[0], chunks=[[10, 20], [1, 4, 45]])
    np.testing.assert_array_equal(cut(array, most=7).values, CUBE[0, ::5, ::8])


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"axes": ["z"]}, r"axis 'z': expected one of time \(0\), y \(1\), x \(2\)"),
        ({"axes": [3]}, "axis 3: expected one of"),
        ({"axes": ["x", 2]}, "expected one or two different ones"),
        ({"axes": [0, 1, 2]}, "expected one or two different ones"),
        ({"at": {"time": 4}}, "time: index 4 lies outside of an axis of 4 elements"),
        ({"at": {"time": -5}}, "time: index -5 lies outside"),
        ({"at": {"x": 1}}, "x is shown"),
        ({"at": {"time": 1.5}}, "time: there are no coordinates"),
        ({"at": {"time": "2000-01-01"}}, "time: there are no coordinates"),
        ({"window": {"time": (0, 1)}}, "time is not among the axes that are shown"),
        ({"window": {"x": (5, 5)}}, r"window of x: expected 0 <= start < stop <= 50, found 5:5"),
        ({"window": {"x": (-1, 5)}}, "found -1:5"),
        ({"window": {"x": (0, 51)}}, "found 0:51"),
        ({"most": 0}, "most: expected"),
        ({"field": "a"}, "field 'a': the values are no records"),
    ],
)
def test_what_does_not_fit_is_told(cube: Watched, asked: dict[str, Any], message: str) -> None:
    with pytest.raises(SelectionError, match=message):
        cut(cube.array, **asked)
