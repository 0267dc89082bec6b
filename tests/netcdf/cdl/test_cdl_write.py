"""CDL against `ncdump`, and against text of our own where that is not installed."""

from __future__ import annotations

import shutil
import subprocess
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omnizarr.errors import NodeNotFoundError
from omnizarr.netcdf.cdl.layout import Lines
from omnizarr.netcdf.cdl.options import Precision, Shown
from omnizarr.netcdf.cdl.special import Storage
from omnizarr.netcdf.cdl.spell import spelled_number
from omnizarr.netcdf.cdl.text import attribute_number, escaped_name, quoted, quoted_chars
from omnizarr.netcdf.cdl.write import write_cdl
from omnizarr.netcdf.model import AttributeModel, DimensionModel, GroupModel, VariableModel
from omnizarr.netcdf.types import BY_NAME, CHAR, DOUBLE, FLOAT, INT, STRING, AtomicType

NCDUMP = shutil.which("ncdump")
needs_ncdump = pytest.mark.skipif(NCDUMP is None, reason="ncdump is not installed (Debian: netcdf-bin)")

CLASSIC = Storage(kind="classic", superblock=None, is_netcdf4=None, is_zarr=False)

Data = Mapping[str, Any]
NUMBERS = [name for name, kind in BY_NAME.items() if kind.is_numeric]


def dump(root: GroupModel, data: Data | None = None, name: str = "a", **options: Any) -> str:
    def read(path: str, rows: slice) -> Any:
        values = np.asarray((data or {})[path])
        return values[rows] if values.ndim else values

    return "".join(write_cdl(root, name, read=None if data is None else read, **options))


def attribute(name: str, kind: AtomicType, *values: Any) -> AttributeModel:
    return AttributeModel(name, kind, values[0] if kind is CHAR else values)


def write_file(path: Path, root: GroupModel, data: Data, kind: str = "NETCDF4") -> None:
    with netCDF4.Dataset(path, "w", format=kind) as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # netCDF4 warns where a dtype says big-endian
        _write_group(file, root, "/", data)


def _write_group(target: Any, group: GroupModel, path: str, data: Data) -> None:
    for dimension in group.dimensions:
        target.createDimension(dimension.name, None if dimension.unlimited else dimension.size)
    _write_attributes(target, group.attributes)
    for variable in group.variables:
        fill = next((a.values[0] for a in variable.attributes if a.name == "_FillValue"), None)
        dtype = str if variable.type is STRING else variable.type.code
        names = tuple(dimension.rpartition("/")[2] for dimension in variable.dimensions)
        made = target.createVariable(variable.name, dtype, names, fill_value=fill)
        made.set_auto_mask(False)
        made.set_auto_scale(False)
        made.set_auto_chartostring(False)
        _write_attributes(made, [a for a in variable.attributes if a.name != "_FillValue"])
        values = np.asarray(data[f"{path}{variable.name}"])
        if values.size:
            made[tuple(slice(0, n) for n in values.shape) or ...] = values
    for inner in group.groups:
        _write_group(target.createGroup(inner.name), inner, f"{path}{inner.name}/", data)


def _write_attributes(target: Any, attributes: Any) -> None:
    for item in attributes:
        if item.type is STRING:
            target.setncattr_string(item.name, list(item.values) if len(item.values) > 1 else item.values[0])
        elif item.type is CHAR:
            target.setncattr(item.name, item.value)
        else:
            target.setncattr(item.name, np.array(item.values, item.type.code))


def ncdump(path: Path, *options: str) -> str:
    done = subprocess.run([str(NCDUMP), *options, path], capture_output=True, check=True, timeout=60)
    return done.stdout.decode("utf-8", "surrogateescape")


