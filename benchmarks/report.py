"""The tables: one for a terminal, one in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, fsum, log

from rich.table import Table

from benchmarks.measure import Row
from benchmarks.memory import LIMIT, Peak
from benchmarks.peers import OURS, REFERENCE

PREFACE = """# Benchmarks

Made by `make bench`. Every library's result was compared with the truth before it was timed; the timings of
the libraries take turns, and a figure is the median of {repeat}. After a peer's time stands how many times
as long it took as omnizarr: above 1, omnizarr was faster. Absolute times move from machine to machine; ratios
move less.

*To the fastest* is the fastest peer's time by omnizarr's. *Goal* is how many times as fast as zarr-python
a minimal reader and writer in pure Python was, with numpy and the same C codecs; *reached* is omnizarr's own
lead over zarr-python as a share of it.
"""


def terminal_table(rows: Sequence[Row], names: Sequence[str]) -> Table:
    """Return a table for rich."""
    table = Table("", "", *names, "to the fastest", "goal", "reached", title="ms or µs, (ratio to omnizarr)")
    for row in rows:
        lead = row.ratio(row.fastest_peer) if row.fastest_peer else None
        colour = "" if lead is None else "green" if lead >= 1 else "red"
        table.add_row(*_cells(row, names), style=colour)
    return table


def memory_table(peaks: Sequence[Peak], names: Sequence[str]) -> Table:
    """Return the peaks for rich."""
    table = Table("", *names, title=f"peak memory of a whole read / size of the array (aim: {LIMIT})")
    for line in _peak_lines(peaks, names):
        table.add_row(*line)
    return table


def markdown(
    rows: Sequence[Row],
    peaks: Sequence[Peak],
    names: Sequence[str],
    facts: dict[str, str],
    repeat: int,
) -> str:
    """Return the whole page."""
    head = ["", "", *names, "to the fastest", "goal", "reached"]
    parts = [PREFACE.format(repeat=repeat), "\n".join(f"- {key}: {value}" for key, value in facts.items())]
    parts.append(_markdown_table(head, [_cells(row, names) for row in rows]))
    parts.append(summary(rows))
    if peaks:
        parts.append(
            f"## Memory\n\nPeak extra memory of a whole read by the array's size; the aim is {LIMIT}."
        )
        parts.append(_markdown_table(["W1", *names], _peak_lines(peaks, names)))
    faults = fault_lines(rows)
    if faults:
        parts.append("## What failed\n\n" + "\n".join(f"- {line}" for line in faults))
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def fault_lines(rows: Sequence[Row]) -> list[str]:
    """Return one line for each failure."""
    return [
        f"{row.case.workload} {row.case.title}: {name}: {fault}"
        for row in rows
        for name, fault in row.faults.items()
    ]


def summary(rows: Sequence[Row]) -> str:
    """Say in how many rows omnizarr is the fastest, and the mean lead."""
    leads = [lead for row in rows if row.fastest_peer and (lead := row.ratio(row.fastest_peer)) is not None]
    ahead = [lead for row in rows if (lead := row.ratio(REFERENCE)) is not None]
    if not leads or not ahead:
        return "Nothing to compare."
    first = sum(lead >= 1 for lead in leads)
    return (
        f"omnizarr is the fastest in {first} of {len(leads)} rows; "
        f"it is {_mean(ahead):.1f} times as fast as {REFERENCE} (geometric mean)."
    )


def _mean(values: Sequence[float]) -> float:
    return exp(fsum(map(log, values)) / len(values))


def _cells(row: Row, names: Sequence[str]) -> list[str]:
    lead = row.ratio(row.fastest_peer) if row.fastest_peer else None
    goal, share = row.case.goal, row.share_of_goal
    return [
        row.case.workload,
        f"{row.case.title}, {row.case.unit}",
        *(_time(row, name) for name in names),
        "–" if lead is None else f"{lead:.2f}",
        "–" if goal is None else f"{goal:.1f}",
        "–" if share is None else f"{share:.0%}",
    ]


def _time(row: Row, name: str) -> str:
    if name in row.faults:
        return "failed"
    if name not in row.times:
        return "–"
    ratio = row.ratio(name)
    time = f"{row.times[name]:.3g}" if row.times[name] < 100 else f"{row.times[name]:.0f}"
    return time if name == OURS or ratio is None else f"{time} ({ratio:.2f})"


def _peak_lines(peaks: Sequence[Peak], names: Sequence[str]) -> list[list[str]]:
    shares = {(peak.codec, peak.library): f"{peak.share:.2f}" for peak in peaks}
    codecs = dict.fromkeys(peak.codec for peak in peaks)
    return [[codec, *(shares.get((codec, name), "–") for name in names)] for codec in codecs]


def _markdown_table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rule = ["---"] * min(2, len(head)) + ["---:"] * (len(head) - 2)
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *lines))
