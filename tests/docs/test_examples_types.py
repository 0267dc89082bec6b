"""The Python of all pages under mypy --strict, as programs of users; one run for all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from guide_pages import ROOT, as_module, blocks, pages, text_of

UNTYPED = {
    "docs/extending.md": "five modules of plug-ins, shown without types",
    "docs/validate.md": "each block is a program of its own",
    "docs/dialects/": "documents that are given stand for what is in their stores",
    "docs/serve.md": "lines with names that stand for the reader's own",
    "docs/spec/": "lines with names that stand for the reader's own",
}
UNNARROWED = {
    "README.md": "what a group holds may be an array or a group, JSON may be anything",
    "docs/zom.md": "the same",
    "docs/hdmf.md": "the same",
    "docs/index.md": "the same",
    "docs/aio.md": "the same",
    "docs/plot.md": "the same",
    "docs/storage/": "the same",
}
"""Pages in which values of union types are used without a look at what they are."""
OF_UNIONS = ("[index]", "[union-attr]", "[arg-type]", "[call-overload]", "[attr-defined]")
TYPED = [page for page in pages() if not page.startswith(tuple(UNTYPED)) and blocks(text_of(page), "python")]
SETTINGS = """
[mypy]
strict = True
allow_redefinition = True
explicit_package_bases = True

[mypy-netCDF4.*,h5py.*,hdmf.*,pynwb.*,fsspec.*,numcodecs.*,pandas.*,dask.*,distributed.*]
ignore_missing_imports = True
follow_imports = skip
"""


def _module(page: str) -> str:
    return page.removesuffix(".md").replace("/", "_").replace("-", "_").lower() + ".py"


@pytest.mark.slow
def test_the_code_of_all_pages_has_types(tmp_path: Path) -> None:
    modules = {_module(page): page for page in TYPED}
    assert len(modules) == len(TYPED)
    for name, page in modules.items():
        (tmp_path / name).write_text(as_module(text_of(page)), encoding="utf-8")
    found = _as_pages(_checked(tmp_path, list(modules)), modules)
    assert not found, "\n".join(found)


def _checked(folder: Path, names: list[str]) -> list[str]:
    """Return the lines that mypy prints of modules of a folder."""
    (folder / "mypy.ini").write_text(SETTINGS)
    command = [sys.executable, "-m", "mypy", "--no-error-summary"]
    command += [f"--cache-dir={ROOT / '.mypy_cache' / 'pages'}", *names]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    assert not done.stderr, done.stderr
    return done.stdout.splitlines()


def _as_pages(said: list[str], modules: dict[str, str]) -> list[str]:
    """Return the errors, with the page in place of the module that was made of it; lines have its numbers."""
    errors = [line.partition(":") for line in said if ": note: " not in line]
    named = [f"{modules.get(name, name)}{colon}{rest}" for name, colon, rest in errors]
    return [line for line in named if not (line.startswith(tuple(UNNARROWED)) and line.endswith(OF_UNIONS))]


def test_lines_are_those_of_the_page(tmp_path: Path) -> None:
    text = "# A page\n\n```python\none: int = 1\n```\n\n```python\none + 'a'\n```\n"
    (tmp_path / "a.py").write_text(as_module(text))
    (found,) = _as_pages(_checked(tmp_path, ["a.py"]), {"a.py": "docs/a.md"})
    assert found.startswith("docs/a.md:8: error: Unsupported operand types")
