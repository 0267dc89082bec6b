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
    _entries: dict[str, EntryPoint] | None = field(default=None, repr=False)
    _plugins: dict[str, Extended] = field(default_factory=dict, repr=False)

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
        if self._entries is None:
            self._entries = {entry.name: entry for entry in entry_points(group=self.group)}
        # Its type is not looked at: the package importlib_metadata has one of its own, which is what Python's
        # own function finds where that package is imported.
        entry = self._entries.get(name)
        if entry is not None:
            try:
                self._plugins[name] = cast(Extended, entry.load())
            except Exception as error:  # a broken plug-in must not keep others from working
                what = f"{self.group}: {name}, which is {entry.value}, failed to load: {error}"
                warnings.warn(f"{what} (of {package_of(entry)})", stacklevel=4)
            self._entries.pop(name, None)
        return self._plugins.get(name)


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
