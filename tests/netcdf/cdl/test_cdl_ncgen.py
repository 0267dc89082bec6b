"""What we read of CDL against what ncgen makes of it, shown by ncdump."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cdl_reading import assert_as_ncgen, described, made_by_ncgen, needs_ncgen, parsed
from ncdump_peer import ncdump, our_dump

from omnizarr.netcdf.cdl.generate import generate
from omnizarr.netcdf.cdl.reading.parse import parse_cdl

pytestmark = needs_ncgen

TEXTS = {
    "attributes": """variables: int a ; a:i = 1s, 2L ; a:j = 1, 2b, 3s ; a:u = 3000000000 ;
      a:l = -3000000000 ;
      a:f = 1e3f ; a:g = 1, 2.5f ; a:h = 1.5f, 2.5 ; a:c = 'a', 'b' ; a:b = 200b ; a:uu = 1u, 1ub ;
      a:us = 1us ; a:ull = 1ull ; a:ll = 5ll ; a:oct = 077, -010, 0 ; a:d = 1.5d, 2.5D, 1.5L, .5, 5.e3 ;
      a:t = "a", "b" ; string a:s = "x", "y" ; string a:none = "x", NIL ; a:e = ; a:n = NaN, nan ;
      a:m = NaNf ;
      a:inf = Infinity, -Infinity ; a:inff = -Infinityf, FloatInf ; int :k = 5 ; double :x = 1 ;
      long :y = 1 ;
      char :z = "a", 'b', 65b ; short a:sh = 'a', 1.0, 3ull ; a:hexs = 0x12L ;
      :esc = "\\n\\t\\061\\?\\'\\"\\\\\\a\\b\\f\\v\\r\\q\\%41" ; :two = "one
line" ;""",
    "fill values": """dimensions: x = 3 ; y = 2 ; variables: int a(x) ; a:_FillValue = 7 ; float b(y, x) ;
      string c(x) ; c:_FillValue = "none" ; char d(y, x) ; d:_FillValue = "*" ; byte e(x) ;
      int64 f ; double g ; g:_FillValue = -1 ; char h ; h:_FillValue = 'q' ;
      data: a = 1 ; b = 1, _, 3, 4 ; c = _, "x" ; d = "b" ; e = _, 200 ; f = _ ; g = _ ; h = _ ;""",
    "numbers": """dimensions: x = 5 ; variables: byte a(x) ; ubyte b(x) ; short c(x) ; ushort d(x) ;
      int e(x) ;
      uint f(x) ; int64 g(x) ; uint64 h(x) ; float i(x) ; double j(x) ;
      data: a = 1, -128, 255, 'a', 0xFF ; b = 1, 255, 3ub, 4 ; c = 1s, 0xFFFF, -32768 ; d = 65535 ;
      e = 0xFFFFFFFF, 010, 1.0, 'a', -1 ; f = 4294967294 ; g = -9223372036854775808, 9223372036854775807 ;
      h = 18446744073709551615, 1 ; i = 1, .5, -1e-3, NaN, -Infinityf ; j = 1, 0.5f, NaNf, Infinity ;""",
    "characters": """dimensions: x = 3 ; y = 2 ; n = 8 ; t = UNLIMITED ; variables: char a(y, x) ;
      char b(y, x) ;
      char c(x) ; char d(t) ; char e(x) ; char f ; char g(y, n) ; char h ; char i(y, x) ;
      data: a = "abc", "d" ; b = "abcde" ; c = "a", "b" ; d = "ab", "c" ; e = 'a', 'b' ; f = "x" ;
      g = "one", "two" ; h = "" ; i = {"", "d"} ;""",
    "unlimited": """dimensions: t = UNLIMITED ; u = unlimited ; x = 2 ; y = 2 ;
      variables: int a(t, u) ; int b(t) ;
      int c(x, u) ; int d(x, u, y) ; int e(t, x) ; string s(t, u) ;
      data: a = {1, 2, 3}, {4}, {} ; b = 1 ; c = {1, 2, 3} ; d = {1, 2, 3}, {4, 5, 6, 7, 8} ; e = 1, 2, 3 ;
      s = {"ab", "cd"}, {"e"} ;""",
    "three unlimited": """dimensions: t = UNLIMITED ; u = UNLIMITED ; v = UNLIMITED ;
      variables: int a(t, u, v) ;
      data: a = {{1, 2}, {3}}, {{4}, {5, 6, 7}} ;""",
    "types": """types: byte enum e {A = 0, B = 1, C\\ x = 2} ; opaque(4) o ; int(*) v ; string(*) w ;
        compound c { int a, b(2) ; float f(2, 3) ; string s ; e en ; } ;
        compound q { e x(2) ; char t(2, 3) ; } ;
        compound p { int a, b(2) ; } ; compound d { p x ; p y(2) ; v z ; } ; v(*) vv ;
      dimensions: n = 3 ;
      variables: e a(n) ; a:k = "x" ; e a:_FillValue = B ; e a:two = A, B ; o b(n) ; o b:_FillValue = 0x01 ;
        v g(n) ; v g:list = {1, 2}, {} ; w h(n) ; d i(n) ; vv j ; c k ; q l ;
      data: a = A, _ , e.B ; b = 0x0102, 0X01020304, _ ; g = {}, {1, 2} ; h = {"a", "b"}, {"c"} ;
        i = {{1, {2, 3}}, {{4, {5}}, {6, {7, 8}}}, {7}}, {{1, {2}}, {{3, {4}}, {5, {6}}}, {}},
          {{1, {2}}, {{3, {4}}, {5, {6}}}, {8, 9}} ;
        j = {{1}, {2, 3}, {}} ;
        k = {9, {8}, {1, 2}, "r", A} ;
         l = {{A, B}, {"abc", "d"}} ;""",
    "synonyms": "dimensions: d = 4 ; variables: real a(d) ; long b ; integer c ; ulong e ; uinteger f ;",
    "structs": """types: struct c { int a ; } ; structure d { int a ; } ;
      byte enum e {A = 1} byte enum f {B = 5} ;""",
    "groups": """dimensions: x = 2 ; variables: int a ; data: a = 1 ; group: g { :t = 1 ;
        dimensions: d = 2 ; x = 3 ; variables: int a(d) ; int b(x), c(/x) ; a:q = 1 ; data: a = 1, 2 ;
      /a = 5 ;
        group: h { types: opaque(1) o ; variables: int y(d) ; int z(/g/d) ; data: y = 3 ; } } :after = "z" ;
      group: k { variables: /g/h/o z ; o y ; data: z = 0x01 ; }""",
    "names": """dimensions: \\1x = 1 ;
      variables: int \\1a(\\1x), a\\ b, é, a.b, a@b, a+b, a-b, a\\:c\\;d\\[\\]\\'\\"\\\\e ;
      int data ; data :a = 1 ; int group ; group :dimensions = 2 ; int variables ; é:ü = "ü" ;
      data: \\1a = 5 ; é = 3 ; data = 4 ;""",
    "comments": """// one { "
      variables: int a ; /* two */ a:k = "http://x/*y*/" ; // three
      data: a = /* four */ 1 ; /* a * b */""",
    "nothing": "",
}


