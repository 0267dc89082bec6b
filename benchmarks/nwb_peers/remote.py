"""A library that another process has; a verb lasts as long as there, and some 0.1 ms for the way."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from benchmarks.nwb_peers.base import Plain

ROOT = Path(__file__).parent.parent.parent


class RemoteError(Exception):
    """What the other process says went wrong."""


class RemoteNWBFiles:
    """NWB files by a library in another environment.

    Parameters
    ----------
    python
        The interpreter of the environment.
    module
        The adapter to load there.
    """

    def __init__(self, name: str, python: Path, module: str, **variables: str) -> None:
        self.name = name
        self._process = subprocess.Popen(
            [python, "-m", "benchmarks.nwb_peers.worker", module],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.version: str = self._next()["version"]

    def make_objects(self, count: int) -> None:
        self._ask("make_objects", count)

    def make_recording(self, length: int, channels: int, iterated: bool) -> None:
        self._ask("make_recording", length, channels, iterated)

    def write(self, place: str) -> None:
        self._ask("write", place)

    def close(self) -> None:
        self._ask("close")

    def open(self, place: str) -> None:
        self._ask("open", place)

    def read(self, place: str) -> None:
        self._ask("read", place)

    def describe_objects(self) -> Plain:
        found: Plain = self._ask("describe_objects")
        return found

    def describe_recording(self) -> Plain:
        found: Plain = self._ask("describe_recording")
        return found

    def stop(self) -> None:
        """End the process."""
        self._process.communicate()

    def _ask(self, verb: str, *arguments: Any) -> Any:
        assert self._process.stdin is not None
        print(json.dumps({"verb": verb, "arguments": arguments}), file=self._process.stdin, flush=True)
        answer = self._next()
        if "error" in answer:
            raise RemoteError(answer["error"])
        return answer["value"]

    def _next(self) -> Plain:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RemoteError(f"the process of {self.name} ended with status {self._process.wait()}")
        found: Plain = json.loads(line)
        return found
