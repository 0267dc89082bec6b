"""What a shell may complete a place to: nodes of a hierarchy on this machine; else the shell's own files.

It is asked while somebody types: nothing but directories and archives of this machine is looked at, and what
fails completes nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from click.shell_completion import CompletionItem

from omnizarr.errors import OmniZarrError
from omnizarr.hierarchy.open import open_group
from omnizarr.store.urls.grammar import is_plain
from omnizarr.store.urls.local import local_place

_DOCUMENTS = ("zarr.json", ".zgroup", ".zarray")
_GROUPS = ("zarr.json", ".zgroup")
# What a shell takes as it stands. It splits or runs other names: a hierarchy may have "a;reboot" in it.
_UNQUOTED = re.compile(r"[\w./+,:@%-]*")
# Entries of a directory that are looked at: 10,000 take 60 ms.
_MOST = 10_000


def places(incomplete: str) -> list[CompletionItem]:
    """Return what a place may become: nodes where it leads into a hierarchy, else files; of URLs nothing."""
    if not is_plain(incomplete):
        return []
    above, slash, start = incomplete.rpartition("/")
    if slash and _UNQUOTED.fullmatch(above):
        try:
            found = sorted(_nodes(above or "/", start))
        except (OmniZarrError, OSError, ValueError):
            found = []
        if found:
            return [CompletionItem(f"{above}/{name}") for name in found]
    return [CompletionItem(incomplete, type="file")]


def names(known: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """Return the names that start so."""
    return [CompletionItem(name) for name in sorted(known) if name.startswith(incomplete)]


def _nodes(above: str, start: str) -> Iterator[str]:
    """Yield the names of nodes below a path that start so, groups with a slash; none where it is no group."""
    if Path(above).is_dir():
        found = _in_directory(above, start) if _has(above, _GROUPS) else iter(())
    else:
        found = _in_archive(above, start)
    return filter(_UNQUOTED.fullmatch, found)


def _in_directory(above: str, start: str) -> Iterator[str]:
    with os.scandir(above) as entries:
        for entry in islice(entries, _MOST):
            if entry.name.startswith(start) and entry.is_dir() and _has(entry.path, _DOCUMENTS):
                yield entry.name + "/" * _holds_directories(entry.path)


def _in_archive(above: str, start: str) -> Iterator[str]:
    if local_place(above).kind != "zip":
        return
    group = open_group(above, mode="r")
    with group.store:
        groups = set(group.group_keys())
        for name in group.keys():  # noqa: SIM118 (a group's names are asked of its store)
            if name.startswith(start):
                yield name + "/" * (name in groups)


def _has(directory: str, documents: Iterable[str]) -> bool:
    return any(Path(directory, name).exists() for name in documents)


def _holds_directories(directory: str) -> bool:
    """Say whether there may be nodes below: arrays of Zarr v3 have a directory of chunks, and no more."""
    if Path(directory, ".zgroup").exists():
        return True
    with os.scandir(directory) as entries:
        return any(entry.is_dir() and _has(entry.path, _DOCUMENTS) for entry in islice(entries, 100))
