"""Coordinates on the axes of pictures, by every convention."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import omnizarr
from omnizarr.errors import SelectionError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.netcdf import Dataset
from omnizarr.pictures import Axis, cut, subject_of
from omnizarr.store import CountingStore, MemoryStore


class Hierarchy:
    """Arrays with named axes, in either format."""

    def __init__(self, zarr_format: int) -> None:
        self.store = MemoryStore()
        self.zarr_format = zarr_format
        self.root = omnizarr.create_group(self.store, zarr_format=zarr_format)

    def add(self, path: str, data: Any, names: list[str] | None = None, **attributes: Any) -> Array:
        options: dict[str, Any] = {}
        if names is not None and self.zarr_format == 3:
            options["dimension_names"] = names
        elif names is not None:
            attributes["_ARRAY_DIMENSIONS"] = names
        return self.root.create_array(path, data=np.asarray(data), attributes=attributes, **options)


@pytest.fixture(params=[2, 3])
def made(request: pytest.FixtureRequest) -> Hierarchy:
    return Hierarchy(request.param)


def only(array: Array, **options: Any) -> Axis:
    [axis] = cut(array, [0], **options).axes
    return axis


def test_an_array_of_the_name_and_length_of_an_axis(made: Hierarchy) -> None:
    made.add("x", np.linspace(0, 9, 10), ["x"], units="m", long_name="way")
    array = made.add("v", np.zeros(10), ["x"])
    axis = only(array, most=4)
    assert axis.coordinates is not None and axis.coordinates.tolist() == [0, 3, 6, 9]
    assert (axis.units, axis.long_name, axis.is_down) == ("m", "way", False)


def test_an_array_further_up(made: Hierarchy) -> None:
    made.add("x", [1, 2], ["x"])
    made.add("g/x", [1, 2, 3], ["x"])
    array = made.add("g/h/v", np.zeros((2, 3)), ["x", "x"])
    [rows, columns] = cut(array).axes
    assert rows.coordinates is not None and rows.coordinates.tolist() == [1, 2]
    assert columns.coordinates is not None and columns.coordinates.tolist() == [1, 2, 3]


def test_what_is_no_coordinate(made: Hierarchy) -> None:
    made.add("x", [1, 2, 3], ["x"])
    made.add("y", np.zeros((2, 2)), ["y", "z"])
    made.root.create_group("z")
    array = made.add("v", np.zeros((2, 2, 2)), ["x", "y", "z"])
    assert [only(cut_at).coordinates for cut_at in [array]] == [None]
    assert [axis.coordinates for axis in cut(array).axes] == [None, None]
    assert cut(made.add("x2", [1, 2], ["x2"])).axes[0].coordinates is None


@pytest.mark.parametrize(
    ("values", "units", "calendar", "texts"),
    [
        ([0, 1, 59], "days since 2000-01-01", None, ["2000-01-01", "2000-01-02", "2000-02-29"]),
        ([0, 59, 60], "days since 2001-01-01", "360_day", ["2001-01-01", "2001-02-30", "2001-03-01"]),
        ([59, 60, 61], "days since 2000-01-01", "noleap", ["2000-03-01", "2000-03-02", "2000-03-03"]),
        ([0, 0.5, 1 / 3], "hours since 2000-01-01", "standard", ["00:00:00", "00:30:00", "00:20:00"]),
        ([0, 1, 2.5], "seconds since 1999-12-31 23:59:59", None, ["59.000", "00.000", "01.500"]),
    ],
)
def test_times_of_any_calendar(
    made: Hierarchy, values: list[float], units: str, calendar: str | None, texts: list[str]
) -> None:
    said = {"units": units} | ({"calendar": calendar} if calendar else {})
    made.add("time", values, ["time"], **said)
    axis = only(made.add("v", np.zeros(3), ["time"]))
    assert axis.coordinates is not None and axis.units is None
    assert [text[-len(end) :] for text, end in zip(axis.coordinates.tolist(), texts, strict=True)] == texts


def test_times_that_cannot_be_told_stay_numbers(made: Hierarchy, monkeypatch: pytest.MonkeyPatch) -> None:
    made.add("time", [1.0, 2.0], ["time"], units="days since 2000-01-01", calendar="of nobody")
    axis = only(made.add("v", np.zeros(2), ["time"]))
    assert axis.coordinates is not None and axis.coordinates.tolist() == [1, 2]
    assert axis.units == "days since 2000-01-01"


def test_times_of_numpy(made: Hierarchy) -> None:
    made.add("t", np.array(["2000-01-01", "2000-01-01T12:00", "NaT"], "M8[m]"), ["t"])
    array = made.add("v", np.arange(3), ["t"])
    axis = only(array)
    assert axis.coordinates is not None
    assert axis.coordinates.tolist() == ["2000-01-01T00:00", "2000-01-01T12:00", ""]
    assert cut(array, None, {"t": "2000-01-01T11:00"}).values == 1


@pytest.mark.parametrize("missing", [np.nan, -9.0, 1e300])
def test_times_of_which_one_is_missing(made: Hierarchy, missing: float) -> None:
    made.add("t", [0.0, missing, 2.0], ["t"], units="days since 2000-01-01", missing_value=missing)
    array = made.add("v", np.zeros(3), ["t"])
    axis = only(array)
    assert axis.coordinates is not None and axis.coordinates.tolist() == ["2000-01-01", "", "2000-01-03"]


def test_texts_and_the_first_coordinate_zero(made: Hierarchy) -> None:
    made.add("s", np.array(["one", "two"], "U3"), ["s"])
    made.add("x", np.array([0.0, 1.0]), ["x"])
    array = made.add("v", np.array([[1, 2], [3, 4]]), ["s", "x"])
    [rows, columns] = cut(array).axes
    assert rows.coordinates is not None and rows.coordinates.tolist() == ["one", "two"]
    assert columns.coordinates is not None and columns.coordinates.tolist() == [0, 1]
    assert cut(array, ["x"], {"s": "two"}).values.tolist() == [3, 4]
    with pytest.raises(SelectionError, match="s: there is no coordinate 'six'; the first are 'one', 'two'"):
        cut(array, ["x"], {"s": "six"})


def test_the_nearest_coordinate(made: Hierarchy) -> None:
    made.add("lat", [60.0, 50.0, 40.0, 30.0], ["lat"])
    made.add("time", [0, 1, 2], ["time"], units="days since 2001-02-27", calendar="360_day")
    array = made.add("v", np.arange(12).reshape(4, 3), ["lat", "time"])
    at: dict[str, float | str] = {"lat": 52.1, "time": "2001-02-30"}
    assert cut(array, None, at).values == 2 + 3
    assert cut(array, None, {"lat": "31", "time": "2001-02-28T13:00"}).values == 11
    assert cut(array, None, {"lat": 99.0, "time": "1.2"}).values == 1
    with pytest.raises(SelectionError, match="lat: expected a number, found 'north'"):
        cut(array, None, {"lat": "north"})
    with pytest.raises(SelectionError, match="time: expected a date or a number, found 'noon'"):
        cut(array, None, {"time": "noon"})


def test_coordinates_of_another_name_and_of_two_axes(made: Hierarchy) -> None:
    made.add("station", np.array(["a", "b"], "U1"), ["s"])
    made.add("lon", np.zeros((2, 2)), ["s", "t"])
    found = cut(made.add("v", np.zeros((2, 2)), ["s", "t"], coordinates="station lon missing"))
    assert found.axes[0].coordinates is not None and found.axes[0].coordinates.tolist() == ["a", "b"]
    assert found.axes[1].coordinates is None
    assert found.note == "coordinates of several axes are not shown: lon"


def test_depths_go_down(made: Hierarchy) -> None:
    made.add("depth", [0.0, 10.0], ["depth"], positive="down")
    made.add("height", [0.0, 10.0], ["height"], positive="up")
    found = cut(made.add("v", np.zeros((2, 2, 2)), ["depth", "height", "x"]), [0, 1])
    assert [axis.is_down for axis in found.axes] == [True, False]
    assert cut(made.root["v"], [2]).axes[0].is_down  # type: ignore[arg-type]


def test_recordings_of_nwb(made: Hierarchy) -> None:
    data = made.add("acquisition/ts/data", np.zeros((4, 2)))
    made.add("acquisition/ts/timestamps", [0.1, 0.2, 0.4, 0.8], unit="seconds")
    axis = only(data)
    assert axis.coordinates is not None and axis.coordinates.tolist() == [0.1, 0.2, 0.4, 0.8]
    assert axis.units == "seconds"
    clocked = made.add("acquisition/c/data", np.zeros((4, 2)))
    made.add("acquisition/c/starting_time", np.array(5.0), rate=2.0, unit="seconds")
    axis = only(clocked, most=2)
    assert axis.coordinates is not None and axis.coordinates.tolist() == [5, 6] and axis.units == "seconds"
    assert cut(clocked, [1]).axes[0].coordinates is None
    # As hdmf-zarr keeps scalars.
    kept = made.add("acquisition/d/data", np.zeros((4, 2)))
    made.add("acquisition/d/starting_time", np.array([5.0]), rate=2.0, unit="seconds", zarr_dtype="scalar")
    axis = only(kept, most=2)
    assert axis.coordinates is not None and axis.coordinates.tolist() == [5, 6] and axis.units == "seconds"


def multiscales() -> list[dict[str, Any]]:
    axes = [{"name": "c", "type": "channel"}, {"name": "y", "type": "space", "unit": "micrometer"}]
    changes = [{"type": "scale", "scale": [1, 0.5]}, {"type": "translation", "translation": [0, 10]}]
    return [{"axes": axes, "datasets": [{"path": "0", "coordinateTransformations": changes}]}]


@pytest.mark.parametrize("is_nested", [False, True])
def test_images_of_ome_zarr(made: Hierarchy, is_nested: bool) -> None:
    image = made.root.create_group("image")
    said = {"multiscales": multiscales()}
    image.update_attributes({"ome": said} if is_nested else said)
    array = made.add("image/0", np.zeros((3, 4)))
    channel, y = cut(array).axes
    assert (channel.name, y.name, y.units, y.is_down) == ("c", "y", "micrometer", True)
    assert y.coordinates is not None and y.coordinates.tolist() == [10, 10.5, 11, 11.5]
    assert cut(array, None, {"y": 11.1, "c": 0}).values == 0
    assert cut(made.add("image/1", np.zeros((3, 4)))).axes[0].name == "axis 0"


@pytest.mark.parametrize("broken", [5, [5], [{"axes": 3}], [{"axes": ["y"], "datasets": [{"path": "0"}]}]])
def test_images_that_are_said_wrong_are_arrays(made: Hierarchy, broken: Any) -> None:
    made.root.create_group("image").update_attributes({"multiscales": broken})
    assert cut(made.add("image/0", np.zeros((3, 4)))).axes[0].name == "axis 0"


@pytest.mark.parametrize(("dialect", "zarr_format"), [("nczarr", 2), ("nczarr", 3), ("xarray", 3)])
def test_dimensions_of_groups_above_in_netcdf(dialect: str, zarr_format: int) -> None:
    store = MemoryStore()
    with Dataset(store, "w", dialect=dialect, zarr_format=zarr_format) as dataset:
        dataset.createDimension("time", None)
        time = dataset.createVariable("time", ">f8", ("time",))
        time.units, time.calendar = "hours since 2000-02-28", "noleap"
        time[:] = [0, 24, 36]
        inner = dataset.createGroup("a/b")
        inner.createDimension("x", 2)
        value = inner.createVariable("v", "i2", ("time", "x"), fill_value=-9)
        value.setncatts({"scale_factor": 0.5, "units": "K"})
        value[:] = [[1, 2], [3, 4], [5, 6]]
        value[0, 0] = np.ma.masked
        dataset.createVariable("other", "f4", ("time",))
    root = omnizarr.open_group(CountingStore(store))
    array = root["a/b/v"]
    assert isinstance(array, Array)
    found = cut(array)
    assert found.axes[0].coordinates is not None
    expected = ["2000-02-28T00:00:00", "2000-03-01T00:00:00", "2000-03-01T12:00:00"]
    assert found.axes[0].coordinates.tolist() == expected
    assert found.values.tolist() == [[None, 2.0], [3.0, 4.0], [5.0, 6.0]] and found.units == "K"
    assert [axis.name for axis in found.axes] == ["time", "x"]


def counting(zarr_format: int) -> tuple[CountingStore, Group]:
    made = Hierarchy(zarr_format)
    made.add("x", np.arange(4.0), ["x"])
    made.add("g/v", np.arange(4.0), ["x"])
    for number in range(20):
        made.add(f"other{number}", np.arange(4.0), ["x"])
    store = CountingStore(made.store)
    return store, omnizarr.open_group(store, mode="r")


def test_others_in_the_hierarchy_are_not_asked_for() -> None:
    store, root = counting(3)
    array = root["g/v"]
    assert isinstance(array, Array)
    store.reset()
    subject = subject_of(array)
    assert store.counts == {"get": 2}  # the documents of /g and of the root
    store.reset()
    cut(subject)
    assert store.counts == {"get": 4}  # /g/x, which is not there; /x; and a chunk of each array
    store.reset()
    cut(subject)
    assert store.counts == {"get": 2}


def test_broken_neighbours_are_no_coordinates() -> None:
    made = Hierarchy(3)
    array = made.add("v", np.arange(4.0), ["x"])
    made.store.set("x/zarr.json", b"{")
    assert only(array).coordinates is None
    made.add("y", np.arange(3.0), ["y"])
    made.store.set("y/c/0", b"?")
    assert only(made.add("w", np.arange(3.0), ["y"])).coordinates is None
