"""`omnizarr plot`: a picture of an array, in a file or in the terminal."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from omnizarr.cli.parameters import Size
from omnizarr.cli.places import node_at, place_argument
from omnizarr.cli.plot_options import Along, Inches, Index, Limits, Span
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.pictures.cost import PictureTooLarge
from omnizarr.pictures.cut import Axis, Picture, cut, others
from omnizarr.pictures.subject import Subject, subject_of
from omnizarr.pictures.terminals.ability import Ability, ability_of, pixels_of
from omnizarr.store.urls.grammar import is_plain

if TYPE_CHECKING:
    from omnizarr.pictures.drawing import Style

_FORMATS = ("png", "svg", "pdf")
_SIZE = (8.0, 5.0)
_WIDEST = 1000
_ARRAYS, _GROUPS = (".zarray", "zarr.json"), (".zgroup", "zarr.json")


@click.command("plot")
@place_argument
@click.argument("variable", metavar="[VAR]", required=False)
@click.option("-o", "--output", metavar="FILE", help="Where to: .png, .svg, .pdf; - for standard output.")
@click.option("-s", "--sel", multiple=True, type=Index(), help="Cut another axis at an index: time=0.")
@click.option(
    "-a",
    "--at",
    multiple=True,
    type=Along(),
    help="Cut another axis at the nearest coordinate: lat=52.1, time=2001-01-31.",
)
@click.option("--axes", metavar="ROWS,COLUMNS", help="The axes to show, one or two, by name or number.")
@click.option("-w", "--window", multiple=True, type=Span(), help="Show a part of an axis: lat=10:200.")
@click.option("--field", help="The field of records.")
@click.option("--cmap", default="viridis", show_default=True, help="Colours, by matplotlib's name.")
@click.option("--range", "limits", type=Limits(), help="The values that colours go between.")
@click.option("--log", "is_log", is_flag=True, help="A logarithmic scale of values.")
@click.option("--title", help="What stands above, rather than name and place.")
@click.option("--size", type=Inches(), help="Inches.  [default: 8x5]")
@click.option(
    "--dpi", type=click.FloatRange(20, 1200), default=100, show_default=True, help="Pixels an inch."
)
@click.option("--format", "form", type=click.Choice(_FORMATS), help="Rather than what FILE ends with.")
@click.option("--max-bytes", type=Size(), default="1GB", show_default=True, help="Decoded chunks at most.")
@click.option("--overwrite", is_flag=True, help="Replace FILE.")
def command(
    place: str,
    variable: str | None,
    output: str | None,
    form: str | None,
    overwrite: bool,
    sel: tuple[tuple[str, int], ...],
    at: tuple[tuple[str, str], ...],
    axes: str | None,
    window: tuple[tuple[str, tuple[int, int]], ...],
    field: str | None,
    max_bytes: int,
    size: tuple[float, float] | None,
    **look: Any,
) -> None:
    """Draw the array VAR in the hierarchy at PLACE.

    Two axes make a heat map, the last two unless --axes names others; one makes a line. Other axes are cut at
    their first index unless --sel or --at says where. What is missing is hatched. Of an axis that is
    longer than the picture, every n-th element is read.

    Without -o the picture is shown in the terminal: as an image where that can (kitty, iTerm2, sixels), else
    in coarse blocks.
    """
    ability = _terminal() if output is None else None
    form = form or _form_of(output)
    _check_free(output, overwrite)
    style = _style(size=size or _SIZE, **look)
    wanted = _Wanted(tuple(axes.split(",")) if axes else (), _places(sel, at), dict(window), field, max_bytes)
    place, variable = _within_hierarchy(place, variable)
    with node_at(place) as node:
        subject = subject_of(_array(node, variable))
        style = style if style.title else replace(style, title=wanted.title(subject))
        if output is not None:
            _write(_file(wanted, subject, style, form), output, overwrite)
        elif ability is not None:
            _show(wanted, subject, style, ability, fitting=size is None)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is to be seen."""

    axes: tuple[str, ...]
    at: Mapping[str, int | str]
    window: Mapping[str, tuple[int, int]]
    field: str | None
    max_bytes: int

    def picture(self, subject: Subject, most: tuple[int, int]) -> Picture:
        try:
            return cut(
                subject,
                self.axes,
                self.at,
                window=self.window,
                most=most,
                max_bytes=self.max_bytes,
                field=self.field,
            )
        except PictureTooLarge as error:
            windows = [f"--window {subject.names[n] or n}={a}:{b}" for n, (a, b) in error.window.items()]
            hint = f" ({' '.join(windows)})" if windows else ""
            raise click.UsageError(f"{error}{hint}; --max-bytes allows more") from error

    def title(self, subject: Subject) -> str:
        cuts = others(subject, self.axes, self.at, max_bytes=self.max_bytes)
        name = subject.array.basename or subject.array.store_path.rstrip("/").rpartition("/")[2]
        return ", ".join([f"{name}.{self.field}" if self.field else name, *map(_told, cuts)])


