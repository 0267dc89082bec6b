"""The user's types as CDL, against ncdump: of files that ncgen makes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import netCDF4
import numpy as np
import pytest
from click.testing import CliRunner
from ncdump_peer import ncdump, ncgen, needs_ncdump, needs_ncgen, our_dump

from omnizarr.cli.dump import command
from omnizarr.netcdf.cdl.writing.options import Precision
from omnizarr.netcdf.cdl.writing.spell import spelled_item
from omnizarr.netcdf.cdl.writing.write import write_cdl
from omnizarr.netcdf.model.nodes import AttributeModel, DimensionModel, GroupModel, VariableModel
from omnizarr.netcdf.model.types import (
    BYTE,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    Compound,
    Enum,
    Field,
    Opaque,
    Vlen,
)

_ENUM = "byte enum e_t {A = 0, B = 1, C = 5};"

DATASETS = {
    "enum": _ENUM
    + """uint64 enum big {x = 0, y = 9223372036854775807};
    short enum long_name_of_an_enum {first_member = -1, second_member = 2, third_member_of_all = 3, d = 4};
    dimensions: x = 2; y = 3;
    variables: e_t v(x, y); e_t s; big w(x); e_t f(x); e_t f:_FillValue = B; e_t f:a = A, B; e_t :g = C;
    data: v = A, B, C, A, B, C; s = C; w = x, y; f = A, B;""",
    "opaque": """opaque(5) o_t; opaque(11) p\\ t;
    dimensions: x = 2; t = unlimited;
    variables: o_t v(t, x); o_t s; o_t f(x); o_t f:_FillValue = 0x0102030405;
        o_t f:b = 0x00, 0xabcdef0123; p\\ t w;
    data: v = 0x0102030405, 0x0a0b0c0d0e, 0x0102030405, 0xffffffffff; s = 0x0102030405;
        f = 0x0102030405, 0x0102030406;""",
    "vlen": """int(*) i_t; double(*) d_t; float(*) f_t; byte(*) b_t;
    dimensions: x = 3; y = 2;
    variables: i_t v(x, y); i_t s; d_t d(x); f_t f(x); b_t b(x);
        i_t v:a = {1, 2}, {3}; i_t :g = {1, 2, 3}, {}, {4}; d_t :dd = {1.5, NaN, -Infinity};
    data: v = {1, 2}, {}, {3}, {4, 5, 6}, {7}, {8, 9}; s = {1}; d = {1.5}, {1e20, 0.1}, {NaN};
        f = {1.5f}, {0.1f}, {}; b = {1, 2}, {}, {-1};""",
    # Where one attribute ended, and not where it starts, tells where the next one breaks.
    "long vlen": """int(*) i_t; dimensions: x = 3; variables: i_t v(x); int w(x);
        i_t v:a = {0, 100000, 200000, 300000, 400000}, {1, 100001, 200001}, {2, 100002, 200002, 300002};
        i_t v:b = {1}, {2}; w:q = 3; i_t w:r = {1, 2, 3}; i_t :s = {123456789, 123456789, 123456789};
    data: v = {0, 100000, 200000, 300000, 400000, 500000}, {1, 100001, 200001, 300001, 400001}, {7};""",
    "strings": 'string(*) s_t; dimensions: x = 2; variables: s_t v(x); data: v = {"a", "b\\"c"}, {};',
    "nested vlen": """int(*) i_t; i_t(*) j_t; j_t(*) k_t;
    dimensions: x = 2; variables: j_t v(x); data: v = {{1, 2}, {3}}, {};""",
    "compound": """compound c_t {int a; float f; double d; byte b; short s; int64 l; ubyte ub; ushort us;
        uint u; uint64 ul;};
    dimensions: x = 2; t = unlimited;
    variables: c_t v(x); c_t s; c_t v:att = {1, 2.5, 3.5, 4, 5, 6, 7, 8, 9, 10}; c_t tv(t, x);
    data: v = {1, 2.5, 3.5, 4, 5, 6, 7, 8, 9, 10},
              {-1, NaNf, -Infinity, -4, -5, -6, 255, 65535, 4294967295, 18446744073709551615};
        s = {1, 2.5, 3.5, 4, 5, 6, 7, 8, 9, 10};
        tv = {1, 2.5, 3.5, 4, 5, 6, 7, 8, 9, 10}, {1, 2.123456789, 3.5, 4, 5, 6, 7, 8, 9, 10};""",
    "arrays": """compound c_t {int a(2); float f(2, 3); char c(4); char d(2, 3); char e;};
    dimensions: x = 2; variables: c_t v(x);
    data: v = {{1, 2}, {1, 2, 3, 4, 5, 6}, {"abcd"}, {"abc", "de"}, "x"},
              {{3, 4}, {1, 2, 3, 4, 5, .1}, {"a"}, {"b", "c"}, "y"};""",
    "nested": """compound i_t {int a; float e;}; compound c_t {i_t i; float f;};
    dimensions: x = 2; variables: c_t v(x); data: v = {{1, 2.5}, 1.5}, {{2, 3.5}, 2.5};""",
    "compound of vlens": """int(*) i_t; compound c_t {int a; i_t v; string s; string ss(2);};
    dimensions: x = 2; variables: c_t v(x);
    data: v = {1, {1, 2, 3}, "abc", {"d", "e\\n"}}, {2, {}, "", {"", "é"}};""",
    "vlen of compounds": """compound c_t {int a; float b;}; c_t(*) v_t;
    dimensions: x = 2; variables: v_t v(x); data: v = {{1, 2.5}, {3, 4.5}}, {};""",
    "fill": """compound c_t {int a; float b;};
    dimensions: x = 3; variables: c_t v(x); c_t v:_FillValue = {1, 2.5};
    data: v = {1, 2.5}, {3, 4.5}, _;""",
    "groups": _ENUM
    + """dimensions: x = 2; d1 = 3; variables: e_t v(x); data: v = A, B;
    group: g {
        types: int(*) g_t; compound k_t {g_t a; e_t e;};
        dimensions: x = 5;
        variables: g_t gv(/x); e_t ge(x); k_t kv; k_t kv:u = {{1, 2}, B}; int d(d1);
        data: gv = {1}, {2, 3}; ge = A, A, B, B, C; kv = {{1, 2}, B};
        group: h { variables: g_t hv; data: hv = {5}; }
    }
    group: k { variables: /g/g_t kv; /g/g_t kv:at = {1, 2}; :n = 1; data: kv = {1}; }""",
    # Variables of dimensions' names; netCDF4-python knows no opaque types.
    "coordinates": _ENUM
    + """opaque(3) o_t; dimensions: x = 2; y = 2; variables: o_t x(x); e_t y(y); o_t z(y, x); o_t y2(y);
    data: x = 0x010203, 0x040506; y = A, B; z = 0x010203, 0x040506, 0x010203, 0x040506;
        y2 = 0x010203, 0x040506;""",
    # Of these less was written than the unlimited dimension is long.
    "grown": _ENUM
    + """opaque(3) o_t; int(*) i_t; compound c_t {int a; float b;}; dimensions: x = 2; t = unlimited;
    variables: int w(t); o_t o(t); e_t e(t); i_t i(t); c_t c(t, x);
    data: w = 1, 2, 3; o = 0x010203; e = A, B, C;""",
}
OPTIONS = [(), ("-h",), ("-s",), ("-p", "3,5"), ("-f", "c"), ("-b", "f"), ("-l", "30"), ("-c",), ("-t",)]


@needs_ncdump
@needs_ncgen
@pytest.mark.parametrize("name", DATASETS)
def test_types_and_values_as_ncdump_writes_them(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.nc"
    ncgen("netcdf a { types: " + DATASETS[name] + " }", path)
    for options in OPTIONS:
        assert our_dump(path, *options) == ncdump(path, *options), options


def dumped(root: GroupModel, data: dict[str, Any] | None = None) -> str:
    read = None if data is None else lambda path, rows: np.asarray((data or {})[path])
    return "".join(write_cdl(root, "a", read=read))


_X = (DimensionModel("x", 2),)


def test_a_type_that_is_hidden_by_another_is_called_by_its_path() -> None:
    # ncdump 4.9.0 writes `t`, which is the other type.
    outer, inner = Vlen("/t", INT), Vlen("/g/t", DOUBLE)
    group = GroupModel(
        name="g",
        types=(inner, Compound("/g/c", (Field("a", outer), Field("b", inner)))),
        variables=(VariableModel(name="v", type=outer), VariableModel(name="w", type=inner)),
        attributes=(AttributeModel("q", outer, ((1,),)),),
    )
    other = GroupModel(name="1 h", variables=(VariableModel(name="u", type=inner),))
    text = dumped(GroupModel(name="/", types=(outer,), groups=(group, other)))
    assert "/t v ;" in text and "  \tt w ;" in text and "/t a ;" in text and "  t b ;" in text
    assert "/g/t u ;" in text and "\t\t/t :q = {1} ;" in text


def test_names_of_types_and_members_are_escaped_everywhere() -> None:
    # ncdump 4.9.0 leaves members in data as they are, and ncgen does not read what it writes.
    kind = Enum("/1 e", BYTE, (("a b", 0), ("2", 1)))
    root = GroupModel(
        name="/",
        types=(kind, Opaque("/o,p", 2)),
        dimensions=_X,
        variables=(VariableModel(name="v", type=kind, dimensions=("/x",)),),
    )
    text = dumped(root, {"/v": [0, 1]})
    assert "byte enum \\1\\ e {a\\ b = 0, \\2 = 1} ;" in text and "opaque(2) o\\,p ;" in text
    assert " v = a\\ b, \\2 ;" in text


def test_numbers_without_a_name_stay_numbers() -> None:
    # ncdump 4.9.0 ends with an error.
    kind = Enum("/e", BYTE, (("a", 0),))
    root = GroupModel(
        name="/", dimensions=_X, variables=(VariableModel(name="v", type=kind, dimensions=("/x",)),)
    )
    assert " v = a, -127 ;" in dumped(root, {"/v": [0, -127]})


def test_every_element_of_a_field_counts_when_values_are_compared_with_the_fill_value() -> None:
    # ncdump 4.9.0 compares the first elements only, and shows the second value as `_` too.
    kind = Compound("/c", (Field("a", INT, (2,)),))
    fill = AttributeModel("_FillValue", kind, (((1, 2),),))
    variable = VariableModel(name="v", type=kind, dimensions=("/x",), attributes=(fill,))
    root = GroupModel(name="/", types=(kind,), dimensions=_X, variables=(variable,))
    values = np.array([([1, 2],), ([1, 3],)], kind.dtype)
    assert " v = _, {{1, 3}} ;" in dumped(root, {"/v": values})


@pytest.mark.parametrize(
    ("kind", "item", "text"),
    [
        (Vlen("/v", CHAR), (b"a", b"\n", b'"'), '{"a\\n\\""}'),  # ncdump 4.9.0 crashes
        (Vlen("/v", STRING), ("a\v", ""), '{"a\\v", ""}'),  # ncdump 4.9.0 writes \v as \n
        (Vlen("/v", FLOAT), (1.0, float("nan"), float("-inf")), "{1, NaNf, -Infinityf}"),
        (Vlen("/v", DOUBLE), (), "{}"),
        (
            Compound("/c", (Field("a", CHAR, (2, 2)),)),
            ((b"a", b"\0", b"\xff", b"'"),),
            '{{"a", "\\377\\\'"}}',
        ),
        (Compound("/c", (Field("a", CHAR),)), (b"\0",), '{""}'),
        (Opaque("/o", 3), b"\x00\xab\x0f", "0X00AB0F"),
    ],
)
def test_values_by_heart(kind: Any, item: Any, text: str) -> None:
    assert spelled_item(kind, item, Precision()) == text


def test_files_of_h5py(tmp_path: Path) -> None:
    """Complex numbers and truth values are records and enums there, of types without a name or with one."""
    with h5py.File(tmp_path / "a.nc", "w", track_order=True) as made:
        made["complex"] = np.dtype("c8")
        made["truth"] = np.dtype("?")
        made.create_dataset("z", data=np.array([1 + 2j, 3 - 4j], "c8"), dtype=made["complex"])
        made.create_dataset("b", data=np.array([True, False]), dtype=made["truth"])
        made.create_dataset("unnamed", data=np.array([(1, 2)], "i4,i4"))
    with netCDF4.Dataset(tmp_path / "a.nc") as theirs:
        assert "z" in theirs.variables
    text = our_dump(tmp_path / "a.nc")
    assert "byte enum truth {FALSE = 0, TRUE = 1} ;" in text
    assert " z = {1, 2}, {3, -4} ;" in text and " b = TRUE, FALSE ;" in text
    assert "unnamed" not in text


@needs_ncgen
def test_what_h5py_cannot_read_is_refused_by_name(tmp_path: Path) -> None:
    cdl = """netcdf a { types: compound c_t {int a; string s;}; c_t(*) v_t; dimensions: x = 1;
        variables: v_t v(x); }"""
    ncgen(cdl, tmp_path / "a.nc")
    assert "\tv_t v(x) ;\n" in our_dump(tmp_path / "a.nc", "-h")
    told = CliRunner().invoke(command, [str(tmp_path / "a.nc")])
    assert told.exit_code == 2 and "/v: h5py cannot read values of type v_t" in told.stderr
