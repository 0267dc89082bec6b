"""The benchmarks run, and every library gives the right results; nothing is said about speed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    # in a process of its own: peers bring thread pools that do not survive the forks of other tests
    command = [sys.executable, "-m", "benchmarks", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)


def test_all_workloads_at_their_smallest(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    done = run(
        *("--size", "tiny", "--repeat", "1", "--folder", str(tmp_path), "--report", str(page)),
        *("--hdmf-zarr", str(tmp_path / "nowhere")),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    text = page.read_text(encoding="utf-8")
    assert "What failed" not in text, text
    for workload in ("W1", "W2", "W3", "W4", "W5", "W6", "W7", "W8", "W9", "W10", "W11", "W12"):
        assert f"| {workload} |" in text
    assert "omnizarr is the fastest in" in text
    assert "hdmf-zarr is not installed and left out" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["page.md"]


def test_an_unknown_workload_is_an_error_of_usage() -> None:
    done = run("--only", "W99")
    assert done.returncode == 2
    assert "W99" in done.stderr
