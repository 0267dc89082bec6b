"""Models under mypy, as programs of users have them: what it finds without running anything.

ZEP 6, "Validating Zarr Object Models".
"""

from __future__ import annotations

import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

EXAMPLES = Path(__file__).parent / "examples"
ROOT = Path(__file__).parents[2]

LITERAL = (EXAMPLES / "zep6_example.py.txt").read_text()
CORRECTED = LITERAL.replace("Any, Union\n", "Any, Union, Literal\n").replace(
    "Union[XArray,", "Union[XArraySpec,"
)
DATACLASSES = CORRECTED[
    CORRECTED.index("@dataclass\nclass GroupSpec") : CORRECTED.index("@dataclass\nclass XAttrs")
]
WITH_OURS = CORRECTED.replace(DATACLASSES, "from omnizarr.zom.v2 import ArraySpec, GroupSpec\n\n")
VALID_ONLY = WITH_OURS[: WITH_OURS.index("# This fails")]

QUOTED = 'Argument "attributes" to "ArraySpec" has incompatible type "dict[str, int]"; expected "XAttrs"'

TYPED = """
from typing import Any

import numpy as np
from typing_extensions import NotRequired, TypedDict

import omnizarr
from omnizarr import zom
from omnizarr.zom import v2, v3


class Units(zom.Attributes):
    units: str


class Title(TypedDict):
    title: str
    history: NotRequired[str]


class Members(TypedDict):
    t: v3.ArraySpec[Units]
    quality: NotRequired[v3.ArraySpec]


class Weather(v3.GroupSpec[Title, Any]):
    members: Members


class Either(v3.GroupSpec[Title, v3.ArraySpec[Units] | Weather]):
    pass


t = v3.ArraySpec[Units].from_array(np.zeros(3), attributes={"units": "K"})
weather = Weather(attributes={"title": "x"}, members={"t": t})
Weather(attributes={"title": "x"}, members={"t": t, "quality": v3.ArraySpec.from_array(np.zeros(3))})
Either(attributes={"title": "x"}, members={"a": t, "b": weather})

reveal_type(t)
reveal_type(t.attributes.units)
reveal_type(weather.members["t"].shape)
reveal_type(weather.members["t"].attributes.units)
reveal_type(weather.attributes["title"])
reveal_type(Weather.from_json("{}"))
reveal_type(Weather.from_node(omnizarr.open_group("x")))
reveal_type(Weather.from_flat({}))
reveal_type(weather.to_store())
reveal_type(t.to_store())
reveal_type(weather.to_json())
reveal_type(v3.GroupSpec.from_json("{}").members)
reveal_type(v2.ArraySpec.from_array([1]))
reveal_type(zom.from_json("{}"))
reveal_type(zom.from_node(omnizarr.open_group("x")))
reveal_type(zom.typescript(Weather))
found = zom.from_json("{}")
if isinstance(found, v3.GroupSpec):
    reveal_type(found.walk())

weather.members["wind"]  # [typeddict-item]
weather.attributes["name"]  # [typeddict-item]
t.attributes.name  # [attr-defined]
Weather(attributes={"title": "x"}, members={})  # [typeddict-item]
Weather(attributes={"title": 1}, members={"t": t})  # [typeddict-item]
Weather(attributes={"title": "x"}, members={"t": weather})  # [typeddict-item]
Weather(attributes={"title": "x"})  # [call-arg]
Either(attributes={"title": "x"}, members={"a": v2.GroupSpec()})  # [dict-item]
v2.ArraySpec(shape=[3], chunks=[3], dtype="<f8", order="K")  # [arg-type]
v2.ArraySpec(shape=[3], chunks=[3], dtype="<f8", zarr_format=3)  # [arg-type]
v2.ArraySpec(shape=[3], dtype="<f8")  # [call-arg]
v3.GroupSpec(members={"a": 3}).nodes
zom.typescript(str)  # [arg-type]
"""

REVEALED = """
omnizarr.zom.v3.ArraySpec[typed.Units]
str
typing.Sequence[int]
str
str
typed.Weather
typed.Weather
typed.Weather
omnizarr.hierarchy.group.Group
omnizarr.hierarchy.array.Array
dict[str, bool | int | float | str | list[...] | dict[str, ...] | None]
typing.Mapping[str, omnizarr.zom.v3.ArraySpec[Any] | omnizarr.zom.v3.GroupSpec[Any, Any]] | None
omnizarr.zom.v2.ArraySpec[dict[str, Any]]
omnizarr.zom.node.NodeSpec[Any]
omnizarr.zom.node.NodeSpec[Any]
str
typing.Iterator[tuple[str, omnizarr.zom.node.NodeSpec[Any]]]
"""

STRICT = """
[mypy]
strict = True
[mypy-literal,corrected,ours]
disallow_any_generics = False
"""
PLUGIN = """
[mypy]
plugins = pydantic.mypy
[pydantic-mypy]
init_typed = True
"""


