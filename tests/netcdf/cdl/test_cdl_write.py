"""CDL against `ncdump`, and against text of our own where that is not installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cdl_samples import Data, attribute, rich, write_file
from hypothesis import given, settings
from hypothesis import strategies as st
from ncdump_peer import ncdump, needs_ncdump

from omnizarr.errors import NodeNotFoundError
from omnizarr.netcdf.cdl.text import attribute_number, escaped_name, quoted, quoted_chars
from omnizarr.netcdf.cdl.writing.layout import Lines
from omnizarr.netcdf.cdl.writing.options import Precision, Shown
from omnizarr.netcdf.cdl.writing.special import Storage
from omnizarr.netcdf.cdl.writing.spell import spelled_number
from omnizarr.netcdf.cdl.writing.write import write_cdl
from omnizarr.netcdf.model.nodes import DimensionModel, GroupModel, VariableModel
from omnizarr.netcdf.model.types import BY_NAME, CHAR, DOUBLE, FLOAT, INT, STRING

CLASSIC = Storage(kind="classic", superblock=None, is_netcdf4=None, is_zarr=False)


def dump(root: GroupModel, data: Data | None = None, name: str = "a", **options: Any) -> str:
    def read(path: str, rows: slice) -> Any:
        values = np.asarray((data or {})[path])
        return values[rows] if values.ndim else values

    return "".join(write_cdl(root, name, read=None if data is None else read, **options))


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


@settings(max_examples=50, deadline=None)
@given(
    sizes=st.lists(st.sampled_from([1, 2, 3, 4, 5, 8, 10, 30, 76, 78, 79, 90]), min_size=1, max_size=12),
    width=st.sampled_from([10, 20, 40, 80]),
    indent=st.sampled_from(["", "    "]),
)
def test_items_at_once_break_as_items_one_by_one(sizes: list[int], width: int, indent: str) -> None:
    texts = ["x" * size for size in sizes]
    one_by_one, at_once = Lines(width), Lines(width)
    for lines in (one_by_one, at_once):
        lines.indent = indent
        lines.add("v = ", 4)
    for text in texts[:-1]:
        one_by_one.put(text + ", ")
    one_by_one.put(texts[-1])
    at_once.put_all(", ".join(texts))
    assert at_once.take() == one_by_one.take()


def test_c_format_of_any_kind() -> None:
    def shown(pattern: str, *given: Any, digits: Precision | None = None) -> str:
        format_ = attribute("C_format", CHAR, pattern)
        variable = VariableModel(name="v", type=DOUBLE, dimensions=("/x",), attributes=(format_,))
        root = GroupModel(name="/", dimensions=(DimensionModel("x", len(given)),), variables=(variable,))
        text = dump(root, {"/v": given}, shown=Shown(precision=digits or Precision()))
        return text.partition("data:\n\n")[2].removesuffix(" ;\n}\n")

    assert shown("%5.1f", 1.25, float("nan")) == " v =   1.2, NaN"
    # A comma of its own is none between values; and where digits are asked for, there is no format.
    assert shown("%.0f, m", *range(14)).count("\n    ") == 1
    assert shown("%5.1f", 1.25, digits=Precision(3, 4)) == " v = 1.25"
    assert shown("%5.1f", 1.25, digits=Precision(3)) == " v =   1.2"
