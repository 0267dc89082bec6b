"""Datasets made of CDL: in every dialect, as files, as Python; `omnizarr gen` and `Dataset.fromcdl`."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cdl_reading import described, parsed
from click.testing import CliRunner

from omnizarr import netcdf
from omnizarr.cli.dump import command as dump
from omnizarr.cli.gen import command
from omnizarr.errors import ConversionError, MetadataError, NodeExistsError
from omnizarr.netcdf.cdl.fromcdl import read_cdl
from omnizarr.netcdf.cdl.generate import generate
from omnizarr.netcdf.cdl.python import losses_in_python, write_python
from omnizarr.netcdf.cdl.reading.parse import ParsedCDL, parse_cdl
from omnizarr.netcdf.model.items import from_numpy
from omnizarr.netcdf.model.nodes import DatasetModel, join

PLAIN = """dimensions: x = 3 ; t = UNLIMITED ; u = UNLIMITED ; n = 4 ;
variables: int a(t, x) ; a:_FillValue = 7 ; a:units = "m" ; a:_DeflateLevel = 2 ; a:_Shuffle = "true" ;
    float b(t, u) ; b:valid_range = 1s, 2s ; char c(x, n) ; string d(x) ; double e ; int64 f(x) ;
    ubyte g(t) ; g:_Endianness = "big" ; short h(x) ; h:_Endianness = "big" ; byte i(x) ; i:_NoFill = "true" ;
    :title = "é" ; string :names = "a", "bc" ; :numbers = 1., 2. ;
data: a = 1, _, 3, 4 ; b = {1, 2, NaN}, {4}, {} ; c = "ab", "cdef" ; d = "x", "é" ; e = 1.5 ; f = 5 ; g = 1 ;
    h = 1, 2, 3 ; i = 1 ;
group: inner { dimensions: y = 2 ; variables: int j(y, x) ; data: j = 1, 2, 3, 4 ; group: empty { } }"""
TYPES = """types: byte enum e {A = 0, B = 1} ; opaque(3) o ; int(*) v ; string(*) w ;
    compound c { int i ; float f(2, 2) ; string s ; e en ; char t(3) ; } ;
    compound d { c inner(2) ; v list ; } ;
dimensions: x = 3 ;
variables: e a(x) ; e a:_FillValue = B ; e a:k = A, B ; o b(x) ; v g(x) ; w h(x) ; c i(x) ; d j(x) ;
    c i:_FillValue = {1, {2, 3, 4, 5}, "q", B, {"abc"}} ; v :list = {1, 2}, {} ; o :op = 0x010203 ;
data: a = A, _ ; b = 0x01, 0x0102 ; g = {}, {1, 2} ; h = {"a", "bc"} ;
    i = {9, {8}, "r", A, {"x"}} ; j = {{{1, {2}, "s", B, {"y"}}, {3}}, {1}} ;"""
KEPT = [("nczarr", 2), ("nczarr", 3), ("proposal2018", 2)]


def read(target: Any) -> ParsedCDL:
    """Return what a dataset holds, in the form that the parser gives; what is not written is filled."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset = netcdf.Dataset(target)
    with dataset:
        dataset.set_auto_maskandscale(False)
        dataset.set_auto_chartostring(False)
        root = dataset.as_dataset().root
        values = {
            join(path, v.name): _Values(v.type, dataset[join(path, v.name)][...])
            for path, group in root.walk()
            for v in group.variables
        }
        return ParsedCDL("", DatasetModel(root=root), values)  # type: ignore[arg-type]


class _Values:
    """Values in the form of `Data`."""

    def __init__(self, kind: Any, values: Any) -> None:
        self.kind = kind
        self.values = np.asarray(values)

    def array(self) -> Any:
        """Return all values, without the gaps between fields that are shown."""
        if self.kind.dtype.names is None:
            return self.values
        return np.array([*from_numpy(self.kind, self.values), None], object)[:-1]


