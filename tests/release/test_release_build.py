"""The source distribution and the wheel: built, installed where nothing else is, and used."""

from __future__ import annotations

import email
import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from configparser import ConfigParser
from pathlib import Path
from typing import NamedTuple

import pytest

from omnizarr import __version__
from test_house import NEEDS_EXTRA, extras

pytestmark = pytest.mark.slow  # 60 seconds on two cores, most of them pip's

ROOT = Path(__file__).parents[2]
ANSWERS_ABSENT = ("Could not find a version that satisfies", "Failed to establish a new connection")
USE = """
import sys
from importlib.metadata import entry_points, version
from pathlib import Path
import numpy as np
import omnizarr
from omnizarr import hdmf, netcdf, zom
from omnizarr.store import DirectoryStore

assert Path(omnizarr.__file__).is_relative_to(sys.prefix), omnizarr.__file__
assert version("omnizarr") == omnizarr.__version__
root = omnizarr.create_group("a.zarr", attributes={"title": "a"})
array = root.create_array("t", data=np.arange(24.0).reshape(4, 6), chunks=(2, 3), shards=(4, 6))
assert omnizarr.open("a.zarr/t")[1:3, ::2].tolist() == [[6, 8, 10], [12, 14, 16]]
omnizarr.copy("a.zarr", "a.zip", zarr_format=2)
assert (omnizarr.open_array("a.zip", path="t")[...] == array[...]).all()
assert not omnizarr.validate("a.zarr", level="data").findings
assert zom.from_node(root) == zom.from_json(zom.from_node(root).to_json())
with netcdf.Dataset("b.nczarr", "w") as data:
    data.createDimension("x", 3)
    data.createVariable("v", "i2", ("x",), zlib=True)[:] = [1, 2, 3]
assert netcdf.Dataset("b.nczarr")["v"][:].tolist() == [1, 2, 3]
(found,) = [entry for entry in entry_points(group="xarray.backends") if entry.name == "omnizarr"]
try:
    hdmf.NWBZarrIO
except ImportError as error:
    assert "omnizarr[hdmf]" in str(error), error
else:
    raise AssertionError("what needs an extra is here without it")
try:
    omnizarr.open("s3://bucket/a.zarr")
except omnizarr.errors.StoreError as error:
    assert "omnizarr[cloud]" in str(error), error
print("used")
"""
README_SESSION = """
import sys
sys.path.insert(0, sys.argv[1])
from guide_pages import blocks, run_page
text = open(sys.argv[2], encoding="utf-8").read()
first = blocks(text, "python")[0].text
print(run_page("README.md", f"```python\\n{first}```\\n") >= 5)
"""


class Built(NamedTuple):
    """Both files of a release."""

    sdist: Path
    wheel: Path


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """Return what a command prints; where the packages that it needs cannot be had, the test is skipped."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV"))}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=clean | environment, capture_output=True, text=True, timeout=600
    )
    if any(answer in done.stdout + done.stderr for answer in ANSWERS_ABSENT):
        pytest.skip("no package index answers")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build as `python -m build` does: the wheel from the source distribution."""
    pytest.importorskip("build", reason="the package build is not installed")
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT, cwd=folder)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return Built(sdist, wheel)


@pytest.fixture(scope="module")
def wheel_names(built: Built) -> set[str]:
    with zipfile.ZipFile(built.wheel) as archive:
        return set(archive.namelist())


def test_files_have_the_version_in_their_names(built: Built) -> None:
    assert built.sdist.name == f"omnizarr-{__version__}.tar.gz"
    assert built.wheel.name == f"omnizarr-{__version__}-py3-none-any.whl"


def test_the_wheel_holds_the_package_and_nothing_else(wheel_names: set[str]) -> None:
    source = ROOT / "src"
    ours = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    described = {name for name in wheel_names if ".dist-info/" in name}
    # files that appear in the sources while this runs are no fault of the wheel
    assert wheel_names - described <= ours
    tracked = run("git", "ls-files", "src", cwd=ROOT).split() if (ROOT / ".git").exists() else []
    assert {name.removeprefix("src/") for name in tracked if (ROOT / name).exists()} <= wheel_names
    assert {"omnizarr/py.typed", "omnizarr/serve/page/index.html"} <= wheel_names
    assert not [name for name in wheel_names if re.match(r"(tests|docs|benchmarks|fuzz)/", name)]
    assert {Path(name).name for name in described} == {
        "METADATA",
        "WHEEL",
        "RECORD",
        "LICENSE",
        "entry_points.txt",
    }


