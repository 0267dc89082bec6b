"""CDL's declarations: types, dimensions, variables, attributes and groups; what is wrong, and where."""

from __future__ import annotations

import pytest
from cdl_reading import parsed, problems, problems_of

from omnizarr.errors import MetadataError
from omnizarr.netcdf.cdl.reading.parse import parse_cdl
from omnizarr.netcdf.filters.known import Blosc, Bzip2, Fletcher32, Shuffle, Zlib, Zstd
from omnizarr.netcdf.model.nodes import AttributeModel, DimensionModel, VariableModel
from omnizarr.netcdf.model.types import (
    BYTE,
    CHAR,
    FLOAT,
    INT,
    INT64,
    STRING,
    UINT,
    Compound,
    Enum,
    Field,
    Opaque,
    Vlen,
)


def variable(body: str) -> VariableModel:
    """Return the last variable of the root."""
    return parsed(body).model.root.variables[-1]


def test_types() -> None:
    """All kinds of the user's types, within each other; the last `;` may be missing."""
    root = parsed(
        """types: byte enum e { A = 0, B\\ b = 0x7f } ; opaque(11) o ; int(*) v
        struct c { int a, b(2, 3) ; string s ; e en ; };
        compound d { c inner(2) ; v list ;};
        group: g { types: /c(*) v ; v(*) w ; variables: e x ; /v y ; }"""
    ).model.root
    enum = Enum("/e", BYTE, (("A", 0), ("B b", 127)))
    vlen = Vlen("/v", INT)
    compound = Compound(
        "/c", (Field("a", INT), Field("b", INT, (2, 3)), Field("s", STRING), Field("en", enum))
    )
    other = Compound("/d", (Field("inner", compound, (2,)), Field("list", vlen)))
    assert root.types == (enum, Opaque("/o", 11), vlen, compound, other)
    [group] = root.groups
    assert group.types == (Vlen("/g/v", compound), Vlen("/g/w", Vlen("/g/v", compound)))
    assert [v.type for v in group.variables] == [enum, vlen]


def test_names_of_types() -> None:
    """Synonyms; types of another group by path, or by a name that is there once."""
    body = "variables: real a ; long b ; integer c ; ulong d ; uinteger e ;"
    assert [v.type for v in parsed(body).model.root.variables] == [FLOAT, INT, INT, UINT, UINT]
    body = "group: g { types: opaque(1) o ; } group: h { variables: o a ; /g/o b ; }"
    assert {v.type for v in parsed(body).model.root.groups[1].variables} == {Opaque("/g/o", 1)}
    [found] = problems(
        "group: g { types: opaque(1) o ; } group: h { types: opaque(2) o ; } group: i { variables: o a ; }"
    )
    assert "there is no type 'o'" in found


def test_dimensions() -> None:
    """Sizes of all spellings; 0 is unlimited, as in netCDF's API."""
    body = "dimensions: x = 3, y = 0x10 ; t = UNLIMITED ; u = unlimited ; z = 0 ; n = 4u ;"
    assert parsed(body).model.root.dimensions == (
        DimensionModel("x", 3),
        DimensionModel("y", 16),
        DimensionModel("t", 0, True),
        DimensionModel("u", 0, True),
        DimensionModel("z", 0, True),
        DimensionModel("n", 4),
    )


def test_dimensions_are_looked_for_above() -> None:
    """The nearest of a name, or one by its path."""
    body = """dimensions: x = 2 ; y = 3 ;
    group: g { dimensions: x = 4 ; variables: int a(x, y, /x) ; }"""
    [found] = parsed(body).model.root.groups[0].variables
    assert found.dimensions == ("/g/x", "/y", "/x")


