"""Models as types of TypeScript: what the text says, and what `tsc` says of it.

ZEP 6, "Validating Zarr Object Models".
"""

from __future__ import annotations

import fcntl
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NotRequired, TypeVar

import numpy as np
import pytest
import zarr
from pydantic import BaseModel, Field
from typing_extensions import TypeAliasType, TypedDict

import omnizarr
from omnizarr import zom
from omnizarr.zom import v2, v3
from omnizarr.zom.conventions import CONVENTIONS
from omnizarr.zom.ts.schema import type_of
from omnizarr.zom.ts.types import Word, written

EXAMPLES = Path(__file__).parent / "examples"
LITERAL = (EXAMPLES / "zep6.ts").read_text()


# --- models as users have them


class XAttrs(BaseModel):
    """What xarray asks of an array.

    More is told here, with */ in it.
    """

    dims: list[str] = Field(alias="_ARRAY_DIMENSIONS", description="A name for each dimension.")


class Kept(zom.Attributes):
    units: str
    scale_factor: float | None = None


class Kind(Enum):
    GRID = "grid"
    SWATH = "swath"


@dataclass
class Point:
    lon: float
    lat: float


Tree = TypeAliasType("Tree", "dict[str, Tree] | str")


class Details(BaseModel):
    """All sorts of values."""

    kind: Kind
    corner: Point
    size: tuple[int, int]
    level: Literal[1, "two", None, True, -3]
    either: int | str | None = None
    flags: list[bool | None]
    by_name: dict[str, list[int]]
    by_kind: dict[Literal["a", "b-c"], int]
    anything: Any
    tree: Tree
    one_to_three: Annotated[list[int], Field(min_length=1, max_length=3)]
    some: Annotated[list[str], Field(min_length=1)]
    checked: Annotated[str, Field(pattern="^a+$")]
    odd: int = Field(alias="odd name")


class Members(TypedDict):
    temperature: v3.ArraySpec[Kept]
    mask: NotRequired[Mask]


Item = TypeVar("Item")


class Box(BaseModel, Generic[Item]):
    item: Item


class Mask(v3.ArraySpec[Any]):
    """Which values are there."""

    data_type: Literal["bool"]
    shape: tuple[int, int]


class Weather(v3.GroupSpec[Details, Any]):
    members: Members


class Nested(v2.GroupSpec[Any, "Nested | v2.ArraySpec[XAttrs]"]):
    """Groups within groups, and arrays as xarray has them."""


XArraySpec = v2.ArraySpec[XAttrs]
XGroupSpec = v2.GroupSpec[Any, XArraySpec | v2.GroupSpec]


# --- the text


def declared(text: str) -> dict[str, str]:
    """Return declarations by name, each without what is told of it."""
    parts = re.split(r"^export (?:type|interface) (\w+)", text, flags=re.MULTILINE)[1:]
    return {
        name: re.sub(
            r"\n */\*\*.*?\*/", "", re.split(r"\n\n|\n$", body)[0].removeprefix(" = "), flags=re.DOTALL
        )
        for name, body in zip(parts[::2], parts[1::2], strict=True)
    }


def test_it_says_what_it_is():
    first, second = zom.typescript(Nested).splitlines()[:2]
    assert first.startswith("// Types of the Zarr v2 object model Nested: ")
    assert second.startswith("// Made by omnizarr from the model")


@pytest.mark.parametrize("version", [2, "v2", "2", v2.GroupSpec])
def test_a_version_has_generic_arrays_and_groups(version):
    assert declared(zom.typescript(version)) == {
        "Attributes": "{ [name: string]: unknown };",
        "ArraySpec": """<TAttributes = Attributes> {
  zarr_format: 2;
  attributes: TAttributes;
  shape: number[];
  chunks: number[];
  dtype: string | unknown[];
  compressor?: { [name: string]: unknown } | null;
  fill_value?: unknown;
  order?: "C" | "F";
  filters?: { [name: string]: unknown }[] | null;
  dimension_separator?: "." | "/";
  [name: `_${string}`]: unknown;
}""",
        "Node": "ArraySpec | GroupSpec;",
        "GroupSpec": """<TAttributes = Attributes, TMember = Node> {
  zarr_format: 2;
  attributes: TAttributes;
  members: { [name: string]: TMember } | null;
  [name: `_${string}`]: unknown;
}""",
    }


