"""Constants of CDL: how they are spelled, and which type they have."""

from __future__ import annotations

from math import inf, isnan
from typing import Any

import pytest
from cdl_reading import attribute, problems, values

from omnizarr.netcdf.cdl.reading.constants import unescaped
from omnizarr.netcdf.model.types import BY_NAME


@pytest.mark.parametrize(
    ("spelled", "kind", "found"),
    [
        ("1", "int", (1,)),
        ("+1", "int", (1,)),
        ("-2147483648", "int", (-2147483648,)),
        ("2147483648", "uint", (2147483648,)),
        ("-2147483649", "int64", (-2147483649,)),
        ("4294967296", "int64", (4294967296,)),
        ("9223372036854775808", "uint64", (9223372036854775808,)),
        ("1b, -128B", "byte", (1, -128)),
        ("255b", "byte", (-1,)),
        ("255ub", "ubyte", (255,)),
        ("1s", "short", (1,)),
        ("1US", "ushort", (1,)),
        ("1l", "int", (1,)),
        ("1u", "uint", (1,)),
        ("1UL", "uint", (1,)),
        ("1ll", "int64", (1,)),
        ("1ULL", "uint64", (1,)),
        ("077", "int", (63,)),
        ("-010", "int", (-8,)),
        ("00", "int", (0,)),
        ("0x10L", "uint", (16,)),
        ("0xFFus", "ushort", (255,)),
        ("1.", "double", (1.0,)),
        (".5", "double", (0.5,)),
        ("-.5e-3f", "float", (-0.5e-3,)),
        ("1e3", "double", (1000.0,)),
        ("1E+3d", "double", (1000.0,)),
        ("1.5L", "double", (1.5,)),
        ("1f", "float", (1.0,)),
        ("Infinity, -Infinity", "double", (inf, -inf)),
        ("Infinityf", "float", (inf,)),
        ("-Inff", "float", (-inf,)),
        ("DoubleInf", "double", (inf,)),
        ("'a'", "byte", (97,)),
        (r"'\n', '\'', '\101', '\x41', '\0', ''', '\\'", "byte", (10, 39, 65, 65, 0, 39, 92)),
        ("1s, 2", "int", (1, 2)),
        ("1u, -1", "int", (1, -1)),
        ("1, 2u", "uint", (1, 2)),
        ("3000000000, -1", "int64", (3000000000, -1)),
        ("1, 2.5f", "float", (1.0, 2.5)),
        ("1.5f, 2.5", "double", (1.5, 2.5)),
        ('"a", "b"', "char", "ab"),
        ("", "char", ""),
    ],
)
def test_type_follows_from_constants(spelled: str, kind: str, found: Any) -> None:
    """As ncgen has it, but that nothing wraps around."""
    name, value = attribute(f":k = {spelled} ;")
    assert name == kind
    assert value == pytest.approx(found) if kind in ("float", "double") else value == found


def test_nan_has_two_types() -> None:
    """`NaN` is a double, `NaNf` a float."""
    for spelled, kind in (("NaN", "double"), ("nan", "double"), ("NaNf", "float"), ("-NaN", "double")):
        name, found = attribute(f":k = {spelled} ;")
        assert name == kind
        assert isnan(found[0])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r"a\n\t\b\f\v\r\a", b"a\n\t\b\f\v\r\a"),
        (r"\"\'\\\?\q", b"\"'\\\x7fq"),
        (r"\x41\101\0\18", b"AA\0\x018"),
        (r"\%41", b"%41"),
        ("é\udcff", b"\xc3\xa9\xff"),
    ],
)
def test_escapes(text: str, found: bytes) -> None:
    """Letters, octal and hexadecimal bytes; another character is itself."""
    assert unescaped(text) == found


def test_text_of_attributes() -> None:
    """A char holds any bytes, a string no NUL."""
    assert attribute(r':k = "\xff\000é" ;') == ("char", "\udcff\0é")
    assert attribute('string :k = "x", NIL, "" ;') == ("string", ("x", "", ""))
    assert problems(r'string :k = "a\000" ;') == [
        "line 2, column 13: a value of type string ends where its first NUL is; only char holds one"
    ]


@pytest.mark.parametrize(
    ("kind", "spelled", "found"),
    [
        ("int", "0x10", 16),
        ("short", "0xFFFF", -1),
        ("byte", "0xff", -1),
        ("byte", "200", -56),
        ("uint64", "0xFFFFFFFFFFFFFFFF", 2**64 - 1),
        ("int", "3.", 3),
        ("float", "3", 3.0),
        ("float", "16777217", 16777216.0),
        ("double", "'a'", 97.0),
        ("int", "'\\200'", 128),
        ("byte", "'\\200'", -128),
        ("char", "'a'", b"a"),
        ("char", "66b", b"B"),
    ],
)
def test_constants_in_a_type(kind: str, spelled: str, found: Any) -> None:
    """What a type holds without change."""
    assert values(f"variables: {kind} a; data: a = {spelled} ;") == found


