"""docs/conformance.md, from the table and the levels of the matrix.

`python tests/conformance/conformance_page.py` writes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from conformance_matrix import PEERS, cases, factors_of, make_case
from conformance_table import TABLE, VERSIONS, WAYS, Row, does

PAGE = Path(__file__).parent.parent.parent / "docs" / "conformance.md"
COMMAND = "python tests/conformance/conformance_page.py"
_WORDS = {
    (True, True): "yes",
    (True, False): "writes only",
    (False, True): "reads only",
    (False, False): "no",
}
_TITLES = {
    "type": "Data types",
    "fill": "Fill values",
    "layout": "Shapes and chunks",
    "order": "Order",
    "keys": "Chunk keys",
    "filter": "Filters",
    "serializer": "Array to bytes",
    "compressor": "Compressors and checksums",
    "written": "What is written",
    "attributes": "Attributes",
    "names": "Dimension names",
}
_START = """# Conformance

Files that other libraries write are read equal here, and files written here are read equal by them: values
bit by bit, attributes and dimension names, and the bytes of chunks where the specification leaves no choice.
The tests in `tests/conformance/` make arrays in which every two of the features below meet, and try them both
ways with each library; what a library does not do is in a table, and each line of it is tried too, so that
this page is what was seen and not what was hoped.

*yes*: it reads what omnizarr writes, and omnizarr reads what it writes. *reads only*, *writes only*: one of
the two. *no*: it refuses such arrays, or does something else with them; why is said below. omnizarr does all
of them.

This page is made by `{command}`; a test checks that it is up to date.
It is about {peers}; {count} arrays were compared.
"""


def page() -> str:
    """Return the text of the page."""
    peers = ", ".join(f"{peer} {known}" for peer, (_, known) in VERSIONS.items())
    count = sum(len(cases(peer, zarr_format)) for peer in PEERS for zarr_format in (2, 3))
    parts = [_START.format(command=COMMAND, peers=peers, count=count)]
    for zarr_format in (3, 2):
        parts.append(f"## Zarr v{zarr_format}\n")
        parts.extend(_factor(zarr_format, factor) for factor in factors_of(zarr_format))
    parts.append("## Why not\n\nWhat an error says is quoted.\n")
    parts.extend(_reasons(peer) for peer in PEERS)
    return "\n".join(parts)


def _factor(zarr_format: int, factor: str) -> str:
    head = f"| {_TITLES[factor]} | {' | '.join(PEERS)} |\n|---|{'---|' * len(PEERS)}\n"
    levels = factors_of(zarr_format)[factor]
    return head + "".join(f"| {_cell(level)} | {_does(zarr_format, factor, level)} |\n" for level in levels)


def _does(zarr_format: int, factor: str, level: str) -> str:
    levels = dict(make_case(zarr_format, {factor: level}).levels)
    known = {peer: tuple(does(peer, zarr_format, way, levels) for way in WAYS) for peer in PEERS}
    return " | ".join(_WORDS[writes, reads] for writes, reads in known.values())


def _cell(text: str) -> str:
    return "`" + text.replace("|", "\\|") + "`"


def _reasons(peer: str) -> str:
    grouped: dict[tuple[str, ...], list[Row]] = {}
    for row in TABLE:
        if row.peer == peer:
            alone = "" if len(row.levels) > 1 else next(iter(row.levels))
            key = (str(row.zarr_format), alone or str(row), row.outcome, row.why, *row.ways)
            grouped.setdefault(key, []).append(row)
    return f"### {peer}\n\n" + "".join(f"- {line}\n" for rows in grouped.values() for line in _lines(rows))


def _lines(rows: list[Row]) -> Iterator[str]:
    first = rows[0]
    does_not = {
        "refuses": f'"{first.why}"'.replace('""', '"'),
        "differs": first.why,
        "aborts": f'the process ends: "{first.why}"',
    }[first.outcome]
    ways = "" if first.ways == WAYS else f" (where it {first.ways[0]})"
    if len(first.levels) > 1:
        meant = " and ".join(_either(levels) for levels in first.levels.values())
    else:
        meant = _either([level for row in rows for level in row.levels.values() if isinstance(level, str)])
    yield f"v{first.zarr_format}{ways}: {meant}: {does_not}"


def _either(levels: str | list[str] | tuple[str, ...]) -> str:
    names = list(dict.fromkeys([levels] if isinstance(levels, str) else levels))
    if len(names) > 2 and all(name.startswith("sharded") for name in names):
        return "shards"
    return ", ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
