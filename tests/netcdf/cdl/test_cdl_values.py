"""Lists of values in CDL: which elements they are, and what is filled."""

from __future__ import annotations

from math import prod
from time import perf_counter
from typing import Any

import numpy as np
import pytest
from cdl_reading import parsed, problems, values
from hypothesis import given, settings
from hypothesis import strategies as st

from omnizarr.netcdf.cdl.reading.characters import packed, rows_of
from omnizarr.netcdf.cdl.reading.values import Data, regions
from omnizarr.netcdf.model.types import INT

FILL = -2147483647


def sizes(body: str) -> dict[str, int]:
    """Return the sizes of dimensions."""
    return {dimension.name: dimension.size for dimension in parsed(body).model.root.dimensions}


def test_what_a_list_leaves_out_is_filled() -> None:
    """By `_FillValue`, or the default of the type."""
    head = "dimensions: x = 3 ; y = 2 ; variables: int a(y, x) ;"
    assert values(f"{head} data: a = 1, _, 3, 4 ;") == [[1, FILL, 3], [4, FILL, FILL]]
    assert values(f"{head} a:_FillValue = 7 ; data: a = 1, _ ;") == [[1, 7, 7], [7, 7, 7]]
    assert values(f"{head} data: a = ;") == [[FILL] * 3] * 2
    assert "/a" not in parsed(head).values
    assert values("variables: int a ; data: a = ;") == FILL


def test_values_may_come_from_below() -> None:
    """A variable of another group by its path; the last list counts."""
    found = parsed("variables: int a ; group: g { data: /a = 5 ; } group: h { data: /a = 6 ; }")
    assert found.values["/a"].array() == 6


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("variables: int a(x) ; data: a = 1, 2, 3, 4 ;", "at most 3 values for 'a', found 4"),
        ("variables: int a ; data: a = 1, 2 ;", "at most 1 values for 'a', found 2"),
        ('variables: char a(x) ; data: a = "abcd" ;', "at most 3 characters for 'a', found 4"),
        ('variables: char a ; data: a = "ab" ;', "at most 1 characters, found 2"),
        ('variables: char a(y, x) ; data: a = "a", "b", "c" ;', "at most 6 characters for 'a', found 7"),
        ("variables: int a(x) ; data: a = {1, 2, 3} ;", "expected a value, found '{'"),
        ("variables: int a(x) ; data: a = 1 2 ;", "expected ',' or the end of the list, found '2'"),
        (
            "variables: int a(t, u) ; data: a = 1, 2 ;",
            "expected '{' in front of the values along unlimited dimension 'u', found '1'",
        ),
        ("variables: int a(x, u) ; data: a = {1}, {2}, {3}, {4} ;", "at most 3 values for 'a', found 4"),
        (
            "types: int(*) v ; variables: v a ; data: a = 1 ;",
            "expected '{' in front of a value of type v, found '1'",
        ),
        (
            "types: compound c { int a ; } ; variables: c a ; data: a = {1, 2} ;",
            "expected the end of 1 fields of c, found ','",
        ),
        (
            "types: compound c { int a(2) ; } ; variables: c a ; data: a = {1} ;",
            "expected '{' in front of the values of field 'a', found '1'",
        ),
        (
            "types: compound c { int a(2) ; } ; variables: c a ; data: a = {{1, 2, 3}} ;",
            "expected at most 2 values of field 'a', found 3",
        ),
        (
            'types: compound c { char a(2) ; } ; variables: c a ; data: a = {{"abc"}} ;',
            "expected at most 2 characters, found 3",
        ),
        (
            "types: opaque(2) o ; variables: o a ; data: a = 0x010203 ;",
            "expected 0x and at most 4 hexadecimal digits for type o, found 6 digits",
        ),
        (
            "types: byte enum e {A = 1} ; variables: e a ; data: a = B ;",
            "expected a member of enum e (A), found the name 'B'",
        ),
    ],
)
def test_lists_that_do_not_fit(body: str, message: str) -> None:
    """Too many values are refused, and values in the wrong place."""
    [found] = problems(
        f"{body.partition('variables')[0]} dimensions: x = 3 ; y = 2 ; t = UNLIMITED ; "
        f"u = UNLIMITED ; variables{body.partition('variables')[2]}"
    )
    assert found.endswith(message)


def test_sizes_of_unlimited_dimensions() -> None:
    """The longest list counts; braces for all but the first."""
    head = "dimensions: t = UNLIMITED ; u = UNLIMITED ; x = 2 ; variables: "
    body = f"{head} int a(t, u) ; int b(t) ; data: a = {{1, 2, 3}}, {{4}}, {{}} ; b = 1 ;"
    assert sizes(body) == {"t": 3, "u": 3, "x": 2}
    assert values(body) == [[1, 2, 3], [4, FILL, FILL], [FILL] * 3]
    body = f"{head} int a(x, u) ; data: a = {{1, 2, 3}} ;"
    assert values(body) == [[1, 2, 3], [FILL] * 3]
    body = f"{head} int a(t, x) ; data: a = 1, 2, 3 ;"
    assert values(body) == [[1, 2], [3, FILL]]
    body = f"{head} int a(x, u, x) ; data: a = {{1, 2, 3}}, {{4, 5, 6, 7, 8}} ;"
    assert values(body) == [[[1, 2], [3, FILL], [FILL] * 2], [[4, 5], [6, 7], [8, FILL]]]


