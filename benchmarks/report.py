"""The tables: one for a terminal, one in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Section:
    """Rows that have the same columns; without a title they come first."""

    title: str
    rows: Sequence[Row]
    names: Sequence[str]

    @property
    def head(self) -> list[str]:
        """What stands above the columns; goals only where there are any."""
        return ["", "", *self.names, "to the fastest", *(("goal", "reached") if self.has_goals else ())]

    @property
    def has_goals(self) -> bool:
        """Whether there is a row with a goal."""
        return any(row.case.goal is not None for row in self.rows)

    def cells(self, row: Row) -> list[str]:
        """Return a row as text."""
        cells = _cells(row, self.names)
        return cells if self.has_goals else cells[:-2]


def terminal_table(section: Section) -> Table:
    """Return a table for rich."""
    table = Table(*section.head, title=f"{section.title} ms or µs, (ratio to omnizarr)".strip())
    for row in section.rows:
        lead = row.ratio(row.fastest_peer) if row.fastest_peer else None
        colour = "" if lead is None else "green" if lead >= 1 else "red"
        table.add_row(*section.cells(row), style=colour)
    return table


def memory_table(peaks: Sequence[Peak], names: Sequence[str]) -> Table:
    """Return the peaks for rich."""
    table = Table("", *names, title=f"peak memory of a whole read / size of the array (aim: {LIMIT})")
    for line in _peak_lines(peaks, names):
        table.add_row(*line)
    return table


def markdown(sections: Sequence[Section], peaks: Sequence[Peak], facts: dict[str, str], repeat: int) -> str:
    """Return the whole page."""
    parts = [PREFACE.format(repeat=repeat), "\n".join(f"- {key}: {value}" for key, value in facts.items())]
    for section in (section for section in sections if section.rows):
        parts += [f"## {section.title}"] if section.title else []
        parts.append(_markdown_table(section.head, [section.cells(row) for row in section.rows]))
        parts.append(summary(section.rows))
    if peaks:
        names = sections[0].names
        parts.append(
            f"## Memory\n\nPeak extra memory of a whole read by the array's size; the aim is {LIMIT}."
        )
        parts.append(_markdown_table(["W1", *names], _peak_lines(peaks, names)))
    faults = fault_lines(sections)
    if faults:
        parts.append("## What failed\n\n" + "\n".join(f"- {line}" for line in faults))
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def fault_lines(sections: Sequence[Section]) -> list[str]:
    """Return one line for each failure."""
    return [
        f"{row.case.workload} {row.case.title}: {name}: {fault}"
        for section in sections
        for row in section.rows
        for name, fault in row.faults.items()
    ]


def summary(rows: Sequence[Row]) -> str:
    """Say in how many rows omnizarr is the fastest, and the mean lead."""
    leads = [lead for row in rows if row.fastest_peer and (lead := row.ratio(row.fastest_peer)) is not None]
    ahead = [lead for row in rows if (lead := row.ratio(REFERENCE)) is not None]
    if not leads:
        return "Nothing to compare."
    said = f"omnizarr is the fastest in {sum(lead >= 1 for lead in leads)} of {len(leads)} rows"
    if not ahead:
        return f"{said}."
    return f"{said}; it is {_mean(ahead):.1f} times as fast as {REFERENCE} (geometric mean)."


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
