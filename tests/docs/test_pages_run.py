"""All code of all pages runs, and prints what they show; links and named files exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from guide_pages import ROOT, as_module, blocks, is_as_shown, pages, replaced, run_page, section, text_of

TESTED_ELSEWHERE = {
    "docs/extending.md": "tests/test_extending.py",  # its blocks are the modules of a package
    "docs/validate.md": "tests/test_guide_validate.py",  # each of its blocks is a hierarchy of its own
    "docs/serve-page.md": "tests/serve/test_serve_api.py",  # asks a server
    "docs/serve.md": "tests/serve",  # its commands are servers, which do not end
    "docs/spec/": "tests/metadata",  # fragments of documents and tables
    "docs/dialects/": "tests/docs/test_dialect_pages.py",  # with the documents that are stored
    "docs/storage/": "tests/store",  # one line for each kind of store, most on a server
}
RUN = [page for page in pages() if not page.startswith(tuple(TESTED_ELSEWHERE))]


@pytest.mark.usefixtures("workplace", "s3")
@pytest.mark.parametrize("page", RUN)
def test_sessions_print_what_they_show(page: str) -> None:
    for package in NEEDED.get(page, ()):
        pytest.importorskip(package)
    text = text_of(page)
    assert bool(run_page(page, text)) is bool(re.search(r"^#> |^\$ .*\n[^$`]", text, flags=re.MULTILINE))


NEEDED = {
    "README.md": ("pynwb", "netCDF4"),
    "docs/hdmf.md": ("pynwb",),
    "docs/xarray.md": ("xarray", "dask"),
    "docs/dask.md": ("dask",),
    "docs/plot.md": ("matplotlib", "cftime"),
    "docs/start.md": ("xarray", "netCDF4"),
    "docs/guides/climate.md": ("xarray", "dask", "netCDF4", "obstore"),
    "docs/guides/neuroscience.md": ("pynwb", "obstore"),
    "docs/guides/data-engineering.md": ("jsonschema", "obstore"),
    "docs/guides/library-authors.md": ("dask",),
    "docs/migrating/hdmf-zarr.md": ("pynwb",),
}
"""What the code of a page imports beside omnizarr's own needs."""


def test_pages_that_are_tested_elsewhere_are() -> None:
    for page, where in TESTED_ELSEWHERE.items():
        assert (ROOT / page).exists()
        assert (ROOT / where).exists()


@pytest.mark.parametrize("page", ["README.md", *(p for p in pages() if p != "README.md")])
def test_links_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)", text_of(page))
    folder = (ROOT / page).parent
    assert [link for link in links if "://" not in link and not (folder / link).exists()] == []


@pytest.mark.parametrize("page", pages())
def test_files_that_are_named_exist(page: str) -> None:
    named = set(re.findall(r"`((?:tests|docs|benchmarks|src)/[\w/.]+)`", text_of(page)))
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


PAGE = """
```python
a = 1
print(a + 1)
#> 2
```

```python
a
#> …
```

```console
$ echo one \\
  two
one two
$ false || echo three
```
"""


def test_the_runner_sees_what_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_page("page", PAGE) == 3
    for old, new in (("#> 2", "#> 3"), ("one two\n$", "one\n$"), ("#> …", "#> … more")):
        with pytest.raises(AssertionError, match="printed"):
            run_page("page", replaced(PAGE, {old: new}))
    with pytest.raises(AssertionError, match="status 1"):
        run_page("page", replaced(PAGE, {"false || echo three": "false"}))


def test_lines_of_a_module_are_those_of_the_page() -> None:
    lines = as_module(PAGE).splitlines()
    assert [line for line in lines if line] == ["a = 1", "print(a + 1)", "#> 2", "a", "#> …"]
    assert lines[8] == PAGE.splitlines()[8] == "a"
    assert [block.line for block in blocks(PAGE, "python")] == [3, 9]


def test_sections() -> None:
    assert section("# a\n## b\none\n## c\ntwo\n", "b") == "one\n"
    assert section("# a\n## b\none\n## c\ntwo\n", "c") == "two\n"


def test_the_comparison_sees_a_difference() -> None:
    assert is_as_shown(["a 3.2 µs", "b"], ["a … µs", "b"])
    assert not is_as_shown(["a", "b"], ["a"])
    assert not is_as_shown(["a"], ["b"])