def assert_made(body: str, target: Any) -> None:
    """Compare a dataset with what CDL says."""
    wanted = parsed(body)
    records = {path: _Values(data.kind, data.array()) for path, data in wanted.values.items()}
    expected = described(ParsedCDL("", wanted.model, records))  # type: ignore[arg-type]
    found = described(read(target))
    for name, value in expected.items():
        assert found[name] == value, name


@pytest.mark.parametrize(("dialect", "zarr_format"), KEPT)
@pytest.mark.parametrize("body", [PLAIN, TYPES])
def test_dialects_that_hold_everything(body: str, dialect: str, zarr_format: int) -> None:
    """All types, attributes and values."""
    store: dict[str, bytes] = {}
    generate(parsed(body), store, dialect=dialect, zarr_format=zarr_format)
    assert_made(body, store)


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("dialect", ["xarray", "plain"])
def test_dialects_that_lose_something(dialect: str, zarr_format: int) -> None:
    """The values are all there; what is lost is told, or refused."""
    store: dict[str, bytes] = {}
    losses = generate(parsed(PLAIN), store, dialect=dialect, zarr_format=zarr_format)
    assert losses
    found, wanted = read(store).values, parsed(PLAIN).values
    for path in ("/a", "/b", "/d", "/e", "/f", "/g", "/h", "/inner/j"):
        kept, given = found[path].array(), wanted[path].array()
        assert np.array_equal(kept, given, equal_nan=given.dtype.kind == "f"), path
    with pytest.raises(ConversionError, match="things that the target cannot"):
        generate(parsed(PLAIN), {}, dialect=dialect, zarr_format=zarr_format, strict=True)


def test_how_variables_are_stored() -> None:
    """Chunks, filters and byte order, as `createVariable` would choose them where nothing is said."""
    store: dict[str, bytes] = {}
    generate(parsed(PLAIN), store)
    with netcdf.Dataset(store) as dataset:
        assert dataset["a"].filters()["complevel"] == 2
        assert dataset["a"].chunking() == [1, 3]
        assert dataset["b"].chunking() == [2048, 2048]
        assert dataset["h"].endian() == "big"
        assert dataset["d"].as_model().max_string_length == 128
    body = 'dimensions: x = 10 ; variables: int a(x), b(x) ; a:_ChunkSizes = 4 ; b:_Storage = "contiguous" ;'
    store = {}
    generate(parsed(body), store)
    with netcdf.Dataset(store) as dataset:
        assert dataset["a"].chunking() == [4]
        assert dataset["b"].as_model().chunks == (10,)


def test_long_strings_have_room() -> None:
    """The room for strings is that of the longest, and not less than is usual."""
    store: dict[str, bytes] = {}
    generate(parsed(f'variables: string a ; data: a = "{"é" * 200}" ;'), store)
    with netcdf.Dataset(store) as dataset:
        assert dataset["a"][...] == "é" * 200


def test_a_short_list_writes_one_chunk() -> None:
    """A dimension of a trillion elements costs nothing where nearly all of them are missing."""
    store: dict[str, bytes] = {}
    generate(parsed("dimensions: x = 1000000000000 ; variables: int a(x) ; data: a = 1, 2 ;"), store)
    assert sum(key.startswith("a/") and not key.startswith("a/.") for key in store) == 1


def test_nothing_is_replaced_unless_asked(tmp_path: Path) -> None:
    """Nor is anything written where the text is wrong."""
    target = tmp_path / "a.zarr"
    generate(parsed("variables: int a ; data: a = 1 ;"), target)
    with pytest.raises(NodeExistsError):
        generate(parsed("variables: int a ; data: a = 2 ;"), target)
    generate(parsed("variables: int a ; data: a = 3 ;"), target, overwrite=True)
    with netcdf.Dataset(target) as dataset:
        assert dataset["a"][...] == 3


