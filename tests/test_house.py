"""The house stands: floors, cycles, sizes, docstrings, dependencies."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "omnizarr"
FILES = sorted(SOURCE.rglob("*.py"))
BENCHMARKS = sorted((ROOT / "benchmarks").rglob("*.py"))
PEERS = {"zarr", "zarrs", "zarrista", "tensorstore", "pydantic_zarr", "hdmf_zarr"}
STRANGERS = ({"store", "metadata"}, {"netcdf", "hdmf"})
# rich takes longer to import than most commands take to run; only a progress bar needs it
LATE = {("cli", "rich")}
# contract suites are for those who test
FOR_TESTS = {("testing", "pytest"), ("testing", "hypothesis")}
# what subclasses an extra's classes; nothing imports it before they are asked for
NEEDS_EXTRA = {
    "omnizarr.hdmf.backend": "hdmf",
    "omnizarr.integrations.xarray": "xarray",
    "omnizarr.pictures.drawing": "plot",
    "omnizarr.serve": "serve",
}
LONGEST_FILE = 450
LONGEST_FUNCTION = 60


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module, where it stands, and how deep."""

    importer: str
    module: str
    line: int
    inside_function: bool
    optional: bool
    typing: bool

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.module}"


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in FILES}


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def read_imports(path: Path) -> list[Import]:
    """Return every import of a file.

    `optional` are those in a `try` that catches ImportError, `typing` those under `if TYPE_CHECKING`.
    """
    found: list[Import] = []

    def visit(node: ast.AST, inside: bool, optional: bool, typing: bool) -> None:
        for name in imported_modules(node):
            line = getattr(node, "lineno", 0)
            found.append(Import(module_name(path), name, line, inside, optional, typing))
        inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        optional = optional or (isinstance(node, ast.Try) and catches_import_error(node))
        typing = typing or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
        for child in ast.iter_child_nodes(node):
            visit(child, inside, optional, typing)

    visit(tree_of(path), inside=False, optional=False, typing=False)
    return found


