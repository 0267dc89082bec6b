"""What the machine gives: cores, memory, open files, names of files; and the settings in force."""

from __future__ import annotations

import locale
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from omnizarr.cli.config import unknown_variables
from omnizarr.cli.diagnosis.findings import Finding
from omnizarr.cli.sizes import shown_size
from omnizarr.config import config, variable_of
from omnizarr.jsontypes import shown

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

ABOUT = "machine"
_FEW_FILES = 1024
_LITTLE_MEMORY = 2**30


def machine() -> Iterator[Finding]:
    """Yield what there is to work with."""
    yield _cores()
    yield from _memory()
    yield from _open_files()
    yield _encodings()
    yield _names_of_files()


def settings() -> Iterator[Finding]:
    """Yield the settings that are not the usual ones, and variables that look like settings and are none."""
    for name, origin in config.origins().items():
        if origin != "default":
            yield Finding("settings", name, "note", f"{shown(getattr(config, name))}, by {origin}")
    for name in unknown_variables():
        known = ", ".join(map(variable_of, config.origins()))
        yield Finding("settings", name, "warning", "is set, and is no setting", f"one of: {known}")


def _cores() -> Finding:
    cores, threads = os.cpu_count() or 1, config.settings.threads
    values = {"cores": cores, "threads": threads, "requests": config.settings.requests}
    text = f"{cores} in the machine, {threads} threads are used, {config.settings.requests} requests at once"
    return Finding(ABOUT, "cores", "ok", text, values=values)


def _memory() -> Iterator[Finding]:
    found = _memory_facts()
    if found is None:
        return
    free, total = found
    text = f"{shown_size(free)} of {shown_size(total)} are free"
    values = {"free": free, "total": total}
    if free < _LITTLE_MEMORY:
        advice = "read less at a time; omnizarr copy --memory bounds what a copy takes"
        yield Finding(ABOUT, "memory", "warning", text, advice, values=values)
    else:
        yield Finding(ABOUT, "memory", "ok", text, values=values)


def _memory_facts() -> tuple[int, int] | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        facts = {
            name: int(rest.split()[0]) * 1024 for name, _, rest in (line.partition(":") for line in lines)
        }
        return facts["MemAvailable"], facts["MemTotal"]
    except (OSError, ValueError, KeyError, IndexError):  # of Linux alone
        return None


def _open_files() -> Iterator[Finding]:
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    text = f"{soft} at once" if soft == hard else f"{soft} at once, up to {hard} if asked for"
    values = {"soft": soft, "hard": hard}
    if 0 <= soft < _FEW_FILES:
        yield Finding(ABOUT, "open files", "warning", text, f"ulimit -n {_FEW_FILES}", values=values)
    else:
        yield Finding(ABOUT, "open files", "ok", text, values=values)


def _encodings() -> Finding:
    names, text = sys.getfilesystemencoding(), locale.getpreferredencoding(False)
    told = f"names of files in {names}, text in {text}"
    values = {"files": names, "text": text}
    if names.lower().replace("-", "") != "utf8":
        advice = "PYTHONUTF8=1, or a locale with UTF-8: nodes may have names in any script"
        return Finding(ABOUT, "encoding", "warning", told, advice, values=values)
    return Finding(ABOUT, "encoding", "ok", told, values=values)


def _names_of_files() -> Finding:
    """Look whether names that differ in case alone are one file, as on most disks of macOS and Windows."""
    with tempfile.TemporaryDirectory(prefix="omnizarr-doctor-") as folder:
        Path(folder, "a").touch()
        is_one = Path(folder, "A").exists()
    values = {"case_sensitive": not is_one}
    if is_one:
        advice = "nodes whose names differ in case alone cannot be kept in directories here; a zip file can"
        return Finding(ABOUT, "names of files", "note", "A and a are one file", advice, values=values)
    return Finding(ABOUT, "names of files", "ok", "A and a are two files", values=values)