def _told(axis: Axis) -> str:
    """Return where an axis is cut."""
    if axis.coordinates is None:
        return f"{axis.name} = [{axis.start}]"
    value = axis.coordinates[0]
    shown = str(value) if isinstance(value, str) else f"{value:g}"
    return f"{axis.name} = {shown}{f' {axis.units}' if axis.units else ''}"


def _terminal() -> Ability:
    if not sys.stdout.isatty():
        raise click.UsageError("expected -o FILE, or -o -: standard output is no terminal for pictures")
    return ability_of(os.environ)


def _form_of(output: str | None) -> str:
    if output in (None, "-"):
        return "png"
    suffix = Path(str(output)).suffix[1:].lower()
    if suffix not in _FORMATS:
        raise click.UsageError(f"-o: expected a name with .png, .svg or .pdf, or --format, found {output!r}")
    return suffix


def _check_free(output: str | None, overwrite: bool) -> None:
    if output not in (None, "-") and not overwrite and os.path.lexists(str(output)):
        raise click.UsageError(f"{output} exists; --overwrite replaces it")


def _places(sel: tuple[tuple[str, int], ...], at: tuple[tuple[str, str], ...]) -> dict[str, int | str]:
    found: dict[str, int | str] = {}
    given: list[tuple[str, int | str]] = [*sel, *at]
    for name, place in given:
        if name in found:
            raise click.UsageError(f"{name}: expected one place, found {found[name]!r} and {place!r}")
        found[name] = place
    return found


def _array(node: Array | Group, variable: str | None) -> Array:
    if isinstance(node, Array):
        if variable is not None:
            raise click.UsageError(f"{node.store_path} is an array, and has no {variable!r} in it")
        return node
    found = node if variable is None else node[variable]
    if isinstance(found, Array):
        return found
    held = [name for name, _ in zip(found.array_keys(), range(8), strict=False)]
    raise click.UsageError(
        f"expected VAR to name an array, found the group {found.name}"
        + (f", which holds {', '.join(map(repr, held))}" if held else "")
    )


def _within_hierarchy(place: str, variable: str | None) -> tuple[str, str | None]:
    """Return the top of the hierarchy that the directory of a node is in, where its coordinates are."""
    path = top = Path(place).absolute()
    if variable is not None or not is_plain(place) or not _has_any(path, _ARRAYS):
        return place, variable
    while top != top.parent and _has_any(top.parent, _GROUPS):
        top = top.parent
    return (place, None) if top == path else (str(top), path.relative_to(top).as_posix())


def _has_any(directory: Path, names: tuple[str, ...]) -> bool:
    return any(os.access(directory / name, os.F_OK) for name in names)


def _style(**look: Any) -> Style:
    try:
        from omnizarr.pictures.drawing import style_of
    except ImportError as error:
        message = "plot needs the package matplotlib, which belongs to the extra 'plot'"
        raise ImportError(f"{message} (pip install 'omnizarr[plot]')") from error
    return style_of(**look)


def _file(wanted: _Wanted, subject: Subject, style: Style, form: str) -> bytes:
    from omnizarr.pictures.drawing import draw, file_of

    return file_of(draw(wanted.picture(subject, _points(style)), style), form)


def _points(style: Style) -> tuple[int, int]:
    """Return how many points a picture has room for: one for each pixel."""
    width, height = style.size
    return max(1, int(height * style.dpi)), max(1, int(width * style.dpi))


def _write(data: bytes, output: str, overwrite: bool) -> None:
    if output == "-":
        sys.stdout.buffer.write(data)
        return
    try:
        with open(output, "wb" if overwrite else "xb") as file:
            file.write(data)
    except FileExistsError:
        raise click.UsageError(f"{output} exists; --overwrite replaces it") from None


def _show(wanted: _Wanted, subject: Subject, style: Style, ability: Ability, *, fitting: bool) -> None:
    from omnizarr.pictures.drawing import Room, as_text, draw, sequence_of

    columns, lines = shutil.get_terminal_size()
    if ability.protocol == "blocks":
        room = Room.within(columns, lines, ability.colours)
        text = "".join(f"{line}\n" for line in as_text(wanted.picture(subject, room.most), style, room))
        data = text.encode("utf-8", "backslashreplace")
    else:
        width = min(_WIDEST, pixels_of(columns)) / style.dpi
        style = replace(style, size=(width, width * _SIZE[1] / _SIZE[0])) if fitting else style
        data = sequence_of(draw(wanted.picture(subject, _points(style)), style), ability.protocol)
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
