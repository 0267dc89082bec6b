"""``python -m benchmarks.nwb_peers.worker MODULE``: a library in a process of its own.

A line of standard input is a verb with its arguments, as JSON; a line of standard output is the answer.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from importlib import import_module
from typing import Any


def main() -> None:
    """Do what the lines say until there are no more."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    warnings.simplefilter("ignore")
    library = import_module(sys.argv[1]).LIBRARY
    print(json.dumps({"version": library.version}), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(_answer(library, json.loads(line))), file=answers, flush=True)


def _answer(library: Any, request: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"value": getattr(library, request["verb"])(*request["arguments"])}
    except Exception as error:  # whatever a library raises is told to who asked
        return {"error": f"{type(error).__name__}: {error}"}


if __name__ == "__main__":
    main()
