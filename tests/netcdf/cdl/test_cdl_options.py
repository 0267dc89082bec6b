"""`omnizarr dump` against ncdump, option by option, of files and of datasets in Zarr."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cdl_samples import attribute, rich, write_file
from click.testing import CliRunner
from ncdump_peer import ncdump, needs_ncdump, our_dump

from omnizarr import netcdf
from omnizarr.cli.dump import command
from omnizarr.netcdf.model.nodes import DimensionModel, GroupModel, VariableModel
from omnizarr.netcdf.model.types import CHAR, DOUBLE, INT

OPTIONS = [
    (),
    ("-h",),
    ("-c",),
    ("-v", "two,three,x"),
    ("-v", "g one/gv,/g one/h/deep"),
    ("-v", "h/deep"),
    ("-g", "/"),
    ("-g", "g one,h"),
    ("-g", "/g one/h", "-v", "x"),
    ("-n", "1 name/with all"),
    ("-p", "3,5"),
    ("-p", "2"),
    ("-p", "9,17"),
    ("-l", "40"),
    ("-l", "10"),
    ("-l", "200"),
    ("-b", "c"),
    ("-b", "F"),
    ("-f", "c"),
    ("-f", "f", "-v", "two,three,nested,ch,flt,big"),
    ("-t",),
    ("-b", "f", "-f", "c", "-c"),
    ("-k",),
]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("options") / "rich.nc"
    write_file(path, *rich())
    return path


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as `file`, made by the same calls in Zarr."""
    path = tmp_path_factory.mktemp("options") / "rich.zarr"
    write_file(path, *rich(), library=netcdf)
    return path


@needs_ncdump
@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_option_as_ncdump_has_it(options: tuple[str, ...], file: Path, dataset: Path) -> None:
    theirs = ncdump(file, *options)
    assert our_dump(file, *options) == theirs
    assert our_dump(dataset, *options) == theirs


@needs_ncdump
@pytest.mark.parametrize("kind", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF4_CLASSIC"])
def test_files_of_the_classic_model(kind: str, tmp_path: Path) -> None:
    root = GroupModel(
        name="/",
        dimensions=(DimensionModel("t", 2, True), DimensionModel("x", 3)),
        attributes=(attribute("history", CHAR, "one\ntwo\n"), attribute("n", DOUBLE, 1.5, np.inf)),
        variables=(
            VariableModel(name="v", type=INT, dimensions=("/t", "/x")),
            VariableModel(name="c", type=CHAR, dimensions=("/x",)),
            VariableModel(name="s", type=DOUBLE, attributes=(attribute("units", CHAR, "m\tn"),)),
        ),
    )
    data = {"/v": np.arange(6).reshape(2, 3), "/c": np.array(list(b"a\nb"), "u1").view("S1"), "/s": 2.5}
    path = tmp_path / "a.nc"
    write_file(path, root, data, kind)
    for options in ([], ["-h"], ["-s"], ["-x"], ["-x", "-h"], ["-k"], ["-f", "c"], ["-c"], ["-v", "v"]):
        assert our_dump(path, *options) == ncdump(path, *options), options


@needs_ncdump
def test_special_attributes_of_the_64_bit_data_model(tmp_path: Path) -> None:
    root = GroupModel(
        name="/",
        dimensions=(DimensionModel("x", 3),),
        variables=(VariableModel(name="v", type=INT, dimensions=("/x",)),),
    )
    path = tmp_path / "a.nc"
    write_file(path, root, {"/v": [1, 2, 3]}, "NETCDF3_64BIT_DATA")
    for options in ([], ["-x"], ["-k"]):
        assert our_dump(path, *options) == ncdump(path, *options)
    # ncdump 4.9.0 asks for HDF5's filters, and ends with an error after `v:_Storage`.
    assert our_dump(path, "-hs").endswith(
        '\tint v(x) ;\n\n// global attributes:\n\t\t:_Format = "cdf5" ;\n}\n'
    )


def test_index_of_a_scalar_counts_from_one_in_fortran(tmp_path: Path) -> None:
    root = GroupModel(name="/", variables=(VariableModel(name="s", type=INT),))
    write_file(tmp_path / "a", root, {"/s": 7}, library=netcdf)
    # ncdump 4.9.0 prints a number from before the array of indices, 34 for example.
    assert " s = 7;  // s(1)\n" in our_dump(tmp_path / "a", "-f", "f")
    assert " s = 7;  // s(0)\n" in our_dump(tmp_path / "a", "-f", "c")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-v", "two,nope"), "no variable 'nope'"),
        (("-g", "nope"), "no group 'nope'"),
        (("-v", "/two/x"), "no variable '/two/x'"),
        (("-p", "30"), "expected 1 to 20 digits, found '30'"),
        (("-p", "3,"), "expected 1 to 20 digits, found ''"),
        (("-l", "9"), "9 is not in the range"),
        (("-b", "x"), "'x' is not one of"),
    ],
)
def test_what_is_refused(options: tuple[str, ...], message: str, dataset: Path) -> None:
    result = CliRunner().invoke(command, [*options, str(dataset)])
    assert result.exit_code != 0 and result.stdout == ""
    assert message in f"{result.stderr}{result.exception}"


def test_tocdl(dataset: Path, tmp_path: Path) -> None:
    with netcdf.Dataset(dataset) as opened:
        opened["two"].set_auto_mask(False)
        assert opened.tocdl() == our_dump(dataset, "-h", "-s")
        assert opened.tocdl(data=True) == our_dump(dataset, "-s")
        assert opened.tocdl(coordvars=True, data=True) == our_dump(dataset, "-c", "-s")
        assert opened.tocdl(coordvars=True) == our_dump(dataset, "-c", "-h", "-s")
        assert opened.tocdl(outfile=tmp_path / "a.cdl") is None
        assert (tmp_path / "a.cdl").read_text("utf-8") == opened.tocdl()
        assert not opened["two"].mask and opened["three"].mask


def test_values_are_shown_as_they_are_stored(tmp_path: Path) -> None:
    with netcdf.Dataset(tmp_path / "a", "w") as made:
        made.createDimension("x", 3)
        packed = made.createVariable("p", "i2", ("x",), fill_value=-9)
        packed.scale_factor = 0.5
        packed[:] = np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False])
        text = made.createVariable("c", "S1", ("x",))
        text._Encoding = "utf-8"
        text[:] = np.array("abc")
    assert ' p = 2, _, 6 ;\n\n c = "abc" ;\n' in our_dump(tmp_path / "a")


@needs_ncdump
@pytest.mark.parametrize("name", ["-h", "-s"])
def test_special_attributes_differ_by_storage_alone(name: str, file: Path, dataset: Path) -> None:
    def kept(text: str, drop: Callable[[str], bool]) -> list[str]:
        return [line for line in text.splitlines() if not drop(line)]

    def is_storage(line: str) -> bool:
        return any(word in line for word in (":_Storage", ":_ChunkSizes", ":_NCProperties"))

    assert kept(our_dump(dataset, name), is_storage) == kept(ncdump(file, name), is_storage)
