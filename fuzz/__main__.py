"""Fuzz every target for some seconds; exit status 1 where there is a finding, whose input is kept."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from fuzz.targets import NAMES

_ROOT = Path(__file__).parent.parent
_FINDINGS = Path(__file__).parent / "findings"
_SLOWEST = 10  # seconds for an input
_GRACE = 120
_MEMORY = 2048


class _Result(NamedTuple):
    name: str
    runs: int
    inputs: tuple[Path, ...]
    status: int
    output: str

    @property
    def is_clean(self) -> bool:
        return self.status == 0 and not self.inputs

    def __str__(self) -> str:
        if self.is_clean:
            return f"{self.name:16} {self.runs:>9} runs  no finding"
        return f"{self.name:16} {self.runs:>9} runs  FOUND"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the targets asked for, and print a line for each."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"some of {', '.join(NAMES)}")
    parser.add_argument("--seconds", type=int, default=20, help="for each target (20)")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), help="targets at a time")
    asked = parser.parse_args(arguments)
    unknown = [name for name in asked.targets if name not in NAMES]
    if unknown:
        parser.error(f"no target {', '.join(unknown)}; there are {', '.join(NAMES)}")
    _FINDINGS.mkdir(exist_ok=True)
    found = False
    with ThreadPoolExecutor(asked.jobs) as pool:
        for result in pool.map(lambda name: _fuzz(name, asked.seconds), asked.targets or NAMES):
            print(result, flush=True)
            if not result.is_clean:
                found = True
                _tell(result)
    return int(found)


def _fuzz(name: str, seconds: int) -> _Result:
    before = set(_FINDINGS.glob(f"{name}-*"))
    options = (
        f"-max_total_time={seconds}",
        f"-timeout={_SLOWEST}",
        f"-rss_limit_mb={_MEMORY}",
        "-max_len=65536",
        "-print_final_stats=1",
        f"-artifact_prefix={_FINDINGS}/{name}-",
    )
    command = [sys.executable, "-m", "fuzz.one", name, *options]
    try:
        done = subprocess.run(command, cwd=_ROOT, capture_output=True, timeout=seconds + _GRACE, check=False)
        status, output = done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")
    except subprocess.TimeoutExpired as error:
        status, output = -1, (error.stderr or b"").decode("utf-8", "replace")
    counts = re.findall(r"stat::number_of_executed_units:\s*([0-9]+)|^#([0-9]+)", output, re.MULTILINE)
    runs = max((int(one or other) for one, other in counts), default=0)
    return _Result(name, runs, tuple(set(_FINDINGS.glob(f"{name}-*")) - before), status, output)


def _tell(result: _Result) -> None:
    lines = [line for line in result.output.splitlines() if not line.startswith(("INFO:", "NEW_FUNC"))]
    output = "\n".join(lines)
    start = output.find("=== Uncaught")
    print(output[start : start + 4000] if start >= 0 else output[-2000:])
    for path in result.inputs:
        print(f"  again: {sys.executable} -m fuzz.one {result.name} {path.relative_to(_ROOT)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