def test_version_3_has_them_with_its_own_fields():
    found = declared(zom.typescript(3))
    assert list(found) == ["NamedConfig", "Attributes", "ArraySpec", "Node", "GroupSpec"]
    assert '  node_type: "array";\n' in found["ArraySpec"]
    assert "  codecs: (string | NamedConfig)[];\n" in found["ArraySpec"]
    assert "  dimension_names?: (string | null)[] | null;\n" in found["ArraySpec"]


def test_arrays_alone_need_no_groups():
    assert "GroupSpec" not in zom.typescript(v3.ArraySpec)


def test_models_that_change_no_field_are_uses_of_the_generic_ones():
    found = declared(zom.typescript(Nested))
    assert found["Nested"] == "GroupSpec<Attributes, Nested | ArraySpec<XAttrs>>;"
    assert declared(zom.typescript(XArraySpec))["ArraySpecOfXAttrs"] == "ArraySpec<XAttrs>;"


def test_members_of_any_kind_are_nodes():
    found = declared(zom.typescript(v2.GroupSpec[XAttrs, Any], name="Group"))
    assert found["Group"] == "GroupSpec<XAttrs>;"


def test_members_of_all_together_may_be_a_choice():
    group = v3.GroupSpec[Any, Members | dict[str, Mask]]
    found = declared(zom.typescript(group))
    assert (
        "  members: Members | { [name: string]: Mask } | null;\n"
        in found["GroupSpecOfAnyAndMembersOrDictOfStrAndMask"]
    )


def test_what_json_schema_cannot_say_is_unknown():
    class Odd(BaseModel, arbitrary_types_allowed=True):
        values: np.ndarray
        call: Callable[[int], str]

    found = declared(zom.typescript(v3.ArraySpec[Odd]))
    assert found["Odd"] == "{\n  values: unknown;\n  call: unknown;\n};"


def test_models_with_parameters_have_names_with_all_of_them():
    found = declared(zom.typescript(v3.ArraySpec[Box[list[Point]]], name="Boxed"))
    assert found["BoxOfListOfPoint"] == "{\n  item: Point[];\n};"
    assert found["Boxed"] == "ArraySpec<BoxOfListOfPoint>;"


def test_types_that_are_not_defined_are_told():
    class Unfinished(v3.GroupSpec[Any, "NotThere"]):
        pass

    with pytest.raises(NameError, match="'NotThere' is not defined"):
        zom.typescript(Unfinished)


def test_a_model_may_be_given_a_name():
    found = declared(zom.typescript(XGroupSpec, name="XGroupSpec"))
    assert found["XGroupSpec"] == "GroupSpec<Attributes, ArraySpec<XAttrs> | GroupSpec>;"


def test_models_that_change_fields_are_written_in_full():
    found = declared(zom.typescript(Weather))
    assert found["Weather"] == (
        '{\n  zarr_format: 3;\n  node_type: "group";\n  attributes: Details;\n  members: Members;\n};'
    )
    assert found["Members"] == "{\n  temperature: ArraySpec<Kept>;\n  mask?: Mask;\n};"
    assert '  data_type: "bool";\n' in found["Mask"]
    assert "  shape: [number, number];\n" in found["Mask"]


