"""`omnizarr plot`: files, terminals, and what is refused."""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from matplotlib.image import imread

import omnizarr
from omnizarr.cli import cli
from omnizarr.cli import plot as plotting
from omnizarr.netcdf import Dataset
from omnizarr.pictures.terminals.ability import Ability


@pytest.fixture
def place(tmp_path: Path) -> str:
    with Dataset(tmp_path / "a.zarr", "w", dialect="nczarr", zarr_format=3) as dataset:
        for name, size in (("time", 3), ("lat", 4), ("lon", 5)):
            dataset.createDimension(name, size)
        time = dataset.createVariable("time", "f8", ("time",))
        time.units = "days since 2001-01-30"
        time[:] = [0, 1, 2]
        for name, values in (("lat", [0.0, 30, 60, 90]), ("lon", [0.0, 1, 2, 3, 4])):
            variable = dataset.createVariable(name, "f4", (name,))
            variable.units = "degrees"
            variable[:] = values
        heat = dataset.createVariable("g/heat", "f4", ("time", "lat", "lon"), fill_value=-1)
        heat.units, heat.long_name = "K", "surface heat"
        heat[:] = np.arange(60).reshape(3, 4, 5)
    return str(tmp_path / "a.zarr")


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(cli, ["plot", *map(str, arguments)])


def ok(*arguments: Any) -> bytes:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    data: bytes = result.stdout_bytes
    return data


def refused(*arguments: Any) -> str:
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    [line] = result.stderr.splitlines()
    return str(line)


def test_a_png_of_the_size_that_is_asked_for(place: str, tmp_path: Path) -> None:
    assert ok(place, "g/heat", "-o", tmp_path / "a.png", "--size", "4x3", "--dpi", 50) == b""
    assert imread(tmp_path / "a.png").shape == (150, 200, 4)
    assert imread(BytesIO(ok(place, "g/heat", "-o", "-"))).shape == (500, 800, 4)


def test_an_svg_says_what_is_seen(place: str, tmp_path: Path) -> None:
    text = ok(place, "g/heat", "-o", "-", "--format", "svg", "--at", "time=2001-01-31T03:00").decode()
    for part in ("heat, time = 2001-01-31", "surface heat [K]", "lat [degrees]", "lon [degrees]"):
        assert f">{part}<" in text
    text = ok(
        place, "g/heat", "-o", "-", "--format", "svg", "--axes", "time", "-s", "lat=1", "-a", "lon=2.2"
    ).decode()
    assert ">heat, lat = 30 degrees, lon = 2 degrees<" in text
    ok(place, "g/heat", "-o", tmp_path / "a.pdf", "--title", "own", "--log", "--cmap", "magma")
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    assert (
        ">own<"
        in ok(place, "g/heat", "-o", "-", "--format", "svg", "--title", "own", "--range", "0,9").decode()
    )


def test_the_place_may_be_the_array(tmp_path: Path) -> None:
    omnizarr.create_array(tmp_path / "a.zarr", data=np.eye(3))
    assert ok(tmp_path / "a.zarr", "-o", "-").startswith(b"\x89PNG")
    assert "is an array, and has no 'x' in it" in refused(tmp_path / "a.zarr", "x", "-o", "-")


def test_an_array_by_its_path_has_the_coordinates_of_its_hierarchy(place: str, tmp_path: Path) -> None:
    drawn = ok(f"{place}/g/heat", "--at", "lat=60", "-o", "-", "--axes", "time,lon", "--size", "3x2")
    assert drawn == ok(place, "g/heat", "--at", "lat=60", "-o", "-", "--axes", "time,lon", "--size", "3x2")
    assert "the group /g" in refused(f"{place}/g", "-o", tmp_path / "a.png")


def test_records(tmp_path: Path) -> None:
    data = np.array([(1, 2.5), (3, 4.5)], "i4,f8")
    omnizarr.create_array(tmp_path / "a.zarr", data=data, zarr_format=2)
    text = ok(tmp_path / "a.zarr", "-o", "-", "--format", "svg", "--field", "f1").decode()
    assert ">a.zarr.f1<" in text