def rich() -> tuple[GroupModel, dict[str, Any]]:
    """A dataset with everything that CDL spells in a way of its own."""
    data: dict[str, Any] = {}
    variables, attributes = [], []
    for name in NUMBERS:
        kind = BY_NAME[name]
        attributes += [attribute(f"a_{name}", kind, 1, 2, 100), attribute(f"s_{name}", kind, 7)]
        variables.append(VariableModel(name=f"v_{name}", type=kind, dimensions=("/x",)))
        data[f"/v_{name}"] = np.array([1, 2, kind.default_fill, 3], kind.code)
        filled = (attribute("_FillValue", kind, 99),)
        variables.append(
            VariableModel(name=f"f_{name}", type=kind, dimensions=("/t", "/x"), attributes=filled)
        )
        data[f"/f_{name}"] = np.array([[0, 1, 2, 3], [99] * 4, [8, 9, 10, 99]], kind.code)
    odd = (1.5, 1e10, 1e-10, np.nan, np.inf, -np.inf, 1 / 3, 123456789.0, 0.0, -0.0, 1e5, 1e7, 1234567.0)
    attributes += [
        attribute("odd_f", FLOAT, *odd),
        attribute("odd_d", DOUBLE, *odd, 1e15, 1e16, 1e300, 5e-324),
        attribute("text", CHAR, "a \"q\" \\ 'single'\n next\tTab \x01\x7f \\n"),
        attribute("empty", CHAR, ""),
        attribute("none", INT),
        attribute("strings", STRING, "a", "b\nc", "é"),
        attribute("string", STRING, "é1"),
        attribute("odd name", INT, 1),
    ]
    special = np.array([1 / 3, np.nan, np.inf, -np.inf])
    text = np.array([list(b"ab   "), list(b"h\n'\"\\"), [0, 97, 0, 0, 0]], "u1").view("S1")
    units = (attribute("units", CHAR, "m"),)
    more: list[tuple[VariableModel, Any]] = [
        (VariableModel(name="dbl", type=DOUBLE, dimensions=("/x",)), special),
        (VariableModel(name="flt", type=FLOAT, dimensions=("/x",)), special.astype("f4")),
        (
            VariableModel(
                name="nanfill",
                type=FLOAT,
                dimensions=("/x",),
                attributes=(attribute("_FillValue", FLOAT, float("nan")),),
            ),
            special.astype("f4"),
        ),
        (VariableModel(name="scalar", type=DOUBLE, attributes=units), np.array(2.5)),
        (
            VariableModel(name="str", type=STRING, dimensions=("/x",)),
            np.array(['aé\n"', "", "x" * 90, "é" * 40], object),
        ),
        (VariableModel(name="str0", type=STRING), np.array("s", object)),
        (VariableModel(name="ch", type=CHAR, dimensions=("/t", "/name len")), text),
        (VariableModel(name="ch0", type=CHAR), np.array(b"c")),
        (
            VariableModel(name="ch1", type=CHAR, dimensions=("/name len",)),
            np.frombuffer("aé\x01\x7f".encode(), "S1"),
        ),
        (VariableModel(name="two", type=INT, dimensions=("/t", "/u", "/x")), np.arange(24).reshape(3, 2, 4)),
        (
            VariableModel(name="three", type=INT, dimensions=("/t", "/x", "/u")),
            np.arange(24).reshape(3, 4, 2),
        ),
        (
            VariableModel(name="nested", type=INT, dimensions=("/t", "/u", "/u")),
            np.arange(12).reshape(3, 2, 2),
        ),
        (VariableModel(name="chu", type=CHAR, dimensions=("/t", "/u")), np.array([[b"a", b"b"]] * 3)),
        (VariableModel(name="zero", type=INT, dimensions=("/z",)), np.zeros(0, "i4")),
        (VariableModel(name="1d", type=INT, dimensions=("/1d",)), np.arange(3)),
        (VariableModel(name="t", type=DOUBLE, dimensions=("/t",)), np.arange(3) * 1e-7),
        (VariableModel(name="data", type=DOUBLE, dimensions=("/t",), attributes=units), np.full(3, 0.1)),
        (
            VariableModel(
                name="cfmt",
                type=DOUBLE,
                dimensions=("/x",),
                attributes=(attribute("C_format", CHAR, "%8.3f"),),
            ),
            np.arange(4) / 3,
        ),
        (VariableModel(name="big", type=FLOAT, dimensions=("/big",)), np.arange(60) * 1.37e3),
        (
            VariableModel(name="bigger", type=FLOAT, dimensions=("/x", "/big")),
            (np.arange(240) * 1.37e-3).reshape(4, 60).astype("f4"),
        ),
    ]
    for variable, values in more:
        variables.append(variable)
        data[f"/{variable.name}"] = values
    deep = GroupModel(
        name="h",
        variables=(
            VariableModel(name="deep", type=FLOAT, dimensions=("/g one/x", "/big")),
            VariableModel(name="x", type=FLOAT, dimensions=("/g one/x",)),
        ),
    )
    data["/g one/h/deep"] = np.full((2, 60), 3.14159, "f4")
    data["/g one/h/x"] = np.full(2, 3.14159, "f4")
    group = GroupModel(
        name="g one",
        dimensions=(DimensionModel("x", 2), DimensionModel("y", 3)),
        attributes=units,
        variables=(VariableModel(name="gv", type=INT, dimensions=("/g one/x", "/t")),),
        groups=(deep,),
    )
    data["/g one/gv"] = np.ones((2, 3), "i4")
    root = GroupModel(
        name="/",
        dimensions=(
            DimensionModel("x", 4),
            DimensionModel("t", 3, True),
            DimensionModel("name len", 5),
            DimensionModel("u", 2, True),
            DimensionModel("z", 0, True),
            DimensionModel("1d", 3),
            DimensionModel("big", 60),
        ),
        attributes=tuple(attributes),
        variables=tuple(variables),
        groups=(group, GroupModel(name="empty")),
    )
    return root, data