def test_metadata(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        told = email.message_from_bytes(archive.read(name))
        (points,) = (name for name in archive.namelist() if name.endswith("/entry_points.txt"))
        entries = ConfigParser()
        entries.read_string(archive.read(points).decode())
    assert told["Description-Content-Type"] == "text/markdown"
    assert str(told.get_payload(decode=True), "utf-8") == (ROOT / "README.md").read_text(encoding="utf-8")
    assert (told["Name"], told["License-Expression"]) == ("omnizarr", "MIT")
    assert told["Requires-Python"] == ">=3.11"
    assert dict(entries["console_scripts"]) == {"omnizarr": "omnizarr.cli:main"}
    assert list(entries["xarray.backends"]) == ["omnizarr"]


def test_the_source_distribution_holds_what_tests_and_the_site_need(built: Built, tmp_path: Path) -> None:
    with tarfile.open(built.sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    assert {path.name for path in folder.iterdir()} == {
        *(".gitignore", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "Makefile", "PKG-INFO"),
        *("README.md", "SECURITY.md", "benchmarks", "docs", "fuzz", "mkdocs.yml", "pyproject.toml"),
        *("src", "tests"),
    }
    chosen = ("tests/geometry", "tests/metadata/test_metadata_v3.py", "tests/test_jsontypes.py")
    told = run(sys.executable, "-m", "pytest", *chosen, cwd=folder, PYTHONPATH=str(folder / "src"))
    assert re.search(r"\d+ passed", told)
    assert "error" not in told


@pytest.fixture(scope="module")
def python(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python of an environment with the wheel and what it needs."""
    folder = tmp_path_factory.mktemp("clean")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", built.wheel, cwd=folder)
    return python


def test_it_works_where_only_what_it_needs_is_installed(python: Path, tmp_path: Path) -> None:
    assert run(python, "-W", "error", "-c", USE, cwd=tmp_path).split() == ["used"]


def test_the_command_line_works_there(python: Path, tmp_path: Path) -> None:
    command = python.parent / "omnizarr"
    assert __version__ in run(command, "--version", cwd=tmp_path)
    run(
        python,
        "-c",
        "import omnizarr; omnizarr.create_array('a.zarr', name='t', data=[1, 2, 3])",
        cwd=tmp_path,
    )
    assert "t (3,) int64" in run(command, "tree", "a.zarr", cwd=tmp_path)
    run(command, "copy", "a.zarr", "b.zip", "--zarr-format", "2", cwd=tmp_path)
    assert run(command, "validate", "b.zip", cwd=tmp_path) == "no problems\n"
    _, commands = run(command, "--help", cwd=tmp_path).split("Commands:\n")
    names = re.findall(r"^  (\w+) ", commands, flags=re.MULTILINE)
    assert {"copy", "info", "validate"} <= set(names)
    for name in names:
        assert run(command, name, "--help", cwd=tmp_path)


def test_the_first_session_of_the_readme_runs_there(python: Path, tmp_path: Path) -> None:
    arguments = (ROOT / "tests" / "docs", ROOT / "README.md")
    assert run(python, "-c", README_SESSION, *arguments, cwd=tmp_path).split() == ["True"]


def test_every_module_is_imported_there_or_names_its_extra(python: Path, tmp_path: Path) -> None:
    code = (
        "import importlib, pkgutil, omnizarr\n"
        "for found in pkgutil.walk_packages(omnizarr.__path__, 'omnizarr.', onerror=lambda name: None):\n"
        "    if found.name.endswith('__main__'): continue\n"
        "    try: importlib.import_module(found.name)\n"
        "    except ImportError as error: print(found.name, error.name)\n"
    )
    missing = [line.split() for line in run(python, "-c", code, cwd=tmp_path).splitlines()]
    places = {place: extras()[extra] for place, extra in NEEDS_EXTRA.items()}
    places["omnizarr.testing"] = {"pytest", "hypothesis"}  # for those who test
    strays = [
        (module, package)
        for module, package in missing
        if not any(f"{module}.".startswith(f"{place}.") and package in places[place] for place in places)
    ]
    assert strays == []
