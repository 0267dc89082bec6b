"""Pictures as figures: scales, labels, colours, and what cannot be drawn."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import AxesImage, imread

from omnizarr.errors import SelectionError
from omnizarr.pictures import Axis, Picture
from omnizarr.pictures.drawing import Style, draw, file_of, style_of
from omnizarr.pictures.scales import scale_of


def axis(name: str, count: int, coordinates: Any = None, **said: Any) -> Axis:
    found = None if coordinates is None else np.asarray(coordinates)
    return Axis(name, 0, 0, 1, count, found, **{"is_down": coordinates is None, **said})


def picture(values: Any, *axes: Axis, **said: Any) -> Picture:
    return Picture(axes, np.ma.masked_array(values), **said)


def pixels(figure: Figure) -> Any:
    return (imread(BytesIO(file_of(figure, "png"))) * 255).round().astype(int)[..., :3]


def texts(figure: Figure) -> set[str]:
    return {found.get_text() for found in figure.findobj(matplotlib.text.Text)}


def test_a_heat_map_has_its_colours_where_its_coordinates_say() -> None:
    rows, columns = axis("lat", 2, [0.0, 10.0]), axis("lon", 2, [5.0, 6.0])
    found = picture([[0.0, 1.0], [2.0, 3.0]], rows, columns, units="K", long_name="heat")
    figure = draw(found, Style(cmap="gray", title="above", size=(4, 3), dpi=50))
    image = pixels(figure)
    assert image.shape == (150, 200, 3)
    left, bottom, width, height = figure.axes[0].get_position().bounds
    across, down = left * 200 + width * 50, 150 - bottom * 150 - height * 37.5
    steps = (int(across), int(across + width * 100))
    assert [image[int(down), at, 0] for at in steps] == [0, 85]  # the south is below
    assert [image[int(down - height * 75), at, 0] for at in steps] == [170, 255]
    assert {"above", "lat", "lon", "heat [K]"} <= texts(figure)


def test_rows_of_images_and_depths_go_down() -> None:
    bare = draw(picture(np.zeros((3, 4)), axis("axis 0", 3), axis("axis 1", 4))).axes[0]
    assert bare.get_ylim() == (2.5, -0.5) and bare.get_xlim() == (-0.5, 3.5)
    assert bare.get_aspect() == 1
    deep = axis("depth", 3, [0, 1, 2], is_down=True)
    assert draw(picture(np.zeros((3, 4)), deep, axis("x", 4, range(4)))).axes[0].get_ylim() == (2.5, -0.5)


def test_what_falls_and_what_is_uneven() -> None:
    falling = axis("p", 3, [1000.0, 500.0, 100.0])
    found = draw(picture(np.zeros((3, 2)), falling, axis("x", 2))).axes[0]
    assert found.get_ylim() == (-100, 1250)
    assert not found.images and len(found.collections) == 1
    even = draw(picture(np.zeros((3, 2)), axis("p", 3, [3.0, 2.0, 1.0]), axis("x", 2))).axes[0]
    [image] = even.images
    assert isinstance(image, AxesImage) and image.get_extent() == [-0.5, 1.5, 3.5, 0.5]


def test_what_is_missing_is_hatched() -> None:
    values = np.ma.masked_array([[1.0, np.nan], [3, 4]], [[0, 0], [0, 1]])
    found = draw(picture(values, axis("y", 2), axis("x", 2)))
    assert found.axes[0].patch.get_hatch() == "////"
    assert found.axes[0].images[0].get_array().mask.tolist() == [[False, True], [False, True]]
    assert draw(picture([[1.0]], axis("y", 1), axis("x", 1))).axes[0].patch.get_hatch() is None
    assert pixels(draw(picture(np.ma.masked_all((2, 2)), axis("y", 2), axis("x", 2)))).size


def test_limits_and_logarithms() -> None:
    found = picture([[0.0, 1.0], [10.0, 100.0]], axis("y", 2), axis("x", 2))
    figure = draw(found, Style(is_log=True))
    image = figure.axes[0].images[0]
    assert (image.norm.vmin, image.norm.vmax) == (1, 100)
    assert image.get_array().mask.tolist() == [[True, False], [False, False]]
    image = draw(found, Style(limits=(5, 20))).axes[0].images[0]
    assert (image.norm.vmin, image.norm.vmax) == (5, 20) and image.colorbar.extend == "both"
    with pytest.raises(SelectionError, match="a logarithmic scale needs values above 0, found -1 to 2"):
        draw(found, Style(is_log=True, limits=(-1, 2)))
    with pytest.raises(SelectionError, match="found 0 to 0"):
        draw(picture([[0.0]], axis("y", 1), axis("x", 1)), Style(is_log=True))


def test_a_line() -> None:
    values = np.ma.masked_array([1.0, 2.0, 3.0, 4.0], [0, 0, 1, 0])
    figure = draw(
        picture(values, axis("x", 4, [0.0, 1.0, 2.0, 5.0], units="m"), units="K"), Style(limits=(0, 9))
    )
    [line] = figure.axes[0].lines
    assert line.get_xdata().tolist() == [0, 1, 2, 5]
    assert np.ma.getmaskarray(line.get_ydata()).tolist() == [False, False, True, False]
    assert figure.axes[0].get_ylim() == (0, 9)
    assert {"x [m]", "[K]"} <= texts(figure)


def test_texts_from_data_are_no_formulas() -> None:
    name = r"$\frac{1}{$ & <b>_x"
    found = picture([[1.0]], axis(name, 1), axis("x", 1), long_name=name, note=name, units="$")
    data = file_of(draw(found, Style(title=name)), "svg").decode()
    assert data.count(r"$\frac{1}{$ &amp; &lt;b&gt;_x") >= 4


def test_times_are_dates_where_gregory_has_them() -> None:
    scale = scale_of(axis("t", 3, ["1970-01-01", "1970-01-02", "1970-01-04"]))
    assert scale.is_time and scale.places.tolist() == [0, 1, 3]
    figure = draw(picture([1.0, 2.0, 3.0], axis("t", 3, ["2000-01-01", "2000-02-01", "2000-03-01"])))
    assert b"Feb" in file_of(figure, "svg")
    for other in (["2000-02-30", "2000-03-01"], ["2000-01-01", ""], ["0000-01-01", "0000-01-02"], ["b", "a"]):
        scale = scale_of(axis("t", 2, other))
        assert not scale.is_time and scale.labels == tuple(other) and scale.places.tolist() == [0, 1]


def test_coordinates_in_no_order_are_labels() -> None:
    scale = scale_of(axis("s", 3, [5.0, 1.0, 3.25]))
    assert scale.labels == ("5", "1", "3.25") and scale.places.tolist() == [0, 1, 2]
    assert scale_of(axis("s", 3, [1.0, np.nan, 2.0])).labels == ("1", "nan", "2")
    places, shown = scale_of(axis("s", 100, ["x" * 50] * 100)).ticks()
    assert len(places) == 7 and set(shown) == {"x" * 23 + "…"}
    figure = draw(picture(np.zeros((2, 2)), axis("s", 2, ["one", "two"]), axis("x", 2)))
    assert {"one", "two"} <= texts(figure)


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(SelectionError, match="the values are texts"):
        draw(picture(np.array(["a"], object), axis("x", 1)))
    with pytest.raises(SelectionError, match="there is one value, and nothing to draw: 3"):
        draw(picture(3.0))
    with pytest.raises(ValueError, match="matplotlib knows no colours called 'mud'"):
        style_of("mud", None, False, None, (1, 1), 100)


def test_nothing_of_matplotlib_changes_and_equal_pictures_make_equal_files() -> None:
    before = dict(matplotlib.rcParams)
    found = picture([[1.0, 2.0]], axis("y", 1), axis("x", 2))
    for form, magic in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        data = file_of(draw(found), form)
        assert data.startswith(magic) and data == file_of(draw(found), form)
    assert dict(matplotlib.rcParams) == before