def test_attributes_are_written_with_all_that_types_can_say():
    found = declared(zom.typescript(Weather))
    assert found["Details"].splitlines()[1:-1] == [
        "  kind: Kind;",
        "  corner: Point;",
        "  size: [number, number];",
        '  level: 1 | "two" | true | -3 | null;',
        "  either?: number | string | null;",
        "  flags: (boolean | null)[];",
        "  by_name: { [name: string]: number[] };",
        '  by_kind: { a?: number; "b-c"?: number };',
        "  anything: unknown;",
        "  tree: Tree;",
        "  one_to_three: [number, number?, number?];",
        "  some: [string, ...string[]];",
        "  checked: string;",
        '  "odd name": number;',
    ]
    assert found["Kind"] == '"grid" | "swath";'
    assert found["Point"] == "{\n  lon: number;\n  lat: number;\n};"
    assert found["Tree"] == "{ [name: string]: Tree } | string;"
    assert found["Kept"].splitlines()[-2] == "  [name: string]: unknown;"


def test_descriptions_are_comments_that_cannot_end_early():
    text = zom.typescript(Nested)
    about = "/**\n * What xarray asks of an array.\n *\n * More is told here, with *\\/ in it.\n */\n"
    assert f"{about}export type XAttrs = {{\n  /** A name for each dimension. */\n" in text
    assert "/** Groups within groups, and arrays as xarray has them. */\nexport type Nested = " in text
    assert "Parameters" not in text


def test_it_is_the_same_each_time():
    assert zom.typescript(Weather) == zom.typescript(Weather)


def awkward() -> type[zom.NodeSpec[Any]]:
    """Return a model whose parts have names that cannot be had."""
    one = type("string", (BaseModel,), {"__annotations__": {"x": int}})
    other = type("string", (BaseModel,), {"__annotations__": {"y": int, "constructor": str, "class": str}})
    mine = type("ArraySpec", (v3.ArraySpec[one],), {"__annotations__": {"data_type": Literal["int8"]}})
    node = type("Node", (v3.ArraySpec[other],), {"__module__": __name__})
    group = v3.GroupSpec[
        dict[str, Literal["it's", 'a "word"', "line\nbreak", "\u2028"]], mine | node | v3.Node
    ]
    return type("été d'or", (group,), {"__module__": __name__})


def test_names_that_cannot_be_had_are_made_so_that_they_can():
    found = declared(zom.typescript(awkward()))
    assert list(found) == [
        "string_",
        "NamedConfig",
        "ArraySpec",
        "string_2",
        "Attributes",
        "ArraySpec2",
        "Node",
        "Node2",
        "GroupSpec",
        "étéDOr",
    ]


@pytest.mark.parametrize(
    ("wrong", "error"),
    [(4, ValueError), ("v4", ValueError), (True, ValueError), (dict, TypeError), (None, TypeError)],
)
def test_what_is_no_model_is_refused(wrong, error):
    with pytest.raises(error, match="expected a class of models"):
        zom.typescript(wrong)


