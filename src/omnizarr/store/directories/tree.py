"""Walking and removing directories, while others may be changing them."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from omnizarr.store.directories.draft import is_draft, remove_stale
from omnizarr.store.keys import is_legal

_GONE = (FileNotFoundError, NotADirectoryError)


class Names(NamedTuple):
    """The names in a directory that may be names of keys, by what they are or lead to."""

    files: list[str]
    directories: list[str]
    links: list[str]  # to directories


def names_in(directory: str) -> Names:
    """Return the names in a directory; none where it is gone."""
    names = Names([], [], [])
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                if not is_legal(entry.name):
                    continue  # a draft, or a name that no key can have
                if entry.is_symlink():
                    _sort_link(entry, names)
                elif entry.is_file():
                    names.files.append(entry.name)
                elif entry.is_dir():
                    names.directories.append(entry.name)
    except _GONE:
        pass
    return names


def _sort_link(entry: os.DirEntry[str], names: Names) -> None:
    try:
        if entry.is_file():
            names.files.append(entry.name)
        elif entry.is_dir():
            names.links.append(entry.name)
    except OSError as error:
        if error.errno != errno.ELOOP:  # a link to itself leads nowhere
            raise


def walk(root: str, prefix: str) -> Iterator[str]:
    """Yield the key of every file below `root + "/" + prefix`."""
    waiting = [prefix]
    while waiting:
        below = waiting.pop()
        names = names_in(f"{root}/{below}")
        yield from [below + name for name in names.files]
        waiting += [f"{below}{name}/" for name in names.directories]
        waiting += [f"{below}{name}/" for name in names.links if not _leads_back(root, below + name)]


def remove_tree(directory: str) -> None:
    """Remove a directory and what is in it; links are removed, and what they lead to stays.

    A draft that somebody is writing stays, and the directories that it lies in.
    """
    if os.path.islink(directory):
        os.unlink(directory)
        return
    remove_contents(directory)
    with suppress(OSError):
        os.rmdir(directory)


def remove_contents(directory: str) -> None:
    """Remove what is in a directory, as `remove_tree` does."""
    try:
        with os.scandir(directory) as entries:
            found = list(entries)
    except _GONE:
        return
    for entry in found:
        if entry.is_dir(follow_symlinks=False):
            remove_tree(entry.path)
        elif is_draft(entry.name):
            remove_stale(entry.path)
        else:
            with suppress(FileNotFoundError):
                os.unlink(entry.path)


def _leads_back(root: str, key: str) -> bool:
    """Say whether a link leads to a directory that it lies in, which would make a walk endless."""
    path = f"{root}/{key}"
    try:
        target, above = os.stat(path), os.path.dirname(path)
        while not os.path.samestat(target, os.stat(above)):
            if above == root:
                return False
            above = os.path.dirname(above)
    except OSError:
        pass  # gone, so there is nothing to walk into
    return True