def test_attributes() -> None:
    """Of variables and groups, with and without types, anywhere among the declarations."""
    root = parsed(
        """:first = 1 ; dimensions: x = 1 ; :second = 2s ; variables: int a, b ; string a:s = "x", "y" ;
        int64 :third = 3 ; a:t = "u" ; int :fourth = 4 ; double b:d = ;
        group: g { :title = "g" ; } :last = "z" ;"""
    ).model.root
    kinds = {a.name: (a.type.name, a.value) for a in root.attributes}
    assert kinds == {
        "first": ("int", (1,)),
        "second": ("short", (2,)),
        "third": ("int64", (3,)),
        "fourth": ("int", (4,)),
        "last": ("char", "z"),
    }
    assert root.variables[0].attributes == (
        AttributeModel("s", STRING, ("x", "y")),
        AttributeModel("t", CHAR, "u"),
    )
    assert root.variables[1].attributes[0].value == ()
    assert root.groups[0].attributes == (AttributeModel("title", CHAR, "g"),)


def test_attributes_of_user_types() -> None:
    """Values in braces; members of an enum by name."""
    body = """types: byte enum e { A = 0, B = 1 } ; int(*) v ; compound c { int a ; char t(3) ; } ;
    variables: int a ; e a:en = B, e.A, 1 ; v a:list = {1, 2}, {} ; c a:rec = {5, {"ab"}} ;
    e :g = /e.B ;"""
    found = {a.name: a.value for a in variable(body).attributes}
    assert found == {"en": (1, 0, 1), "list": ((1, 2), ()), "rec": ((5, (b"a", b"b", b"\0")),)}
    assert parsed(body).model.root.attributes[0].value == (1,)


def test_a_later_attribute_replaces_an_earlier_one() -> None:
    """As netCDF's API does."""
    assert variable("variables: int a ; a:k = 1 ; a:k = 2 ;").attributes == (AttributeModel("k", INT, (2,)),)


def test_keywords_are_names_too() -> None:
    """Whatever is not misread where it stands."""
    root = parsed(
        """variables: int float, data, unlimited, NaN, compound, group, _ ;
        float:types = 1 ; float:string = 2 ; data :dimensions = 3 ; group :_ = 4 ;
        data: data = 5 ; float = 6 ;"""
    ).model.root
    names = ["float", "data", "unlimited", "NaN", "compound", "group", "_"]
    assert [v.name for v in root.variables] == names
    assert [a.name for v in root.variables for a in v.attributes] == ["types", "string", "dimensions", "_"]


def test_escaped_names() -> None:
    """Punctuation and a leading digit behind backslashes; any letters; one form of each."""
    spelled = r"variables: int \1a, a\ b, é, a.b@c+d-e, x\:y\;z\[\]\'\"\\, q\%41, u" + "\u0308 ;"
    names = [v.name for v in parsed(spelled).model.root.variables]
    assert names == ["1a", "a b", "é", "a.b@c+d-e", "x:y;z[]'\"\\", "q%41", "ü"]


def test_the_name_of_the_dataset() -> None:
    """Anything before the brace; blanks do not count."""
    for text, name in (
        ("netcdf a.b-c {}", "a.b-c"),
        ("NETCDF x{}", "x"),
        ("netCDF {}", ""),
        ("netcdf a b {}", "ab"),
        (r"netcdf a\{b {}", "a{b"),
        ("\ufeff// a comment\nnetcdf é {}", "é"),
    ):
        assert parse_cdl(text).name == name


def test_comments() -> None:
    """Of both kinds, between any tokens; not in texts."""
    root = parsed(
        """// one { " '
        variables: /* two **/ int /* * / */ a ; // three
        a:k = "http://x/*y*/" ; data: a = 1 // four ;
        ; /* five */"""
    )
    assert root.model.root.variables[0].attributes[0].value == "http://x/*y*/"
    assert root.values["/a"].array() == 1