def test_files_are_replaced_only_where_that_is_asked_for(place: str, tmp_path: Path) -> None:
    target = tmp_path / "a.png"
    target.write_text("mine")
    assert refused(place, "g/heat", "-o", target).endswith("a.png exists; --overwrite replaces it")
    assert target.read_text() == "mine"
    ok(place, "g/heat", "-o", target, "--overwrite")
    assert target.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("g/heat -o a.jpg", "-o: expected a name with .png, .svg or .pdf, or --format, found 'a.jpg'"),
        ("", "expected VAR to name an array, found the group /, which holds 'lat', 'lon', 'time'"),
        ("g", "expected VAR to name an array, found the group /g, which holds 'heat'"),
        ("missing", "missing"),
        ("g/heat --sel time", "expected axis=index such as time=0, found 'time'"),
        ("g/heat --sel time=x", "expected axis=index such as time=0, found 'time=x'"),
        ("g/heat --sel time=7", "time: index 7 lies outside of an axis of 3 elements"),
        ("g/heat --at time=x", "time: expected a date or a number, found 'x'"),
        ("g/heat --sel time=1 --at time=2", "time: expected one place, found 1 and '2'"),
        ("g/heat --axes lat,nowhere", "axis 'nowhere': expected one of time (0)"),
        ("g/heat --window lat=3", "expected axis=start:stop such as lat=10:200, found 'lat=3'"),
        ("g/heat --window lat=3:9", "window of lat: expected 0 <= start < stop <= 4, found 3:9"),
        ("g/heat --range 5,1", "expected two numbers such as 250,310, found '5,1'"),
        ("g/heat --size 8", "expected inches such as 8x5, found '8'"),
        ("g/heat --cmap mud", "--cmap: matplotlib knows no colours called 'mud'"),
        ("g/heat --max-bytes 1kB", "one element is more already"),
        ("g/heat --field a", "field 'a': the values are no records"),
    ],
)
def test_what_is_refused(place: str, arguments: str, message: str) -> None:
    output = () if "-o" in arguments else ("-o", "-")
    assert message in refused(place, *arguments.split(), *output)


def test_without_a_terminal_a_file_is_needed(place: str) -> None:
    assert "expected -o FILE, or -o -: standard output is no terminal" in refused(place, "g/heat")


def test_what_costs_too_much_names_a_window(tmp_path: Path) -> None:
    omnizarr.create_array(tmp_path / "a.zarr", shape=(3000, 5000), chunks=(100, 100), dtype="u1")
    line = refused(tmp_path / "a.zarr", "-o", "-", "--max-bytes", "1MB")
    assert "zoom in to 720 x 1200 elements" in line and "(--window 0=1140:1860 --window 1=1900:3100)" in line
    assert "--max-bytes allows more" in line


class Screen:
    """Standard output that says it is a terminal."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, ability: Ability) -> None:
        self.buffer = BytesIO()
        monkeypatch.setattr(sys, "stdout", self)
        monkeypatch.setattr(plotting, "ability_of", lambda environment: ability)
        monkeypatch.setenv("COLUMNS", "60")
        monkeypatch.setenv("LINES", "20")

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise OSError("none")

    def flush(self) -> None:
        pass

    def write(self, text: str) -> int:
        return len(text)


def on(screen: Screen, *arguments: Any) -> bytes:
    with pytest.raises(SystemExit) as ended:
        cli.main(["plot", *map(str, arguments)])
    assert ended.value.code == 0
    return screen.buffer.getvalue()


@pytest.mark.parametrize(
    ("protocol", "start"),
    [
        ("kitty", b"\x1b_Ga=T,f=100,q=2,m=1;iVBOR"),
        ("iterm2", b"\x1b]1337;File=inline=1;size="),
        ("sixel", b"\x1bP0;1;0q"),
    ],
)
def test_terminals_that_show_images(
    place: str, monkeypatch: pytest.MonkeyPatch, protocol: Any, start: bytes
) -> None:
    data = on(Screen(monkeypatch, Ability(protocol, "true")), place, "g/heat", "--dpi", 60)
    assert data.startswith(start) and data.endswith(b"\n")
    if protocol == "sixel":  # as wide as 60 columns
        assert data.startswith(b'\x1bP0;1;0q"1;1;600;')


def test_terminals_that_show_characters(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = on(Screen(monkeypatch, Ability("blocks", "256")), place, "g/heat").decode().splitlines()
    assert lines[0] == "heat, time = 2001-01-30" and "\x1b[38;5;" in lines[1]
    assert lines[-2] == "lat 0 to 90 degrees; lon 0 to 4 degrees" and lines[-1].endswith("19 K")
    assert len(lines) == 15 + 3


def test_a_line_of_dots(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(monkeypatch, Ability("blocks", "none"))
    lines = on(screen, place, "g/heat", "--axes", "time", "--sel", "lat=-1").decode().splitlines()
    assert lines[-1] == "time 2001-01-30 to 2001-02-01; values 15 to 55 K"


def test_without_matplotlib_the_extra_is_named(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("omnizarr.pictures.drawing")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("matplotlib", "matplotlib.axes", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    line = refused(place, "g/heat", "-o", "-")
    assert line == (
        "omnizarr: plot needs the package matplotlib, which belongs to the extra 'plot' "
        "(pip install 'omnizarr[plot]')"
    )
