"""The matrix: for each library, cases in which every two levels that it knows meet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import ModuleType
from typing import Any

import peer_tensorstore
import peer_zarr_python
import peer_zarrista
from conformance_cases import FACTORS, Case, case_of, possible
from conformance_covering import covering
from conformance_table import WAYS, does
from conformance_v2 import V2_FACTORS, V2Case, v2_case_of, v2_possible

PEERS: dict[str, ModuleType] = {
    peer.name: peer for peer in (peer_zarr_python, peer_tensorstore, peer_zarrista)
}


def factors_of(zarr_format: int) -> dict[str, tuple[str, ...]]:
    """Return the levels of each factor."""
    return V2_FACTORS if zarr_format == 2 else FACTORS


def is_possible(zarr_format: int, levels: Mapping[str, str]) -> bool:
    """Whether there are arrays of these levels."""
    return v2_possible(levels) if zarr_format == 2 else possible(levels)


def make_case(zarr_format: int, levels: Mapping[str, str]) -> Case | V2Case:
    """Return the plainest array that has these levels."""
    return v2_case_of(levels) if zarr_format == 2 else case_of(levels)


@cache
def cases(peer: str, zarr_format: int) -> tuple[Any, ...]:
    """Return arrays in which every pair of levels occurs that the library writes or reads as we do."""

    def allowed(levels: Mapping[str, str]) -> bool:
        return is_possible(zarr_format, levels) and any(does(peer, zarr_format, way, levels) for way in WAYS)

    factors = {
        name: tuple(level for level in levels if allowed({name: level}))
        for name, levels in factors_of(zarr_format).items()
    }
    return tuple(make_case(zarr_format, row) for row in covering(factors, allowed))


def fewer(found: Iterable[Any], times: int) -> Iterator[Any]:
    """Yield cases until each level that they have was there so many times, and no others."""
    seen: Counter[tuple[str, str]] = Counter()
    for case in found:
        if any(seen[level] < times for level in case.levels):
            seen.update(case.levels)
            yield case