@needs_ncdump
def test_everything_as_ncdump_writes_it(tmp_path: Path) -> None:
    root, data = rich()
    path = tmp_path / "a.nc"
    write_file(path, root, data)
    assert dump(root) == ncdump(path, "-h")
    assert dump(root, data) == ncdump(path)
    assert dump(root, data, shown=Shown(coordinates=True)) == ncdump(path, "-c")
    assert dump(root, data, shown=Shown(variables=["two", "x"])) == ncdump(path, "-v", "two,x")
    assert dump(root, data, shown=Shown(variables=["/g one/gv"])) == ncdump(path, "-v", "/g one/gv")
    assert dump(root, name="another name") == ncdump(path, "-h", "-n", "another name")


@needs_ncdump
def test_classic_text_breaks_after_newlines(tmp_path: Path) -> None:
    root = GroupModel(
        name="/",
        dimensions=(DimensionModel("x", 2),),
        attributes=(attribute("history", CHAR, "one\ntwo \\n\nthree\n"),),
        variables=(VariableModel(name="v", type=INT, dimensions=("/x",)),),
    )
    path = tmp_path / "a.nc"
    write_file(path, root, {"/v": [1, 2]}, "NETCDF3_CLASSIC")
    assert dump(root, {"/v": [1, 2]}, storage=CLASSIC) == ncdump(path)


# All but line feed (whose break is tested above), vertical tab (which ncdump misspells as \n) and NUL.
_TEXT = st.text(
    st.characters(min_codepoint=1, max_codepoint=0x2FF, blacklist_characters="\n\v"), max_size=100
)


@needs_ncdump
@settings(max_examples=15, deadline=None)
@given(
    doubles=st.lists(st.floats(width=64), min_size=1, max_size=30),
    floats=st.lists(st.floats(width=32), min_size=1, max_size=30),
    texts=st.lists(_TEXT, min_size=1, max_size=5),
)
def test_any_value_as_ncdump_writes_it(
    tmp_path_factory: pytest.TempPathFactory, doubles: list[float], floats: list[float], texts: list[str]
) -> None:
    root = GroupModel(
        name="/",
        dimensions=(
            DimensionModel("d", len(doubles)),
            DimensionModel("f", len(floats)),
            DimensionModel("s", len(texts)),
        ),
        attributes=(
            attribute("d", DOUBLE, *doubles),
            attribute("f", FLOAT, *floats),
            attribute("s", STRING, *texts),
        ),
        variables=(
            VariableModel(name="dv", type=DOUBLE, dimensions=("/d",)),
            VariableModel(name="fv", type=FLOAT, dimensions=("/f",)),
            VariableModel(name="sv", type=STRING, dimensions=("/s",)),
        ),
    )
    data = {
        "/dv": np.array(doubles),
        "/fv": np.array(floats, "f4"),
        "/sv": np.array(texts, object),
    }
    path = tmp_path_factory.mktemp("cdl") / "a.nc"
    write_file(path, root, data)
    assert dump(root, data) == ncdump(path)


