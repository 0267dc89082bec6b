"""The commands, run as a user would, on small hierarchies."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from click.testing import CliRunner, Result

from omnizarr.cli import cli
from omnizarr.cli.sizes import parse_size, shown_size
from omnizarr.hierarchy.create import create_array
from omnizarr.netcdf import Dataset


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def ok(*arguments: Any) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(params=[2, 3])
def hierarchy(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    root = zarr.open_group(
        tmp_path / "a.zarr", mode="w", zarr_format=request.param, attributes={"title": "é"}
    )
    table = root.create_array("g/t", shape=(20, 30), chunks=(10, 10), dtype="f4")
    table[...] = np.arange(600).reshape(20, 30)
    table.attrs["units"] = "m"
    root.create_array("n", data=np.arange(5, dtype="i2"), compressors=None)
    return tmp_path / "a.zarr"


def test_help_names_every_command() -> None:
    text = ok("--help")
    for name in ("info", "tree", "keys", "dump", "copy", "validate", "consolidate", "demo"):
        assert f"  {name} " in text
        assert "Usage: omnizarr" in ok(name, "--help")
    assert run().exit_code == 2


def test_info(hierarchy: Path) -> None:
    text = ok("info", hierarchy)
    assert "arrays" in text and 'title: "é"' in text
    facts = json.loads(ok("info", hierarchy / "g" / "t", "--json"))
    assert facts["shape"] == [20, 30]
    assert facts["chunks"] == [10, 10]
    assert (facts["stored_chunks"], facts["all_chunks"]) == (6, 6)
    assert all("name" in codec for codec in facts["codecs"])
    assert facts["attributes"] == {"units": "m"}
    group = json.loads(ok("info", hierarchy, "--json"))
    assert (group["groups"], group["arrays"], group["consolidated"]) == (1, 2, False)
    assert group["stored_bytes"] == sum(
        file.stat().st_size for file in hierarchy.rglob("*") if file.is_file()
    )


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [("c8", "[0.0, 0.0]"), ("M8[s]", '"NaT"'), ("U3", '""'), ("f4", "0.0"), ("S2", None), ("?", "false")],
)
def test_info_shows_any_fill_value(dtype: str, expected: str | None, tmp_path: Path) -> None:
    create_array(tmp_path / "a", shape=(3,), dtype=dtype)
    (line,) = [line for line in ok("info", tmp_path / "a").splitlines() if line.startswith("fill value")]
    assert "np." not in line
    assert expected is None or line.split(maxsplit=2)[2] == expected


def test_json_is_json_whatever_the_numbers(tmp_path: Path) -> None:
    def refuse(word: str) -> None:
        raise AssertionError(word)

    made = zarr.create_array(tmp_path / "a", shape=(3,), dtype="f8", fill_value=np.nan)
    made.attrs["range"] = {"low": float("-inf"), "high": [float("inf")]}
    facts = json.loads(ok("info", tmp_path / "a", "--json"), parse_constant=refuse)
    assert facts["fill_value"] == "NaN"
    assert facts["attributes"] == {"range": {"low": "-Infinity", "high": ["Infinity"]}}


def test_tree(hierarchy: Path) -> None:
    assert ok("tree", hierarchy).splitlines()[1:] == [
        "├── g",
        "│   └── t (20, 30) float32",
        "└── n (5,) int16",
    ]
    assert "t (20" not in ok("tree", "-L", 1, hierarchy)
    assert ok("tree", hierarchy / "n").strip().endswith("n (5,) int16")
    paths = [entry["path"] for entry in json.loads(ok("tree", "--json", hierarchy))]
    assert sorted(paths) == ["/", "/g", "/g/t", "/n"]


def test_keys(hierarchy: Path) -> None:
    files = {
        file.relative_to(hierarchy).as_posix(): file.stat().st_size
        for file in hierarchy.rglob("*")
        if file.is_file()
    }
    listed = {entry["key"]: entry["size"] for entry in json.loads(ok("keys", hierarchy, "--json"))}
    assert listed == files
    lines = ok("keys", hierarchy, "g").splitlines()
    assert sorted(line.split()[1] for line in lines) == sorted(key for key in files if key.startswith("g/"))


def test_consolidate_and_validate(hierarchy: Path) -> None:
    assert ok("validate", hierarchy, "--data") == "no problems\n"
    assert "consolidated 3 nodes" in ok("consolidate", hierarchy)
    assert len(list(zarr.open_consolidated(hierarchy).members(max_depth=None))) == 3
    assert ok("validate", hierarchy) == "no problems\n"
    zarr.open_array(hierarchy / "n", mode="r+").attrs["new"] = 1
    result = run("validate", hierarchy, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout) == [
        {
            "kind": "consolidated",
            "path": "/",
            "at": "n",
            "message": "the consolidated metadata differ from the node's own: attributes",
        }
    ]


def test_validate_finds_what_is_wrong(hierarchy: Path) -> None:
    is_v3 = (hierarchy / "zarr.json").exists()
    document = hierarchy / "n" / ("zarr.json" if is_v3 else ".zarray")
    text = json.loads(document.read_text())
    text["shape"] = [-1]
    document.write_text(json.dumps(text))
    chunk = hierarchy / "g" / "t" / ("c/0/0" if is_v3 else "0.0")
    chunk.write_bytes(b"rubbish")
    (hierarchy / "g" / "notes.txt").write_text("hello")
    outside = hierarchy / "g" / "t" / ("c/7/0" if is_v3 else "7.0")
    outside.parent.mkdir(exist_ok=True)
    shutil.copy(chunk, outside)
    result = run("validate", hierarchy, "--data")
    assert result.exit_code == 1
    found = sorted(result.stdout.splitlines())
    assert len(found) == 4, found
    assert found[0].startswith(f"chunk: /g/t: {chunk.relative_to(hierarchy).as_posix()}: codec ")
    assert found[1].startswith("metadata: /n: ") and "shape[0]: expected" in found[1]
    assert found[2].startswith("orphan: /: g/notes.txt: belongs to no node")
    assert "a chunk outside the array's shape (20, 30)" in found[3]
    assert len(run("validate", hierarchy).stdout.splitlines()) == 3


@pytest.mark.parametrize("target", ["b.zarr", "b.zip"])
def test_copy(hierarchy: Path, tmp_path: Path, target: str) -> None:
    ours = zarr.open_group(hierarchy).metadata.zarr_format
    result = run("copy", hierarchy, tmp_path / target, "--zarr-format", 5 - ours)
    assert result.exit_code == 0, result.output
    assert "moved without decoding" in result.stdout
    store = zarr.storage.ZipStore(tmp_path / target) if target.endswith("zip") else tmp_path / target
    found = zarr.open_group(store, mode="r")
    assert found.metadata.zarr_format == 5 - ours
    np.testing.assert_array_equal(found["g/t"][...], np.arange(600).reshape(20, 30))  # type: ignore[index]
    assert found["g/t"].attrs["units"] == "m"


def test_copy_with_other_chunks_and_codecs(hierarchy: Path, tmp_path: Path) -> None:
    target = tmp_path / "b.zarr"
    gzip = '{"name": "gzip", "configuration": {"level": 9}}'
    text = ok("copy", hierarchy, target, "--chunks", "g/t=20,3", "--codec", gzip, "--memory", "1MiB")
    assert "encoded anew" in text
    found = zarr.open_group(target, mode="r")
    table = found["g/t"]
    assert isinstance(table, zarr.Array) and table.chunks == (20, 3)
    np.testing.assert_array_equal(table[...], np.arange(600).reshape(20, 30))
    ok(
        "copy",
        hierarchy,
        target,
        "--zarr-format",
        3,
        "--shards",
        "g/t=20,30",
        "--codec",
        "n=none",
        "--overwrite",
    )
    sharded = zarr.open_array(target / "g" / "t", mode="r")
    assert (sharded.shards, sharded.chunks) == ((20, 30), (10, 10))
    np.testing.assert_array_equal(sharded[...], np.arange(600).reshape(20, 30))


def test_copy_tells_losses_and_strict_refuses(tmp_path: Path) -> None:
    zarr.create_array(
        tmp_path / "a", shape=(4, 4), chunks=(2, 2), dtype="i4", dimension_names=("x", None), zarr_format=3
    )
    result = run("copy", tmp_path / "a", tmp_path / "b", "--zarr-format", 2, "--strict")
    assert result.exit_code == 2
    assert "dimension names" in result.stderr and len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "b").exists()
    result = run("copy", tmp_path / "a", tmp_path / "b", "--zarr-format", 2)
    assert result.exit_code == 0
    assert result.stderr.startswith("not kept: /: dimension names")


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    place = tmp_path / "d.zarr"
    with Dataset(place, "w") as made:
        made.title = "small"
        made.createDimension("t", None)
        made.createDimension("x", 3)
        made.createVariable("t", "f8", ("t",))[:] = [0.5, 1.5]
        heat = made.createVariable("heat", "f4", ("t", "x"), fill_value=-1)
        heat.units = "K"
        heat[:] = [[1, 2, -1], [4, 5, 6]]
        made.createGroup("g").note = "deep"
    return place


def test_dump(dataset: Path) -> None:
    header = ok("dump", "-h", dataset)
    assert header.startswith("netcdf d {\ndimensions:\n\tt = UNLIMITED ; // (2 currently)\n\tx = 3 ;\n")
    assert "data:" not in header
    assert ok("dump", "-h", "-a", dataset) == header
    values = ok("dump", "-v", "heat", dataset)
    assert " heat =\n  1, 2, _,\n  4, 5, 6 ;\n" in values and " t = " not in values
    coordinates = ok("dump", "-c", "-n", "other name", dataset)
    assert " t = 0.5, 1.5 ;\n" in coordinates and coordinates.startswith("netcdf other\\ name {")
    assert " heat =" in ok("dump", dataset)
    assert ok("dump", "-a", dataset) == ok("dump", dataset)


def test_dump_of_scalars_and_of_variables_without_elements(tmp_path: Path) -> None:
    with Dataset(tmp_path / "d", "w") as made:
        made.createVariable("s", "f8", ())[...] = 1.5
        made.createVariable("text", str, ())[...] = "a"
        made.createDimension("none", None)
        made.createVariable("v", "i4", ("none",))
    text = ok("dump", "-a", tmp_path / "d")
    assert 'data:\n\n s = 1.5 ;\n\n text = "a" ;\n}' in text


@pytest.mark.parametrize("name", ["goes16-cloud-top-height.nc", "eraint-uvz.nc"])
def test_dump_of_a_real_file_as_ncdump_dumps_it(
    name: str, real_file: Callable[[str], Path], tmp_path: Path
) -> None:
    data = real_file(name)
    ncdump = shutil.which("ncdump")
    if ncdump is None:
        pytest.skip("needs ncdump (Debian: netcdf-bin)")
    theirs = subprocess.run([ncdump, "-n", "a", data], capture_output=True, text=True, check=True).stdout
    ok("copy", data, tmp_path / "a.zarr")
    assert ok("dump", "-a", "-n", "a", data) == theirs
    if name.startswith("goes"):  # the other one has fill values that NCZarr cannot hold
        assert ok("dump", "-a", tmp_path / "a.zarr") == theirs
    ok("copy", tmp_path / "a.zarr", tmp_path / "a3", "--zarr-format", 3)
    assert run("validate", "--data", tmp_path / "a3").exit_code == 0


def test_dump_of_an_unknown_variable(dataset: Path) -> None:
    result = run("dump", "-v", "heta", dataset)
    assert result.exit_code == 2
    assert result.stderr == "omnizarr: no variable 'heta' (node '/heta')\n"
    assert result.stdout == ""


def test_dump_as_ncdump_dumps_what_libnetcdf_reads(dataset: Path, tmp_path: Path) -> None:
    ncdump = shutil.which("ncdump")
    if ncdump is None:
        pytest.skip("ncdump is not installed (Debian: netcdf-bin)")
    netcdf4 = pytest.importorskip("netCDF4")
    with netcdf4.Dataset(f"file://{dataset}#mode=nczarr,file") as source:
        assert list(source.variables) == ["t", "heat"]
        copied = tmp_path / "d.nc"
        with netcdf4.Dataset(copied, "w") as target:
            target.setncatts(source.__dict__)
            target.createDimension("t", None)
            target.createDimension("x", 3)
            for name, variable in source.variables.items():
                fill = getattr(variable, "_FillValue", None)
                made = target.createVariable(name, variable.dtype, variable.dimensions, fill_value=fill)
                made.setncatts(
                    {key: value for key, value in variable.__dict__.items() if key != "_FillValue"}
                )
                made[:] = variable[:]
            target.createGroup("g").note = "deep"
    theirs = subprocess.run([ncdump, copied], capture_output=True, text=True, check=True).stdout
    assert ok("dump", "-a", dataset) == theirs


def test_netcdf_files(tmp_path: Path) -> None:
    netcdf4 = pytest.importorskip("netCDF4")
    with netcdf4.Dataset(tmp_path / "a b.nc", "w") as made:
        made.createDimension("x", 100)
        made.createVariable("v", "i4", ("x",), zlib=True, chunksizes=(10,))[:] = np.arange(100)
    text = ok("copy", tmp_path / "a b.nc", tmp_path / "out")
    assert text.startswith("copied 1 group, 1 variable; 10 chunks (") and "encoded anew" not in text
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "out" / "v")[...], np.arange(100))
    ok("copy", (tmp_path / "a b.nc").as_uri(), tmp_path / "again")
    assert ok("dump", "-a", "-n", "x", tmp_path / "a b.nc") == ok("dump", "-a", "-n", "x", tmp_path / "out")
    assert "'omnizarr dump' shows it" in run("info", tmp_path / "a b.nc").stderr
    for option in (["--shards", "10"], ["--codec", "gzip"], ["--chunks", "v=1,2"], ["-s"], ["-c", "t/9"]):
        result = run("copy", tmp_path / "a b.nc", tmp_path / "no", *option)
        assert (result.exit_code, (tmp_path / "no").exists()) == (2, False)
    assert "then 'omnizarr copy STEP.zarr" in run("copy", tmp_path / "a b.nc", "no", "--shards", "9").stderr
    assert "no Zarr format" in run("copy", tmp_path / "out", tmp_path / "no.nc", "--zarr-format", 3).stderr
    ok("copy", tmp_path / "out", tmp_path / "back.nc")
    assert ok("dump", "-n", "x", tmp_path / "back.nc") == ok("dump", "-n", "x", tmp_path / "a b.nc")


def test_netcdf_files_with_other_chunks_and_codecs(tmp_path: Path) -> None:
    netcdf4 = pytest.importorskip("netCDF4")
    with netcdf4.Dataset(tmp_path / "a.nc", "w") as made:
        made.createDimension("x", 100)
        for name in "vw":
            made.createVariable(name, "i4", ("x",), zlib=True, chunksizes=(10,))[:] = np.arange(100)
    options = ("--chunks", "v=25", "--codec", '{"name": "zstd", "configuration": {"level": 7}}')
    text = ok("copy", tmp_path / "a.nc", tmp_path / "out", *options)
    assert "moved" not in text
    with netcdf4.Dataset(f"{(tmp_path / 'out').as_uri()}#mode=nczarr,file") as theirs:
        assert [theirs[name].chunking() for name in "vw"] == [[25], [10]]
        assert theirs["v"].filters()["zstd"] and theirs["v"].filters()["complevel"] == 7
        np.testing.assert_array_equal(theirs["v"][:], np.arange(100))
    ok("copy", tmp_path / "a.nc", tmp_path / "some", "--codec", "v=zlib")
    assert zarr.open_array(tmp_path / "some" / "v").compressors != ()


def test_dump_says_what_it_cannot_show(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.nc", "w", track_order=True) as made:
        made["v"] = 1
        made.create_dataset("r", data=made["v"].ref, dtype=h5py.ref_dtype)
    result = run("dump", tmp_path / "a.nc")
    assert result.exit_code == 0
    assert "not shown: /r: " in result.stderr and "data:\n\n v = 1 ;\n}" in result.stdout


def test_dump_of_a_fill_value_of_another_type(tmp_path: Path) -> None:
    netcdf4 = pytest.importorskip("netCDF4")
    with netcdf4.Dataset(tmp_path / "a.nc", "w", format="NETCDF3_CLASSIC") as made:
        made.createDimension("x", 2)
        for name, kind in (("f", "f4"), ("s", "i2")):
            made.createVariable(name, kind, ("x",))[:] = [1, 2]
            made[name].Fillvalues = np.float64("nan")
    # No library of today writes such a file: the attribute is renamed in its bytes.
    data = (tmp_path / "a.nc").read_bytes()
    assert data.count(b"\0\0\0\x0aFillvalues\0\0") == 2
    (tmp_path / "a.nc").write_bytes(data.replace(b"Fillvalues", b"_FillValue"))
    text = ok("dump", "-a", tmp_path / "a.nc")
    assert "f:_FillValue = NaN ;" in text and "s:_FillValue = NaN ;" in text
    result = run("copy", tmp_path / "a.nc", tmp_path / "out")
    assert result.stderr == "not kept: /s: _FillValue nan (double), which no short can be\n"
    assert "f:_FillValue = NaNf ;" in ok("dump", tmp_path / "out")


@pytest.mark.parametrize("url", [False, True])
def test_places_inside_zip_files(hierarchy: Path, tmp_path: Path, url: bool) -> None:
    ok("copy", hierarchy, tmp_path / "a b.zip")
    place = (tmp_path / "a b.zip").as_uri() if url else str(tmp_path / "a b.zip")
    assert json.loads(ok("info", f"{place}/g/t", "--json"))["shape"] == [20, 30]
    assert "t (20, 30)" in ok("tree", f"{place}/g/")
    assert all(entry["key"].startswith("g/t/") for entry in json.loads(ok("keys", f"{place}/g/t", "--json")))
    assert ok("validate", "--data", f"{place}/g") == "no problems\n"
    ok("copy", f"{place}/g/t", tmp_path / "t")
    ok("copy", tmp_path / "t", f"{place}/new/t")
    assert "new" in ok("tree", place)
    ok("consolidate", f"{place}/new")
    assert ok("validate", place) == "no problems\n"
    assert "the group /g holds 't'" in run("info", f"{place}/g/absent").stderr


@pytest.mark.filterwarnings("always:/n is left out")
def test_info_of_a_group_with_a_broken_array(hierarchy: Path) -> None:
    (document,) = [path for path in (hierarchy / "n").iterdir() if path.name in (".zarray", "zarr.json")]
    found = json.loads(document.read_text())
    found |= {"compressor": {"id": "nope"}} if "compressor" in found else {"codecs": [{"name": "nope"}]}
    document.write_text(json.dumps(found))
    facts = json.loads(ok("info", hierarchy, "--json"))
    assert facts["arrays"] == 2 and "nope" in facts["not_in_netcdf"]["/n"]
    assert "nope" in ok("info", hierarchy)


@pytest.mark.filterwarnings("always:/n is left out")
def test_a_broken_document_hides_no_other_node(hierarchy: Path) -> None:
    (document,) = [path for path in (hierarchy / "n").iterdir() if path.name in (".zarray", "zarr.json")]
    document.write_text("{")
    facts = json.loads(ok("info", hierarchy, "--json"))
    assert (facts["arrays"], list(facts["unreadable"])) == (1, ["/n"])
    for options in ((), ("--json",), ("-L", "1", "--json"), ("-L", "2")):
        result = run("tree", hierarchy, *options)
        assert result.exit_code == 0 and "/n is left out: " in result.stderr
        assert ("t (20, 30)" in result.stdout) is (options in ((), ("-L", "2")))


def test_dump_shows_what_can_be_read(hierarchy: Path) -> None:
    with Dataset(hierarchy, "a") as dataset:
        dataset["g"].createVariable("last", "i4")[...] = 7
    for chunk in [*(hierarchy / "g" / "t").rglob("0.1"), *(hierarchy / "g" / "t").rglob("c/0/1")]:
        chunk.write_bytes(b"no chunk")
    result = run("dump", hierarchy)
    assert result.exit_code == 2
    assert result.stderr.startswith("omnizarr: codec ") and "node '/g/t'" in result.stderr
    assert "\n// not readable: codec " in result.stdout and "last = 7 ;" in result.stdout


def test_info_of_shards_names_the_codecs_inside(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "a", shape=(8, 8), chunks=(2, 2), shards=(4, 4), dtype="i2")
    text = ok("info", tmp_path / "a")
    assert 'codecs=[bytes(endian="little"), zstd(' in text and "crc32c]" in text and "…" not in text


def test_progress_bar_on_a_terminal(hierarchy: Path, tmp_path: Path) -> None:
    leader, follower = os.openpty()
    command = [sys.executable, "-m", "omnizarr", "copy", str(hierarchy), str(tmp_path / "b")]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=follower, env=environment, text=True
    ) as child:
        os.close(follower)
        shown = b""
        try:
            while piece := os.read(leader, 65536):
                shown += piece
        except OSError:  # how Linux says that the other side is closed
            pass
        assert child.wait(timeout=60) == 0
    os.close(leader)
    assert b"copying" in shown
    assert b"2.4/2.4 kB" in shown


def test_start_is_quick() -> None:
    """Help loads no array library's heavy parts: the commands are imported when they are run."""
    code = (
        "import sys, omnizarr.cli.main as m\n"
        "heavy = ('netCDF4', 'h5py', 'rich', 'pydantic', 'omnizarr.netcdf')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_sizes() -> None:
    assert parse_size("512MB") == 512_000_000
    assert parse_size("1.5 GiB") == 3 * 2**29
    assert parse_size("4096") == 4096
    for text in ("", "MB", "-1", "1XB", "1e9"):
        with pytest.raises(ValueError, match="expected a size"):
            parse_size(text)
    assert [shown_size(n) for n in (0, 999, 1000, 1_500_000, 10**13)] == [
        "0 B",
        "999 B",
        "1 kB",
        "1.5 MB",
        "10 TB",
    ]