def test_special_attributes() -> None:
    """They say how a variable is stored, and are none of its attributes."""
    found = variable(
        """dimensions: x = 4 ; t = UNLIMITED ; variables: int a(t, x) ; a:_Storage = "chunked" ;
        a:_ChunkSizes = 1, 2 ; a:_DeflateLevel = 3 ; a:_Shuffle = "true" ; a:_Fletcher32 = "true" ;
        a:_Endianness = "big" ; a:_NoFill = "true" ; :_Format = "netCDF-4" ; :_NCProperties = "x" ;
        :_IsNetcdf4 = 1 ; :_SuperblockVersion = 2 ;"""
    )
    assert found.attributes == ()
    assert found.chunks == (1, 2)
    assert found.filters == (Shuffle(), Zlib(3), Fletcher32())
    assert (found.endian, found.no_fill, found.contiguous) == ("big", True, False)


def test_filters_by_number_and_as_json() -> None:
    """`_Filter` has HDF5's numbers, `_Codecs` the configurations of Zarr."""
    head = "dimensions: x = 4 ; variables: int a(x) ;"
    assert variable(f'{head} a:_Filter = "32015,5|307,9" ;').filters == (Zstd(5), Bzip2(9))
    assert variable(f'{head} a:_Filter = "32001,0,0,0,0,7,2,1" ;').filters == (Blosc("lz4", 7, 2),)
    codecs = r'"[{\"id\": \"zlib\", \"level\": 2}]"'
    assert variable(f"{head} a:_Codecs = {codecs} ;").filters == (Zlib(2),)
    assert variable(f'{head} a:_Storage = "contiguous" ;').contiguous


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ('_Storage = "heap"', "_Storage: expected 'contiguous' or 'compact' or 'chunked', found 'heap'"),
        ("_ChunkSizes = 9", "chunksizes: 9 does not fit dimension x of 4"),
        ("_ChunkSizes = 1, 1", "chunksizes: expected 1 sizes, found 2"),
        ("_DeflateLevel = 10", "_DeflateLevel: expected a level from 0 to 9, found 10"),
        ("_Shuffle = 2", "_Shuffle: expected 'true' or 'false', found 2"),
        ('_Endianness = "native"', "_Endianness: expected 'little' or 'big', found 'native'"),
        ('_Filter = "x"', "_Filter: expected the number of a filter, found 'x' in 'x'"),
        ("_FillValue = 1, 2", "expected one value for _FillValue, found 2"),
        ("_NCProperties = 1", None),
        ("CLASS = 1", "the name 'CLASS' is the library's own and no attribute of yours"),
    ],
)
def test_special_attributes_of_wrong_values(attribute: str, message: str | None) -> None:
    """Each says what it expects."""
    found = problems(f"dimensions: x = 4 ; variables: int a(x) ; a:{attribute} ;")
    assert len(found) == 1
    assert message is None or found[0].endswith(f": {message}")


def test_fill_values() -> None:
    """`_FillValue` has the type of its variable, whatever its own."""
    for kind, spelled, value in (
        ("int", "5.", (5,)),
        ("char", '"x"', "x"),
        ("char", "'x'", "x"),
        ("char", '""', "\0"),
        ("string", '"none"', ("none",)),
        ("int64", "-1", (-1,)),
    ):
        [found] = variable(f"variables: {kind} a ; double a:_FillValue = {spelled} ;").attributes
        assert (found.type.name, found.value) == (kind, value)
    assert variable("variables: int64 a;").type is INT64