@pytest.fixture
def mypy(once: Callable[..., Any]) -> Callable[..., list[str]]:
    """Return what mypy says of a program: its lines without the name of the file, errors alone or notes."""
    said = once("mypy", _run)

    def of(name: str, kind: str = "error") -> list[str]:
        ours = [line.removeprefix(f"{name}.py:") for line in said if line.startswith(f"{name}.py:")]
        return [line for line in ours if line.partition(": ")[2].startswith(f"{kind}: ")]

    return of


def _run(folder: Path) -> list[str]:
    programs = {"literal": LITERAL, "corrected": CORRECTED, "ours": WITH_OURS, "typed": TYPED}
    return _check(folder, programs, STRICT) + _check(folder, {"plugin": WITH_OURS}, PLUGIN)


def _check(folder: Path, programs: dict[str, str], settings: str) -> list[str]:
    """Return the lines that mypy prints of programs that use the library as it is installed."""
    for name, text in programs.items():
        (folder / f"{name}.py").write_text(text)
    (folder / "mypy.ini").write_text(settings)
    cache = ROOT / ".mypy_cache" / f"users-{min(programs)}"
    command = [sys.executable, "-m", "mypy", "--no-error-summary", f"--cache-dir={cache}"]
    done = subprocess.run(
        [*command, *(f"{name}.py" for name in programs)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert not done.stderr, done.stderr
    return done.stdout.splitlines()


def _line(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


def _invalid(text: str) -> str:
    """Return the error that the document quotes, at its place in a program."""
    number = _line(text, "attributes={'foo': 10}")
    return f"{number}: error: {QUOTED}  [arg-type]"


def test_the_example_lacks_an_import_and_names_what_is_not_there(mypy):
    assert mypy("literal") == [
        f'{_line(LITERAL, "Union[Literal")}: error: Name "Literal" is not defined  [name-defined]',
        f'{_line(LITERAL, "Union[XArray")}: error: Name "XArray" is not defined  [name-defined]',
        _invalid(LITERAL),
    ]


def test_the_example_lacks_them_at_run_time_too(tmp_path):
    program = tmp_path / "literal.py"
    program.write_text(LITERAL)
    with pytest.raises(NameError, match="'Literal' is not defined"):
        runpy.run_path(str(program))
    program.write_text(LITERAL.replace("Any, Union\n", "Any, Union, Literal\n"))
    with pytest.raises(NameError, match="'XArray' is not defined"):
        runpy.run_path(str(program))


def test_with_two_words_mended_the_valid_part_passes_and_the_invalid_one_fails_as_quoted(mypy):
    assert QUOTED in LITERAL
    assert mypy("corrected") == [_invalid(CORRECTED)]


def test_with_these_models_it_is_the_same(mypy):
    assert mypy("ours") == [_invalid(WITH_OURS)]


def test_with_the_plugin_of_pydantic_too(mypy):
    assert mypy("plugin") == [_invalid(WITH_OURS)]


def test_at_run_time_the_valid_part_makes_a_model(tmp_path):
    program = tmp_path / "valid.py"
    program.write_text(VALID_ONLY)
    found = runpy.run_path(str(program))
    assert found["valid"].to_json() == {
        "zarr_format": 2,
        "attributes": {},
        "members": {
            "array_0": {
                "zarr_format": 2,
                "attributes": {"_ARRAY_DIMENSIONS": ["a", "b"]},
                "shape": [10, 10],
                "chunks": [10, 10],
                "dtype": "|u1",
                "compressor": None,
                "fill_value": None,
                "order": "C",
                "filters": None,
                "dimension_separator": ".",
            }
        },
    }


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", [("attributes", "_ARRAY_DIMENSIONS")]),
        ("dimension_separator='/'", "dimension_separator='-', order='K'", None),
    ],
    ids=["as it is", "with more faults"],
)
def test_at_run_time_the_invalid_part_is_refused_and_every_fault_is_told(tmp_path, old, new, expected):
    program = tmp_path / "invalid.py"
    program.write_text(WITH_OURS.replace(old, new) if old else WITH_OURS)
    with pytest.raises(ValidationError) as refused:
        runpy.run_path(str(program))
    places = [fault["loc"] for fault in refused.value.errors()]
    more = [("dimension_separator",), ("order",), ("attributes", "_ARRAY_DIMENSIONS")]
    assert sorted(places) == sorted(expected or more)


def test_types_of_attributes_members_and_results_are_known(mypy):
    revealed = [line.partition('Revealed type is "')[2][:-1] for line in mypy("typed", "note")]
    assert revealed == REVEALED.split("\n")[1:-1]


def test_what_does_not_fit_is_found_where_it_stands_and_nothing_else(mypy):
    expected = [
        (number, line.rpartition("# ")[2])
        for number, line in enumerate(TYPED.splitlines(), 1)
        if line.endswith("]") and "  # [" in line
    ]
    found = [(int(line.split(":")[0]), line.rpartition("  ")[2]) for line in mypy("typed")]
    assert len(expected) == 12
    assert found == expected


def test_the_library_itself_is_clean_where_users_import_it(once):
    assert [line for line in once("mypy", _run) if "omnizarr" in line.partition(":")[0]] == []


def test_it_says_that_it_has_types():
    assert (ROOT / "src" / "omnizarr" / "py.typed").is_file()