def imported_modules(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, f"line {node.lineno}: relative imports are not used here"
        assert node.module is not None
        # `from omnizarr.store import base` names a module, `… import Store` a thing in one
        yield from dict.fromkeys(
            name if (name := f"{node.module}.{alias.name}") in MODULES else node.module
            for alias in node.names
        )


def catches_import_error(node: ast.Try) -> bool:
    names = {"ImportError", "ModuleNotFoundError"}
    return any(
        isinstance(part, ast.Name) and part.id in names
        for handler in node.handlers
        if handler.type is not None
        for part in ast.walk(handler.type)
    )


def all_imports() -> list[Import]:
    return [found for path in FILES for found in read_imports(path)]


def inner_imports() -> list[Import]:
    return [found for found in all_imports() if found.module.split(".")[0] == "omnizarr"]


def room_of(module: str) -> str:
    """Return the room of a module: `omnizarr.store.zips.zip` is in `store`, `omnizarr` itself in ``."""
    return module.split(".")[1] if "." in module else ""


def room_and_package(found: Import) -> tuple[str, str]:
    return room_of(found.importer), found.module.split(".")[0]


def floors() -> dict[str, int]:
    """Read the table of docs/architecture.md."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table: dict[str, int] = {}
    for floor, rooms in re.findall(r"^\| (\d+) \| ([^|]+) \|", text, flags=re.MULTILINE):
        for room in re.findall(r"`(\w+)(?:\.py|/)`", rooms):
            table[room] = int(floor)
    return table


FLOORS = floors()
# The face stands on top of everything, the version below.
TOP = max(FLOORS.values(), default=0) + 1
ALL_FLOORS = FLOORS | {"": TOP, "__main__": TOP, "_version": -1}


def goes_down(found: Import) -> bool:
    here, there = room_of(found.importer), room_of(found.module)
    if here == there:
        return True
    ground = ALL_FLOORS[here] == ALL_FLOORS[there] == 0
    return ground or ALL_FLOORS[there] < ALL_FLOORS[here]


def test_the_table_names_every_room() -> None:
    assert len(FLOORS) > 10
    assert {room_of(module) for module in MODULES} <= set(ALL_FLOORS)


def test_imports_point_down() -> None:
    assert [str(found) for found in inner_imports() if not goes_down(found)] == []


def test_strangers_never_meet() -> None:
    met = [
        str(found)
        for found in inner_imports()
        for pair in STRANGERS
        if {room_of(found.importer), room_of(found.module)} == pair
    ]
    assert met == []


def test_every_inner_import_exists() -> None:
    assert [str(found) for found in inner_imports() if found.module not in MODULES] == []


def test_no_cycles() -> None:
    """What is imported for annotations alone is not run; the floors hold for it all the same."""
    edges: dict[str, set[str]] = {module: set() for module in MODULES}
    for found in inner_imports():
        if found.module != found.importer and not found.typing:
            edges[found.importer].add(found.module)
    assert cycle_in(edges) is None


def cycle_in(edges: dict[str, set[str]]) -> list[str] | None:
    """Return some cycle of a graph, or None."""
    done: set[str] = set()

    def search(node: str, way: list[str]) -> list[str] | None:
        if node in way:
            return [*way[way.index(node) :], node]
        if node in done:
            return None
        for following in sorted(edges.get(node, ())):
            if (found := search(following, [*way, node])) is not None:
                return found
        done.add(node)
        return None

    return next((found for node in edges if (found := search(node, [])) is not None), None)


def test_the_search_for_cycles_finds_one() -> None:
    assert cycle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert cycle_in({"a": {"b", "c"}, "b": {"c"}, "c": set()}) is None


@cache
def project() -> dict[str, object]:
    found: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def names_of(requirements: object) -> set[str]:
    assert isinstance(requirements, list)
    names = (re.split(r"[^\w.-]", text)[0] for text in requirements)
    return {as_module(name) for name in names}


def as_module(name: str) -> str:
    """Return a distribution's or module's name in one spelling; those used here differ by no more."""
    return name.lower().replace("-", "_")


def extras() -> dict[str, set[str]]:
    table = project()["optional-dependencies"]
    assert isinstance(table, dict)
    return {extra: names_of(requirements) for extra, requirements in table.items()}


def optional_modules() -> set[str]:
    """Return what extras for users bring: those may be absent."""
    return set[str]().union(*(found for extra, found in extras().items() if extra not in ("bench", "test")))


def needing(module: str) -> str | None:
    """Return the place of a module that needs an extra, or None."""
    return next((place for place in NEEDS_EXTRA if f"{module}.".startswith(f"{place}.")), None)


def needed_by(module: str) -> set[str]:
    place = needing(module)
    return set() if place is None else extras()[NEEDS_EXTRA[place]]


def test_peers_are_never_dependencies() -> None:
    assert names_of(project()["dependencies"]) & PEERS == set()
    assert optional_modules() & PEERS == set()


def test_peers_are_never_imported() -> None:
    assert [str(found) for found in all_imports() if found.module.split(".")[0] in PEERS] == []


def test_imports_inside_functions_are_optional_extras() -> None:
    allowed = optional_modules()
    strays = [
        str(found)
        for found in all_imports()
        if found.inside_function
        and as_module(found.module.split(".")[0]) not in allowed
        and room_and_package(found) not in LATE
    ]
    assert strays == []


def test_what_is_imported_on_top_is_always_installed() -> None:
    standard = {as_module(name) for name in sys.stdlib_module_names}
    known = names_of(project()["dependencies"]) | {"omnizarr"} | standard
    strays = [
        str(found)
        for found in all_imports()
        if not found.inside_function
        and not found.optional
        and as_module(found.module.split(".")[0]) not in needed_by(found.importer)
        and as_module(found.module.split(".")[0]) not in known
        and room_and_package(found) not in FOR_TESTS
    ]
    assert strays == []


def test_what_needs_an_extra_is_imported_only_when_it_is_asked_for() -> None:
    strays = [
        str(found)
        for found in inner_imports()
        if (place := needing(found.module)) is not None
        and needing(found.importer) != place
        and not (found.inside_function or found.typing)
    ]
    assert strays == []


@pytest.mark.parametrize("path", FILES + BENCHMARKS, ids=lambda path: str(path.relative_to(ROOT)))
def test_sizes_and_docstrings(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= LONGEST_FILE
    if len(lines) > 1:
        assert ast.get_docstring(tree_of(path)), "a module says in one line what it is"
    long = {
        f"{node.name}: {length}"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := lines_of_code(node)) > LONGEST_FUNCTION
    }
    assert long == set()


def lines_of_code(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a function without its docstring."""
    first = node.body[0]
    is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    docstring = (first.end_lineno or 0) - first.lineno + 1 if is_docstring else 0
    return (node.end_lineno or 0) - node.lineno + 1 - docstring


def test_benchmarks_and_tests_alone_know_the_peers() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    demo = re.search(r"\.demo:.*\n\t\$\(INSTALL\) \"([^\"]*)\"", makefile)
    assert demo is not None
    asked = set(re.findall(r"\w+", demo[1]))
    assert set().union(*(extras()[extra] for extra in asked)) & PEERS == set()
