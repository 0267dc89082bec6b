"""The site: it is built without a warning, fetches nothing, and has every page and every command."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from inspect import isclass, isroutine, signature
from pathlib import Path
from types import ModuleType

import click
import pytest

import omnizarr
import omnizarr.hdmf
import omnizarr.netcdf
import omnizarr.store
import omnizarr.zom
from omnizarr.cli import cli

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site once for all tests of this file: 15 to 30 seconds on two cores."""
    pytest.importorskip("mkdocs", reason="the extra docs is not installed")
    folder = tmp_path_factory.mktemp("site")
    status, told = build("--site-dir", folder)
    assert warnings_in(told) == []
    assert status == 0, told
    return folder


def build(*arguments: str | Path) -> tuple[int, str]:
    """Return the status and what was said; `--quiet` would silence what `--strict` counts."""
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", *arguments],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr


def warnings_in(told: str) -> list[str]:
    return [line for line in told.splitlines() if line and not line.startswith("INFO")]


@pytest.fixture(scope="module")
def hooks() -> ModuleType:
    spec = spec_from_file_location("docs_hooks", DOCS / "hooks" / "pages.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def page_of(site: Path, name: str) -> str:
    return (site / name / "index.html").read_text(encoding="utf-8")


def test_no_page_stands_twice_in_the_navigation() -> None:
    listed = re.findall(r"([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted({*listed})
    assert len(listed) > 50


@pytest.mark.slow
def test_every_page_is_built_without_a_warning(site: Path) -> None:
    sources = {path.relative_to(DOCS).with_suffix("") for path in DOCS.rglob("*.md")}
    built = {path.parent.relative_to(site) for path in site.rglob("index.html")}
    expected = {path.parent if path.name in ("index", "README") else path for path in sources}
    assert expected == built


def test_what_is_wrong_on_a_page_fails_the_build(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="the extra docs is not installed")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# A\n\n[b](b.md) [c](#c)\n")
    (tmp_path / "docs" / "stray.md").write_text("# Stray\n")
    config = tmp_path / "mkdocs.yml"
    config.write_text(
        f"INHERIT: {ROOT / 'mkdocs.yml'}\ndocs_dir: docs\nextra_css: []\nhooks: []\n"
        "plugins: []\nnav:\n  - index.md\n"
    )
    status, told = build("--config-file", config, "--site-dir", tmp_path / "site")
    assert status == 1
    for fault in ("link 'b.md'", "link '#c'", "stray.md"):
        assert fault in " ".join(warnings_in(told)), told


@pytest.mark.slow
def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    loads = re.compile(
        r"<(?:script|img|iframe|source)[^>]*\ssrc=\"?(?:https?:)?//|<link[^>]*\shref=\"?https?://"
    )
    pages = [path for path in site.rglob("*.html") if loads.search(path.read_text(encoding="utf-8"))]
    sheets = [
        path
        for path in site.rglob("*.css")
        if re.search(r"url\(\"?https?://", path.read_text(encoding="utf-8"))
    ]
    assert pages + sheets == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "module"),
    [
        ("omnizarr", omnizarr),
        ("store", omnizarr.store),
        ("netcdf", omnizarr.netcdf),
        ("hdmf", omnizarr.hdmf),
        ("zom", omnizarr.zom),
    ],
)
def test_every_public_name_has_its_place(site: Path, page: str, module: ModuleType) -> None:
    found = set(re.findall(r' id="([\w.]+)"', page_of(site, f"api/{page}")))
    names = [
        name for name in module.__all__ if isclass(getattr(module, name)) or isroutine(getattr(module, name))
    ]
    assert len(names) > 10
    # a function in a module of its own name is shown by its whole path
    places = {name: {f"{module.__name__}.{name}", f"{module.__name__}.{name}.{name}"} for name in names}
    assert [name for name in names if not places[name] & found] == []


def test_what_functions_return_has_its_place() -> None:
    text = (DOCS / "api" / "omnizarr.md").read_text(encoding="utf-8")
    shown = {name for names in re.findall(r"members: \[(.*)\]", text) for name in names.split(", ")}
    functions = [getattr(omnizarr, name) for name in omnizarr.__all__ if isroutine(getattr(omnizarr, name))]
    returned = {str(signature(function).return_annotation) for function in functions}
    classes = {name for name in returned if re.fullmatch(r"[A-Z]\w+", name)}
    assert "CopyReport" in classes
    assert classes - {"Array", "Group", "AnyNode", "None"} <= shown


def commands_below(command: click.Command, context: click.Context) -> list[click.Context]:
    found = [context]
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            found += commands_below(below, click.Context(below, info_name=name, parent=context))
    return found


def test_the_page_of_the_command_line_has_every_command_and_option(hooks: ModuleType) -> None:
    page = "\n".join(hooks.command_lines())
    contexts = commands_below(cli, click.Context(cli, info_name="omnizarr"))
    assert len(contexts) > 10
    sections = dict(re.findall(r"^#+ (omnizarr .*)\n((?:(?!^##).*\n)*)", page + "\n", flags=re.MULTILINE))
    assert list(sections) == [context.command_path for context in contexts[1:]]
    for context in contexts[1:]:
        for parameter in context.command.get_params(context):
            shown = (
                parameter.opts if isinstance(parameter, click.Option) else [parameter.make_metavar(context)]
            )
            for name in shown:
                assert name in sections[context.command_path] or getattr(parameter, "hidden", False), name


def test_the_page_is_where_the_commands_are_put(hooks: ModuleType) -> None:
    source = (DOCS / "cli.md").read_text(encoding="utf-8")
    assert source.count(hooks.COMMANDS_HERE) == 1
    assert "## omnizarr copy" in hooks.on_page_markdown(source)


def test_bars_in_code_in_tables_are_shown_without_a_backslash(hooks: ModuleType) -> None:
    assert hooks.with_bars("| `\\|S1` | a \\| b |\n`\\|`") == "| `|S1` | a \\| b |\n`\\|`"


def test_links_of_the_readme_lead_somewhere() -> None:
    text = "\n".join((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "CONTRIBUTING.md"))
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", text)
    assert [link for link in links if not (ROOT / link).exists()] == []