def test_a_file(tmp_path: Path) -> None:
    """A target that ends in `.nc` is a netCDF file, read by netCDF-C."""
    library = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    target = tmp_path / "a.nc"
    generate(parsed(PLAIN), target)
    with library.Dataset(target) as file:
        file.set_auto_maskandscale(False)
        file.set_auto_chartostring(False)
        for path, data in parsed(PLAIN).values.items():
            given = data.array()
            assert np.array_equal(file[path][...], given, equal_nan=given.dtype.kind == "f"), path
        assert file["c"].chunking() == "contiguous"
        assert file.title == "é"
    classic = tmp_path / "b.nc"
    generate(parsed("dimensions: x = 2 ; variables: int a(x) ; data: a = 1, 2 ;"), classic, kind="classic")
    with library.Dataset(classic) as file:
        assert (file.data_model, file["a"][:].tolist()) == ("NETCDF3_CLASSIC", [1, 2])


@pytest.mark.parametrize("body", [PLAIN, TYPES, "", 'variables: int a\\" ; :k\\\\ = "\\"\\n\\\\" ;'])
def test_python_makes_the_same(body: str, tmp_path: Path) -> None:
    """Key for key, and byte for byte."""
    store = tmp_path / "ours.zarr"
    generate(parsed(body), store)
    script = tmp_path / "make.py"
    script.write_text("".join(write_python(parsed(body), "unused.zarr")), "utf-8")
    theirs = tmp_path / "theirs.zarr"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(script), str(theirs)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert described(read(theirs)) == described(read(store))
    assert sorted(path.relative_to(theirs) for path in theirs.rglob("*")) == sorted(
        path.relative_to(store) for path in store.rglob("*")
    )


def test_what_python_cannot_ask_for() -> None:
    """Filters that `createVariable` has no arguments for are told; the others become arguments."""
    head = "dimensions: x = 4 ; variables: int a(x) ;"
    assert losses_in_python(parsed(f'{head} a:_Shuffle = "true" ;'))
    for special, said in (
        ("a:_DeflateLevel = 3", "compression='zlib', complevel=3, shuffle=False"),
        (
            'a:_Filter = "32015,5" ; a:_Fletcher32 = "true"',
            "compression='zstd', complevel=5, fletcher32=True",
        ),
        ('a:_Filter = "307,9"', "compression='bzip2', complevel=9"),
        ('a:_Filter = "32001,0,0,0,0,7,2,1"', "compression='blosc_lz4', complevel=7, blosc_shuffle=2"),
    ):
        found = parsed(f"{head} {special} ;")
        assert not losses_in_python(found)
        assert said in "".join(write_python(found, "a.zarr", dialect="nczarr", zarr_format=3))