@pytest.mark.parametrize(
    ("kind", "spelled", "message"),
    [
        ("int", "1.5", "expected an integer for type int, found the number 1.5 (double)"),
        ("int", "NaN", "expected an integer for type int, found the number nan (double)"),
        ("short", "40000", "the number 40000 (int) does not fit type short, -32768 to 32767"),
        ("ubyte", "-1", "the number -1 (int) does not fit type ubyte, 0 to 255"),
        ("byte", "256", "the number 256 (int) does not fit type byte, -128 to 127"),
        ("float", "1e39", "the number 1e+39 (double) is too large for type float"),
        ("double", "1e400", "'1e400' is too large for type double"),
        ("short", "0x12345", "the opaque value 0x12345 has more than the 16 bits of type short"),
        ("float", "0x10", "expected a number for type float, found the opaque value 0x10"),
        ("int", '"x"', "expected a number for type int, found the text 'x'"),
        ("int", "x", "expected a number for type int, found the name 'x'"),
        ("int", "NIL", "expected a number for type int, found NIL"),
        ("string", "5", "expected a text in double quotes, found the number 5 (int)"),
        ("char", "65", "expected text for type char, found the number 65 (int)"),
        ("int", "08", "expected octal digits behind the leading zero, found '08'"),
        ("int", "1x", "expected a number, found '1x': there is no suffix 'x'"),
        ("int", "1.2.3", "expected a number, found '1.2.3'"),
        ("int", "300b", "'300b' is not of type byte, -128 to 127"),
        ("int", "'é'", "expected a single byte, found \"'é'\" of 2 bytes"),
        ("int", "''", "expected one character between single quotes, found \"'' ;\\n}\""),
        ("int", ".f", "expected a name, a value or punctuation, found '.'"),
    ],
)
def test_what_does_not_fit_is_refused(kind: str, spelled: str, message: str) -> None:
    """Nothing is cut, wrapped around or rounded to an integer; the place is named."""
    column = len(f"variables: {kind} a; data: a = ") + 1
    assert problems(f"variables: {kind} a; data: a = {spelled} ;") == [f"line 2, column {column}: {message}"]


def test_very_long_integers() -> None:
    """No integer has that many digits, and Python would not even read them."""
    [found] = problems(f":k = {'9' * 5000} ;")
    assert found.endswith("is too large for an integer; with a decimal point it is a double")
    assert attribute(f":k = {'9' * 300}. ;") == ("double", (1e300,))


@pytest.mark.parametrize("kind", [kind.name for kind in BY_NAME.values() if kind.is_numeric])
def test_bulk_and_single_values_agree(kind: str) -> None:
    """A comment makes a list be read token by token; both ways give the same."""
    dtype = BY_NAME[kind].dtype
    suffixes = {"float": "f", "double": "", "byte": "b", "ubyte": "ub", "short": "s", "ushort": "us"}
    listed = ["1", "_", " 12", "\n7 ", f"3{suffixes.get(kind, '')}", "0", "100"]
    if dtype.kind == "f":
        listed += ["-1.5e-3", "NaN", "-Infinityf" if kind == "float" else "-Infinity", "1e+05", ".5"]
    head = f"dimensions: x = {len(listed)} ; variables: {kind} a(x) ; data: a = "
    bulk = values(f"{head}{','.join(listed)} ;")
    single = values(f"{head}{','.join(listed)} /* ; */ ;")
    assert bulk == pytest.approx(single, nan_ok=True)
    assert bulk[:4] == [1, BY_NAME[kind].default_fill, 12, 7]


@pytest.mark.parametrize("listed", ["1, 010, 3", "1, 2,", "1 2, 3", "1, , 2", "1, 2_3", "1, inf", "1, +-2"])
def test_odd_lists_are_not_read_in_bulk(listed: str) -> None:
    """What Python's own conversions would take otherwise, or at all."""
    body = f"dimensions: x = 3 ; variables: double a(x) ; data: a = {listed} ;"
    if listed == "1, 010, 3":
        assert values(body) == [1, 8, 3]
    else:
        assert len(problems(body)) == 1


def test_values_beyond_a_type_in_bulk() -> None:
    """The one that does not fit is named, wherever it stands in a long list."""
    listed = ["1"] * 1000 + ["1e39"] + ["2"] * 1000
    [found] = problems(f"dimensions: x = 2001 ; variables: float a(x) ; data: a = {','.join(listed)} ;")
    assert found.endswith("the number 1e+39 (double) is too large for type float")
