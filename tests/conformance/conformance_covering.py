"""Few combinations that hold every pair of levels of every two factors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product

Row = dict[str, str]
Pair = frozenset[tuple[str, str]]


def covering(factors: Mapping[str, Sequence[str]], allowed: Callable[[Row], bool]) -> list[Row]:
    """Return rows, a level for each factor, in which every pair of levels occurs that can occur.

    `allowed` is asked about rows that are not complete too, and says no only where no level of the factors
    that are missing makes up for it. The same arguments give the same rows.
    """
    open_pairs = dict.fromkeys(
        frozenset({(one, a), (other, b)})
        for one, other in combinations(factors, 2)
        for a, b in product(factors[one], factors[other])
        if allowed({one: a, other: b})
    )
    rows = []
    while open_pairs:
        pair = next(iter(open_pairs))
        row = _completed(dict(pair), factors, allowed, open_pairs)
        for covered in [pair, *_pairs(row or {})]:
            open_pairs.pop(covered, None)
        if row is not None:
            rows.append({name: row[name] for name in factors})
    return rows


def _pairs(row: Row) -> list[Pair]:
    return [frozenset(two) for two in combinations(row.items(), 2)]


def _completed(
    row: Row,
    factors: Mapping[str, Sequence[str]],
    allowed: Callable[[Row], bool],
    wanted: Mapping[Pair, None],
) -> Row | None:
    """Return a row with a level for every factor, the ones with most pairs that are wanted first."""
    missing = next((name for name in factors if name not in row), None)
    if missing is None:
        return row

    def gain(level: str) -> int:
        return sum(frozenset({(missing, level), item}) in wanted for item in row.items())

    levels = factors[missing]
    turn = len(wanted) % len(levels)  # where nothing is gained levels still take turns
    for level in sorted([*levels[turn:], *levels[:turn]], key=gain, reverse=True):
        longer = row | {missing: level}
        if allowed(longer):
            found = _completed(longer, factors, allowed, wanted)
            if found is not None:
                return found
    return None