@pytest.mark.parametrize("name", ["1st", "a b", "string", "class", ""])
def test_a_name_that_no_type_can_have_is_refused(name):
    with pytest.raises(ValueError, match="expected a name that TypeScript allows"):
        zom.typescript(3, name=name)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (True, "unknown"),
        (False, "never"),
        ({}, "unknown"),
        ({"type": ["string", "null"]}, "string | null"),
        ({"enum": [1, None, "a", 1.5]}, '1 | "a" | 1.5 | null'),
        ({"enum": [[1, "b"], {"c": True}]}, '[1, "b"] | { c: true }'),
        ({"const": "NaN"}, '"NaN"'),
        ({"const": float("nan")}, "number"),
        ({"enum": [True, False, 0]}, "boolean | 0"),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}]}, "number"),
        ({"oneOf": [{"type": "string"}, {}]}, "unknown"),
        ({"type": "string", "not": {"pattern": "/"}}, "string"),
        ({"type": "string", "anyOf": [{"pattern": "^a"}, {"const": "b"}]}, "string"),
        ({"type": "object", "anyOf": [{"required": ["a"]}, {}]}, "{ [name: string]: unknown }"),
        ({"allOf": [{"$ref": "A"}, {"$ref": "B"}, {"$ref": "A"}]}, "A & B"),
        ({"allOf": [{"$ref": "A"}, {"anyOf": [{"$ref": "B"}, {"$ref": "C"}]}]}, "A & (B | C)"),
        ({"items": {"allOf": [{"$ref": "A"}, {"$ref": "B"}]}}, "(A & B)[]"),
        ({"items": {"enum": ["a", "b"]}}, '("a" | "b")[]'),
        ({"type": "array"}, "unknown[]"),
        ({"type": "array", "maxItems": 0}, "[]"),
        ({"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}, "[number, number]"),
        ({"type": "array", "items": {"type": "number"}, "minItems": 99}, "number[]"),
        ({"prefixItems": [{"type": "string"}], "items": {"type": "number"}}, "[string?, ...number[]]"),
        ({"prefixItems": [{"type": "string"}], "items": False, "minItems": 1}, "[string]"),
        ({"prefixItems": [{"enum": [1, 2]}], "maxItems": 1}, "[(1 | 2)?]"),
        ({"properties": {"a": {}}, "required": ["a"]}, "{ a: unknown; [name: string]: unknown }"),
        ({"type": "object", "required": ["b"]}, "{ b: unknown; [name: string]: unknown }"),
        ({"properties": {}, "additionalProperties": False}, "{}"),
        ({"additionalProperties": {"type": "number"}, "type": "object"}, "{ [name: string]: number }"),
        ({"patternProperties": {"^x-": {"type": "number"}}}, "{ [name: `x-${string}`]: number }"),
        ({"patternProperties": {"^a|b$": {"type": "number"}}}, "{ [name: string]: number }"),
        (
            {"properties": {"a": {"type": "null"}}, "additionalProperties": {"type": "number"}},
            "{ a?: null; [name: string]: unknown }",
        ),
    ],
)  # fmt: skip
def test_a_schema_is_read_as_far_as_types_go(schema, expected):
    assert written(type_of(schema, Word)) == expected


def test_what_is_too_long_for_a_line_stands_on_several():
    options = [f"a{number:030}" for number in range(4)]
    text = written(type_of({"items": {"enum": options}}, Word))
    assert text == "(\n" + "\n".join(f'  | "{option}"' for option in options) + ")[]"
    fields = written(type_of({"properties": {option: {"enum": options} for option in options}}, Word))
    assert fields.splitlines()[:3] == ["{", f"  {options[0]}?:", f'    | "{options[0]}"']
    assert fields.splitlines()[-2:] == ["  [name: string]: unknown;", "}"]
    elements = written(type_of({"prefixItems": [{"enum": options}], "items": {"enum": options}}, Word))
    assert elements.splitlines()[:3] == ["[", "  (", f'    | "{options[0]}"']
    assert elements.splitlines()[-1] == "]"


# --- tsc


OURS = """import type { ArraySpec, GroupSpec } from "./v2";
""" + LITERAL[LITERAL.index("type XAttrs") :].replace("zarr_version", "zarr_format")

OWN = """import type { XGroupSpec } from "./xgroup";
""" + LITERAL[LITERAL.index("const valid") :].replace("zarr_version", "zarr_format")