# A text within `netcdf a { … }`, the column of what is wrong in it, and what is said of it.
ONE_PROBLEM = """
int a ;|1|expected 'types:', 'dimensions:', 'variables:', 'data:', 'group:', an attribute or '}', found 'int'
variables: int 1a ;|16|expected a name, found '1a'; a leading digit is escaped
variables: int a(x) ;|18|there is no dimension 'x' yet, here or in the groups above
variables: int a, a ;|19|the name 'a' is in use already in group /
variables: int g ; group: g { }|27|the name 'g' is in use already in group /
dimensions: x = 1 ; x = 2 ;|21|there is a dimension 'x' already in /
dimensions: x = 1.5 ;|17|expected a size or UNLIMITED, found '1.5'
variables: int a b:c = 1 ;|18|expected ';', found 'b'
b:c = 1 ;|1|there is no variable or type 'b' to have an attribute
data: b = 1 ;|7|there is no variable 'b' in group /
variables: int a ; data: a = 1|1|expected ';', found '}'
:k = 1, "x" ;|9|expected numbers alone or texts alone without a type, found the text 'x'
:k = {1} ;|6|an attribute with values in braces names its type: TYPE :k = …
int :k = _ ;|10|expected a value, found '_': only variables have a fill value
:_ChunkSizes = 1 ;|2|_ChunkSizes is of a variable: VARIABLE:_ChunkSizes = …
types: float enum e { A = 1 } ;|8|expected an integer type for an enum, found 'float'
types: int enum e { A = 1, B = 1 } ;|28|there is a member of name 'B' or value 1 already
types: compound c { } ;|21|expected the fields of c, found '}'
types: compound c { int a, a ; } ;|28|there is a field 'a' already
types: opaque(0) o ;|15|expected from 1 to 16777216 bytes, found 0
variables: int a ; \x01|20|expected a name, a value or punctuation, found '\\x01'
variables: int a\udcff ;|16|netCDF takes no name like 'a\\udcff'
""".strip().splitlines()


@pytest.mark.parametrize("line", ONE_PROBLEM)
def test_one_problem(line: str) -> None:
    """What was found, where, and what was expected."""
    body, column, message = line.split("|")
    line_of = 3 if message.endswith("found '}'") and column == "1" else 2
    assert problems(body) == [f"line {line_of}, column {column}: {message}"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("netcdf a", "9: expected '{' behind the name of the dataset, found the end of the text"),
        ("zarr a {}", "1: expected 'netcdf NAME {', found 'zarr a {}'"),
        ("netcdf a {", "11: expected '}' behind group /, found the end of the text"),
        ("netcdf a {} b", "13: expected the end of the text, found 'b'"),
        ("netcdf a { /* }", "12: a comment starts here that does not end: expected '*/'"),
        ('netcdf a { :b = "x }', "17: a text starts here that does not end: expected '\"'"),
    ],
)
def test_what_is_around_a_dataset(text: str, message: str) -> None:
    """Its heading and its braces."""
    assert problems_of(text) == [f"line 1, column {message}"]


def test_many_problems_at_once() -> None:
    """Each declaration is read, whatever was wrong before it; the file is named."""
    text = """netcdf a {
types: int enum e { A = 3000000000 } ;
dimensions: x = 2 ; y = z ;
variables: int a(x, q) ; float b(x) ;
    c:k = 1 ;
data: b = 1, 2, 3 ;
group: g { variables: int a(x) ; data: a = 1, $ ; }
}"""
    with pytest.raises(MetadataError) as caught:
        parse_cdl(text, "run.cdl")
    places = [str(found).partition(": ")[0] for found in caught.value.problems]
    assert places == [
        "run.cdl, line 2, column 25",
        "run.cdl, line 3, column 25",
        "run.cdl, line 4, column 21",
        "run.cdl, line 5, column 5",
        "run.cdl, line 6, column 11",
        "run.cdl, line 7, column 47",
    ]


def test_problems_come_to_an_end() -> None:
    """Twenty are enough."""
    assert len(problems("x ;" * 1000)) == 20


@pytest.mark.parametrize(
    "text",
    [
        "group: g { " * 5000,
        "variables: int a ; data: a = " + "{" * 5000,
        "types: int(*) v0 ; " + " ".join(f"v{i}(*) v{i + 1} ;" for i in range(3000)),
        "types: int(*) v ; variables: v a ; data: a = " + "{" * 5000,
        "variables: int a(" + "(" * 5000,
        ":k = " + '"' * 5001,
        "/*" * 5000,
        ":k = " + "\\" * 5000,
    ],
)
def test_hostile_texts(text: str) -> None:
    """Nesting without end is refused, not followed."""
    assert problems(text)