def test_small_dataset_by_heart() -> None:
    root = GroupModel(
        name="/",
        dimensions=(DimensionModel("t", 2, True), DimensionModel("x y", 3)),
        attributes=(attribute("title", CHAR, 'a "b"'), attribute("n", BY_NAME["short"], 1, -2)),
        variables=(
            VariableModel(
                name="v",
                type=FLOAT,
                dimensions=("/t", "/x y"),
                attributes=(attribute("_FillValue", FLOAT, -1.0),),
            ),
        ),
        groups=(GroupModel(name="g", attributes=(attribute("s", STRING, "x", "y"),)),),
    )
    values = np.array([[0.5, -1, 2], [np.nan, np.inf, 1e-9]], "f4")
    assert dump(root, {"/v": values}, name="small") == (
        "netcdf small {\n"
        "dimensions:\n"
        "\tt = UNLIMITED ; // (2 currently)\n"
        "\tx\\ y = 3 ;\n"
        "variables:\n"
        "\tfloat v(t, x\\ y) ;\n"
        "\t\tv:_FillValue = -1.f ;\n"
        "\n"
        "// global attributes:\n"
        '\t\t:title = "a \\"b\\"" ;\n'
        "\t\t:n = 1s, -2s ;\n"
        "data:\n"
        "\n"
        " v =\n"
        "  0.5, _, 2,\n"
        "  NaNf, Infinityf, 1e-09 ;\n"
        "\n"
        "group: g {\n"
        "\n"
        "  // group attributes:\n"
        '  \t\tstring :s = "x", "y" ;\n'
        "  } // group g\n"
        "}\n"
    )


def test_shadowed_dimension_is_named_by_its_path() -> None:
    inner = GroupModel(
        name="g",
        dimensions=(DimensionModel("x", 2),),
        variables=(VariableModel(name="v", type=INT, dimensions=("/x", "/g/x")),),
    )
    root = GroupModel(name="/", dimensions=(DimensionModel("x", 1),), groups=(inner,))
    assert "\tint v(/x, x) ;\n" in dump(root)


def test_values_are_read_in_blocks() -> None:
    root = GroupModel(
        name="/",
        dimensions=(DimensionModel("y", 40), DimensionModel("x", 2**17)),
        variables=(VariableModel(name="v", type=BY_NAME["double"], dimensions=("/y", "/x")),),
    )
    sizes = []

    def read(path: str, rows: slice) -> Any:
        sizes.append(rows.stop - rows.start)
        return np.zeros((rows.stop - rows.start, 2**17))

    pieces = write_cdl(root, "a", read=read)
    while not sizes:
        next(pieces)
    assert sizes == [8]


def test_unknown_variable_is_refused_before_anything_is_written() -> None:
    with pytest.raises(NodeNotFoundError, match="no variable 'w'"):
        write_cdl(GroupModel(name="/"), "a", shown=Shown(variables=["w"]))


@pytest.mark.parametrize(
    ("name", "text"),
    [("a b", "a\\ b"), ("1d", "\\1d"), ("x/y", "x/y"), ("é", "é"), ("a\x01", "a\\%01"), ("-+.@_", "-+.@_")],
)
def test_names(name: str, text: str) -> None:
    assert escaped_name(name) == text


def test_text_keeps_bytes_that_are_not_utf8() -> None:
    assert quoted(b"\xff\x00").encode("utf-8", "surrogateescape") == b'"\xff"'
    assert quoted_chars(b"\xff\v\0") == '"\\377\\v"'


@pytest.mark.parametrize(
    ("kind", "value", "in_attribute", "in_data"),
    [
        ("float", 1.0, "1.f", "1"),
        ("double", 1e16, "1.e+16", "1e+16"),
        ("double", -0.0, "-0.", "-0"),
        ("float", float("-inf"), "-Infinityf", "-Infinityf"),
        ("uint64", 2**64 - 1, "18446744073709551615ULL", "18446744073709551615"),
        ("byte", -1, "-1b", "-1"),
    ],
)
def test_numbers(kind: str, value: float, in_attribute: str, in_data: str) -> None:
    assert attribute_number(kind)(value) == in_attribute
    assert spelled_number(BY_NAME[kind], value, Precision()) == in_data


def test_hostile_format_is_ignored() -> None:
    for text in ("%999999999d", "%s", "%d %d", "%n", "%f"):
        variable = VariableModel(
            name="v", type=INT, dimensions=("/x",), attributes=(attribute("C_format", CHAR, text),)
        )
        root = GroupModel(name="/", dimensions=(DimensionModel("x", 1),), variables=(variable,))
        assert " v = 5 ;\n" in dump(root, {"/v": [5]})


def test_lines_break_by_bytes_and_never_before_short_items() -> None:
    lines = Lines(width=12)
    lines.add("v = ", 4)
    for item in ("é" * 3, "}", ",\n"):
        lines.put(item)
    lines.put("12345678901")
    assert lines.take() == "v = ééé},\n\n    12345678901"