WRONG = """import type { ArraySpec, GroupSpec, Node } from "./v3";
import type { ArraySpec as V2 } from "./v2";
import type { Weather, Members, Details, Kept } from "./weather";
declare const details: Details;
declare const weather: Weather;
declare const temperature: ArraySpec<Kept>;

const a: Weather = { zarr_format: 3, node_type: "group", attributes: details, members: { temperature } };
const b: Node = weather;
const c: GroupSpec<Details> = weather;
const d: GroupSpec = { zarr_format: 3, node_type: "group", attributes: {}, members: { w: weather } };
const e: Kept = { units: "K", others: 1 };
const f: number = weather.members.temperature.shape[0];
const g: string | undefined = weather.members.mask?.data_type;

const h: Members = {};  // TS2741
const i: Members = { temperature, other: temperature };  // TS2353
const j: Members = { temperature: weather };  // TS2740
const k: Kept = { units: 1 };  // TS2322
const l: Kept = {};  // TS2741
const m: GroupSpec = { zarr_format: 2, node_type: "group", attributes: {}, members: {} };  // TS2322
const n: GroupSpec = { zarr_format: 3, node_type: "group", attributes: {} };  // TS2741
const o: V2 = { zarr_format: 2, attributes: {}, shape: [1], chunks: [1], dtype: "", order: "K" };  // TS2322
const p: V2 = { zarr_format: 2, attributes: {}, shape: [1], chunks: [1], dtype: "", ordr: "C" };  // TS2561
const q: V2 = { zarr_format: 2, attributes: {}, shape: [1], chunks: [1], dtype: "", _ours: 1 };
const r: Details["size"] = [1, 2, 3];  // TS2322
const s: Details["by_kind"] = { c: 1 };  // TS2353
const t: Details["some"] = [];  // TS2322
const u: Details["tree"] = { a: { b: "c" } };
const v: Details["tree"] = { a: { b: 1 } };  // TS2322
const w: Details["level"] = 2;  // TS2322
weather.members.wind;  // TS2339
weather.members.mask.shape;  // TS18048
d.members.w;  // TS18047
export {};
"""

CONFIGURATION = {
    "compilerOptions": {
        "strict": True,
        "noEmit": True,
        "target": "es2022",
        "lib": ["es2022"],
        "module": "esnext",
        "moduleResolution": "bundler",
        "moduleDetection": "force",
        "types": [],
    },
    "include": ["*.ts"],
}


