"""Options of two places at once, as of the source and the target of a copy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from omnizarr.store.filesystems.fsspec import is_chain
from omnizarr.store.urls.grammar import is_plain, scheme_of

Options: TypeAlias = "Mapping[str, Any] | None"
_HERE = frozenset((None, "file", "memory", "zip", "sqlite", "lmdb"))


def options_of_both(source: Any, target: Any, options: Options) -> tuple[Options, Options]:
    """Return the options of a source, or several, and a target: those of the place that takes any.

    What is on this machine takes none, which is an error where it is opened; so they are left out where the
    other place is on a network.
    """
    here = _is_here(source), _is_here(target)
    if not options or here[0] == here[1]:
        return options, options
    return (None, options) if here[0] else (options, None)


def _is_here(place: Any) -> bool:
    if isinstance(place, list | tuple):
        return all(map(_is_here, place))
    if not isinstance(place, str) or is_plain(place):
        return True
    return not is_chain(place) and scheme_of(place) in _HERE
