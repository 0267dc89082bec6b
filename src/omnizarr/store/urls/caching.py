"""The cache that a place is opened with: what `storage_options`, a URL and the settings ask for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from omnizarr.config import config
from omnizarr.errors import StoreError, UrlError
from omnizarr.store.base import Store
from omnizarr.store.layers.cache import CachedStore
from omnizarr.store.urls.grammar import Url
from omnizarr.store.urls.modes import Mode, Options

OPTION = "cache"
MEMORY = "memory"
_WORDS = ("", MEMORY, "check", "no")
_PARTS: dict[str, tuple[type, ...]] = {
    "directory": (str, os.PathLike),
    "max_bytes": (int,),
    "check": (bool,),
    "keep_absent": (bool,),
}
_EXPECTED = f"expected True, False, 'memory', a directory, or a mapping of {', '.join(_PARTS)}"


@dataclass(frozen=True, slots=True)
class Cache:
    """What a `CachedStore` is made with; in memory where there is no directory."""

    directory: str | os.PathLike[str] | None = None
    max_bytes: int | None = None
    check: bool = False
    keep_absent: bool = False

    def around(self, store: Store) -> Store:
        """Return a store that keeps what it has read of another; errors as of `CachedStore`."""
        return CachedStore(
            store,
            self.max_bytes,
            directory=self.directory,
            check=self.check,
            keep_absent=self.keep_absent,
        )


def split_cache(options: Options, shown: str) -> tuple[Options, Cache | bool | None]:
    """Return the other options, and the cache that is asked for: False for none, None where nothing is said.

    Raises
    ------
    StoreError
        It is not what it should be; `shown` is the place in the message.
    """
    if OPTION not in options:
        return options, None
    rest = {name: value for name, value in options.items() if name != OPTION}
    return rest, _asked(options[OPTION], shown)


def split_fragment_cache(url: Url) -> tuple[Url, Cache | bool | None]:
    """Return a URL without the `cache` of its fragment, and what that asks for; as `split_cache`.

    URLs may stand in what others have written, so they name no directory: `#cache`, `#cache=memory`,
    `#cache=check` and `#cache=no` are all there is.

    Raises
    ------
    UrlError
        It is none of these.
    """
    said = [values for name, values in url.fragment.options if name == OPTION]
    if not said:
        return url, None
    rest = tuple(item for item in url.fragment.options if item[0] != OPTION)
    without = replace(url, fragment=replace(url.fragment, options=rest))
    word = ",".join(said[0])
    if word not in _WORDS:
        message = "the fragment: expected cache, cache=memory, cache=check or cache=no, found another word"
        raise UrlError(message, store=url.shown)
    if word == "no":
        return without, False
    return without, Cache(check=word == "check") if word else _usual() or Cache()


def with_cache(store: Store, mode: Mode, *asked: Cache | bool | None) -> Store:
    """Return a store with the first cache that is asked for; else, for reading, with that of the settings."""
    said = next((wish for wish in asked if wish is not None), None)
    if said is None and mode == "r" and store.requests > 1:
        said = _usual()
    if not isinstance(said, Cache):
        return store
    try:
        return said.around(store)
    except BaseException:
        store.close()
        raise


def _usual() -> Cache | None:
    """Return the cache that the settings ask for."""
    place = config.settings.cache
    if not place:
        return None
    return Cache() if place == MEMORY else Cache(directory=place)


def _asked(value: object, shown: str) -> Cache | bool:
    if isinstance(value, bool):
        return (_usual() or Cache()) if value else False
    if value is None or value == "":
        return False
    if value == MEMORY:
        return Cache()
    if isinstance(value, str | os.PathLike):
        return Cache(directory=value)
    if not isinstance(value, Mapping):
        raise StoreError(f"storage_options: cache: {_EXPECTED}; found {type(value).__name__}", store=shown)
    parts: dict[str, Any] = {str(name): _part(name, part, shown) for name, part in value.items()}
    return Cache(**parts)


def _part(name: object, value: object, shown: str) -> object:
    kinds = _PARTS.get(str(name))
    if kinds is None:
        raise StoreError(f"storage_options: cache: {_EXPECTED}; found {name!r}", store=shown)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        expected = " or ".join(kind.__name__ for kind in kinds)
        raise StoreError(f"storage_options: cache: {name}: expected {expected}, found {value!r}", store=shown)
    if name == "max_bytes" and isinstance(value, int) and value < 0:
        raise StoreError(
            f"storage_options: cache: max_bytes: expected at least 0, found {value}", store=shown
        )
    return value
