"""A progress bar on a terminal; elsewhere nothing is shown."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Advance: TypeAlias = Callable[[int, int], None]


@contextmanager
def progress_bar(label: str, *, in_bytes: bool = True) -> Iterator[Advance]:
    """Show a bar on standard error; yield a function that takes (done, in all)."""
    if not sys.stderr.isatty():
        yield _nothing
        return
    # Imported here, since rich takes longer than most commands do, and only a terminal needs it.
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column

    # A narrow terminal takes from the bar, and never breaks the line: rich erases one line, not two.
    whole = Column(no_wrap=True)
    column = DownloadColumn(table_column=whole) if in_bytes else MofNCompleteColumn(table_column=whole)
    with Progress(
        TextColumn("{task.description}", table_column=whole),
        BarColumn(table_column=Column(ratio=1)),
        column,
        TimeRemainingColumn(compact=True, table_column=whole),
        console=Console(stderr=True),
    ) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _nothing(done: int, total: int) -> None:
    """Show nothing."""
