"""Plug-ins: extensions by name, and those of other packages by entry points.

https://packaging.python.org/en/latest/specifications/entry-points/
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar, cast

Extended = TypeVar("Extended")


@dataclass(slots=True)
class Registry(Generic[Extended]):
    """One mapping from names to what reads them, which entry points extend.

    Attributes
    ----------
    group
        The group of entry points (name = the extension's name, value = `module:object`). They are looked
        for once, when a name is asked for that is not known.
    known
        By name; a `module:object` is imported when its name is first asked for.
    """

    group: str
    known: dict[str, str | Extended]
    _plugins: dict[str, EntryPoint | Extended] | None = field(default=None, repr=False)

    def register(self, name: str, extended: Extended) -> None:
        """Make an extension known under a name, in place of any other."""
        self.known[name] = extended

    def find(self, name: str) -> Extended | None:
        """Return what a name stands for, or None where it is not known."""
        found = self.known.get(name)
        if isinstance(found, str):
            found = self.known[name] = cast(Extended, loaded(found))
        return found if found is not None else self._plugin(name)

    def _plugin(self, name: str) -> Extended | None:
        if self._plugins is None:
            self._plugins = {entry.name: entry for entry in entry_points(group=self.group)}
        found = self._plugins.get(name)
        if not isinstance(found, EntryPoint):
            return found
        try:
            plugin = cast(Extended, found.load())
        except Exception as error:  # a broken plug-in must not keep others from working
            what = f"{self.group}: {name}, which is {found.value}, failed to load: {error}"
            warnings.warn(f"{what} (of {package_of(found)})", stacklevel=4)
            del self._plugins[name]
            return None
        self._plugins[name] = plugin
        return plugin


def package_of(entry: EntryPoint) -> str:
    """Return the name and version of the package that an entry point belongs to."""
    return "an unknown package" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"


def loaded(place: str) -> Any:
    """Return the object at a place, `module:object`."""
    module, _, name = place.partition(":")
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found
