"""Groups and variables of an open dataset as notebooks show them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from omnizarr import html
from omnizarr.hierarchy.showing.facts import attributes_html

# Of each group.
_MOST = 100


def group_html(group: Any) -> str:
    """Return a group: its dimensions, variables, groups and attributes; nothing is asked of a store."""
    room = html.Room()
    kind = type(group).__name__
    return html.page(f"<b>{kind}</b> {html.name(group.path)}", _content(group, room, is_open=True))


def variable_html(variable: Any) -> str:
    """Return a variable: its type, its dimensions and its attributes."""
    room = html.Room()
    own = attributes_html(_attributes(variable), room, is_open=True)
    return html.page(_label(variable), own)


def _content(group: Any, room: html.Room, *, is_open: bool = False) -> str:
    dimensions, variables, groups = group.dimensions, group.variables, group.groups
    shown = []
    if dimensions:
        lengths = ((name, _length(found)) for name, found in islice(dimensions.items(), _MOST))
        table = html.rows(lengths, room, count=len(dimensions))
        shown.append(_counted(len(dimensions), "dimension", table, is_open))
    if variables:
        pieces = (_variable(found, room) for found in variables.values())
        shown.append(_counted(len(variables), "variable", _some(pieces, room, len(variables)), is_open))
    if groups:
        pieces = (_group(found, room) for found in groups.values())
        shown.append(_counted(len(groups), "group", _some(pieces, room, len(groups)), is_open))
    return "".join([*shown, attributes_html(_attributes(group), room)])


def _counted(count: int, what: str, body: str, is_open: bool) -> str:
    return html.fold(html.small(f"{count} {what}{'s' * (count != 1)}"), body, is_open=is_open)


def _some(pieces: Iterator[tuple[str, Callable[[], str]]], room: html.Room, count: int) -> str:
    found: list[str] = []
    for label, body in islice(pieces, _MOST):
        if not room.takes(label):
            break
        inner = body()
        found.append(html.fold(label, inner) if inner else label)
    if count > len(found):
        found.append(html.small(f"… {count - len(found)} more"))
    return html.items(found)


def _variable(variable: Any, room: html.Room) -> tuple[str, Callable[[], str]]:
    return _label(variable), lambda: attributes_html(_attributes(variable), room, is_open=True)


def _group(group: Any, room: html.Room) -> tuple[str, Callable[[], str]]:
    return f"<b>{html.name(group.name)}/</b>", lambda: _content(group, room)


def _label(variable: Any) -> str:
    names = ", ".join(
        f"{name}: {length}" for name, length in zip(variable.dimensions, variable.shape, strict=False)
    )
    said = _attributes(variable)
    units = f" [{said['units']}]" if "units" in said else ""
    about = f"{said.get('long_name', said.get('standard_name', ''))}{units}".strip()
    kind = getattr(variable.dtype, "__name__", None) or str(variable.dtype)
    label = f"{html.name(variable.name)} {html.small(f'({names}) {kind}', 160)}"
    return f"{label} {html.text(about, 120)}" if about else label


def _attributes(owner: Any) -> dict[str, Any]:
    return {name: owner.getncattr(name) for name in owner.ncattrs()}


def _length(dimension: Any) -> str:
    size = dimension.size if hasattr(dimension, "size") else len(dimension)
    return f"{size} (unlimited)" if dimension.isunlimited() else f"{size}"