@pytest.mark.parametrize("name", TEXTS)
def test_as_ncgen(name: str, tmp_path: Path) -> None:
    """The same types, dimensions, attributes and values."""
    assert_as_ncgen(f"netcdf peer {{ {TEXTS[name]} }}", tmp_path)


def test_where_ncgen_changes_values(tmp_path: Path) -> None:
    """Numbers that do not fit, and values that are too many: ncgen wraps, cuts and drops; we refuse."""
    body = "dimensions: x = 2 ; variables: short a(x) ; data: a = 40000, 1.5, 3 ;"
    theirs = described(made_by_ncgen(f"netcdf peer {{ {body} }}", tmp_path))
    assert theirs["/a values"] == "[-25536, 1]"
    with pytest.raises(ValueError, match="40000"):
        parsed(body)


def test_every_number_that_ncgen_writes_is_the_one_we_read(tmp_path: Path) -> None:
    """Floats to the last bit, as C and Python read them."""
    random = np.random.default_rng(5)
    numbers = random.normal(size=200) * 10.0 ** random.integers(-30, 30, 200)
    spelled = [repr(value) for value in numbers.tolist()]
    body = f"dimensions: x = 200 ; variables: double a(x) ; data: a = {', '.join(spelled)} ;"
    netcdf = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    made_by_ncgen(f"netcdf peer {{ {body} }}", tmp_path)
    with netcdf.Dataset(tmp_path / "peer.nc") as dataset:
        assert dataset["a"][...].tolist() == parsed(body).values["/a"].array().tolist()


# ncdump does not escape the names of members, and tells no string from an empty one.
@pytest.mark.parametrize("name", sorted(set(TEXTS) - {"attributes", "types"}))
def test_dumped_as_ncdump_dumps_what_ncgen_makes(name: str, tmp_path: Path) -> None:
    """Character for character, by way of Zarr."""
    text = f"netcdf peer {{ {TEXTS[name]} }}"
    made_by_ncgen(text, tmp_path)
    generate(parse_cdl(text), tmp_path / "ours.zarr", dialect="nczarr", zarr_format=3)
    assert our_dump(tmp_path / "ours.zarr", "-n", "peer") == ncdump(tmp_path / "peer.nc")