def run(*arguments: str, text: str | None = None) -> Any:
    """Run `omnizarr gen`."""
    return CliRunner().invoke(command, arguments, input=text)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a file or standard input, to NAME.zarr or what is asked for."""
    monkeypatch.chdir(tmp_path)
    Path("in.cdl").write_text("netcdf run1 { variables: int a ; data: a = 5 ; }")
    assert run("in.cdl").output == "made run1.zarr\n"
    with netcdf.Dataset("run1.zarr") as dataset:
        assert dataset["a"][...] == 5
    assert isinstance(run("in.cdl").exception, NodeExistsError)
    assert run("in.cdl", "--overwrite").exit_code == 0
    assert run("-", "-o", "b.zarr", "--zarr-format", "3", text="netcdf b {}").output == "made b.zarr\n"
    assert Path("b.zarr/zarr.json").exists()
    assert run("in.cdl", "-k", "classic").output == "made run1.nc\n"
    assert Path("run1.nc").read_bytes().startswith(b"CDF\x01")
    found = run("in.cdl", "-o", "c.zarr", "--dialect", "plain")
    assert found.exit_code == 0
    script = run("in.cdl", "-l", "python").output
    compile(script, "make.py", "exec")
    assert "'run1.zarr'" in script
    assert run("in.cdl", "-l", "python", "-o", "make.py").exit_code == 0
    assert Path("make.py").read_text() == script


def test_losses_are_told(tmp_path: Path) -> None:
    """On standard error; with --strict there is no dataset."""
    cdl = tmp_path / "a.cdl"
    cdl.write_text("netcdf a { dimensions: t = UNLIMITED ; variables: int a(t) ; data: a = 1 ; }")
    found = run(str(cdl), "-o", str(tmp_path / "a.zarr"), "--dialect", "xarray")
    assert "not kept: /: that the dimension t is unlimited" in found.stderr
    refused = run(str(cdl), "-o", str(tmp_path / "b.zarr"), "--dialect", "xarray", "--strict")
    assert isinstance(refused.exception, ConversionError)
    assert not (tmp_path / "b.zarr").exists()


def test_mistakes_name_the_file(tmp_path: Path) -> None:
    """And nothing is made."""
    cdl = tmp_path / "a.cdl"
    cdl.write_text("netcdf a {\n variables: int a(x) ;\n}")
    found = run(str(cdl), "-o", str(tmp_path / "a.zarr"))
    assert isinstance(found.exception, MetadataError)
    assert str(found.exception).startswith(f"{cdl}, line 2, column 19: there is no dimension 'x'")
    assert not (tmp_path / "a.zarr").exists()
    assert isinstance(run(str(tmp_path / "b.cdl")).exception, FileNotFoundError)


def test_from_cdl(tmp_path: Path) -> None:
    """As netCDF4-python's, in Zarr."""
    cdl = tmp_path / "a.cdl"
    cdl.write_text("netcdf a { variables: int a ; data: a = 5 ; }")
    with netcdf.Dataset.fromcdl(cdl) as dataset:
        dataset["a"][...] = dataset["a"][...] + 1
        assert dataset.filepath() == str(tmp_path / "a.nc")
    with netcdf.Dataset(tmp_path / "a.nc") as dataset:
        assert dataset["a"][...] == 6
    with pytest.raises(FileExistsError):
        netcdf.Dataset.fromcdl(cdl)
    with netcdf.Dataset.fromcdl(cdl, {}, mode="r") as dataset:
        assert dataset["a"][...] == 5
        with pytest.raises(PermissionError):
            dataset["a"][...] = 1
    with pytest.raises(ValueError, match="format"):
        netcdf.Dataset.fromcdl(cdl, {}, format="HDF4")
    with pytest.raises(FileNotFoundError):
        netcdf.Dataset.fromcdl(tmp_path / "none.cdl")


def test_bytes_that_are_not_text(tmp_path: Path) -> None:
    """Latin-1 in attributes and values of char comes through as it is."""
    cdl = tmp_path / "a.cdl"
    cdl.write_bytes(
        b'netcdf a { dimensions: x = 2 ; variables: char a(x) ; :k = "\xe9" ; data: a = "\xe9a" ; }'
    )
    with netcdf.Dataset.fromcdl(cdl) as dataset:
        assert dataset["a"][:].tobytes() == b"\xe9a"
    [attribute] = parse_cdl(read_cdl(cdl)).model.root.attributes
    assert attribute.value == "\udce9"


PIECES = """types:
  int(*) v ;
  v(*) vv ;
  char(*) t ;
  compound c {
    char s(4) ;
    string long ;
    char one ;
  }; // c
  compound d {
    char s(2) ;
  }; // d
  d(*) ds ;
dimensions:
	x = 2 ;
variables:
	v a ;
	vv b ;
	t e(x) ;
	c f ;
	ds g ;

// global attributes:
		c :attribute = {{"wxyz"}, "q", "z"} ;
		t :text = {"ab"} ;
data:

 a = {1, 2} ;

 b = {{1, 2}, {3}, {}} ;

 e = {"ab"}, {"c"} ;

 f = {{"abcd"}, "text", "x"} ;

 g = {{{"ab"}}, {{"cd"}}} ;
"""


@pytest.mark.parametrize("name", ["a.nc", "a.zarr", "a.zarr#mode=nczarr,v3"])
def test_sequences_alone_and_characters_within_values(name: str, tmp_path: Path) -> None:
    text = f"netcdf a {{\n{PIECES}}}\n"
    target = f"{tmp_path / 'a.nc'}" if name == "a.nc" else f"{(tmp_path / 'a.zarr').as_uri()}{name[6:]}"
    assert run("-", "-o", target, text=text).exit_code == 0
    shown = CliRunner().invoke(dump, [target, "-n", "a"])
    assert shown.stdout == text
