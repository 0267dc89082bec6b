"""How fast a disk is: one large file, many small ones, and the wait until something is safe on it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from time import perf_counter

from omnizarr.cli.diagnosis.findings import Finding, one_line
from omnizarr.cli.sizes import shown_size
from omnizarr.jsontypes import Json

ABOUT = "disk"
_LARGE = 32 * 2**20
_SMALL, _SMALL_BYTES = 200, 4096
_SYNCS = 10
_LONGEST = 2.0
"""Seconds that each measurement may take; a slow disk is measured by less."""
_SLOW = {"write": 50e6, "small files": 500.0, "sync": 0.05}


def disk(folder: Path) -> Iterator[Finding]:
    """Yield measurements of the disk that a folder is on; all files are removed again."""
    try:
        free = shutil.disk_usage(folder).free
        if free < 4 * _LARGE:
            text = f"{shown_size(free)} are free at {folder}, too little to measure"
            yield Finding(ABOUT, "space", "warning", text, "make room, or choose another folder: --disk")
            return
        yield Finding(ABOUT, "space", "ok", f"{shown_size(free)} are free at {folder}", values={"free": free})
        with tempfile.TemporaryDirectory(prefix="omnizarr-doctor-", dir=folder) as place:
            yield _large(Path(place, "large"))
            yield _small(Path(place))
            yield _syncs(Path(place, "sync"))
    except OSError as error:
        yield Finding(ABOUT, str(folder), "broken", one_line(error), "choose another folder: --disk")


def _large(path: Path) -> Finding:
    """Write until it is on the disk, and read again what the system may still have in memory."""
    block = os.urandom(2**20)
    began, written = perf_counter(), 0
    with path.open("wb") as file:
        while written < _LARGE and perf_counter() - began < _LONGEST:
            written += file.write(block)
        file.flush()
        os.fsync(file.fileno())
    write = written / (perf_counter() - began)
    began, count = perf_counter(), 0
    with path.open("rb") as file:
        while data := file.read(2**20):
            count += len(data)
    read = count / (perf_counter() - began)
    text = (
        f"written at {shown_size(int(write))}/s, read back at {shown_size(int(read))}/s ({shown_size(count)})"
    )
    values = {"write_bytes_per_second": int(write), "read_bytes_per_second": int(read)}
    advice = "it will bound what writes; a copy with --workers does not help here"
    return _judged("one large file", text, advice if write < _SLOW["write"] else "", values)


def _small(folder: Path) -> Finding:
    """Write as the directory store does: aside, then by the name that it is to have."""
    began, done = perf_counter(), 0
    while done < _SMALL and perf_counter() - began < _LONGEST:
        draft = folder / f"{done}.draft"
        draft.write_bytes(bytes(_SMALL_BYTES))
        draft.replace(folder / f"{done}.small")
        done += 1
    write = done / (perf_counter() - began)
    began = perf_counter()
    for number in range(done):
        (folder / f"{number}.small").read_bytes()
    read = done / (perf_counter() - began)
    values = {"written_per_second": int(write), "read_per_second": int(read)}
    text = f"{int(write):,} are written and {int(read):,} read in a second"
    advice = "many small chunks are slow here: larger chunks, shards (Zarr v3), or a zip file"
    return _judged("small files", text, advice if write < _SLOW["small files"] else "", values)


def _syncs(path: Path) -> Finding:
    began, done = perf_counter(), 0
    with path.open("wb") as file:
        while done < _SYNCS and perf_counter() - began < _LONGEST:
            file.write(b"x")
            file.flush()
            os.fsync(file.fileno())
            done += 1
    each = (perf_counter() - began) / done
    advice = "databases and zip files wait so long for each change that is to be safe"
    values = {"seconds": each}
    return _judged("sync", f"{1000 * each:.2f} ms", advice if each > _SLOW["sync"] else "", values)


def _judged(name: str, text: str, advice: str, values: Mapping[str, Json]) -> Finding:
    return Finding(ABOUT, name, "warning" if advice else "ok", text, advice, values=values)
