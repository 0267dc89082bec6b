"""What can be done at a place: reached, listed, read, and, where it is asked for, written."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from itertools import islice
from time import perf_counter

from omnizarr.cli.diagnosis.findings import Finding, one_line
from omnizarr.cli.diagnosis.stores import exercise
from omnizarr.cli.sizes import counted, shown_size
from omnizarr.config import config
from omnizarr.errors import OmniZarrError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.open import open as open_node
from omnizarr.hierarchy.opening.locate import locate
from omnizarr.hierarchy.paths import prefix_of
from omnizarr.store.base import Span, Store

_TURNS = 5
_MOST_KEYS = 1000
_MOST_BYTES = 8 * 2**20


def place(url: str, write: bool) -> Iterator[Finding]:
    """Yield what can be done at a path or URL; nothing is written unless that is asked for."""
    with config.using(cache=""):
        try:
            store, path = locate(url, None, "a" if write else "r")
        except (OmniZarrError, OSError, ValueError, ImportError) as error:
            yield Finding("place", "open", "broken", one_line(error))
            return
        with store:
            about = store.name
            reached = _reached(about, store, path)
            yield reached
            if reached.level == "broken":
                return
            listed, key = _listed(about, store, path)
            yield listed
            if key is not None:
                yield _read(about, store, key)
            yield _node(about, url)
            if write:
                yield _written(about, store, path)


def _reached(about: str, store: Store, path: str) -> Finding:
    """Ask for a key that is not there."""
    absent = f"{prefix_of(path)}omnizarr-doctor-{uuid.uuid4().hex}"
    began = perf_counter()
    try:
        for _ in range(_TURNS):
            store.get(absent)
    except (OmniZarrError, OSError) as error:
        advice = "look at the address, and at what requests are signed by"
        return Finding(about, "reached", "broken", one_line(error), advice)
    each = (perf_counter() - began) / _TURNS
    text = f"a request takes {1000 * each:.2f} ms"
    return Finding(about, "reached", "ok", text, values={"seconds": each})


def _listed(about: str, store: Store, path: str) -> tuple[Finding, str | None]:
    """List keys, up to a number; return the largest that may be read."""
    began = perf_counter()
    try:
        keys = list(islice(store.list_sizes(prefix_of(path)), _MOST_KEYS))
    except (OmniZarrError, OSError) as error:
        advice = "what is open by name can be read all the same, best with consolidated metadata"
        return Finding(about, "listed", "warning", one_line(error), advice), None
    more = " and more" if len(keys) == _MOST_KEYS else ""
    text = f"{counted(len(keys), 'key')}{more} in {1000 * (perf_counter() - began):.0f} ms"
    largest = max(keys, key=lambda item: item[1] if item[1] <= _MOST_BYTES else -1, default=None)
    return Finding(about, "listed", "ok", text), None if largest is None else largest[0]


def _read(about: str, store: Store, key: str) -> Finding:
    began = perf_counter()
    try:
        value = store.get(key)
        seconds = perf_counter() - began
        part = store.get(key, Span(1, 10))
    except (OmniZarrError, OSError) as error:
        return Finding(about, "read", "broken", f"{key}: {one_line(error)}")
    if value is None:
        return Finding(about, "read", "warning", f"{key} is listed, but cannot be read")
    if part != value[1:11]:
        return Finding(about, "read", "broken", f"{key}: a part that was asked for is not what it should be")
    speed = int(len(value) / seconds)
    text = f"{shown_size(len(value))} at {shown_size(speed)}/s, and parts of it"
    return Finding(about, "read", "ok", text, values={"bytes_per_second": speed})


def _node(about: str, url: str) -> Finding:
    try:
        node = open_node(url, mode="r")
    except (OmniZarrError, OSError, ValueError) as error:
        return Finding(about, "node", "note", one_line(error))
    with node.store:
        kind = "an array" if isinstance(node, Array) else "a group"
        return Finding(about, "node", "ok", f"{kind} of Zarr {node.zarr_format}")


def _written(about: str, store: Store, path: str) -> Finding:
    """Write to keys of its own; conditional writes, which several writers rely on, are among it."""
    folder = f"{prefix_of(path)}omnizarr-doctor-{uuid.uuid4().hex}/"
    began = perf_counter()
    try:
        try:
            exercise(store, f"{folder}a")
        finally:
            store.delete_prefix(folder)
    except (OmniZarrError, OSError, AssertionError) as error:
        return Finding(about, "write", "broken", one_line(error))
    text = f"writes, writes on condition, changes and deletes ({1000 * (perf_counter() - began):.0f} ms)"
    return Finding(about, "write", "ok", text)
