"""The files of the page, without a browser: scripts that parse, no foreign code, contrasts, packing."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest

import omnizarr

PAGE = Path(omnizarr.__file__).parent / "serve" / "page"
SCRIPTS = sorted(PAGE.glob("*.js"))
NODE = shutil.which("node")
TEXTS = ("ink", "muted", "accent", "bad")
GROUNDS = ("ground", "card", "side", "code", "grid")


def test_the_page_is_packed_with_the_library() -> None:
    assert {path.name for path in PAGE.iterdir()} >= {"index.html", "style.css", "icon.svg", "main.js"}
    assert len(SCRIPTS) > 10


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_scripts_parse(tmp_path: Path) -> None:
    for script in SCRIPTS:
        module = shutil.copy(script, tmp_path / f"{script.stem}.mjs")
        done = subprocess.run([str(NODE), "--check", module], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_is_a_small_module_that_makes_no_html_of_text(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert text.startswith("/**")
    assert len(text.splitlines()) <= 450
    banned = (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "new Function",
        "setTimeout('",
    )
    assert [word for word in banned if word in text] == []
    undocumented = re.findall(r"(?<!\*/)\nexport (?:async )?(?:function|class) (\w+)", text)
    assert undocumented == []
    imports = re.findall(r"from \"([^\"]+)\"", text)
    assert all((PAGE / name).is_file() for name in imports)


def test_nothing_comes_from_elsewhere() -> None:
    for path in PAGE.iterdir():
        text = path.read_text(encoding="utf-8")
        addresses = set(re.findall(r"https?://[^\s\"')]+", text))
        # Names of namespaces and of specifications are not asked for.
        assert all(
            address.startswith("http://www.w3.org/2000/svg") or "*" in line_of(text, address)
            for address in addresses
        )


def line_of(text: str, part: str) -> str:
    return next(line for line in text.splitlines() if part in line)


def test_the_document_has_no_scripts_or_styles_within() -> None:
    text = (PAGE / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<script(?![^>]*\bsrc=)", text) == []
    assert re.findall(r"<style|\bstyle=|\son\w+=", text) == []


def test_text_can_be_read_on_every_ground() -> None:
    light, *dark = [
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))
        for block in re.findall(
            r"\{([^{}]*--ground: [^{}]*)\}", (PAGE / "style.css").read_text(encoding="utf-8")
        )
    ]
    assert len(dark) == 2
    assert dark[0] == dark[1]
    for colours in (light, dark[0]):
        pairs = [
            *product(TEXTS, GROUNDS),
            ("on-accent", "accent"),
            ("bad", "bad-soft"),
            ("ink", "accent-soft"),
        ]
        poor = {pair: ratio for pair in pairs if (ratio := contrast(*(colours[name] for name in pair))) < 4.5}
        assert poor == {}
        assert contrast(colours["strong-line"], colours["card"]) >= 3


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours (WCAG 2.2)."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
