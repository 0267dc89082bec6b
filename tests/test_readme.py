"""What the README and the guides list and quote is there; `tests/docs` runs their code."""

from __future__ import annotations

import re
from pathlib import Path

from omnizarr.zom.conventions import CONVENTIONS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def test_tests_that_a_guide_names_exist() -> None:
    named = re.findall(r"`(test_\d\d_\w+)`", text_of("docs/zom.md"))
    there = (ROOT / "tests" / "zom" / "test_zom_statements.py").read_text(encoding="utf-8")
    assert len(named) == 18
    assert [name for name in named if f"def {name}(" not in there] == []


def test_the_guide_lists_the_conventions() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .* \| (v[23, v]+) \|$", text_of("docs/zom.md"), flags=re.MULTILINE)
    listed = {name: [int(number) for number in re.findall(r"\d", versions)] for name, versions in rows}
    assert listed == {name: sorted(models) for name, models in CONVENTIONS.items()}


def test_the_speed_that_is_quoted_was_measured() -> None:
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    quoted = re.findall(r"^> (omnizarr is the fastest .*)$", README, flags=re.MULTILINE)
    assert len(quoted) == 1
    assert quoted[0] in page.splitlines()


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"`make (\w+)", README)) | set(re.findall(r"^make (\w+)", README, re.MULTILINE))
    assert {"demo", "test"} <= targets
    assert [target for target in targets if not re.search(rf"^{target}:", makefile, re.MULTILINE)] == []