def test_three_unlimited_dimensions() -> None:
    """Braces within braces."""
    head = "dimensions: t = UNLIMITED ; u = UNLIMITED ; v = UNLIMITED ; variables: int a(t, u, v) ; data: "
    body = f"{head} a = {{{{1, 2}}, {{3}}}}, {{{{4}}, {{5, 6, 7}}}} ;"
    assert values(body) == [[[1, 2, FILL], [3, FILL, FILL]], [[4, FILL, FILL], [5, 6, 7]]]


@pytest.mark.parametrize(
    ("listed", "found"),
    [
        ('"abc", "d"', [b"abc", b"d\0\0"]),
        ('"abcde"', [b"abc", b"de\0"]),
        ('{"abc", "d"}', [b"abc", b"d\0\0"]),
        ("'a', 'b', 'c', 'd'", [b"abc", b"d\0\0"]),
        ("'a', \"d\"", [b"a\0\0", b"d\0\0"]),
        ('"", "d"', [b"\0\0\0", b"d\0\0"]),
        ('_, "d"', [b"\0\0\0", b"d\0\0"]),
        ('"d"', [b"d\0\0", b"\0\0\0"]),
        ("", [b"\0\0\0", b"\0\0\0"]),
        (r'"a\n", "b", "c"', [b"a\nb", b"c\0\0"]),
        (r'"\n", "", "\n", ""', [b"\n\0\0", b"\n\0\0"]),
        (r'"a\n", "b"', [b"a\n\0", b"b\0\0"]),
        ("97b, 98ub", [b"ab\0", b"\0\0\0"]),
    ],
)
def test_rows_of_characters(listed: str, found: list[bytes]) -> None:
    """Each text begins a row; but for texts that a dump has broken behind newlines."""
    body = f"dimensions: x = 3 ; y = 2 ; variables: char a(y, x) ; data: a = {listed} ;"
    assert [b"".join(c or b"\0" for c in row) for row in values(body)] == found


def test_characters_along_one_axis() -> None:
    """Texts simply follow each other; the fill value comes behind."""
    head = "dimensions: x = 4 ; t = UNLIMITED ; n = 2 ; variables: "
    assert values(f'{head} char a(x) ; data: a = "a", "b", \'c\' ;') == [b"a", b"b", b"c", b""]
    assert values(f'{head} char a(x) ; a:_FillValue = "*" ; data: a = "a" ;') == [b"a", b"*", b"*", b"*"]
    assert values(f'{head} char a(t) ; data: a = "ab\\n", "" ;') == [b"a", b"b", b"\n"]
    assert values(f'{head} char a(t, n) ; data: a = "a", "bcd" ;') == [[b"a", b""], [b"b", b"c"], [b"d", b""]]
    assert values(f'{head} char a(n, t) ; data: a = {{"a"}}, {{"bcd"}} ;') == [
        [b"a", b"", b""],
        [b"b", b"c", b"d"],
    ]
    assert values(f'{head} char a ; data: a = "\\n", "" ;') == b"\n"
    assert values(f'{head} char a ; data: a = "" ;') == b""


def test_the_size_that_a_dump_notes_tells_rows_from_their_rest() -> None:
    """`"a\\n", "b"` may be one row of a growing array or two; the comment of a dump says which."""
    text = 'dimensions: t = UNLIMITED ;{} n = 3 ; variables: char a(t, n) ; data: a = "a\\n", "b" ;'
    assert len(values(text.format(""))) == 2
    assert len(values(text.format(" // (1 currently)\n"))) == 1


