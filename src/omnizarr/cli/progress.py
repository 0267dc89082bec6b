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
    from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    column = DownloadColumn() if in_bytes else MofNCompleteColumn()
    with Progress(
        "{task.description}", BarColumn(), column, TimeRemainingColumn(), console=Console(stderr=True)
    ) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _nothing(done: int, total: int) -> None:
    """Show nothing."""