@pytest.fixture(scope="session")
def compiler() -> Path:
    """Find TypeScript's compiler; it is fetched once from npm."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not there, which check types of TypeScript")
    folder = Path(sys.prefix) / "node"
    found = folder / "node_modules" / "typescript" / "bin" / "tsc"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not found.exists():
            options = ["--no-save", "--no-audit", "--no-fund", "--prefix", str(folder)]
            command = ["npm", "install", *options, "typescript@5"]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=120)
            except subprocess.TimeoutExpired:
                pytest.skip(
                    "npm did not answer within two minutes, and so types of TypeScript are not checked"
                )
            if done.returncode or not found.exists():
                why = next((line for line in done.stderr.splitlines() if "error" in line), "it says nothing")
                pytest.skip(f"npm cannot fetch TypeScript: {why}")
    return found


@pytest.fixture
def tsc(compiler: Path, once: Callable[..., Any]) -> Callable[[str], list[str]]:
    """Return what `tsc` says of a file: the line and the code of each error, and its text."""
    said = once("tsc", lambda folder: _compile(compiler, folder))
    return lambda name: said.get(f"{name}.ts", [])


def _compile(compiler: Path, folder: Path) -> dict[str, list[str]]:
    for name, text in {**_modules(), **_programs()}.items():
        (folder / f"{name}.ts").write_text(text, encoding="utf-8")
    (folder / "tsconfig.json").write_text(json.dumps(CONFIGURATION))
    command = ["node", str(compiler), "--pretty", "false"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    found: dict[str, list[str]] = {}
    for line in done.stdout.splitlines():
        if (parts := re.fullmatch(r"(\S+)\((\d+),\d+\): error (TS\d+: .*)", line)) is not None:
            found.setdefault(parts[1], []).append(f"{parts[2]} {parts[3]}")
    assert found or done.returncode == 0, done.stdout + done.stderr
    return found


def _modules() -> dict[str, str]:
    """Return all that is made here: it must be TypeScript, and so must what conventions give."""
    models = {f"{name}{number}": model for name, of in CONVENTIONS.items() for number, model in of.items()}
    models |= {"weather": Weather, "nested": Nested, "awkward": awkward(), "xarray_spec": XArraySpec}
    texts = {name: zom.typescript(model) for name, model in models.items()}
    group = v2.GroupSpec[Any, XArraySpec]
    return {
        **texts,
        "xgroup": zom.typescript(group, name="XGroupSpec"),
        "v2": zom.typescript(2),
        "v3": zom.typescript(3),
    }


def _programs() -> dict[str, str]:
    return {
        "literal": LITERAL,
        "ours": OURS,
        "own": OWN,
        "wrong": WRONG,
        "stores": "".join(_stores()),
    }


def _stores() -> list[str]:
    """Return the models of hierarchies that zarr-python made as constants, and those of the document."""
    lines = []
    for number in (2, 3):
        lines.append(f'import type {{ GroupSpec as V{number} }} from "./v{number}";\n')
        document = json.loads((EXAMPLES / f"zep6_v{number}.json").read_text())
        if number == 2:
            document["members"]["foo"]["filters"] = None
        for name, value in (("example", document), ("store", _model(number).to_json())):
            lines.append(f"const {name}{number}: V{number} = {json.dumps(value, indent=1)};\n")
    lines.append('import type { Nested } from "./nested";\n')
    array = XArraySpec.from_array(np.zeros(3), attributes={"_ARRAY_DIMENSIONS": ["x"]})
    nested = Nested(members={"a": array, "b": Nested(members={"c": array})})
    lines.append(f"const nested: Nested = {json.dumps(nested.to_json())};\n")
    return lines


def _model(number: int) -> zom.NodeSpec[Any]:
    store: dict[str, Any] = {}
    root = zarr.create_group(
        zarr.storage.MemoryStore(store), zarr_format=number, attributes={"title": "é", "n": [1]}
    )
    root.create_array("values", shape=(4, 6), chunks=(2, 3), dtype="float32", fill_value=np.nan)
    root.create_array("a/b/flags", shape=(), dtype="bool", attributes={"nested": {"deeply": [None, True]}})
    options: Any = {"dimension_names": ["x", None], "shards": (4, 4)} if number == 3 else {"order": "F"}
    root.create_array("other names/é", shape=(8, 8), chunks=(2, 2), dtype="int64", **options)
    return zom.from_node(omnizarr.open_group({key: value.to_bytes() for key, value in store.items()}))


def _expected(text: str) -> list[str]:
    """Return the line and the code of each error that a program says it has."""
    lines = enumerate(text.splitlines(), 1)
    return [f"{number} {line.rpartition('// ')[2]}" for number, line in lines if "  // TS" in line]


def _refusal(text: str) -> str:
    """Return what today's compiler says of the document's invalid part, with its line.

    The document quotes code 2322, as compilers before TypeScript 5.3 had it, and one line more before it.
    """
    number = text[: text.index("'foo'")].count("\n") + 1
    return f"{number} TS2353: {QUOTED}"


QUOTED = "Object literal may only specify known properties, and ''foo'' does not exist in type 'XAttrs'."


def test_the_document_and_its_error_are_as_they_were():
    assert QUOTED[:-1] in LITERAL


def test_the_example_is_valid_but_for_what_it_says(tsc):
    assert tsc("literal") == [_refusal(LITERAL)]


def test_with_these_types_it_is_the_same(tsc):
    assert tsc("ours") == [_refusal(OURS)]


def test_with_types_of_a_model_it_is_the_same(tsc):
    assert tsc("own") == [_refusal(OWN)]


def test_models_of_stores_and_of_the_document_are_of_these_types(tsc):
    assert tsc("stores") == []


def test_what_is_wrong_is_found_and_nothing_else(tsc):
    expected = _expected(WRONG)
    assert len(expected) == 17
    assert [said.partition(":")[0] for said in tsc("wrong")] == expected


def test_all_that_is_made_is_typescript(tsc):
    assert {name: tsc(name) for name in _modules() if tsc(name)} == {}