def test_values_of_user_types() -> None:
    """Records, sequences, opaque values and enums, within each other; what they leave out is filled."""
    body = """types: byte enum e {A = 0, B = 1} ; opaque(3) o ; int(*) v ; char(*) w ;
      compound c { int i ; float f(2, 2) ; string s ; e en ; char t(2, 2) ; v list ; o op ; } ;
    dimensions: x = 3 ;
    variables: c a(x) ; w b(x) ; v d(x) ; o p(x) ; v r(x) ;
    data: a = {1, {1, 2, 3}, "s", B, {"a", "bc"}, {7, 8}, 0x010203}, {2}, {_, _, "q", e.B} ;
      b = {"ab"}, {'c', 'd'} ; d = {1, 2}, {} ; p = 0x1, 0X0102, _ ; r = _, {5} ;"""
    found = parsed(body).values
    a = found["/a"].array()
    assert a["i"].tolist() == [1, 2, FILL]
    nan = np.float32(9.969209968386869e36)
    assert np.array_equal(a["f"], np.array([[[1, 2], [3, nan]], [[nan] * 2] * 2, [[nan] * 2] * 2], "f4"))
    assert a["s"].tolist() == ["s", "", "q"]
    assert a["en"].tolist() == [1, 0, 1]
    assert a["t"].tolist()[0] == [[b"a", b""], [b"b", b"c"]]
    assert [item.tolist() for item in a["list"]] == [[7, 8], [FILL], [FILL]]
    assert bytes(a["op"][0]) == b"\1\2\3"
    assert [b"".join(item) for item in found["/b"].array()] == [b"ab", b"cd", b""]
    assert [item.tolist() for item in found["/d"].array()] == [[1, 2], [], [FILL]]
    assert [bytes(item) for item in found["/p"].array()] == [b"\x10\0\0", b"\1\2\0", b"\0\0\0"]
    assert [item.tolist() for item in found["/r"].array()] == [[FILL], [5], [FILL]]


def test_fill_values_of_user_types() -> None:
    """`_FillValue` says what is left out."""
    body = """types: compound c { int a ; float b ; } ; int(*) v ; dimensions: x = 2 ;
    variables: c a(x) ; c a:_FillValue = {7, 8} ; v b(x) ; v b:_FillValue = {1, 2} ;
    data: a = {1, 2} ; b = {} ;"""
    found = parsed(body).values
    assert found["/a"].array().tolist() == [(1, 2.0), (7, 8.0)]
    assert found["/a"].is_stored
    assert [item.tolist() for item in found["/b"].array()] == [[], [1, 2]]


def test_a_short_list_takes_little_memory() -> None:
    """What is not there is not made up."""
    body = (
        'dimensions: x = 1000000000000 ; variables: int a(x) ; char b(x, x) ; data: a = 1, 2 ; b = "a", "b" ;'
    )
    found = parsed(body).values
    assert [(start, run.tolist()) for start, run in found["/a"].runs] == [(0, [1, 2])]
    assert [(start, run.tobytes()) for start, run in found["/b"].runs] == [(0, b"a"), (10**12, b"b")]
    assert list(found["/a"].missing()) == [(2, 10**12)]
    body = "types: compound c { char t(16000000) ; } ; dimensions: x = 1000 ; variables: c a(x) ; data: a = "
    [problem] = problems(f"{body} {', '.join(['{}'] * 100)} ;")
    assert "take more than a gigabyte" in problem


def test_ten_megabytes_take_seconds() -> None:
    """A list of plain numbers is read in bulk."""
    count = 1_000_000
    listed = ", ".join(map(str, range(1_000_000, 1_000_000 + count)))
    begun = perf_counter()
    found = parsed(f"dimensions: x = {count} ; variables: int a(x) ; data: a = {listed} ;")
    assert perf_counter() - begun < 5
    assert found.values["/a"].array()[-1] == 1_999_999


@settings(max_examples=50)
@given(st.data())
def test_regions_of_a_run(data: Any) -> None:
    """Any run of elements comes apart into regions that hold just these."""
    shape = tuple(data.draw(st.lists(st.integers(1, 4), max_size=4)))
    start = data.draw(st.integers(0, prod(shape)))
    stop = data.draw(st.integers(start, prod(shape)))
    found = np.full(shape, -1)
    for region, part in regions(shape, start, np.arange(start, stop)):
        assert (found[region] == -1).all()
        found[region] = part
    assert [value for value in found.ravel().tolist() if value >= 0] == list(range(start, stop))
    assert found.ravel()[start:stop].tolist() == list(range(start, stop))


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 9000), st.integers(1, 5)), max_size=8))
def test_merged_runs(gaps: list[tuple[int, int]]) -> None:
    """Runs that are near each other are written as one, with the fill value between them."""
    runs, at = [], 0
    for gap, length in gaps:
        runs.append((at + gap, np.arange(length, dtype="i4")))
        at += gap + length
    data = Data(INT, (at + 5,), tuple(runs), FILL, True)
    whole = np.full(at + 5, FILL)
    for start, part in data.merged():
        whole[start : start + len(part)] = part
    assert np.array_equal(whole, data.array())
    missing = {at for start, stop in data.missing() for at in range(start, stop)}
    given = {at for start, part in runs for at in range(start, start + len(part))}
    assert missing | given == set(range(at + 5))
    assert not missing & given


def test_rows_stay_apart_where_little_is_given() -> None:
    """A row of a billion characters is not filled to tell where the next one begins."""
    rows = rows_of([b"a", b"b"], 10**9, None)
    assert packed(rows, b"\0") == rows == ((0, b"a"), (10**9, b"b"))
    assert packed(rows_of([b"a", b"b"], 4, None), b"*") == ((0, b"a***b"),)
