"""One target: `python -m fuzz.one TARGET [FILE …]` runs files, or libFuzzer with its own options."""

from __future__ import annotations

import resource
import sys
import tempfile
from pathlib import Path
from random import Random

import atheris

with atheris.instrument_imports(include=["omnizarr"]):
    import omnizarr  # noqa: F401
    from fuzz.mutate import mutated
    from fuzz.targets import Target, target
    from omnizarr.errors import OmniZarrError

_MEMORY = 4 * 2**30


def main(arguments: list[str]) -> None:
    """Fuzz until an option of libFuzzer ends it, or a finding does."""
    name, *options = arguments
    with atheris.instrument_imports(include=["omnizarr"]):
        chosen = target(name)
        seeds = list(chosen.seeds())
    # What takes more is a finding as well: MemoryError is none of the library's errors.
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    with tempfile.TemporaryDirectory() as folder:
        for number, seed in enumerate(seeds):
            (Path(folder) / f"{number:03}").write_bytes(seed)
        files = [option for option in options if not option.startswith("-")]
        corpus = [] if files else [folder]
        atheris.Setup(
            [sys.argv[0], *options, *corpus], lambda data: check(chosen, data), custom_mutator=_mutate
        )
        atheris.Fuzz()


def check(chosen: Target, data: bytes) -> None:
    """Run an input; the library's own errors are answers."""
    try:
        chosen.run(data)
    except OmniZarrError:
        return


def _mutate(data: bytes, most: int, seed: int) -> bytes:
    random = Random(seed)
    if random.random() < 0.3:
        return bytes(atheris.Mutate(data, most))
    return mutated(data, random)[:most]


if __name__ == "__main__":
    main(sys.argv[1:])
