"""Run cases: check every library first, then time all of them in turns."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from statistics import median
from time import perf_counter

from benchmarks.case import SECONDS, Case, Trial, nothing
from benchmarks.peers import OURS, REFERENCE
from benchmarks.peers.base import Named

SHORTEST = 0.005
"""Seconds that one timing of a repeatable operation takes at least."""


@dataclass(frozen=True, slots=True)
class Row:
    """The medians of one case in its unit, and what went wrong with which library."""

    case: Case
    times: dict[str, float]
    faults: dict[str, str] = field(default_factory=dict)

    def ratio(self, name: str) -> float | None:
        """Return how many times as long as omnizarr a library took."""
        if name not in self.times or OURS not in self.times:
            return None
        return self.times[name] / self.times[OURS]

    @property
    def fastest_peer(self) -> str | None:
        """The fastest library that is not omnizarr."""
        peers = [name for name in self.times if name != OURS]
        return min(peers, key=self.times.__getitem__, default=None)

    @property
    def share_of_goal(self) -> float | None:
        """How much of the goal is reached: 1 where omnizarr is as far ahead of zarr-python as the goal."""
        ahead = self.ratio(REFERENCE)
        return None if ahead is None or self.case.goal is None else ahead / self.case.goal


def measure(case: Case, libraries: Sequence[Named], repeat: int) -> Row:
    """Return the medians of `repeat` timings of each library."""
    timers: dict[str, _Timer] = {}
    faults: dict[str, str] = {}
    for library in libraries:
        try:
            trial = case.trial(library)
            if trial is not None:
                timers[library.name] = _Timer(trial)
        except Exception as error:  # whatever a peer raises is a finding, not the end of the run
            faults[library.name] = f"{type(error).__name__}: {error}".partition("\n")[0][:200]
    _take_turns(list(timers.values()), repeat)
    unit = SECONDS[case.unit] * case.calls
    return Row(case, {name: median(timer.seconds) / unit for name, timer in timers.items()}, faults)


def _take_turns(timers: list[_Timer], repeat: int) -> None:
    for turn in range(repeat):
        first = turn % max(1, len(timers))
        for timer in timers[first:] + timers[:first]:
            timer.measure()


class _Timer:
    """A checked trial and its timings; making one runs the trial once to check it, once to warm up."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self.loops = 1
        self.seconds: list[float] = []
        trial.before()
        trial.check(trial.run())
        self.measure()
        shortest = self.seconds.pop()
        if trial.before is nothing:
            self.loops = max(1, ceil(SHORTEST / max(shortest, 1e-7)))

    def measure(self) -> None:
        """Append the seconds of one run."""
        self.trial.before()
        gc.collect()
        run = self.trial.run
        loops = range(self.loops)
        start = perf_counter()
        for _ in loops:
            run()
        self.seconds.append((perf_counter() - start) / self.loops)
