"""The pages under docs/spec: their documents are read, their code runs, their links lead somewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from omnizarr.jsontypes import Problems
from omnizarr.metadata.formats.drafts.array2019 import read_array, read_group, write_array
from omnizarr.metadata.formats.drafts.bootstrap import read_bootstrap
from omnizarr.metadata.formats.drafts.data_types import read_data_type
from omnizarr.metadata.formats.drafts.declared import read_declared
from omnizarr.metadata.formats.drafts.draft2019 import Draft2019
from omnizarr.metadata.formats.drafts.gathered import declaring, read_gathered

SPEC = Path(__file__).parents[3] / "docs" / "spec"
PAGES = (
    *("README.md", "core-2019.md", "extension-datetimes.md"),
    *("extension-consolidated-metadata.md", "encoding-msgpack.md"),
)


def blocks(page: str, language: str) -> list[str]:
    text = (SPEC / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def documents(page: str) -> list[Any]:
    return [json.loads(block) for block in blocks(page, "json")]


def test_documents_of_the_core() -> None:
    bootstrap, array, data_type, group = documents("core-2019.md")
    problems = Problems()
    assert read_bootstrap(bootstrap, problems).extensions[0].configuration == {"foo": "bar"}
    assert write_array(read_array(array, problems)) == array
    assert read_data_type(data_type, "", problems).data_type.dtype.str[1:] == "M8[ns]"
    assert read_group(group, problems).attributes == {"spam": "ham"}
    assert problems.found == []


def test_documents_of_extensions() -> None:
    problems = Problems()
    [data_type] = documents("extension-datetimes.md")
    assert read_data_type(data_type, "", problems).instead_of == ""
    declared, document = documents("extension-consolidated-metadata.md")
    [extension] = read_declared([declared], "", problems)
    assert declaring(Draft2019().bootstrap).extensions == (extension,)
    format = Draft2019()
    found = read_gathered(document, format.node_path, format._read_node, problems)
    assert list(found) == ["", "foo", "foo/baz"]
    assert found[""].attributes == {"title": "example"}
    assert problems.found == []


@pytest.mark.parametrize("key", ["elsewhere", "meta/root/x", "meta/root.group"])
def test_where_a_consolidated_document_may_not_lie(key: str) -> None:
    declared, _ = documents("extension-consolidated-metadata.md")
    problems = Problems()
    read_declared([{**declared, "configuration": {"key": key}}], "extensions", problems)
    assert [problem.at for problem in problems.found] == ["extensions[0].configuration.key"]


@pytest.mark.parametrize("page", PAGES)
def test_code_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for block in blocks(page, "python"):
        exec(block, {})


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", (SPEC / page).read_text(encoding="utf-8"))
    assert [link for link in links if not (SPEC / link).exists()] == []


def test_every_page_is_in_the_index() -> None:
    index = (SPEC / "README.md").read_text(encoding="utf-8")
    assert [page.name for page in SPEC.glob("*.md") if f"({page.name})" not in index] == ["README.md"]
